//! Running calls: their time limit, and commands of the user meanwhile.

use sidecar_protocol::DocumentId;
use sidecar_protocol::page::{InteractionKind, InteractionPhase};

use super::*;

fn interaction(phase: InteractionPhase) -> UserCommand {
    let (document, call) = (DocumentId::from("doc"), CallId::from(CALL));
    UserCommand::Interaction(Interaction {
        document: Some(document),
        call,
        phase,
        kind: InteractionKind::Form,
    })
}

#[test]
fn tool_that_takes_too_long_is_given_up() {
    let mut world = GateWorld::searching(Does::Hangs);
    world.run(&call("search", "{}"), &[]);
    assert_eq!(world.outcome(), ToolOutcome::TimedOut { limit_ms: 10_000 });
    assert!(world.record.runs_out.is_some(), "the caller knew");
}

#[test]
fn tool_gets_its_time_again_when_the_user_waits_longer() {
    let longer = vec![UserCommand::WaitLonger(CallId::from(CALL))];
    let mut world = GateWorld::searching(Does::Meanwhile(longer));
    world.run(&call("search", "{}"), &[]);
    let ToolOutcome::TimedOut { limit_ms } = world.outcome() else { panic!("{:?}", world.outcome()) };
    assert!(limit_ms > 10_000, "{limit_ms}");

    let other = vec![UserCommand::WaitLonger(CallId::from("another"))];
    let mut world = GateWorld::searching(Does::Meanwhile(other));
    world.run(&call("search", "{}"), &[]);
    assert_eq!(world.outcome(), ToolOutcome::TimedOut { limit_ms: 10_000 });
}

#[test]
fn time_stands_still_while_the_page_waits_for_the_user() {
    let waits = vec![interaction(InteractionPhase::Started), interaction(InteractionPhase::Ended)];
    let mut world = GateWorld::searching(Does::Meanwhile(waits));
    world.run(&call("search", "{}"), &[]);
    assert_eq!(world.events(), ["started", "wait started", "wait ended", "finished"]);
    assert_eq!(world.outcome(), ToolOutcome::TimedOut { limit_ms: 10_000 });
}

#[test]
fn call_that_is_stopped_before_it_begins_does_not_begin() {
    for mode in [Mode::Automatic, Mode::Confirm] {
        let mut world = GateWorld { mode, ..GateWorld::new() };
        assert_eq!(world.run(&call("search", "{}"), &[UserCommand::Stop]), Exit::Stopped);
        assert_eq!((world.events(), world.outcome()), (vec!["finished"], ToolOutcome::Cancelled));
    }
}

#[test]
fn call_that_is_stopped_while_it_asks_or_runs_is_cancelled() {
    let stop = || Does::Meanwhile(vec![UserCommand::Stop]);
    let mut running = GateWorld::searching(stop());
    assert_eq!(running.run(&call("search", "{}"), &[]), Exit::Stopped);
    assert_eq!((running.events(), running.outcome()), (vec!["started", "finished"], ToolOutcome::Cancelled));

    let mut asking = GateWorld { mode: Mode::Confirm, ..GateWorld::searching(stop()) };
    let events = vec![(1, CallEvent::Asked { why: vec![AskReason::Mode] })];
    asking.record.events = events;
    assert_eq!(asking.run(&call("search", "{}"), &[UserCommand::Stop]), Exit::Stopped);
    assert_eq!((asking.events(), asking.ran().len()), (vec!["asked", "finished"], 0));
}

#[test]
fn call_of_a_tool_that_is_switched_off_meanwhile_ends() {
    let decided = || Does::Meanwhile(vec![UserCommand::ToolsDecided]);
    let tools = |does| vec![("list", true, does), ("search", false, Does::Hangs)];
    let mut reads = GateWorld { tools: tools(decided()), ..GateWorld::new() };
    assert!(matches!(reads.run(&call("list", "{}"), &[]), Exit::Done(_)), "the turn goes on");
    assert!(matches!(reads.outcome(), ToolOutcome::Failed { code: ToolFailure::Off, .. }));
    let mut acts = GateWorld::searching(decided());
    acts.run(&call("search", "{}"), &[]);
    assert_eq!(acts.outcome(), ToolOutcome::Interrupted, "it may have acted");
    let mut other = GateWorld::new();
    other.run(&call("search", "{}"), &[UserCommand::ToolsDecided]);
    assert!(matches!(other.outcome(), ToolOutcome::Ok { .. }), "another tool was switched off");
}

#[test]
fn call_that_has_its_outcome_stays_as_it_is() {
    let mut world = GateWorld::new();
    world.run(&call("search", "{}"), &[]);
    let written = world.record.clone();
    for said in [vec![], vec![UserCommand::Stop]] {
        assert_eq!(world.run(&call("search", "{}"), &said), Exit::Done(None));
        assert_eq!((&world.record, world.ran().len()), (&written, 1));
    }
}

#[test]
fn call_that_may_have_acted_is_interrupted_though_the_user_stops() {
    let mut world = GateWorld::new();
    world.record.events = vec![(1, CallEvent::Started { allowed_by: AllowedBy::Mode })];
    world.run(&call("search", "{}"), &[UserCommand::Stop]);
    assert_eq!((world.outcome(), world.ran().len()), (ToolOutcome::Interrupted, 0));
}
