//! Tests of turns, from the user's message to what panels are sent.

use sidecar_protocol::link::{ChatEvent, ThreadsAnswer};
use sidecar_protocol::thread::{Activity, ItemKind};

use super::*;

/// The texts of the answers in a thread.
fn answered(view: &ThreadView) -> Vec<String> {
    let text =
        |kind: &ItemKind| if let ItemKind::Assistant { text, .. } = kind { Some(text.clone()) } else { None };
    view.items.iter().filter_map(|item| text(&item.kind)).collect()
}

#[test]
fn message_starts_a_turn_that_is_shown_only_in_its_window() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    let (heard, (other, _)) = (world.panel(), world.open_panel(OTHER_PANEL, OTHER_WINDOW));
    let sent = world.send("Hello");
    assert_eq!(heard.replies(), [(sent, Ok(Answer::Done))]);
    world.answer("Good day.");
    world.pass(1_000);
    assert!(heard.events().iter().any(|event| matches!(event, PanelEvent::Chat(ChatEvent::Opened { .. }))));
    assert!(!other.events().iter().any(|event| matches!(event, PanelEvent::Chat(_))));
    let thread = world.thread_in(PANEL, WINDOW).unwrap();
    assert_eq!(answered(&thread), ["Good day."]);
    assert!(world.browser.0.disk.record(&thread.summary.id.0).is_some());
}

#[test]
fn stop_ends_the_stream_while_the_actor_waits_for_the_disk() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    world.panel();
    world.send("Hello");
    world.say(json!({"content": "Good"}), None);
    let thread = world.thread_in(PANEL, WINDOW).unwrap().summary.id;
    // Makes the actor itself wait for the disk: it writes to another thread.
    let (other, _) = world.open_panel(OTHER_PANEL, OTHER_WINDOW);
    let gate = world.browser.0.disk.hold_next_write();
    let sent = world.ask_json(OTHER_PANEL, json!({"chat": {"send": {"text": "Me too"}}}));
    world.ask_json(PANEL, json!({"turn": {"threadId": thread, "control": "stop"}}));
    assert!(world.browser.0.model.answers.borrow()[0].is_closed(), "nobody reads it any more");
    assert_eq!(other.replies(), []);
    gate.send(()).unwrap();
    world.go_on();
    assert_eq!(other.replies(), [(sent, Ok(Answer::Done))]);
}

#[test]
fn turn_is_revived_by_the_next_worker_before_any_event() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    world.panel();
    world.send("Hello");
    assert_eq!(world.answers(), 1);
    let mut world = world.restart();
    world.tell_tools(&[]);
    world.pass(10_000);
    assert_eq!(world.answers(), 1, "the model is asked again");
    world.answer("Good day.");
    assert_eq!(answered(&world.thread_in(PANEL, WINDOW).unwrap()), ["Good day."]);
    assert!(world.browser.take_told().contains(&"alarm cleared".to_owned()));
}

#[test]
fn turn_with_a_damaged_log_is_reported_to_developers_and_to_the_panel_that_has_it_open() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    world.panel();
    world.send("Hello");
    let thread = world.thread_in(PANEL, WINDOW).unwrap().summary.id;
    world.browser.0.disk.put_entry(&thread.0, 1, "{");
    let mut world = world.restart();
    let told = world.browser.take_told();
    let warning = "warn a turn was not continued, because its log cannot be used: it is damaged";
    assert!(told.contains(&warning.to_owned()), "{told:?}");
    let heard = PanelMessages::default();
    world.post(SessionEvent::PanelConnected { link: PANEL, port: Box::new(heard.clone()) });
    world.ask(PANEL, hello(WINDOW, PROTOCOL_VERSION));
    assert!(heard.events().contains(&PanelEvent::Trouble(Refusal::DamagedThread)));
}

#[test]
fn turn_is_not_revived_when_the_browser_was_closed() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    world.panel();
    world.ask_json(PANEL, json!({"page": {"pinTab": {"tabId": 7, "pinned": true}}}));
    world.send("One");
    world.send("Two");
    let mut world = world.reopen_browser();
    world.tell_tools(&[]);
    let (heard, welcome) = world.open_panel(PANEL, WINDOW);
    assert_eq!((welcome.thread, welcome.page.pinned), (None, Vec::new()));
    world.ask_json(PANEL, json!({"threads": "list"}));
    let [(_, Ok(Answer::Threads(ThreadsAnswer::Listed { threads })))] = exactly(heard.replies()) else {
        panic!()
    };
    let id = threads[0].id.clone();
    world.ask_json(PANEL, json!({"threads": {"open": {"threadId": id}}}));
    let opened = heard.events().into_iter().find_map(|event| match event {
        PanelEvent::Chat(ChatEvent::Opened { thread }) => thread,
        _ => None,
    });
    let opened = opened.unwrap();
    assert_eq!((world.answers(), opened.activity, opened.queue.len()), (0, Activity::Resting, 1));
}

#[test]
fn turn_gets_the_key_of_the_chosen_provider() {
    let mut world = ActorWorld::of(Areas::with_settings(r#"{"provider":"kimi"}"#), Disk::default(), false);
    world.tell_tools(&[]);
    world.panel();
    for (provider, key) in [("kimi", "sk-kimi"), ("deepseek", "sk-deepseek")] {
        world.ask_json(PANEL, json!({"settings": {"saveKey": {"provider": provider, "key": key}}}));
    }
    world.browser.0.accesses.borrow_mut().clear();
    world.send("Hello");
    let accesses = world.browser.0.accesses.borrow();
    let keys: Vec<_> = accesses.iter().map(|access| access.key.as_deref()).collect();
    assert_eq!(keys, [Some("sk-kimi")]);
}

#[test]
fn queued_message_is_sent_when_the_turn_has_ended() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    let heard = world.panel();
    world.send("One");
    world.send("Two");
    let is_queue = |event: &PanelEvent| matches!(event, PanelEvent::Chat(ChatEvent::Queue { .. }));
    assert!(heard.events().iter().any(is_queue));
    assert_eq!(world.answers(), 1);
    world.answer("First.");
    world.pass(10_000);
    assert_eq!(world.answers(), 2);
    world.answer("Second.");
    assert_eq!(answered(&world.thread_in(PANEL, WINDOW).unwrap()), ["First.", "Second."]);
}

#[test]
fn private_window_writes_nothing_and_its_thread_keeps_the_worker_awake() {
    let mut world = ActorWorld::of(with_provider(), Disk::default(), true);
    world.tell_tools(&[]);
    world.panel();
    assert!(!world.browser.0.is_kept_awake.get());
    world.send("Hello");
    world.answer("Good day.");
    let thread = world.thread_in(PANEL, WINDOW).unwrap();
    assert!(thread.summary.temporary && world.browser.0.is_kept_awake.get());
    assert_eq!(world.browser.0.disk.texts(), 0);
    let (_, welcome) = world.restart().open_panel(PANEL, WINDOW);
    assert_eq!(welcome.thread, None);
}

#[test]
fn turn_waits_for_the_tools_of_its_page_up_to_the_time_limit() {
    let mut world = ActorWorld::new();
    world.panel();
    world.send("Hello");
    assert_eq!(world.answers(), 0, "its page has not told them");
    world.pass(4_000);
    assert_eq!(world.answers(), 0);
    world.pass(2_000);
    assert_eq!(world.answers(), 1);
}
