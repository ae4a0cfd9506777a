//! Tests of calls that wait for a decision: who is notified, and what decisions do.

use sidecar_agent::Event;
use sidecar_protocol::page::ToolResult;

use super::*;

/// A world in which a call of `buy` waits for a decision.
fn asking(is_private: bool) -> (ActorWorld, PanelMessages) {
    let mut world = ActorWorld::of(
        Areas::with_settings(r#"{"provider":"deepseek","mode":"confirm"}"#),
        Disk::default(),
        is_private,
    );
    world.tell_tools(&["buy"]);
    let heard = world.panel();
    world.send("Buy");
    world.browser.take_told();
    world.call_tool("buy", "{}");
    (world, heard)
}

/// Thread and id of the waiting calls, from the last event.
pub(super) fn waiting(heard: &PanelMessages) -> Vec<(String, String)> {
    let last = heard.events().into_iter().rev().find_map(|event| match event {
        PanelEvent::Approvals(waiting) => Some(waiting),
        _ => None,
    });
    last.unwrap_or_default().into_iter().map(|one| (one.thread_id.unwrap().0, one.call_id.0)).collect()
}

/// The user runs the only waiting call.
fn run(world: &mut ActorWorld, heard: &PanelMessages, allow: bool) {
    let [(thread, call)] = exactly(waiting(heard));
    decide(world, (&thread, &call), "run", allow);
}

pub(super) fn decide(world: &mut ActorWorld, (thread, call): (&str, &str), decision: &str, allow: bool) {
    let decide = json!({"callId": call, "decision": decision, "edits": null, "words": "", "allow": allow,
        "allowFlow": false});
    world.ask_json(PANEL, json!({"turn": {"threadId": thread, "control": {"decide": decide}}}));
}

fn bought() -> ToolResult {
    serde_json::from_value(
        json!({"type": "__wmcp_tool_result", "requestId": "", "ok": true, "result": "\"Two seats\""}),
    )
    .unwrap()
}

#[test]
fn pending_approval_is_sent_to_every_panel_and_shown_on_the_icon() {
    let (mut world, heard) = asking(false);
    assert_eq!(waiting(&heard).len(), 1);
    let told = world.browser.take_told();
    assert!(told.contains(&"icon calls: true".to_owned()), "{told:?}");
    assert!(!told.contains(&"notify buy".to_owned()), "a panel shows it");
    let (other, _) = world.open_panel(OTHER_PANEL, OTHER_WINDOW);
    world.browser.0.results.borrow_mut().push_back(Ok(bought()));
    run(&mut world, &heard, false);
    assert_eq!((waiting(&heard), waiting(&other)), (Vec::new(), Vec::new()));
    let told = world.browser.take_told();
    assert!(told.contains(&"call buy {}".to_owned()) && told.contains(&"icon calls: false".to_owned()));
}

#[test]
fn icon_still_calls_the_user_after_the_worker_died_while_a_panel_was_open() {
    let (world, _) = asking(false);
    let mut world = world.restart();
    let (heard, _) = world.open_panel(PANEL, WINDOW);
    let told = world.browser.take_told();
    let icons: Vec<_> = told.iter().filter(|told| told.starts_with("icon")).collect();
    assert_eq!(icons.last().unwrap().as_str(), "icon calls: true", "{icons:?}");
    world.tell_tools(&["buy"]);
    assert!(!world.browser.take_told().contains(&"icon calls: false".to_owned()));
    drop(heard);
}

#[test]
fn user_is_notified_of_a_call_that_no_panel_shows() {
    let mut world = ActorWorld::of(
        Areas::with_settings(r#"{"provider":"deepseek","mode":"confirm"}"#),
        Disk::default(),
        false,
    );
    world.tell_tools(&["buy"]);
    world.panel();
    world.send("Buy");
    world.post(SessionEvent::PanelGone { link: PANEL });
    world.call_tool("buy", "{}");
    assert!(world.browser.take_told().contains(&"notify buy".to_owned()));
    world.panel();
    assert!(world.browser.take_told().contains(&"take away 1".to_owned()));
}

#[test]
fn approval_in_a_private_window_is_shown_only_in_its_panel() {
    let (world, heard) = asking(true);
    assert_eq!(waiting(&heard).len(), 1);
    let told = world.browser.take_told();
    assert!(!told.iter().any(|told| told.starts_with("icon") || told.starts_with("notify")), "{told:?}");
}

#[test]
fn decision_that_allows_the_tool_is_saved_and_sent_to_panels() {
    let (mut world, heard) = asking(false);
    run(&mut world, &heard, true);
    let is_told = |event: &PanelEvent| matches!(event, PanelEvent::Policies(sidecar_protocol::link::PoliciesEvent::Changed { grants, .. }) if grants.len() == 1);
    assert!(heard.events().iter().any(is_told));
    assert!(world.browser.take_told().contains(&"call buy {}".to_owned()));
}

#[test]
fn decision_is_written_while_the_actor_waits_for_the_disk() {
    let (mut world, heard) = asking(false);
    let (other, _) = world.open_panel(OTHER_PANEL, OTHER_WINDOW);
    let [(thread, call)] = exactly(waiting(&heard));
    let gate = world.browser.0.disk.hold_next_write();
    world.ask_json(OTHER_PANEL, json!({"chat": {"send": {"text": "Me too"}}}));
    decide(&mut world, (&thread, &call), "decline", false);
    let log = world.browser.0.disk.log(&thread);
    assert!(log.iter().any(|entry| matches!(entry.event, Event::ApprovalGiven { .. })), "{log:?}");
    assert_eq!(other.replies(), []);
    gate.send(()).unwrap();
}
