//! Tools of SKILLs that are registered in pages, and called by them.

use sidecar_protocol::tool::Caller;

use super::skills::{conditions, page, with_skill};
use super::*;

impl ActorWorld {
    /// What was said to the relay since the last time.
    fn told_relay(&self) -> Vec<String> {
        let told = self.browser.take_told().into_iter();
        told.filter(|told| told.starts_with("show skills") || told.starts_with("result of")).collect()
    }

    /// The page calls a tool, and nobody calls one for two seconds.
    fn called_by_page(&mut self, tool: &str, args: &str) -> Vec<String> {
        self.told_relay();
        let (request_id, tool_name) = ("p1".into(), tool.to_owned());
        self.relay(&RelayMessage::SkillCalled { request_id, tool_name, args: args.to_owned() });
        self.pass(2_000);
        self.told_relay()
    }
}

fn with_price() -> ActorWorld {
    let mut world = with_skill();
    let value = json!({"count": 1, "n": 0, "agrees": true, "raw": "¥1"});
    world.has_documents(page(json!({"conditions": conditions(), "value": value})));
    world.tell_tools(&[]);
    world
}

#[test]
fn tools_are_registered_in_the_page_until_they_are_off_or_the_page_has_its_own() {
    let mut world = with_price();
    assert_eq!(world.told_relay(), ["show skills read_price buy"]);
    world.tell_tools(&["buy"]);
    assert_eq!(world.told_relay(), ["show skills read_price"]);
    world.tell_tools(&[]);
    assert_eq!(world.told_relay(), ["show skills read_price buy"]);
    let heard = world.panel();
    world.ask_json(
        PANEL,
        json!({"skills": {"switchTool": {"id": "shop-helper", "tool": "buy", "on": false}}}),
    );
    assert_eq!(world.told_relay(), ["show skills read_price"], "{:?}", heard.replies());
    world.ask_json(PANEL, json!({"skills": {"register": {"id": "shop-helper", "on": false}}}));
    assert_eq!(world.told_relay(), ["show skills "]);
    world.ask_json(PANEL, json!({"skills": {"register": {"id": "shop-helper", "on": true}}}));
    assert_eq!(world.told_relay(), ["show skills read_price"]);
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    assert_eq!(world.told_relay(), ["show skills "], "a hidden site");
}

#[test]
fn page_that_shows_tools_of_an_earlier_worker_is_told_to_show_others() {
    let mut world = with_skill();
    world.goes_to("https://shop.example/closed");
    let list = |skills| RelayMessage::ToolsChanged {
        backend: Backend::Native,
        tools: Vec::new(),
        total: 0,
        blocked: false,
        skills,
    };
    world.relay(&list(false));
    assert_eq!(world.told_relay(), Vec::<String>::new(), "no SKILL fits, and nobody has to be told");
    let mut world = with_skill();
    world.goes_to("https://shop.example/closed");
    world.relay(&list(true));
    assert_eq!(world.told_relay(), ["show skills "]);
}

#[test]
fn page_that_refuses_webmcp_shows_no_tools() {
    let mut world = with_skill();
    let (backend, tools, skills) = (Backend::Native, Vec::new(), false);
    world.relay(&RelayMessage::ToolsChanged { backend, tools, total: 0, blocked: true, skills });
    assert_eq!(world.told_relay(), Vec::<String>::new());
    assert_eq!(world.offered(), ["buy", "read_price", PAGE_ACCESS], "the user's own agent has them");
}

#[test]
fn page_calls_a_tool_that_reads_and_the_call_is_in_the_log() {
    let mut world = with_price();
    let result = r#"result of p1: true {"price":{"amount":1,"currency":"CNY"}}"#;
    assert_eq!(world.called_by_page("read_price", "{}"), [result]);
    let logged = world.browser.0.disk.calls();
    let [call] = logged.as_slice() else { panic!("{logged:?}") };
    assert_eq!(call.caller, Caller::Page { origin: SHOP.to_owned() });
    assert_eq!((call.tool.as_str(), call.site.as_str()), ("read_price", "shop.example"));
    let opened =
        world.browser.0.page_files.borrow().iter().filter(|(_, file)| *file == PageFile::Act).count();
    assert_eq!(opened, 0);
}

#[test]
fn page_may_not_call_what_acts_or_is_off_or_not_there() {
    let mut world = with_price();
    let refused = |told: &[String], word: &str| {
        assert!(
            matches!(told, [one] if one.starts_with("result of p1: false") && one.contains(word)),
            "{told:?}"
        );
    };
    refused(&world.called_by_page("buy", "{}"), "side panel");
    refused(&world.called_by_page("unknown", "{}"), "no such tool");
    let key = json!({"tool": {"origin": SHOP, "name": "read_price"}});
    world.ask_json(PANEL, json!({"policies": {"set": {"key": key, "policy": "ask"}}}));
    refused(&world.called_by_page("read_price", "{}"), "asked");
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    refused(&world.called_by_page("read_price", "{}"), "no such tool");
    assert_eq!(world.browser.0.disk.calls().len(), 4);
}

#[test]
fn page_calls_one_tool_a_second_and_one_at_a_time() {
    let mut world = with_skill();
    // A document that does not answer.
    world.tell_tools(&[]);
    world.told_relay();
    let call = |world: &mut ActorWorld, id: &str| {
        let (request_id, tool_name, args) = (id.into(), "read_price".to_owned(), "{}".to_owned());
        world.relay(&RelayMessage::SkillCalled { request_id, tool_name, args });
        world.told_relay()
    };
    assert_eq!(call(&mut world, "p1"), Vec::<String>::new());
    assert!(call(&mut world, "p2")[0].starts_with("result of p2: false A page may call one tool a second"));
    world.pass(1_500);
    assert!(
        call(&mut world, "p3")[0].starts_with("result of p3: false A page may"),
        "the first one still runs"
    );
    world.pass(70_000);
    assert!(world.told_relay()[0].starts_with("result of p1: false"));
    assert_eq!(call(&mut world, "p4"), Vec::<String>::new());
    assert_eq!(
        world.browser.0.disk.calls().len(),
        1,
        "what comes too early is not in the log, which it could fill"
    );
}
