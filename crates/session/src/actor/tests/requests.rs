//! Tests of requests: who answers them, and which panels are told.

use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::link::{ChatEvent, PageEvent};

use std::collections::BTreeSet;

use super::*;
use crate::event::WorkEvent;
use crate::testing::events::{chatted, log};

#[test]
fn panel_gets_a_welcome_and_then_the_events_that_complete_it() {
    let mut world = ActorWorld::new();
    let heard = PanelMessages::default();
    world.post(SessionEvent::PanelConnected { link: PANEL, port: Box::new(heard.clone()) });
    world.ask(PANEL, hello(WINDOW, PROTOCOL_VERSION));
    let [(1, Ok(Answer::Welcome(welcome)))] = exactly(heard.replies()) else { panic!() };
    assert_eq!((welcome.page.site.as_str(), welcome.thread), ("shop.example", None));
    let [PanelEvent::Policies(_), PanelEvent::Settings(_), PanelEvent::Approvals(asking)] =
        exactly(heard.events())
    else {
        panic!()
    };
    assert_eq!(asking, []);
}

#[test]
fn panel_of_another_version_is_refused_and_gets_no_events() {
    let mut world = ActorWorld::new();
    let heard = PanelMessages::default();
    world.post(SessionEvent::PanelConnected { link: PANEL, port: Box::new(heard.clone()) });
    world.ask(PANEL, hello(WINDOW, PROTOCOL_VERSION + 1));
    world.post(WorkEvent::CallsChanged);
    assert_eq!((heard.replies(), heard.events()), (vec![(1, Err(Refusal::Version))], Vec::new()));
}

#[test]
fn refusal_answers_its_own_request_only() {
    let mut world = ActorWorld::new();
    let heard = world.panel();
    let gate = world.browser.0.disk.hold_next_write();
    let import = world.ask_json(PANEL, json!({"threads": {"import": {"text": archive(), "more": false}}}));
    let open = world.ask_json(PANEL, json!({"threads": {"open": {"threadId": "nowhere"}}}));
    assert_eq!(heard.replies(), [(open, Err(Refusal::NoThread))]);
    gate.send(()).unwrap();
    world.go_on();
    let [_, (id, Ok(Answer::Threads(_)))] = exactly(heard.replies()) else { panic!() };
    assert_eq!(id, import);
}

/// A file with one thread.
fn archive() -> String {
    let mut world = ActorWorld::of(with_provider(), Disk::with("19a-0001", &log(chatted("u1"))), false);
    let heard = world.panel();
    world.ask_json(PANEL, json!({"threads": {"export": {"threadId": null, "form": "json"}}}));
    let messages = heard.0.borrow();
    let pieces = messages.iter().filter_map(|message| match message {
        WorkerMessage::Reply(reply) => serde_json::to_value(&reply.result).unwrap()["Ok"]["threads"]["piece"]
            ["text"]
            .as_str()
            .map(str::to_owned),
        WorkerMessage::Event(_) => None,
    });
    pieces.collect()
}

#[test]
fn long_disk_work_does_not_block_the_next_request() {
    let mut world = ActorWorld::of(with_provider(), Disk::with("19a-0001", &log(chatted("u1"))), false);
    let heard = world.panel();
    let gate = world.browser.0.disk.hold_next_write();
    let delete = world.ask_json(PANEL, json!({"threads": {"delete": {"threadId": "19a-0001"}}}));
    let refresh = world.ask_json(PANEL, json!({"page": "refresh"}));
    assert_eq!(heard.replies(), [(refresh, Ok(Answer::Done))]);
    gate.send(()).unwrap();
    world.go_on();
    assert_eq!(heard.replies().last(), Some(&(delete, Ok(Answer::Done))));
}

#[test]
fn deleted_thread_is_closed_and_unlisted_and_later_purged() {
    let mut world = ActorWorld::of(with_provider(), Disk::with("19a-0001", &log(chatted("u1"))), false);
    let (heard, (other, _)) = (world.panel(), world.open_panel(OTHER_PANEL, OTHER_WINDOW));
    world.ask_json(PANEL, json!({"threads": {"open": {"threadId": "19a-0001"}}}));
    assert!(!other.events().iter().any(|event| matches!(event, PanelEvent::Chat(_))), "another window's");
    heard.forget();
    world.ask_json(OTHER_PANEL, json!({"threads": {"delete": {"threadId": "19a-0001"}}}));
    let closed = PanelEvent::Chat(ChatEvent::Opened { thread: None });
    assert!(heard.events().contains(&closed) && !other.events().contains(&closed));
    let listed = PanelEvent::Threads(ThreadsEvent::Listed { threads: Vec::new() });
    assert!(heard.events().contains(&listed) && other.events().contains(&listed));
    assert!(world.browser.0.disk.record("19a-0001").is_some(), "it can be brought back");
    world.pass(crate::history::PURGE_AFTER_MS + 1);
    assert_eq!(world.browser.0.disk.texts(), 0);
}

#[test]
fn queued_messages_of_a_purged_thread_are_removed_by_the_next_listing_when_storage_refused() {
    let storage = Areas::default();
    let message = json!({"turn": "u2", "text": "Later", "page": {}, "language": "en"});
    storage.conversations.put("queue", &json!({"19a-0001": [message]}).to_string());
    let mut world = ActorWorld::of(storage, Disk::with("19a-0001", &log(chatted("u1"))), false);
    world.panel();
    world.ask_json(PANEL, json!({"threads": {"delete": {"threadId": "19a-0001"}}}));
    let queue = world.browser.0.storage.conversations.clone();
    queue.refuse(true);
    world.pass(crate::history::PURGE_AFTER_MS + 1);
    assert_eq!(world.browser.0.disk.texts(), 0);
    queue.refuse(false);
    world.ask_json(PANEL, json!({"threads": "list"}));
    assert_eq!(queue.json("queue"), json!({}));
}

#[test]
fn what_a_worker_reads_first_is_what_its_shim_reads_ahead() {
    let storage = ActorWorld::new().browser.0.storage.clone();
    let shim = include_str!("../../../../../extension/first-values.js");
    let names = |area: &str| -> BTreeSet<String> {
        let (_, rest) = shim.split_once(&format!("{area}: {{")).unwrap();
        let (names, _) = rest.split_once('}').unwrap();
        names.split(',').filter_map(|name| name.trim().strip_suffix(": null")).map(str::to_owned).collect()
    };
    let local: BTreeSet<_> = storage.choices.asked().union(&storage.conversations.asked()).cloned().collect();
    assert_eq!((local, storage.session.asked()), (names("local"), names("session")));
}

#[test]
fn badge_of_the_worker_before_is_put_right_once_a_panel_has_its_answer() {
    let mut world = ActorWorld::new();
    let heard = PanelMessages::default();
    world.post(SessionEvent::PanelConnected { link: PANEL, port: Box::new(heard.clone()) });
    assert_eq!((heard.replies().len(), world.browser.take_told()), (0, Vec::new()));
    world.ask(PANEL, hello(WINDOW, PROTOCOL_VERSION));
    let is_badge = |told: &String| told.starts_with("icon");
    assert_eq!(heard.replies().len(), 1);
    assert!(world.browser.take_told().iter().any(is_badge));
    world.panel();
    assert!(!world.browser.take_told().iter().any(is_badge), "once in a worker's life");
}

#[test]
fn panel_is_welcomed_though_the_threads_cannot_be_read_and_it_alone_is_told_so() {
    let mut world = ActorWorld::new();
    let (other, _) = world.open_panel(OTHER_PANEL, OTHER_WINDOW);
    world.browser.0.disk.become_unreadable();
    let heard = PanelMessages::default();
    world.post(SessionEvent::PanelConnected { link: PANEL, port: Box::new(heard.clone()) });
    world.ask(PANEL, hello(WINDOW, PROTOCOL_VERSION));
    let [(_, Ok(Answer::Welcome(welcome)))] = exactly(heard.replies()) else { panic!() };
    assert_eq!(welcome.page.site, "shop.example");
    let told = heard.events().into_iter().filter(|event| matches!(event, PanelEvent::Trouble(_)));
    let [PanelEvent::Trouble(Refusal::Storage { .. })] = exactly(told.collect()) else { panic!() };
    assert_eq!(other.events(), []);
}

#[test]
fn settings_are_sent_to_every_panel_and_a_refusal_to_the_sender() {
    let mut world = ActorWorld::new();
    let (heard, (other, _)) = (world.panel(), world.open_panel(OTHER_PANEL, OTHER_WINDOW));
    let settings = Settings { temperature: Some(9.0), ..Settings::default() };
    let bad = world.ask_json(PANEL, json!({"settings": {"save": {"settings": settings}}}));
    let [(id, Err(Refusal::BadSetting { .. }))] = exactly(heard.replies()) else { panic!() };
    assert_eq!((id, other.events()), (bad, Vec::new()));
    world.ask_json(PANEL, json!({"settings": {"save": {"settings": Settings::default()}}}));
    let is_changed =
        |event: &PanelEvent| matches!(event, PanelEvent::Settings(SettingsEvent::Changed { .. }));
    assert!(heard.events().iter().any(is_changed) && other.events().iter().any(is_changed));
}

#[test]
fn saving_settings_is_refused_with_the_reason_when_the_disk_is_full() {
    let mut world = ActorWorld::new();
    let heard = world.panel();
    world.browser.0.storage.choices.refuse(true);
    world.ask_json(PANEL, json!({"settings": {"save": {"settings": Settings::default()}}}));
    let [(_, Err(Refusal::Storage { trouble, .. }))] = exactly(heard.replies()) else { panic!() };
    assert_eq!(trouble, StorageTrouble::Full);
}

#[test]
fn tools_are_sent_to_the_panels_of_their_window_when_they_change() {
    let mut world = ActorWorld::new();
    let (heard, (other, _)) = (world.panel(), world.open_panel(OTHER_PANEL, OTHER_WINDOW));
    world.tell_tools(&["buy"]);
    let [PanelEvent::Page(PageEvent::Changed { page })] = exactly(heard.events()) else { panic!() };
    assert_eq!((page.tools.len(), other.events().len()), (1, 0));
    heard.forget();
    world.tell_tools(&["buy"]);
    assert_eq!(heard.events(), []);
}

#[test]
fn relay_is_answered_once_the_bridge_is_in_its_document() {
    let mut world = ActorWorld::new();
    assert!(world.relay(&RelayMessage::BridgeMissing));
    assert_eq!(world.browser.take_told(), ["icon calls: false", "bridge into D1"]);
    assert!(world.relay(&RelayMessage::PageStays));
}

#[test]
fn reading_a_page_fails_when_it_is_hidden_or_times_out() {
    let mut world = ActorWorld::new();
    let heard = world.panel();
    let read = json!({"page": {"read": {"what": "page"}}});
    world.ask_json(PANEL, read.clone());
    assert_eq!(heard.replies(), []);
    world.pass(5_000);
    assert_eq!(why_unread(&heard), "silent");
    heard.forget();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://shop.example", "hidden": true}}}),
    );
    heard.forget();
    world.ask_json(PANEL, read);
    assert_eq!(why_unread(&heard), "hidden");
}

fn why_unread(heard: &PanelMessages) -> String {
    let [(_, Ok(answer))] = exactly(heard.replies()) else { panic!() };
    serde_json::to_value(answer).unwrap()["page"]["text"]["outcome"]["Err"].as_str().unwrap().to_owned()
}

#[test]
fn pinning_is_refused_when_a_thread_has_too_many_pinned_tabs() {
    let mut world = ActorWorld::new();
    let heard = world.panel();
    for id in 11..=16 {
        let other = tab(id, WINDOW, "https://other.example/");
        world.browser.0.tabs.borrow_mut().insert(TabId(id), other);
        world.ask_json(PANEL, json!({"page": {"pinTab": {"tabId": id, "pinned": true}}}));
    }
    let results: Vec<_> = heard.replies().into_iter().map(|(_, result)| result).collect();
    assert_eq!(results[..5], [const { Ok(Answer::Done) }; 5]);
    assert_eq!(results[5], Err(Refusal::ManyTabs));
}

#[test]
fn test_bridge_is_offered_where_it_is_switched_on_and_again_after_an_update() {
    let switch = |origin: &str, policy: Option<&str>| json!({"policies": {"set": {"key": {"testBridge": {"origin": origin}}, "policy": policy}}});
    let offered = |world: &ActorWorld| world.browser.0.test_bridge.borrow().clone();
    let both = ["http://localhost:8123", "https://shop.example"];
    let mut world = ActorWorld::new();
    world.panel();
    world.ask_json(PANEL, switch(both[1], Some("allow")));
    assert_eq!(offered(&world), [both[1]]);
    world.ask_json(PANEL, switch(both[0], Some("allow")));
    assert_eq!(offered(&world), both);
    let mut world = world.reopen_browser();
    assert_eq!(offered(&world), Vec::<String>::new(), "the browser keeps it itself");
    world.post(BrowserEvent::Installed);
    assert_eq!(offered(&world), both);
    world.panel();
    world.ask_json(PANEL, switch(both[1], None));
    assert_eq!(offered(&world), [both[0]]);
    world.ask_json(PANEL, json!({"policies": "takeBackAll"}));
    assert_eq!(offered(&world), Vec::<String>::new());
}

#[test]
fn test_bridge_is_refused_for_opaque_origins_and_in_private_windows() {
    let on = |origin: &str| json!({"policies": {"set": {"key": {"testBridge": {"origin": origin}}, "policy": "allow"}}});
    let mut world = ActorWorld::new();
    let heard = world.panel();
    world.ask_json(PANEL, on("null"));
    let mut private = ActorWorld::of(with_provider(), Disk::default(), true);
    let heard_there = private.panel();
    private.ask_json(PANEL, on("https://shop.example"));
    for (world, heard) in [(world, heard), (private, heard_there)] {
        let [(_, result)] = exactly(heard.replies());
        assert_eq!(result, Err(Refusal::NotKept));
        assert_eq!(*world.browser.0.test_bridge.borrow(), Vec::<String>::new());
    }
}
