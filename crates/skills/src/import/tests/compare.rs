//! What an update changes.

use serde_json::{Value, json};
use sidecar_protocol::skill::{ChangedLine, SkillUpdate, ToolChangeKind};

use super::super::*;
use super::{TEXT, packed, shop, tools};
use crate::package::TOOLS_FILE;

fn update(before: &[u8], after: &[u8]) -> SkillUpdate {
    let (before, after) = (STANDARD.encode(before), STANDARD.encode(after));
    match answer_to(PackageQuestion::Compare { before, after, language: Language::English }) {
        PackageAnswer::Compared { update } => update,
        other @ PackageAnswer::Opened { .. } => panic!("{other:#?}"),
    }
}

fn of(tools: &Value) -> Vec<u8> {
    with(tools, &[])
}

fn with(tools: &Value, more: &[(&str, &str)]) -> Vec<u8> {
    let tools = tools.to_string();
    packed(&[&[("SKILL.md", TEXT), (TOOLS_FILE, &tools)], more].concat())
}

/// The shop, changed.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut changed = tools();
    change(&mut changed);
    changed
}

fn kinds(update: &SkillUpdate) -> Vec<(&str, ToolChangeKind, bool)> {
    update.tools.iter().map(|tool| (tool.name.as_str(), tool.kind, tool.acts)).collect()
}

#[test]
fn same_package_changes_nothing() {
    let same = update(&shop(), &shop());
    assert!(same.is_same && !same.is_wider);
    assert_eq!((same.from.as_str(), same.gains.len() + same.loses.len()), ("1.0.0", 0));
    assert_eq!((same.tools.len(), same.texts.len(), same.files.len()), (0, 0, 0));
}

#[test]
fn case_42_new_site_acting_tool_or_code_is_wider() {
    let site = changed(|tools| {
        tools["match"] = json!(["https://shop.example/*", "https://other.example/*"]);
        tools["permissions"]["sites"] = tools["match"].clone();
    });
    let found = update(&shop(), &of(&site));
    assert_eq!((found.is_wider, found.gains), (true, vec!["Reads pages on other.example.".to_owned()]));
    let back = update(&of(&site), &shop());
    assert_eq!((back.is_wider, back.loses), (false, vec!["Reads pages on other.example.".to_owned()]));

    let narrower = changed(|tools| {
        tools["match"] = json!(["https://shop.example/books/*"]);
        tools["permissions"]["sites"] = tools["match"].clone();
    });
    assert!(!update(&shop(), &of(&narrower)).is_wider);

    let acting = changed(|tools| {
        tools["tools"][0]["steps"] = tools["tools"][1]["steps"].clone();
        tools["tools"][0]["class"] = json!("acting");
        tools["permissions"]["acts"] = json!(["buy", "look"]);
    });
    let found = update(&shop(), &of(&acting));
    assert_eq!(found.gains, ["Acts on shop.example with look, and asks you before each call."]);
    assert_eq!((found.is_wider, kinds(&found)), (true, vec![("look", ToolChangeKind::Changed, true)]));

    let code = |world: &str| {
        changed(|tools| {
            tools["tools"][1].as_object_mut().unwrap().remove("steps");
            tools["tools"][1]["code"] = json!({"file": "webmcp/buy.js", "world": world});
            tools["permissions"]["code"] = json!(world);
            tools["locators"].as_object_mut().unwrap().remove("button");
        })
    };
    let isolated = with(&code("isolated"), &[("webmcp/buy.js", "return 1")]);
    let found = update(&shop(), &isolated);
    assert_eq!((found.is_wider, found.gains.len(), found.files), (true, 2, vec!["webmcp/buy.js".to_owned()]));
    let main = with(&code("main"), &[("webmcp/buy.js", "return 1")]);
    assert!(update(&isolated, &main).is_wider);
    assert!(!update(&main, &isolated).is_wider);
    let other_code = with(&code("isolated"), &[("webmcp/buy.js", "return 2")]);
    let found = update(&isolated, &other_code);
    assert_eq!((found.is_wider, kinds(&found)), (false, vec![("buy", ToolChangeKind::Changed, true)]));

    let fetch = |methods: Value| {
        changed(|tools| {
            tools["endpoints"] = json!({"a": {"path": "/a", "origin": "https://api.example"}, "b": {"path": "/b", "origin": "https://api.example", "method": "POST"}});
            let steps = tools["tools"][1]["steps"].as_array_mut().unwrap();
            for (method, endpoint) in [("GET", "a"), ("POST", "b")] {
                if methods.as_array().unwrap().contains(&json!(method)) {
                    steps.push(json!({"do": "fetch", "endpoint": endpoint, "read": "json", "as": endpoint}));
                }
            }
            tools["permissions"]["fetch"] = json!([{"origin": "https://api.example", "methods": methods}]);
        })
    };
    let (get, both) = (of(&fetch(json!(["GET"]))), of(&fetch(json!(["GET", "POST"]))));
    assert!(update(&shop(), &get).is_wider && update(&get, &both).is_wider && !update(&both, &get).is_wider);
    assert_eq!(
        update(&get, &both).gains,
        ["Requests https://api.example (POST), without your cookies there."]
    );

    let leads = changed(|tools| {
        let step = json!({"do": "navigate", "path": "/a"});
        tools["tools"][0]["steps"].as_array_mut().unwrap().insert(0, step);
        tools["permissions"]["navigate"] = json!(true);
    });
    assert!(update(&shop(), &of(&leads)).is_wider);

    let left_out = changed(|tools| tools["exclude"] = json!(["https://shop.example/pay/*"]));
    let found = update(&of(&left_out), &shop());
    assert_eq!((found.is_wider, found.gains), (true, vec!["Reads pages on shop.example/pay.".to_owned()]));
    assert!(!update(&shop(), &of(&left_out)).is_wider);
}

#[test]
fn case_42_other_words_are_shown_as_lines_and_are_no_wider() {
    let words = changed(|tools| {
        tools["tools"][0]["description"] = json!("Reads the heading.\nAnd nothing else.");
        tools["version"] = json!("1.0.1");
    });
    let text = TEXT.replace("Read first.", "Buy first.").replace("1.0.0", "1.0.1");
    let after = packed(&[("SKILL.md", &text), (TOOLS_FILE, &words.to_string()), ("assets/a.txt", "x")]);
    let found = update(&shop(), &after);
    assert!(!found.is_wider && !found.is_same);
    assert_eq!((found.tools, found.files), (vec![], vec!["assets/a.txt".to_owned()]));
    let line = |text: &str| text.to_owned();
    assert_eq!(found.texts.len(), 2);
    assert_eq!(found.texts[0].of, "SKILL.md");
    assert_eq!(
        found.texts[0].lines[1..],
        [
            ChangedLine::Same(line("# How")),
            ChangedLine::Same(line("")),
            ChangedLine::Removed(line("Read first.")),
            ChangedLine::Added(line("Buy first.")),
        ]
    );
    assert_eq!(found.texts[1].of, "look");
    assert_eq!(
        found.texts[1].lines,
        [ChangedLine::Same(line("Reads the heading.")), ChangedLine::Added(line("And nothing else.")),]
    );
}

#[test]
fn changed_locator_changes_the_tools_that_use_it() {
    let other = changed(|tools| tools["locators"]["button"]["any"][0]["css"] = json!("#pay"));
    assert_eq!(kinds(&update(&shop(), &of(&other))), [("buy", ToolChangeKind::Changed, true)]);
    let gone = changed(|tools| {
        tools["tools"].as_array_mut().unwrap().pop();
        tools["permissions"]["acts"] = json!([]);
        tools["locators"].as_object_mut().unwrap().remove("button");
    });
    let found = update(&shop(), &of(&gone));
    assert_eq!(kinds(&found), [("buy", ToolChangeKind::Removed, false)]);
    assert_eq!(found.loses, ["Acts on shop.example with buy, and asks you before each call."]);
}

#[test]
fn of_a_package_that_cannot_be_read_everything_is_new() {
    let found = update(b"broken", &shop());
    assert_eq!((found.is_wider, found.is_same, found.from.as_str(), found.gains.len()), (true, false, "", 2));
    let (before, after) = (STANDARD.encode(shop()), "no base64".to_owned());
    let answer = answer_to(PackageQuestion::Compare { before, after, language: Language::English });
    assert!(matches!(answer, PackageAnswer::Opened { offer: SkillOffer::Refused { .. }, kept: None }));
}
