//! The browser's own tools: consent, what is asked, and the page actions in the documents of a tab.

use std::cell::{Cell, RefCell};

use sidecar_agent::browser_tools::PAGE_ACCESS;
use sidecar_agent::{Examined, ToolHost};
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, Consequence, DocumentId, SensitiveSite, ToolRef, UserInput};

use super::super::turn_tools::TabTools;
use super::*;
use crate::browser::PageFile;
use crate::event::BrowserEvent;
use crate::testing::browser::PageScript;

const SHOP: &str = "https://shop.example";

/// A document of this origin that answers each kind of request with this result.
fn document(name: &str, origin: &str, token: &str, results: Value) -> (DocumentId, PageScript) {
    let (origin, token) = (origin.to_owned(), token.to_owned());
    let script = move |message: &Value| {
        let Some(wanted) = message["do"].as_str() else { return Vec::new() };
        let id = &message["id"];
        match wanted {
            "hello" => vec![
                json!({"event": "token", "token": token}),
                json!({"id": id, "next": 5, "result": {"origin": origin}}),
            ],
            "light" => vec![json!({"id": id, "result": {}})],
            "pair" => vec![json!({"id": id, "result": {"frames": []}})],
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
fn snapshot_has_the_frames_below_their_lines_and_says_what_cannot_be_read() {
    let mut world = allowed();
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "head": {"title": "Shop", "address": "https://shop.example/a"},
        "text": "- heading \"Cart\" [ref=e1]\n- iframe [ref=e2]:\n- iframe [ref=e3]:\n- button \"Buy\" [ref=e4]",
        "frames": [{"token": "t-pay", "line": 1, "indent": 2}, {"token": "t-gone", "line": 2, "indent": 2}]}});
    let pay = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- button \"Pay\" [ref=f1e1]", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", "https://pay.example", "t-pay", pay),
    ]);
    let outcome = world.run_browser("snapshot", json!({}));
    let before =
        "Shop\nhttps://shop.example/a\nsnapshot: s1\n- heading \"Cart\" [ref=e1]\n- iframe [ref=e2]:";
    let behind = "- iframe [ref=e3]:\n  [not readable]\n- button \"Buy\" [ref=e4]";
    let text = "  - button \"Pay\" [ref=f1e1]".to_owned();
    let framed = FrameText { origin: "https://pay.example".to_owned(), site: "pay.example".to_owned(), text };
    let content =
        vec![Content::Text(before.to_owned()), Content::Framed(framed), Content::Text(behind.to_owned())];
    assert_eq!(outcome, ToolOutcome::Ok { content, page: PageEffect::Stayed });
}

#[test]
fn part_of_a_snapshot_has_what_is_in_frames_whose_own_lines_are_not_in_it() {
    let mut world = allowed();
    let part = json!({"snapshot": {"id": "s4", "text": "", "frames": [
        {"token": "t-pay", "text": "- iframe \"Pay\" [ref=e2]:", "indent": 2},
        {"token": "t-ads", "text": "- iframe \"Ads\" [ref=e3]:", "indent": 2},
        {"token": "t-gone", "text": "- iframe \"Gone\" [ref=e4]:", "indent": 2}]}});
    let asked = Rc::new(Cell::new(Value::Null));
    let (name, answers) = document(
        "D2",
        "https://pay.example",
        "t-pay",
        json!({"snapshot":
        {"id": "s4", "text": "- button \"Pay\" [ref=f1e1]", "frames": []}}),
    );
    let hears = asked.clone();
    let pay: PageScript = Rc::new(move |message| {
        if message["do"] == "snapshot" {
            hears.set(message.clone());
        }
        answers(message)
    });
    let ads = json!({"snapshot": {"id": "s4", "text": "", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", part),
        (name, pay),
        document("D3", "https://ads.example", "t-ads", ads.clone()),
    ]);
    let outcome = world.run_browser("snapshot", json!({"since": "s3"}));
    let ToolOutcome::Ok { content, .. } = outcome else { panic!() };
    let (origin, site) = ("https://pay.example".to_owned(), "pay.example".to_owned());
    let of_frame = FrameText { origin, site, text: "  - button \"Pay\" [ref=f1e1]".to_owned() };
    let of_top = "\n\nsnapshot: s4 (in part)\n- iframe \"Pay\" [ref=e2]:".to_owned();
    assert_eq!(content, [Content::Text(of_top), Content::Framed(of_frame)]);
    let asked = asked.take();
    assert_eq!((&asked["since"], &asked["as"]), (&json!("s3"), &json!("s4")));

    world.has_documents(vec![document("D4", SHOP, "", ads)]);
    let outcome = world.run_browser("snapshot", json!({"since": "s4"}));
    assert_eq!(outcome, ToolOutcome::ok("\n\nsnapshot: s4 (in part)\n[nothing changed]"));
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
fn frame_of_a_hidden_site_is_a_closed_box() {
    let mut world = allowed();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://bank.example", "hidden": true}}}),
    );
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t", "line": 0, "indent": 2}]}});
    let bank = json!({"snapshot": {"id": "s1", "text": "- text: 1,000,000", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", "https://bank.example", "t", bank),
    ]);
    let outcome = world.run_browser("snapshot", json!({}));
    let text = outcome.text().unwrap().into_owned();
    assert!(text.ends_with("- iframe [ref=e2]:\n  [not readable]"), "{text}");
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

#[test]
fn secret_fields_among_others_and_stale_refs_end_before_anything_is_done() {
    let secret = json!({"role": "textbox", "secret": true});
    let file = json!({"role": "button", "file": true});
    let alone = json!({"selector": "e1", "text": "x"});
    let several = json!({"fields": [{"selector": "e1", "text": "x"}, {"selector": "e2", "text": "y"}]});
    for (tool, described, arguments, outcome) in [
        ("input_text", &secret, several.clone(), ActionOutcome::Refused),
        ("input_text", &file, several, ActionOutcome::Refused),
        ("drag", &file, json!({"selector": "e1", "to": "e2"}), ActionOutcome::Refused),
        // Nobody was asked to fill it.
        ("input_text", &secret, alone.clone(), ActionOutcome::Changed),
        ("click_element", &file, json!({"selector": "e1"}), ActionOutcome::Changed),
        ("input_text", &json!({"outcome": "stale"}), alone, ActionOutcome::Stale),
        (
            "input_text",
            &json!({"role": "textbox"}),
            json!({"selector": "f9e1", "text": "x"}),
            ActionOutcome::Stale,
        ),
    ] {
        let mut world = allowed();
        let results = json!({"describe": described, "act": {"outcome": "ok"}});
        world.has_documents(vec![document("D1", SHOP, "", results)]);
        let ended = world.run_browser(tool, arguments.clone());
        assert!(failure(outcome)(&ended), "{tool} {arguments} {ended:?}");
    }
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

/// Which element a document was to keep lit, in order, and what its sign said.
fn lit(asked: &RefCell<Vec<Value>>) -> Vec<String> {
    let told = |message: &Value| match message["do"].as_str() {
        Some("point") => Some(message["element"].as_str().unwrap_or("none").to_owned()),
        Some("light") => message["word"]["label"].as_str().map(str::to_owned),
        _ => None,
    };
    asked.borrow().iter().filter_map(told).collect()
}

const SECRET_FIELD: (&str, &str) = ("input_text", r#"{"selector": "e1", "text": "hunter2", "submit": true}"#);

#[test]
fn tools_for_pages_name_the_origin_that_their_tab_shows_and_tools_for_tabs_none() {
    let mut world = allowed();
    let work = async |tools: TabTools<FakeBrowser>| {
        let page = async |name| tools.current_tool(&browser_tool(name)).await.unwrap().page;
        [page("click_element").await, page("snapshot").await, page("list_tabs").await]
    };
    let pages = world.with_tools(work, 60_000).unwrap().0;
    assert_eq!(pages, [Some(SHOP.to_owned()), Some(SHOP.to_owned()), None]);
}

#[test]
fn secret_and_file_fields_are_lit_until_the_call_is_dismissed() {
    let secret = json!({"role": "textbox", "name": "Password", "secret": true});
    let file = json!({"role": "button", "name": "Picture", "file": true});
    let click = ("click_element", r#"{"selector": "e1"}"#);
    for (described, (tool, arguments), input) in
        [(secret, SECRET_FIELD, UserInput::Secret), (file, click, UserInput::File)]
    {
        let mut world = allowed();
        let (asked, document) = noting(json!({"describe": described}));
        world.has_documents(vec![document]);
        let noted = asked.clone();
        let work = async move |tools: TabTools<FakeBrowser>| {
            let (call, tool) = ("c1".into(), browser_tool(tool));
            let card = tools.examine(&call, &tool, arguments).await.unwrap().card.unwrap();
            let before = lit(&noted);
            // Meanwhile the page may have become another one.
            *tools.browser.0.scripts.borrow_mut() = Vec::new();
            tools.dismiss(&call).await;
            (card, before)
        };
        let (card, before) = world.with_tools(work, 60_000).unwrap().0;
        assert_eq!((card.by_user, card.consequence), (Some(input), None));
        let words = crate::actions::LightWords::of(Language::English);
        assert_eq!(before, [words.label, words.your_turn, "e1"]);
        assert_eq!(lit(&asked)[3..], ["none", words.label]);
        assert!(asked.borrow().iter().all(|message| message["do"] != "act"));
    }
}

#[test]
fn field_that_the_user_declines_to_fill_is_no_longer_lit() {
    let mut world = allowed();
    let (asked, document) = noting(json!({"describe": {"role": "textbox", "secret": true}}));
    world.has_documents(vec![document]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let (tool, arguments) = SECRET_FIELD;
        let (call, tool) = ("c1".into(), browser_tool(tool));
        tools.examine(&call, &tool, arguments).await.unwrap();
        tools.dismiss(&"another".into()).await;
        tools.dismiss(&call).await;
        tools.call(&call, &tool, arguments).await
    };
    let ended = world.with_tools(work, 60_000).unwrap().0;
    let words = crate::actions::LightWords::of(Language::English);
    assert_eq!(lit(&asked), [words.label, words.your_turn, "e1", "none", words.label]);
    assert!(failure(ActionOutcome::Changed)(&ended), "nothing was given: {ended:?}");
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
    assert_eq!(examined(admin, "scroll", r#"{"to":"down"}"#), None);
}

/// A world whose agent may use the shop, in the tab of the turn and in tab 8, which is pinned to the thread.
fn with_two_tabs(other: &str) -> (ActorWorld, ThreadId) {
    let mut world = allowed();
    world.browser.0.tabs.borrow_mut().insert(TabId(8), tab(8, WINDOW, other));
    world.tell_tools(&[]);
    world.send("Hello");
    world.ask_json(PANEL, json!({"page": {"pinTab": {"tabId": 8, "pinned": true}}}));
    let thread = world.thread_in(PANEL, WINDOW).unwrap().summary.id;
    (world, thread)
}

impl ActorWorld {
    /// One of the browser's tools in the tab that a call of a thread names.
    fn in_tab(&mut self, thread: &ThreadId, name: &'static str, tab: i32) -> Result<(TabId, String), String> {
        let thread = thread.clone();
        let work = async move |mut tools: TabTools<FakeBrowser>| {
            tools.thread = thread;
            let offered = tools.offer().await.into_iter().find(|offer| offer.tool.name() == name);
            let offer = offered.ok_or_else(|| "not offered".to_owned())?;
            let there = tools.in_tab(&offer, TabId(tab)).await?;
            Ok((there.tool.tab().unwrap(), there.origin))
        };
        self.with_tools(work, 60_000).unwrap().0
    }
}

#[test]
fn browser_tools_work_in_the_tabs_of_the_chat_and_in_no_other() {
    let (mut world, thread) = with_two_tabs("https://shop.example/b");
    world.browser.0.tabs.borrow_mut().insert(TabId(9), tab(9, WINDOW, "https://shop.example/c"));
    assert_eq!(world.in_tab(&thread, "click_element", 8), Ok((TabId(8), SHOP.to_owned())));
    assert!(world.in_tab(&thread, "click_element", 9).unwrap_err().contains("not part of this chat"));
    world.browser.0.tabs.borrow_mut().remove(&TabId(8));
    assert_eq!(world.in_tab(&thread, "snapshot", 8), Err("Tab 8 is closed.".to_owned()));
}

#[test]
fn consent_for_a_named_tab_is_that_of_its_own_site() {
    let (mut world, thread) = with_two_tabs("https://news.example/a");
    assert!(
        world
            .in_tab(&thread, "snapshot", 8)
            .unwrap_err()
            .contains("Call request_page_access with this `tabId`")
    );
    let news = "https://news.example".to_owned();
    assert_eq!(
        world.in_tab(&thread, PAGE_ACCESS, 8),
        Ok((TabId(8), news)),
        "offered, though the shop needs no more"
    );
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://news.example", "hidden": true}}}),
    );
    assert!(world.in_tab(&thread, "snapshot", 8).unwrap_err().contains("not open to you"));
}

#[test]
fn ref_of_one_tab_means_nothing_in_another_and_the_card_names_the_tab() {
    let mut world = allowed();
    let mut other = tab(8, WINDOW, "https://shop.example/b");
    "Second".clone_into(&mut other.title);
    world.browser.0.tabs.borrow_mut().insert(TabId(8), other);
    let (asked, document) = noting(next_button());
    world.has_documents(vec![document]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let examine = async |tab, target: &str| {
            let tool = ToolRef::Browser { name: "click_element".to_owned(), tab: Some(tab) };
            let arguments = json!({"selector": target}).to_string();
            tools.examine(&"c1".into(), &tool, &arguments).await
        };
        let own = examine(TAB, "e4").await;
        let other = examine(TabId(8), "f1e4").await;
        (
            own,
            other,
            examine(TabId(8), "e4").await,
            examine(TAB, "f1e4").await,
            examine(TabId(8), "#id").await,
        )
    };
    let (own, other, of_own, of_other, css) = world.with_tools(work, 60_000).unwrap().0;
    let tab_on = |examined: Result<Examined, Box<ToolOutcome>>| examined.unwrap().card.unwrap().tab;
    assert_eq!((tab_on(own), tab_on(other), tab_on(css)), (String::new(), "Second".into(), "Second".into()));
    for stale in [of_own, of_other] {
        assert!(failure(ActionOutcome::Stale)(&stale.unwrap_err()));
    }
    let prefixes: Vec<_> = asked
        .borrow()
        .iter()
        .filter(|message| message["do"] == "hello")
        .map(|hello| hello["prefix"].clone())
        .collect();
    assert_eq!(prefixes, ["", "f1"]);
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

#[test]
fn tabs_are_listed_as_far_as_their_sites_are_shared_and_only_own_ones_are_closed() {
    let mut world = allowed();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://bank.example", "hidden": true}}}),
    );
    let mut tabs = world.browser.0.tabs.borrow_mut();
    tabs.insert(TabId(7), tab(7, WINDOW, "https://shop.example/a?token=1#x"));
    tabs.insert(TabId(8), tab(8, WINDOW, "https://news.example/a"));
    tabs.insert(TabId(9), tab(9, WINDOW, "https://bank.example/"));
    drop(tabs);
    let listed = world.run_browser("list_tabs", json!({})).text().unwrap().into_owned();
    assert!(listed.contains("https://shop.example/a\"") && !listed.contains("token"), "{listed}");
    assert!(!listed.contains("bank") && !listed.contains("news"), "{listed}");
    assert!(listed.contains("another site") && listed.contains("\"tabId\":8"), "{listed}");
    let own = json!({"current": true, "inChat": true, "tabId": 7, "title": "Seats", "url": "https://shop.example/a"});
    let tabs: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(tabs["tabs"][0], own);
    let shown = world.run_browser("switch_tab", json!({"tabId": 8})).text().unwrap().into_owned();
    assert!(shown.contains("another site"), "{shown}");
    let closed = world.run_browser("close_tab", json!({"tabId": 8}));
    assert!(failure(ActionOutcome::Refused)(&closed), "{closed:?}");
    let opened = world.run_browser("open_tab", json!({"url": "https://bank.example/"}));
    assert!(failure(ActionOutcome::Refused)(&opened), "{opened:?}");
}

#[test]
fn action_is_not_done_where_the_tab_has_gone_to_a_site_without_consent() {
    let mut world = allowed();
    let results = json!({"describe": {"role": "button", "name": "Next"}, "act": {"outcome": "ok"}});
    world.has_documents(vec![document("D1", "https://other.example", "", results)]);
    world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://other.example/"));
    world.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, "https://other.example/") });
    let outcome = world.run_browser("click_element", json!({"selector": "e4"}));
    assert!(matches!(outcome, ToolOutcome::Failed { code: ToolFailure::Off, .. }), "{outcome:?}");
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

#[test]
fn document_of_another_site_is_not_read_though_the_tab_was_judged_by_its_old_address() {
    let mut world = allowed();
    let text = json!({"snapshot": {"id": "s1", "text": "- text: secret", "frames": []}});
    world.has_documents(vec![document("D1", "https://other.example", "", text)]);
    let outcome = world.run_browser("snapshot", json!({}));
    assert!(matches!(outcome, ToolOutcome::Failed { code: ToolFailure::Off, .. }), "{outcome:?}");
}

/// What a frame hears of what covers it, when the document around it answers its probe with this.
fn cover_told(probed: Value) -> Value {
    let mut world = allowed();
    let top = json!({"probe": probed, "snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t", "line": 0, "indent": 2}]}});
    let (name, answers) = document("D2", "https://pay.example", "t", json!({}));
    let heard = Rc::new(RefCell::new(Value::Null));
    let (told, asked) = (heard.clone(), Cell::new(0));
    let frame = move |message: &Value| {
        if message["do"] == "snapshot" {
            asked.set(message["id"].as_u64().unwrap());
            return vec![json!({"ask": 7, "what": "cover", "x": 3, "y": 4})];
        }
        if message["answer"] == 7 {
            told.replace(message["covered"].clone());
            return vec![json!({"id": asked.get(), "result": {"id": "s1", "text": "", "frames": []}})];
        }
        answers(message)
    };
    world.has_documents(vec![document("D1", SHOP, "", top), (name, Rc::new(frame))]);
    world.run_browser("snapshot", json!({}));
    heard.take()
}

#[test]
fn frame_counts_as_covered_where_the_document_around_it_cannot_tell() {
    assert_eq!(cover_told(json!({"x": 13, "y": 14})), Value::Null, "in view, nothing over it");
    let banner = json!({"role": "dialog", "name": "Cookies", "ref": "e9"});
    assert_eq!(cover_told(json!({"x": 13, "y": 14, "covered": banner})), banner);
    for nobody_knows in [json!({"unknown": true}), json!({}), Value::Null] {
        assert_eq!(cover_told(nobody_knows)["role"], "iframe");
    }
}

#[test]
fn sandboxed_frame_of_a_hidden_site_is_a_closed_box() {
    let mut world = allowed();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://bank.example", "hidden": true}}}),
    );
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t", "line": 0, "indent": 2}]}});
    let (name, answers) =
        document("D2", "null", "t", json!({"snapshot": {"text": "- text: 1,000,000", "frames": []}}));
    let sandboxed = move |message: &Value| {
        let mut said = answers(message);
        if message["do"] == "hello" {
            said[1]["result"]["home"] = json!("https://bank.example");
        }
        said
    };
    world.has_documents(vec![document("D1", SHOP, "", top), (name, Rc::new(sandboxed))]);
    let text = world.run_browser("snapshot", json!({})).text().unwrap().into_owned();
    assert!(text.ends_with("- iframe [ref=e2]:\n  [not readable]"), "{text}");
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
fn frames_are_asked_at_the_same_time_and_silent_ones_once() {
    let mut world = allowed();
    let top = json!({"snapshot": {"id": "s1", "text": "- text: x", "frames": []}});
    let silent = |name: &str| -> (DocumentId, PageScript) { (name.into(), Rc::new(|_: &Value| Vec::new())) };
    world.has_documents(vec![document("D1", SHOP, "", top), silent("D2"), silent("D3"), silent("D4")]);
    let work = async move |tools: TabTools<FakeBrowser>| {
        tools.call(&"c1".into(), &browser_tool("snapshot"), "{}").await;
        let once = sidecar_agent::Clock::now(&tools.browser);
        tools.call(&"c2".into(), &browser_tool("snapshot"), "{}").await;
        sidecar_agent::Clock::now(&tools.browser) - once
    };
    let (second, whole) = world.with_tools(work, 60_000).unwrap();
    assert_eq!((second, whole), (0, 1_500));
}

#[test]
fn user_who_uses_the_page_between_two_calls_is_told_once() {
    let mut world = allowed();
    let snapshot = json!({"id": "s1", "isWhole": true, "text": "- button \"Buy\" [ref=e1]", "frames": []});
    let (name, answers) = document("D1", SHOP, "", json!({"snapshot": snapshot}));
    let snapshots = Cell::new(0);
    let script = move |message: &Value| {
        let mut said = answers(message);
        if message["do"] == "snapshot" {
            snapshots.set(snapshots.get() + 1);
            if snapshots.get() == 2 {
                said.insert(0, json!({"event": "user"}));
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
    assert_eq!(world.with_tools(calls, 60_000).unwrap().0, [false, true, false]);
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

fn shop_with(part: Value) -> ActorWorld {
    let world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", json!({"screenshot": part}))]);
    world
}

#[test]
fn picture_of_the_page_is_taken_in_front_and_kept_beside_the_log() {
    let part = json!({"x": 0.0, "y": 50.0, "width": 400.0, "height": 100.0, "view_width": 400.0, "view_height": 200.0});
    let mut world = shop_with(part);
    let outcome = world.run_browser("screenshot", json!({"selector": "e1"}));
    let ToolOutcome::Ok { content, .. } = outcome else { panic!("{outcome:?}") };
    let [Content::Text(said), Content::Picture(picture)] = content.as_slice() else { panic!("{content:?}") };
    assert_eq!(said, "the element, 400 × 100 CSS pixels:");
    assert_eq!(*world.browser.0.captured.borrow(), [[0.0, 0.25, 1.0, 0.5]]);
    let kept = futures::executor::block_on(crate::threads::LogStore::picture(
        &world.browser.0.disk,
        &"t1".into(),
        &picture.digest,
    ));
    assert_eq!(kept.as_deref(), Some("iVBORw0KGgo="));
}

#[test]
fn no_picture_is_taken_of_what_is_not_visible_or_of_a_tab_behind_another() {
    let mut world = shop_with(
        json!({"x": 500.0, "y": 0.0, "width": 0.0, "height": 10.0, "view_width": 400.0, "view_height": 200.0}),
    );
    assert!(failure(ActionOutcome::Blocked)(&world.run_browser("screenshot", json!({}))));
    world.browser.0.active.borrow_mut().clear();
    let outcome = world.run_browser("screenshot", json!({}));
    assert!(outcome.text().unwrap().contains("switch_tab"), "{outcome:?}");
    assert!(world.browser.0.captured.borrow().is_empty());
}

#[test]
fn picture_is_not_offered_to_a_model_that_reads_text_only() {
    let mut world = allowed();
    let preset = sidecar_llm::providers::preset("deepseek").unwrap();
    let endpoint =
        sidecar_llm::Endpoint { provider: preset.id.clone(), base_url: preset.base_url().to_owned() };
    for sees in [true, false] {
        let (endpoint, model) = (endpoint.clone(), preset.models[0].id.clone());
        world.post(TurnEvent::SightKnown { endpoint, model, sees });
        assert_eq!(world.offered().contains(&"screenshot".to_owned()), sees);
    }
}

#[test]
fn tab_that_an_action_opens_in_front_is_given_back_and_named() {
    let mut world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", next_button())]);
    let outcome = click_after(&mut world, |browser| {
        let mut tabs = browser.0.tabs.borrow_mut();
        tabs.insert(TabId(20), tab(20, WINDOW, "https://ads.example/secret"));
        browser.0.active.borrow_mut().insert(WINDOW, TabId(20));
    });
    // It was there before the action: the user's own.
    assert!(!outcome.text().unwrap().contains("tab 20"), "{outcome:?}");
    let browser = world.browser.clone();
    let script: PageScript = Rc::new(move |message: &Value| {
        if message["do"] == "act" {
            browser.0.tabs.borrow_mut().insert(TabId(21), tab(21, WINDOW, "https://ads.example/secret"));
            browser.0.active.borrow_mut().insert(WINDOW, TabId(21));
        }
        (document("D1", SHOP, "", next_button()).1)(message)
    });
    world.browser.0.active.borrow_mut().insert(WINDOW, TAB);
    world.has_documents(vec![("D1".into(), script)]);
    let outcome = world.run_browser("click_element", json!({"selector": "e1"}));
    let text = outcome.text().unwrap().into_owned();
    assert!(text.contains("It opened tab 21, which is in the background now: another site"), "{text}");
    assert_eq!(world.browser.0.told.borrow().last().map(String::as_str), Some("show 7"));
}

#[test]
fn leaving_what_the_agent_typed_and_nobody_sent_asks() {
    let examined = |count: u64| {
        let mut world = allowed();
        world.has_documents(vec![document("D1", SHOP, "", json!({"unsaved": {"count": count}}))]);
        let work = async |tools: TabTools<FakeBrowser>| {
            let arguments = r#"{"url":"https://shop.example/b"}"#;
            tools.examine(&"c1".into(), &browser_tool("navigate_to"), arguments).await.unwrap()
        };
        world.with_tools(work, 60_000).unwrap().0.card.and_then(|card| card.consequence)
    };
    assert_eq!(examined(0), None);
    assert_eq!(examined(1), Some(Consequence::Unsaved));
}
