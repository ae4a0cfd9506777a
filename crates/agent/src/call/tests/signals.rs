//! Signals that make a call ask.

use sidecar_protocol::guard::Flow;

use super::*;
use crate::call::policy::{Flows, Guard};

fn flow() -> Flow {
    Flow {
        origin: "https://mail.example".to_owned(),
        site: "mail.example".to_owned(),
        tool: "readMail".to_owned(),
        argument: "code".to_owned(),
        data: "483920".to_owned(),
    }
}

fn asked(tool: &str, signals: Signals, said: &[UserCommand]) -> GateWorld {
    let record = MemoryRecorder { signals, ..MemoryRecorder::default() };
    let mut world = GateWorld { record, ..GateWorld::new() };
    world.run(&call(tool, "{}"), said);
    world
}

#[test]
fn conversation_on_guard_makes_a_call_ask() {
    let on = |guard| Signals { guard, ..Signals::default() };
    let decline = [decide(Decision::Decline, None)];
    assert_eq!(asked("search", on(Guard::SameOrigin), &decline).asked(), [AskReason::Guard]);
    assert_eq!(asked("list", on(Guard::OtherOrigin), &decline).asked(), [AskReason::Guard]);
    assert_eq!(asked("list", on(Guard::SameOrigin), &[]).events(), ["started", "finished"]);
}

#[test]
fn data_of_another_origin_makes_a_call_ask_and_can_be_allowed() {
    let signals =
        || Signals { flows: Flows { asking: vec![flow()], are_allowed: false }, ..Signals::default() };
    let allow = UserDecision { allow_flow: true, ..Decision::Run.into() };
    let world = asked("list", signals(), &[UserCommand::Decide(CallId::from(CALL), allow)]);
    assert_eq!(world.events(), ["asked", "flow allowed", "decided", "started", "finished"]);
    assert_eq!(world.asked(), [AskReason::Flow { flows: vec![flow()] }]);
    let allowed = CallEvent::FlowAllowed {
        from: "https://mail.example".to_owned(),
        to: "https://flights.example".to_owned(),
    };
    assert_eq!(world.record.events[1].1, allowed);

    let world = asked("list", signals(), &[decide(Decision::Run, None)]);
    assert_eq!(world.events(), ["asked", "decided", "started", "finished"], "this once");
}

#[test]
fn flow_that_is_allowed_is_what_lets_a_call_pass() {
    let signals = Signals { flows: Flows { asking: Vec::new(), are_allowed: true }, ..Signals::default() };
    assert_eq!(asked("search", signals, &[]).allowed_by(), Some(AllowedBy::Flow));
}

#[test]
fn call_that_is_made_again_asks() {
    let signals = Signals { is_repeated: true, ..Signals::default() };
    assert_eq!(asked("search", signals, &[decide(Decision::Decline, None)]).asked(), [AskReason::Repeated]);
}

#[test]
fn call_that_was_repaired_asks() {
    let mut world = GateWorld::new();
    let repaired = ToolCall { is_repaired: true, ..call("search", "{}") };
    world.run(&repaired, &[decide(Decision::Run, None)]);
    assert_eq!((world.asked(), world.ran().len()), (vec![AskReason::Repaired], 1));
}

#[test]
fn call_gives_way_when_the_guard_is_called_off_and_goes_on_from_there() {
    let signals = Signals { guard: Guard::SameOrigin, ..Signals::default() };
    let record = MemoryRecorder { signals, ..MemoryRecorder::default() };
    let mut world = GateWorld { record, ..GateWorld::new() };
    assert_eq!(world.run(&call("search", "{}"), &[UserCommand::LiftGuard]), Exit::GuardLifted);
    assert_eq!(world.events(), Vec::<&str>::new());
    world.record.signals = Signals::default();
    world.run(&call("search", "{}"), &[]);
    assert_eq!(world.events(), ["started", "finished"]);
}

#[test]
fn data_that_goes_into_a_frame_goes_to_the_frames_origin_and_is_allowed_this_once() {
    let signals = Signals { flows: Flows { asking: vec![flow()], are_allowed: false }, ..Signals::default() };
    let record = MemoryRecorder { signals, ..MemoryRecorder::default() };
    let card = ActionCard { frame: "pay.example".to_owned(), ..ActionCard::default() };
    let frame_origin = Some("https://pay.example".to_owned());
    let mut world = GateWorld { record, card: Some(card), frame_origin, ..GateWorld::new() };
    let allow = UserDecision { allow_flow: true, ..Decision::Run.into() };
    world.run(&call("search", "{}"), &[UserCommand::Decide(CallId::from(CALL), allow)]);
    assert_eq!(*world.record.judged.borrow(), ["https://pay.example"]);
    assert_eq!(world.events(), ["asked", "decided", "started", "finished"]);
}
