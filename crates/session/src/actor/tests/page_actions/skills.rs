//! Tools of SKILLs: with those of the page, and run by the page actions.

use super::*;

/// A SKILL for the shop with a tool that reads and one that acts.
fn skill() -> Value {
    let button = json!({"any": [{"css": "#buy"}]});
    json!({
        "id": "shop-helper", "version": "1.2.0", "title": "Shop", "summary": "Shop",
        "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed*"], "permissions": {},
        "tools": [
            {"name": "read_price", "description": "Reads the price.", "class": "read", "inputSchema": {"type": "object"},
                "steps": [
                    {"do": "read", "at": {"any": [{"css": "#price"}]}, "what": "text", "type": "money", "as": "price"},
                    {"do": "return", "value": {"price": "{{price}}"}},
                ],
                "outcomes": {"changed": "The shop is not as this tool knows it."}},
            {"name": "buy", "description": "Buys.", "class": "acting", "inputSchema": {"type": "object"},
                "steps": [{"do": "click", "at": button, "then": "none"}]},
        ],
    })
}

/// A world whose extension ships that SKILL.
fn with_skill() -> ActorWorld {
    let mut world = ActorWorld::new();
    let index = json!([{"id": "shop-helper", "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed*"]}]);
    let tools = sidecar_skills::offer::placed(&serde_json::from_value(skill()).unwrap());
    let files =
        [("index.json", index), ("shop-helper.tools.json", json!(tools)), ("shop-helper.json", skill())];
    *world.browser.0.skill_files.borrow_mut() =
        files.map(|(name, json)| (name.to_owned(), json.to_string())).into();
    world.panel();
    world
}

fn skill_tool(name: &str) -> ToolRef {
    ToolRef::Skill { skill: "shop-helper".to_owned(), name: name.to_owned(), tab: TAB }
}

impl ActorWorld {
    fn run_skill(&mut self, name: &'static str) -> ToolOutcome {
        let work =
            async move |tools: TabTools<FakeBrowser>| tools.call(&"c1".into(), &skill_tool(name), "{}").await;
        self.with_tools(work, 60_000).unwrap().0
    }

    fn goes_to(&mut self, url: &str) {
        self.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, url));
        self.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, url) });
    }
}

/// The shop's page, with these answers of the page actions.
fn page(answers: Value) -> Vec<(DocumentId, PageScript)> {
    vec![document("d1", SHOP, "", answers)]
}

fn conditions() -> Value {
    json!({"url": "https://shop.example/search", "lang": "en", "found": []})
}

#[test]
fn tools_of_a_skill_join_those_of_the_page_and_go_with_its_address() {
    let mut world = with_skill();
    world.tell_tools(&["compare"]);
    assert_eq!(world.offered(), ["compare", "buy", "read_price", PAGE_ACCESS]);
    world.goes_to("https://shop.example/closed");
    assert_eq!(world.offered(), ["compare", PAGE_ACCESS]);
    world.goes_to("https://shop.example/");
    assert_eq!(world.offered(), ["compare", "buy", "read_price", PAGE_ACCESS]);
    let read = |world: &ActorWorld| {
        world.browser.0.told.borrow().iter().filter(|told| told.starts_with("read skills/")).count()
    };
    assert_eq!(read(&world), 2, "the index and the SKILL, once");
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    world.goes_to("https://shop.example/list");
    assert_eq!(world.offered(), Vec::<String>::new(), "a hidden site");
}

#[test]
fn pages_own_tool_of_the_name_wins_also_when_it_comes_later() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let sources = |world: &mut ActorWorld| {
        let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
        let of = offers.into_iter().filter(|offer| offer.model_name == "buy");
        of.map(|offer| matches!(offer.tool, ToolRef::Skill { .. })).collect::<Vec<_>>()
    };
    assert_eq!(sources(&mut world), [true]);
    world.tell_tools(&["buy"]);
    assert_eq!(sources(&mut world), [false]);
    world.tell_tools(&[]);
    assert_eq!(sources(&mut world), [true]);
}

#[test]
fn what_a_skill_does_is_known_by_its_steps() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
    let risk = |name: &str| offers.iter().find(|offer| offer.model_name == name).unwrap().risk;
    assert_eq!(
        (risk("read_price"), risk("buy")),
        (sidecar_protocol::Risk::ReadOnly, sidecar_protocol::Risk::Consequential)
    );
}

#[test]
fn steps_are_done_by_the_page_actions_without_consent_for_the_site() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let value = json!({"count": 1, "n": 0, "agrees": true, "raw": "¥1,234.50"});
    world.has_documents(page(json!({"conditions": conditions(), "value": value})));
    let ToolOutcome::Ok { content, .. } = world.run_skill("read_price") else { panic!() };
    assert_eq!(content, [Content::Text(r#"{"price":{"amount":1234.5,"currency":"CNY"}}"#.to_owned())]);
    let files = world.browser.0.page_files.borrow().clone();
    assert_eq!(files, [("d1".into(), PageFile::Skill)]);
}

#[test]
fn outcome_is_told_with_the_words_of_the_skill_and_the_step() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let none = json!({"count": 0, "n": null, "agrees": true, "raw": null});
    world.has_documents(page(json!({"conditions": conditions(), "value": none})));
    let ended = world.run_skill("read_price");
    let ToolOutcome::Failed { code: ToolFailure::Action(ActionOutcome::Changed), message } = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(
        message,
        "The shop is not as this tool knows it. [shop-helper 1.2.0, read_price, steps[0]: changed]"
    );
}

#[test]
fn element_is_clicked_by_the_page_actions_and_their_outcome_is_the_tools() {
    for (outcome, is_done) in [("ok", true), ("covered", false)] {
        let mut world = with_skill();
        world.tell_tools(&[]);
        let found = json!({"count": 1, "n": 0, "agrees": true, "ref": "e1"});
        world.has_documents(page(
            json!({"conditions": conditions(), "locate": found, "quiet": {"quiet": true},
            "act": {"outcome": outcome, "became": []}}),
        ));
        let ended = world.run_skill("buy");
        assert_eq!(matches!(ended, ToolOutcome::Ok { .. }), is_done, "{ended:?}");
        assert!(is_done || failure(ActionOutcome::Covered)(&ended), "{ended:?}");
    }
}

#[test]
fn nothing_is_read_on_a_page_that_is_not_the_skills() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    world.has_documents(page(
        json!({"conditions": conditions(), "value": {"count": 1, "n": 0, "agrees": true, "raw": "¥1"}}),
    ));
    // The tab went elsewhere, and the worker was not told yet.
    world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://other.example/"));
    let ended = world.run_skill("read_price");
    assert!(failure(ActionOutcome::Left)(&ended), "{ended:?}");
}
