//! The browser's own tools: consent, what is asked, and the page actions in the documents of a tab.

use std::cell::{Cell, RefCell};

use sidecar_agent::browser_tools::PAGE_ACCESS;
use sidecar_agent::{Examined, ToolHost};
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, Consequence, DocumentId, SensitiveSite, ToolRef, UserInput};

mod frames;
mod hand_over;
mod page_calls;
mod pictures;
mod skill_code;
mod skill_documents;
mod skills;
mod tabs;
mod whole_page;

use super::super::turn_tools::TabTools;
use super::*;
use crate::browser::PageFile;
use crate::event::BrowserEvent;
use crate::testing::browser::PageScript;

const SHOP: &str = "https://shop.example";

/// A document of this origin that answers each kind of request with this result.
pub(super) fn document(name: &str, origin: &str, token: &str, results: Value) -> (DocumentId, PageScript) {
    let (origin, token) = (origin.to_owned(), token.to_owned());
    let script = move |message: &Value| {
        let Some(wanted) = message["do"].as_str() else { return Vec::new() };
        let id = &message["id"];
        match wanted {
            "hello" => vec![
                json!({"event": "token", "token": token}),
                json!({"id": id, "next": 5, "result": {"origin": origin, "path": "/"}}),
            ],
            "light" => vec![json!({"id": id, "result": {}})],
            // Nothing of it is visible.
            "screenshot" if results[wanted].is_null() => vec![json!({"id": id, "result": {}})],
            "pair" => vec![json!({"id": id, "result": {"frames": []}})],
            // It says nothing of its frames.
            "inner" if results[wanted].is_null() => vec![json!({"id": id, "result": {"frames": []}})],
            // A document that does not answer.
            _ if results[wanted].is_null() => Vec::new(),
            _ => vec![json!({"id": id, "next": 9, "result": results[wanted]})],
        }
    };
    (name.into(), Rc::new(script))
}

fn browser_tool(name: &str) -> ToolRef {
    ToolRef::Browser { name: name.to_owned(), tab: Some(TAB) }
}

impl ActorWorld {
    fn has_documents(&self, documents: Vec<(DocumentId, PageScript)>) {
        *self.browser.0.scripts.borrow_mut() = documents;
    }

    fn offered(&mut self) -> Vec<String> {
        let offers = self.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
        offers.into_iter().map(|offer| offer.model_name).collect()
    }

    fn run_browser(&mut self, name: &'static str, arguments: Value) -> ToolOutcome {
        let work = async move |tools: TabTools<FakeBrowser>| {
            tools.call(&"c1".into(), &browser_tool(name), &arguments.to_string()).await
        };
        self.with_tools(work, 60_000).unwrap().0
    }
}

fn failure(outcome: ActionOutcome) -> impl Fn(&ToolOutcome) -> bool {
    move |ended| matches!(ended, ToolOutcome::Failed { code: ToolFailure::Action(code), .. } if *code == outcome)
}

/// A world in which the agent may use the page's site.
fn allowed() -> ActorWorld {
    let mut world = ActorWorld::new();
    world.panel();
    world.ask_json(PANEL, json!({"policies": {"allowPages": {"access": "act"}}}));
    let kept = world.browser.0.storage.of(crate::browser::StorageArea::Choices).clone();
    let text = futures::executor::block_on(crate::KeyValue::get(&kept, "grants")).unwrap().unwrap();
    assert!(text.contains(r#"{"action":{"origin":"https://shop.example","action":"act"}}"#), "{text}");
    world
}

#[test]
fn site_without_consent_offers_the_request_alone_and_other_tools_are_off() {
    let mut world = ActorWorld::new();
    world.panel();
    world.tell_tools(&["buy"]);
    assert_eq!(world.offered(), ["buy", PAGE_ACCESS]);
    let current =
        async |tools: TabTools<FakeBrowser>| tools.current_tool(&browser_tool("click_element")).await;
    let current = world.with_tools(current, 60_000).unwrap().0.unwrap();
    assert_eq!(current.policy, Some(sidecar_protocol::policy::Policy::Off));
}

#[test]
fn consent_in_a_chat_ends_with_the_chat_and_is_taken_back_with_the_site() {
    let mut world = ActorWorld::new();
    world.tell_tools(&["buy"]);
    let heard = world.panel();
    world.send("Read it");
    world.call_tool(PAGE_ACCESS, r#"{"access":"read"}"#);
    let [(thread, call)] = exactly(approvals::waiting(&heard));
    approvals::decide(&mut world, (&thread, &call), "run", false);
    let offered = async |tools: TabTools<FakeBrowser>| tools.offer().await.len();
    let in_other = world.with_tools(offered, 60_000).unwrap().0;
    assert_eq!(in_other, 2, "another thread has no consent");
    let in_thread = world.actor_offers(&thread);
    assert!(in_thread.contains(&"snapshot".to_owned()) && !in_thread.contains(&"click_element".to_owned()));
    let key = json!({"action": {"origin": SHOP, "action": "read"}});
    world.ask_json(PANEL, json!({"policies": {"set": {"key": key, "policy": null}}}));
    assert_eq!(world.actor_offers(&thread), ["buy", PAGE_ACCESS]);
}

#[test]
fn action_that_the_user_allows_for_good_no_longer_asks_on_its_site() {
    let mut world = ActorWorld::of(
        Areas::with_settings(r#"{"provider":"deepseek","mode":"confirm"}"#),
        Disk::default(),
        false,
    );
    world.tell_tools(&[]);
    let heard = world.panel();
    world.ask_json(PANEL, json!({"policies": {"allowPages": {"access": "act"}}}));
    world.has_documents(vec![document("D1", SHOP, "", next_button())]);
    world.send("Go on");
    // SKILLs are read.
    world.pass(1_000);
    world.call_tool("click_element", r#"{"selector":"e4"}"#);
    let [(thread, call)] = exactly(approvals::waiting(&heard));
    approvals::decide(&mut world, (&thread, &call), "run", true);
    let current =
        async |tools: TabTools<FakeBrowser>| tools.current_tool(&browser_tool("click_element")).await;
    let current = world.with_tools(current, 60_000).unwrap().0.unwrap();
    assert_eq!(current.policy, Some(sidecar_protocol::policy::Policy::Allow));
}

#[test]
fn hidden_site_and_pages_of_the_browser_have_none_of_the_tools() {
    let mut world = allowed();
    assert!(world.offered().contains(&"click_element".to_owned()));
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    assert_eq!(world.offered(), Vec::<String>::new());
    for url in [
        "chrome://settings/",
        "https://chromewebstore.google.com/",
        "file:///a.html",
        "view-source:https://a.example/",
    ] {
        world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": false}}}));
        world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, url));
        world.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, url) });
        assert_eq!(world.offered(), Vec::<String>::new(), "{url}");
    }
}

#[test]
fn later_files_come_once_and_only_into_documents_that_need_them() {
    let mut world = allowed();
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t-pay", "line": 0, "indent": 2}]}, "describe": {"role": "button", "name": "Next"},
        "act": {"outcome": "ok", "became": []}, "text": {"markdown": "Text", "total": 4}, "wait": {"outcome": "ok"}});
    let pay = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- text", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", "https://pay.example", "t-pay", pay),
        document("D3", "https://ads.example", "t-ads", json!({})),
    ]);
    let calls = async |tools: TabTools<FakeBrowser>| {
        for (name, arguments) in [
            ("wait_for", json!({"text": "Shop"})),
            ("snapshot", json!({})),
            ("click_element", json!({"selector": "e3"})),
            ("page_text", json!({})),
            ("snapshot", json!({})),
            ("click_element", json!({"selector": "e3"})),
        ] {
            let ended = tools.call(&"c1".into(), &browser_tool(name), &arguments.to_string()).await;
            assert!(matches!(ended, ToolOutcome::Ok { .. }), "{name}: {ended:?}");
        }
    };
    world.with_tools(calls, 60_000).unwrap();
    let put = world.browser.0.page_files.borrow().clone();
    let expected = [
        ("D1", PageFile::Snapshot),
        ("D2", PageFile::Snapshot),
        ("D1", PageFile::Act),
        ("D1", PageFile::Reader),
    ];
    assert_eq!(put, expected.map(|(document, file)| (document.into(), file)));
}

#[test]
fn document_that_goes_away_before_what_acts_is_in_it_is_navigated() {
    let mut world = allowed();
    let (name, answers) = document("D1", SHOP, "", next_button());
    let (browser, has_acted) = (world.browser.clone(), Rc::new(Cell::new(false)));
    let acts = has_acted.clone();
    let script = move |message: &Value| {
        if message["do"] == "light" && !message["element"].is_null() {
            browser.0.scripts.borrow_mut().clear();
        }
        acts.set(acts.get() || message["do"] == "act");
        answers(message)
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let ended = click_after(&mut world, |_| ());
    assert!(failure(ActionOutcome::Navigated)(&ended), "{ended:?}");
    assert!(!has_acted.get(), "nothing was asked of it");
}

#[test]
fn action_is_examined_done_and_its_end_told() {
    let mut world = allowed();
    let results = json!({
        "describe": {"ref": "e4", "role": "button", "name": "Next"},
        "act": {"outcome": "ok", "target": {"ref": "e4", "role": "button", "name": "Next"}, "became": [{"kind": "changed"}]},
    });
    world.has_documents(vec![document("D1", SHOP, "", results)]);
    let outcome = world.run_browser("click_element", json!({"selector": "e4"}));
    assert_eq!(outcome, ToolOutcome::ok("ok: click_element button \"Next\" [ref=e4]. The page changed."));
}

#[test]
fn page_that_began_to_leave_and_stayed_may_have_saved_a_file() {
    let told = |goes_to: &'static str| {
        let mut world = allowed();
        let acted = json!({"outcome": "ok", "became": [{"kind": "address"}]});
        let results = json!({"describe": {"ref": "e1", "role": "link", "name": "Bill"}, "act": acted});
        let (name, answers) = document("D1", SHOP, "", results);
        let browser = world.browser.clone();
        browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://shop.example/a"));
        let script = move |message: &Value| {
            if message["do"] == "act" {
                browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, goes_to));
            }
            answers(message)
        };
        world.has_documents(vec![(name, Rc::new(script))]);
        world.run_browser("click_element", json!({"selector": "e1"})).text().unwrap().into_owned()
    };
    let reloaded = {
        let mut world = allowed();
        let acted = json!({"outcome": "ok", "became": [{"kind": "address"}]});
        let results = json!({"describe": {"ref": "e1", "role": "link", "name": "Next"}, "act": acted});
        let (name, answers) = document("D1", SHOP, "", results);
        let script = move |message: &Value| {
            let mut said = answers(message);
            if message["do"] == "act" {
                said.push(json!({"event": "gone"}));
            }
            said
        };
        world.has_documents(vec![(name, Rc::new(script))]);
        world.run_browser("click_element", json!({"selector": "e1"})).text().unwrap().into_owned()
    };
    assert_eq!(reloaded, "ok: click_element. Its document was loaded anew. Refs of the old one are gone.");
    let saved = told("https://shop.example/a");
    assert_eq!(saved, "ok: click_element. A download may have started.");
    let led = told("https://shop.example/b");
    assert!(!led.contains("download") && led.contains("The tab is now at https://shop.example/b"), "{led}");
}

#[test]
fn fields_that_were_filled_are_told_also_when_a_later_one_fails() {
    let filled = json!([
        {"ref": "e1", "role": "textbox", "name": "City", "value": "Lyon"},
        {"ref": "e2", "role": "textbox", "name": "Day", "value": "24"}]);
    let told = |acted: Value| {
        let mut world = allowed();
        let results = json!({"describe": {"ref": "e1", "role": "textbox", "name": "City"}, "act": acted});
        world.has_documents(vec![document("D1", SHOP, "", results)]);
        let fields = json!([{"selector": "e1", "text": "Lyon"}, {"selector": "e2", "text": "24"}]);
        match world.run_browser("input_text", json!({"fields": fields})) {
            ToolOutcome::Failed { message, .. } => message,
            outcome => outcome.text().unwrap().into_owned(),
        }
    };
    let both = r#"Filled: textbox "City" [ref=e1] is "Lyon"; textbox "Day" [ref=e2] is "24"."#;
    let text = told(json!({"outcome": "ok", "filled": filled, "became": []}));
    assert!(text.ends_with(both), "{text}");
    let failed = json!({"outcome": "blocked", "why": {"code": "reverted"}, "filled": [filled[0]]});
    let text = told(failed);
    assert!(text.ends_with(r#"Filled: textbox "City" [ref=e1] is "Lyon"."#), "{text}");
}

#[test]
fn where_something_is_dragged_to_decides_as_well() {
    let drag = |goal: &str, to: &'static str| {
        let mut world = allowed();
        let (name, answers) = document("D1", SHOP, "", json!({"act": {"outcome": "ok", "became": []}}));
        let goal = goal.to_owned();
        let script = move |message: &Value| match message["target"].as_str() {
            Some("e4") if message["do"] == "describe" => {
                vec![json!({"id": message["id"], "result": {"role": "listitem", "name": "Report"}})]
            }
            Some(_) if message["do"] == "describe" => {
                vec![json!({"id": message["id"], "result": {"role": "button", "name": goal}})]
            }
            _ => answers(message),
        };
        world.has_documents(vec![(name, Rc::new(script))]);
        let arguments = json!({"selector": "e4", "to": to}).to_string();
        let work = async move |tools: TabTools<FakeBrowser>| {
            tools.examine(&"c1".into(), &browser_tool("drag"), &arguments).await
        };
        world.with_tools(work, 60_000).unwrap().0
    };
    let card = drag("Delete for ever", "e9").unwrap().card.unwrap();
    assert_eq!(
        (card.name.as_str(), card.consequence),
        ("Report → Delete for ever", Some(Consequence::Delete))
    );
    assert_eq!(drag("Tomorrow", "e9").unwrap().card.unwrap().consequence, None);
    let elsewhere = drag("Tomorrow", "f1e9").unwrap_err();
    assert!(failure(ActionOutcome::Blocked)(&elsewhere), "{elsewhere:?}");
}

#[test]
fn action_with_consequences_runs_only_as_the_user_was_asked_about_it() {
    let mut world = allowed();
    let results = json!({
        "describe": {"ref": "e4", "role": "button", "name": "Place order"},
        "act": {"outcome": "ok", "became": []},
    });
    world.has_documents(vec![document("D1", SHOP, "", results.clone())]);
    // Nobody knows what the user was asked about, as after the death of a worker.
    let outcome = world.run_browser("click_element", json!({"selector": "e4"}));
    assert!(failure(ActionOutcome::Changed)(&outcome), "{outcome:?}");
    let arguments = json!({"selector": "e4"}).to_string();
    let work = async move |tools: TabTools<FakeBrowser>| {
        let examined = tools.examine(&"c1".into(), &browser_tool("click_element"), &arguments).await;
        let outcome = tools.call(&"c1".into(), &browser_tool("click_element"), &arguments).await;
        (examined, outcome)
    };
    let (examined, outcome) = world.with_tools(work, 60_000).unwrap().0;
    let card = examined.unwrap().card.unwrap();
    assert_eq!((card.name.as_str(), card.consequence), ("Place order", Some(Consequence::Pay)));
    assert!(matches!(outcome, ToolOutcome::Ok { .. }), "{outcome:?}");
}

/// A document of the shop that writes down what it is asked.
fn noting(results: Value) -> (Rc<RefCell<Vec<Value>>>, (DocumentId, PageScript)) {
    let asked: Rc<RefCell<Vec<Value>>> = Rc::default();
    let (name, answers) = document("D1", SHOP, "", results);
    let noted = asked.clone();
    let script = move |message: &Value| {
        noted.borrow_mut().push(message.clone());
        answers(message)
    };
    (asked, (name, Rc::new(script)))
}

#[test]
fn sensitive_site_is_on_the_card_of_every_action_and_of_leaving_its_page() {
    let examined = |url: &'static str, tool: &'static str, arguments: &'static str| {
        let mut world = allowed();
        world.has_documents(vec![document("D1", SHOP, "", next_button())]);
        let work = async move |tools: TabTools<FakeBrowser>| {
            tools.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, url));
            tools.examine(&"c1".into(), &browser_tool(tool), arguments).await.unwrap().card
        };
        world.with_tools(work, 60_000).unwrap().0.and_then(|card| card.sensitive)
    };
    let (click, leave) = (r#"{"selector":"e4"}"#, r#"{"url":"https://shop.example/b"}"#);
    let (plain, admin) = ("https://shop.example/a", "https://shop.example/admin/users");
    let expected = Some(SensitiveSite::Administration);
    assert_eq!(examined(admin, "click_element", click), expected);
    assert_eq!(examined(admin, "navigate_to", leave), expected);
    assert_eq!(examined(plain, "click_element", click), None);
    assert_eq!(examined(plain, "navigate_to", leave), None);
    let open = |url: &str| json!({ "url": url }).to_string();
    assert_eq!(examined(plain, "open_tab", open(admin).leak()), expected);
    assert_eq!(examined(plain, "open_tab", open("https://admin.example/users").leak()), expected);
    assert_eq!(examined(admin, "open_tab", open(plain).leak()), None);
    assert_eq!(examined(admin, "scroll", r#"{"to":"down"}"#), None);
}

#[test]
fn document_that_says_nothing_is_given_up_and_a_dialog_is_named() {
    let mut world = allowed();
    world.has_documents(vec![document(
        "D1",
        SHOP,
        "",
        json!({"describe": {"role": "button", "name": "Next"}}),
    )]);
    let outcome = world.run_browser("click_element", json!({"selector": "e4"}));
    let ToolOutcome::Failed { code, message } = outcome else { panic!("no failure") };
    assert_eq!(code, ToolFailure::Action(ActionOutcome::Blocked));
    assert!(message.contains("dialog"), "{message}");
}

#[test]
fn page_that_lets_no_extension_in_is_said_so() {
    let mut world = allowed();
    let outcome = world.run_browser("snapshot", json!({}));
    assert!(failure(ActionOutcome::Refused)(&outcome), "{outcome:?}");
}

/// Examines a click, lets the world change, and does it.
fn click_after(world: &mut ActorWorld, meanwhile: impl FnOnce(&FakeBrowser) + 'static) -> ToolOutcome {
    let browser = world.browser.clone();
    let work = async move |tools: TabTools<FakeBrowser>| {
        let (call, tool, arguments) = ("c1".into(), browser_tool("click_element"), r#"{"selector":"e4"}"#);
        tools.examine(&call, &tool, arguments).await.unwrap();
        meanwhile(&browser);
        tools.call(&call, &tool, arguments).await
    };
    world.with_tools(work, 60_000).unwrap().0
}

fn next_button() -> Value {
    let approved = json!({"role": "button", "name": "Next", "form": ""});
    json!({"describe": {"role": "button", "name": "Next", "approved": approved}, "act": {"outcome": "ok"}})
}

#[test]
fn action_is_done_only_in_the_document_that_was_described() {
    let mut world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", next_button())]);
    let outcome = click_after(&mut world, |browser| {
        *browser.0.scripts.borrow_mut() = vec![document("D2", SHOP, "", next_button())];
    });
    assert!(failure(ActionOutcome::Changed)(&outcome), "{outcome:?}");
}

#[test]
fn page_script_is_told_what_the_user_was_asked_about() {
    let mut world = allowed();
    let asked = Rc::new(RefCell::new(Value::Null));
    let (name, answers) = document("D1", SHOP, "", next_button());
    let heard = asked.clone();
    let script = move |message: &Value| {
        if message["do"] == "act" {
            *heard.borrow_mut() = message["approved"].clone();
        }
        answers(message)
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let outcome = click_after(&mut world, |_| ());
    assert!(matches!(outcome, ToolOutcome::Ok { .. }), "{outcome:?}");
    assert_eq!(*asked.borrow(), json!({"role": "button", "name": "Next", "form": ""}));
}

/// A document that says this to an action.
fn saying(said: Vec<Value>) -> (DocumentId, PageScript) {
    let (name, answers) = document("D1", SHOP, "", next_button());
    let script = move |message: &Value| if message["do"] == "act" { said.clone() } else { answers(message) };
    (name, Rc::new(script))
}

#[test]
fn document_that_goes_away_is_told_as_far_as_it_is_known() {
    let (begun, gone) = (json!({"ask": 1, "what": "begun"}), json!({"event": "gone"}));
    let mut world = allowed();
    world.has_documents(vec![saying(vec![gone.clone()])]);
    let outcome = click_after(&mut world, |_| ());
    assert!(failure(ActionOutcome::Navigated)(&outcome), "{outcome:?}");
    world.has_documents(vec![saying(vec![begun.clone(), gone.clone()])]);
    let left = click_after(&mut world, |_| ()).text().unwrap().into_owned();
    assert!(left.starts_with("ok: click_element began, and the page was left"), "{left}");
    world.has_documents(vec![saying(vec![begun])]);
    let stuck = click_after(&mut world, |_| ());
    assert!(failure(ActionOutcome::Interrupted)(&stuck), "{stuck:?}");
}

#[test]
fn document_that_was_given_up_loses_its_channel() {
    let mut world = allowed();
    let hellos = Rc::new(Cell::new(0));
    let (name, answers) = saying(vec![json!({"ask": 1, "what": "begun"})]);
    let count = hellos.clone();
    let script = move |message: &Value| {
        count.set(count.get() + u32::from(message["do"] == "hello"));
        answers(message)
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let work = async move |tools: TabTools<FakeBrowser>| {
        let (call, tool) = ("c1".into(), browser_tool("click_element"));
        tools.call(&call, &tool, r#"{"selector":"e4"}"#).await;
        tools.call(&call, &tool, r#"{"selector":"e4"}"#).await
    };
    world.with_tools(work, 60_000).unwrap();
    assert_eq!(hellos.get(), 2, "a new channel each time");
}

#[test]
fn user_who_uses_the_page_between_two_calls_is_told_once() {
    let notes = |scrolls: bool| {
        let mut world = allowed();
        let snapshot =
            json!({"id": "s1", "isWhole": true, "text": "- button \"Buy\" [ref=e1]", "frames": []});
        let (name, answers) = document("D1", SHOP, "", json!({"snapshot": snapshot}));
        let snapshots = Cell::new(0);
        let script = move |message: &Value| {
            let mut said = answers(message);
            if message["do"] == "snapshot" {
                snapshots.set(snapshots.get() + 1);
                if snapshots.get() == 2 {
                    said.insert(0, json!({"event": "user", "scrolls": scrolls}));
                }
            }
            said
        };
        world.has_documents(vec![(name, Rc::new(script))]);
        let calls = async |tools: TabTools<FakeBrowser>| {
            let mut notes = Vec::new();
            for _ in 0..3 {
                let ended = tools.call(&"c1".into(), &browser_tool("snapshot"), "{}").await;
                notes.push(ended.text().unwrap().contains("The user used the page"));
            }
            notes
        };
        world.with_tools(calls, 60_000).unwrap().0
    };
    assert_eq!(notes(false), [false, true, false]);
    assert_eq!(notes(true), [false; 3], "who only scrolls changes nothing");
}

#[test]
fn document_that_tells_its_progress_is_awaited() {
    let mut world = allowed();
    let (name, answers) = document("D1", SHOP, "", next_button());
    let act = Cell::new(0);
    let script = move |message: &Value| {
        let tick = |number: u64| {
            vec![json!({"event": "progress"}), json!({"ask": number, "what": "tick", "ms": 2_000})]
        };
        match (message["do"].as_str(), message["answer"].as_u64()) {
            (Some("act"), _) => {
                act.set(message["id"].as_u64().unwrap());
                vec![json!({"ask": 1, "what": "begun"})]
            }
            (None, Some(number @ 1..=4)) => tick(number + 1),
            (None, Some(_)) => vec![json!({"id": act.get(), "result": {"outcome": "ok"}})],
            _ => answers(message),
        }
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let outcome = click_after(&mut world, |_| ());
    assert!(matches!(outcome, ToolOutcome::Ok { .. }), "{outcome:?}");
}
