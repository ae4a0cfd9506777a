//! Tests of which SKILLs are of use on a page, and which of their tools are offered there.

use std::collections::HashSet;

use futures::executor::block_on;
use serde_json::{Value, json};
use sidecar_protocol::skill::SkillState;
use sidecar_skills::run::health::{HealthState, PageHealth};

use super::on_page::FIRST_MS;
use super::*;
use crate::saved::Saved;
use crate::testing::Memory;

const URL: &str = "https://shop.example/list?q=1";
const TAB: TabId = TabId(7);

fn indexed(id: &str, more: Value) -> IndexedSkill {
    let mut value = json!({
        "id": id, "version": "1.0.0", "title": id, "summary": "s",
        "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed"],
    });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(value).unwrap()
}

fn tools(names: &[&str]) -> Vec<PlacedTool> {
    let tool = |name: &&str| {
        let acts = name.starts_with("buy");
        json!({"pages": [], "description": "d", "acts": acts, "tool": {"name": name, "description": "d"}})
    };
    serde_json::from_value(names.iter().map(tool).collect()).unwrap()
}

fn skills(choices: Value, shipped: Vec<IndexedSkill>, revoked: Value) -> Skills<Memory> {
    let memory = Memory::with("skills", &choices.to_string());
    let saved = block_on(Saved::load(memory));
    let mut skills = Skills::default();
    assert!(skills.wants_reading() && !skills.wants_reading());
    let known = KnownSkills::new(saved, shipped, serde_json::from_value(revoked).unwrap());
    skills.know(known, KeptRuns::default());
    skills
}

fn healthy(names: &[&str]) -> PageHealth {
    let ready = names.iter().map(|name| (*name).to_owned()).collect();
    PageHealth { state: HealthState::Ok, detail: String::new(), ready }
}

/// Reads tools, looks at the page, finds this.
fn looked_at(skills: &mut Skills<Memory>, found: &[(&str, &[&str])]) {
    for place in skills.unread(URL) {
        let id = match &place {
            SkillPlace::Shipped(id) => id.clone(),
            SkillPlace::Stored(digest) => digest.strip_prefix("d-").unwrap().to_owned(),
        };
        let names = found.iter().find(|(name, _)| *name == id).map(|(_, names)| *names);
        skills.know_tools(place, tools(names.unwrap_or_default()));
    }
    let look = skills.look(TAB, &"D1".into(), URL, true, FIRST_MS).unwrap();
    let found = found.iter().map(|(id, names)| ((*id).to_owned(), healthy(names))).collect();
    assert!(skills.looked(&look, found, true));
}

fn offered(skills: &Skills<Memory>, own: &[&str]) -> Vec<String> {
    let own: HashSet<String> = own.iter().map(|name| (*name).to_owned()).collect();
    let tools = skills.tools_on(TAB, URL, &own);
    let names = |(id, tools): (String, Vec<sidecar_protocol::page::ToolDescription>)| {
        tools.into_iter().map(move |tool| format!("{id}/{}", tool.name))
    };
    tools.offered.into_iter().flat_map(names).collect()
}

fn installed(id: &str, level: &str) -> Value {
    let indexed = serde_json::to_value(indexed(id, json!({}))).unwrap();
    json!({"indexed": indexed, "level": level, "source": "a.zip", "digest": format!("d-{id}"), "installed": 1})
}

#[test]
fn tools_are_offered_after_the_page_was_looked_at_and_as_long_as_it_is_fit() {
    let mut skills = skills(json!({}), vec![indexed("shop", json!({}))], json!([]));
    for other in ["https://other.example/", "https://shop.example/closed", ""] {
        assert!(skills.fitting(other).is_empty(), "{other}");
    }
    assert_eq!(skills.unread(URL), [SkillPlace::Shipped("shop".to_owned())]);
    skills.know_tools(SkillPlace::Shipped("shop".to_owned()), tools(&["read", "buy"]));
    let look = skills.look(TAB, &"D1".into(), URL, false, FIRST_MS).unwrap();
    assert_eq!(skills.look(TAB, &"D1".into(), URL, false, FIRST_MS), None, "it is being looked at");
    assert!(skills.is_unknown(TAB));
    assert_eq!(offered(&skills, &[]), Vec::<String>::new());
    assert!(skills.looked(&look, vec![("shop".to_owned(), healthy(&["read"]))], true));
    assert_eq!(offered(&skills, &[]), ["shop/read"], "by kind of page");

    let next = skills.look(TAB, &"D1".into(), "https://shop.example/item", false, FIRST_MS).unwrap();
    assert!(!skills.looked(&look, Vec::new(), true), "what was found before is of no interest");
    assert!(!skills.is_unknown(TAB), "the same document goes on meanwhile");
    let changed =
        PageHealth { state: HealthState::Changed, detail: "list: 1 (rows)".to_owned(), ready: Vec::new() };
    assert!(skills.looked(&next, vec![("shop".to_owned(), changed)], true));
    assert_eq!(offered(&skills, &[]), Vec::<String>::new());
    assert!(skills.has_unfit(TAB));
    assert!(skills.look(TAB, &"D2".into(), URL, false, FIRST_MS).is_some());
    assert!(skills.is_unknown(TAB), "of another document nothing is known");
}

#[test]
fn case_20_of_two_skills_with_one_tool_the_first_is_offered_and_the_other_is_shadowed() {
    let shipped = vec![indexed("b-ships", json!({})), indexed("a-first", json!({"priority": 5}))];
    let choices = json!({"installed": {"c-own": installed("c-own", "own"), "d-others": installed("d-others", "imported")}});
    let mut skills = skills(choices, shipped, json!([]));
    let order: Vec<_> = skills.known().unwrap().all().iter().map(KnownSkill::id).collect();
    assert_eq!(order, ["a-first", "c-own", "b-ships", "d-others"], "priority, then whose it is");
    let same: &[&str] = &["read"];
    looked_at(
        &mut skills,
        &[("a-first", same), ("b-ships", &["read", "list"]), ("c-own", same), ("d-others", same)],
    );
    assert_eq!(offered(&skills, &[]), ["a-first/read", "b-ships/list"]);
    let shadowed = skills.tools_on(TAB, URL, &HashSet::new()).shadowed;
    assert_eq!(shadowed.len(), 3);
    assert!(shadowed.iter().all(|(_, tool, by)| tool == "read" && by == "a-first"));
}

#[test]
fn skills_give_way_to_the_tools_of_a_page_as_they_say() {
    let shipped = vec![
        indexed("any", json!({"yields": "any-native"})),
        indexed("named", json!({"yields": ["search"]})),
        indexed("same", json!({})),
    ];
    let mut skills = skills(json!({}), shipped, json!([]));
    looked_at(&mut skills, &[("any", &["a"]), ("named", &["b"]), ("same", &["c"])]);
    assert_eq!(offered(&skills, &[]), ["any/a", "named/b", "same/c"]);
    assert_eq!(offered(&skills, &["other"]), ["named/b", "same/c"]);
    assert_eq!(offered(&skills, &["search"]), ["same/c"]);
}

#[test]
fn what_the_user_switched_off_is_not_offered() {
    let decided = json!({
        "off": {"on": false}, "here": {"offOn": ["https://shop.example"]}, "paused": {"pausedOn": ["https://shop.example"]},
        "tools": {"tools": {"read": false}}, "elsewhere": {"offOn": ["https://other.example"]},
    });
    let ids = ["off", "here", "paused", "tools", "elsewhere"];
    let shipped = ids.iter().map(|id| indexed(id, json!({}))).collect();
    let mut skills = skills(json!({"decided": decided}), shipped, json!([]));
    let found: Vec<_> = ids.iter().map(|id| (*id, ["read", id].map(|name| name))).collect();
    let found: Vec<(&str, &[&str])> = found.iter().map(|(id, names)| (*id, names.as_slice())).collect();
    looked_at(&mut skills, &found);
    assert_eq!(offered(&skills, &[]), ["elsewhere/read", "elsewhere/elsewhere", "tools/tools"]);
}

#[test]
fn case_41_acting_tools_of_others_are_off_until_they_are_switched_on() {
    let choices =
        |decided: Value| json!({"installed": {"shop": installed("shop", "imported")}, "decided": decided});
    for (decided, expected) in [
        (json!({}), vec!["shop/read"]),
        (json!({"shop": {"tools": {"buy": true}}}), vec!["shop/read", "shop/buy"]),
    ] {
        let mut skills = skills(choices(decided), Vec::new(), json!([]));
        looked_at(&mut skills, &[("shop", &["read", "buy"])]);
        assert_eq!(offered(&skills, &[]), expected);
    }
}

#[test]
fn case_43_revoked_skill_is_off_at_once_and_says_why() {
    let revoked = json!([{"id": "shop", "reason": {"en": "It sells what it reads.", "zh": "泄露数据"}, "link": "https://a.example/1"}]);
    let mut skills =
        skills(json!({}), vec![indexed("shop", json!({})), indexed("other", json!({}))], revoked);
    assert_eq!(skills.fitting(URL).iter().map(|skill| skill.id()).collect::<Vec<_>>(), ["other"]);
    looked_at(&mut skills, &[("other", &["read"])]);
    let list = skills.list(None, "zh-CN");
    let told = list.iter().find(|summary| summary.id == "shop").unwrap();
    assert_eq!((told.state, told.detail.as_str()), (SkillState::Revoked, "泄露数据"));
    assert_eq!(told.link, "https://a.example/1");
}

#[test]
fn skill_that_never_finds_any_more_what_it_always_read_is_worn_on_that_site() {
    let mut skills = skills(json!({}), vec![indexed("shop", json!({}))], json!([]));
    looked_at(&mut skills, &[("shop", &["read"])]);
    let page = listing::ShownPage { tab: TAB, url: URL.to_owned(), own: HashSet::new() };
    let state = |skills: &Skills<Memory>| {
        let told = skills.list(Some(&page), "en").remove(0);
        (told.state, told.detail)
    };
    for (value, expected) in [
        ("4", SkillState::Ok),
        ("4", SkillState::Ok),
        ("4", SkillState::Ok),
        ("", SkillState::Ok),
        ("", SkillState::Ok),
        ("", SkillState::Worn),
    ] {
        assert!(!skills.ran(run_that_read(value)));
        assert_eq!(state(&skills).0, expected, "{value:?}");
    }
    assert_eq!(state(&skills).1, "read steps[1].rating");
    assert_eq!(offered(&skills, &[]), ["shop/read"], "it goes on");
    skills.forget_health("shop");
    looked_at(&mut skills, &[("shop", &["read"])]);
    assert_eq!(state(&skills), (SkillState::Ok, String::new()), "another version has other steps");
}

/// A run whose rows have this rating.
fn run_that_read(value: &str) -> SkillRun {
    let field = json!({"step": "steps[1].rating", "does": "field", "locator": "", "alternative": null, "value": value, "outcome": "ok"});
    SkillRun {
        id: "shop".to_owned(),
        document: None,
        is_ok: true,
        is_changed: false,
        trace: serde_json::from_value(json!({"tool": "read", "origin": "https://shop.example", "began": 1,
            "steps": [field], "outcome": "ok"}))
        .unwrap(),
        now: 5,
    }
}

#[test]
fn case_20_of_equal_skills_the_one_with_the_narrower_pattern_for_the_page_comes_first() {
    let matching = |id: &str, matches: Value| indexed(id, json!({"match": matches, "exclude": []}));
    let all = vec![
        matching(
            "a-wide",
            json!(["https://*.shop.example/*", "https://www.another.example/very/long/path/*"]),
        ),
        matching("b-site", json!(["https://shop.example/*"])),
        matching("c-list", json!(["https://shop.example/list*"])),
    ];
    let skills = skills(json!({}), all, json!([]));
    let order = |url| skills.fitting(url).into_iter().map(KnownSkill::id).collect::<Vec<_>>();
    assert_eq!(order(URL), ["c-list", "b-site", "a-wide"]);
    assert_eq!(order("https://shop.example/"), ["b-site", "a-wide"]);
}

#[test]
fn case_8_skill_of_a_newer_format_is_listed_and_says_so() {
    let newer = indexed("shop", json!({"match": [], "exclude": []}));
    let skills = skills(json!({}), vec![newer], json!([]));
    let states: Vec<_> = skills.list(None, "en").into_iter().map(|summary| summary.state).collect();
    assert_eq!(states, [SkillState::Newer]);
    assert!(skills.fitting(URL).is_empty());
}

#[test]
fn case_59_five_hundred_skills_are_compared_with_an_address() {
    let shipped: Vec<_> = (0..500)
        .map(|number| {
            let matches =
                json!([format!("https://*.site{number}.example/*"), format!("*://shop.example/{number}/*")]);
            indexed(&format!("skill-{number}"), json!({"match": matches}))
        })
        .collect();
    let skills = skills(json!({}), shipped, json!([]));
    assert_eq!(skills.fitting("https://shop.example/499/x").len(), 1);
    assert_eq!(skills.fitting("https://a.site3.example/").len(), 1);
    assert!(skills.fitting("https://nowhere.example/").is_empty());
}

#[test]
fn skill_that_cannot_be_looked_at_is_not_looked_at_again_and_again() {
    let mut skills = skills(json!({}), vec![indexed("shop", json!({}))], json!([]));
    let look = skills.look(TAB, &"D1".into(), URL, false, FIRST_MS).unwrap();
    assert!(skills.looked(&look, Vec::new(), true));
    assert_eq!(skills.look(TAB, &"D1".into(), URL, false, FIRST_MS), None);
    assert_eq!(skills.health(TAB, "shop").unwrap().state, HealthState::Unknown);
    assert!(skills.has_unfit(TAB), "the next turn looks again");
}

#[test]
fn look_that_began_before_an_update_says_nothing_of_the_new_version() {
    let mut skills = skills(json!({}), vec![indexed("shop", json!({}))], json!([]));
    let before = skills.look(TAB, &"D1".into(), URL, false, FIRST_MS).unwrap();
    skills.forget_health("shop");
    let now = skills.look(TAB, &"D1".into(), URL, false, FIRST_MS).unwrap();
    assert!(!skills.looked(&before, vec![("shop".to_owned(), healthy(&["read"]))], true));
    assert!(skills.looked(&now, vec![("shop".to_owned(), healthy(&["read"]))], true));
}

#[test]
fn tools_of_a_skill_are_asked_for_once() {
    let mut skills = skills(json!({}), vec![indexed("shop", json!({}))], json!([]));
    assert_eq!(skills.unread(URL).len(), 1);
    assert_eq!(skills.unread(URL), []);
}
