//! Tools of SKILLs that are registered in pages, and called by them.

use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::skill::SkillLevel;
use sidecar_protocol::thread::ToolItem;
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
    assert_eq!(acted(&world), 0);
}

/// The calls of no turn that ask, as a panel last heard it.
fn asking(heard: &PanelMessages) -> Vec<ToolItem> {
    let last = heard.events().into_iter().rev().find_map(|event| match event {
        PanelEvent::Approvals(waiting) => Some(waiting),
        _ => None,
    });
    last.unwrap_or_default().into_iter().filter_map(|one| one.item).map(|item| *item).collect()
}

fn decide(world: &mut ActorWorld, decision: &str) {
    let decide = json!({"callId": "p1", "decision": decision, "words": ""});
    world.ask_json(PANEL, json!({"turn": {"control": {"decide": decide}}}));
    world.pass(100);
}

/// How often something was to be done in a page.
fn acted(world: &ActorWorld) -> usize {
    world.browser.0.page_files.borrow().iter().filter(|(_, file)| *file == PageFile::Act).count()
}

fn refused(told: &[String], word: &str) {
    assert!(
        matches!(told, [one] if one.starts_with("result of p1: false") && one.contains(word)),
        "{told:?}"
    );
}

/// A world whose page lets its button be pressed, and a panel.
fn with_button() -> (ActorWorld, PanelMessages) {
    let mut world = with_skill();
    let found = json!({"count": 1, "n": 0, "agrees": true, "ref": "e1"});
    world.has_documents(page(json!({"conditions": conditions(), "locate": found, "quiet": {"quiet": true},
            "act": {"outcome": "ok", "became": []}})));
    world.tell_tools(&[]);
    let heard = world.panel();
    (world, heard)
}

#[test]
fn case_45_page_that_calls_a_tool_that_acts_gets_its_result_after_the_user_has_said_yes() {
    let (mut world, heard) = with_button();
    world.relay(&RelayMessage::SkillCalled {
        request_id: "p1".into(),
        tool_name: "buy".to_owned(),
        args: "{}".to_owned(),
    });
    world.pass(2_000);
    let told = world.browser.take_told();
    assert!(
        told.contains(&"icon calls: true".to_owned()) && told.contains(&"notify buy".to_owned()),
        "{told:?}"
    );
    assert!(!told.iter().any(|told| told.starts_with("result of")), "it waits: {told:?}");
    let [item] = exactly(asking(&heard));
    assert_eq!((item.name.as_str(), item.site.as_str()), ("buy", "shop.example"));
    let skill = item.skill.unwrap();
    assert_eq!(
        (skill.id.as_str(), skill.version.as_str(), skill.level),
        ("shop-helper", "1.2.0", SkillLevel::Shipped)
    );
    assert_eq!(item.approval.why[0], AskReason::FromPage);
    assert!(!item.approval.can_allow, "it is asked about each time");
    decide(&mut world, "run");
    assert!(world.told_relay()[0].starts_with("result of p1: true"));
    assert_eq!(asking(&heard), []);
    let logged = world.browser.0.disk.calls();
    let [call] = logged.as_slice() else { panic!("{logged:?}") };
    assert_eq!(call.allowed_by, Some(AllowedBy::User));
    // The next one asks again, whatever is allowed to the agent.
    let key = json!({"tool": {"origin": SHOP, "name": "buy"}});
    world.ask_json(PANEL, json!({"policies": {"set": {"key": key, "policy": "allow"}}}));
    world.called_by_page("buy", "{}");
    assert_eq!(asking(&heard).len(), 1);
}

#[test]
fn case_45_declined_call_is_not_asked_about_again_on_the_same_page() {
    let (mut world, heard) = with_button();
    world.called_by_page("buy", "{}");
    decide(&mut world, "decline");
    refused(&world.told_relay(), "declined");
    refused(&world.called_by_page("buy", "{}"), "not asked again");
    assert_eq!(asking(&heard), []);
    assert_eq!(acted(&world), 0);
}

#[test]
fn arguments_that_the_user_changed_are_those_in_the_log() {
    let (mut world, _) = with_button();
    world.called_by_page("buy", r#"{"count":1}"#);
    let decide = json!({"callId": "p1", "decision": "run", "edits": "{\"count\":2}"});
    world.ask_json(PANEL, json!({"turn": {"control": {"decide": decide}}}));
    world.pass(100);
    let logged = world.browser.0.disk.calls();
    let [call] = logged.as_slice() else { panic!("{logged:?}") };
    assert_eq!((call.arguments.as_str(), call.allowed_by), (r#"{"count":2}"#, Some(AllowedBy::User)));
}

#[test]
fn call_about_which_nobody_decides_ends() {
    let (mut world, heard) = with_button();
    world.called_by_page("buy", "{}");
    world.pass(121_000);
    refused(&world.told_relay(), "did not answer in time");
    assert_eq!(asking(&heard), []);
    decide(&mut world, "run");
    assert_eq!(world.told_relay(), Vec::<String>::new(), "too late");
}

#[test]
fn call_ends_with_the_document_that_made_it_and_with_its_tab() {
    let (mut world, heard) = with_button();
    world.called_by_page("buy", "{}");
    world.post(BrowserEvent::DocumentLost { tab: TAB, document: place().document });
    world.pass(100);
    assert_eq!(asking(&heard), [], "another document");
    let (mut world, heard) = with_button();
    world.called_by_page("buy", "{}");
    world.post(BrowserEvent::TabRemoved { tab: TAB });
    world.pass(100);
    assert_eq!(asking(&heard), [], "no tab");
}

#[test]
fn page_is_told_to_wait_while_the_users_agent_is_at_work() {
    let (mut world, heard) = with_button();
    world.send("Look");
    refused(&world.called_by_page("buy", "{}"), "at work");
    assert_eq!(asking(&heard), []);
}

#[test]
fn allowed_call_does_not_act_beside_a_turn_that_began_while_it_asked() {
    let (mut world, _) = with_button();
    world.called_by_page("buy", "{}");
    world.send("Look");
    decide(&mut world, "run");
    refused(&world.told_relay(), "at work");
    assert_eq!(acted(&world), 0);
}

#[test]
fn page_may_not_call_what_is_off_or_not_there_and_is_asked_about_what_asks() {
    let mut world = with_price();
    let heard = world.panel();
    refused(&world.called_by_page("unknown", "{}"), "no such tool");
    let key = json!({"tool": {"origin": SHOP, "name": "read_price"}});
    world.ask_json(PANEL, json!({"policies": {"set": {"key": key, "policy": "ask"}}}));
    world.called_by_page("read_price", "{}");
    let [item] = exactly(asking(&heard));
    assert_eq!(item.approval.why, [AskReason::FromPage, AskReason::Policy]);
    decide(&mut world, "run");
    assert!(world.told_relay()[0].starts_with("result of p1: true"));
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    refused(&world.called_by_page("read_price", "{}"), "no such tool");
    assert_eq!(world.browser.0.disk.calls().len(), 3);
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_the_user_is_asked() {
    let (mut world, heard) = with_button();
    refused(&world.called_by_page("buy", "[]"), "object");
    assert_eq!(asking(&heard), []);
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
