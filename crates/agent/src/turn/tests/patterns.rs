//! Arguments that do not match a pattern of the page, which may itself be wrong.

use sidecar_protocol::thread::ToolItem;

use super::*;

/// A real page's pattern: no hour with two digits matches.
const TIME: &str = r#"{"properties": {"time": {"type": "string", "pattern": "^[1-12]:[0-5][0-9] (AM|PM)$"}, "n": {"type": "integer"}}}"#;

fn call(arguments: &str) -> ScriptedReply {
    ScriptedReply::stream("", "", &[("a", "search", arguments)])
}

fn world() -> TurnWorld {
    let mut world = TurnWorld::new();
    world.schema = TIME;
    world
}

fn tools(log: &[Entry]) -> Vec<ToolItem> {
    let tools = view::items(log, None).into_iter().filter_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some(tool),
        _ => None,
    });
    tools.collect()
}

#[test]
fn call_off_the_pattern_is_told_once_and_then_runs_marked() {
    let mut world = world();
    let ten = || call(r#"{"time":"10:00 AM"}"#);
    world.say("Go", &[], vec![ten(), ten(), ScriptedReply::stream("", "Fine.", &[])]).unwrap();
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), r#"{"time":"10:00 AM"}"#.to_owned())]);
    let messages = world.last_messages();
    let told = messages[3]["content"].as_str().unwrap();
    assert!(
        told.contains("expected a text that matches ^[1-12]") && told.contains("exactly this call again"),
        "{told}"
    );
    assert_eq!(messages[5]["content"], data("5 flights"));
    assert_eq!(tools(&world.log).iter().map(|tool| tool.off_pattern).collect::<Vec<_>>(), [true, true]);
    assert!(!world.events().contains(&"approval asked"));
}

#[test]
fn call_off_the_pattern_with_another_mistake_or_other_arguments_does_not_run() {
    let mut world = world();
    let wrong = || call(r#"{"time":"10:00 AM","n":"many"}"#);
    world.say("Go", &[], vec![wrong(), wrong(), ScriptedReply::stream("", "Sorry.", &[])]).unwrap();
    let (ten, eleven) = (call(r#"{"time":"10:00 AM"}"#), call(r#"{"time":"11:00 AM"}"#));
    world.say("Go", &[], vec![ten, eleven, ScriptedReply::stream("", "Sorry.", &[])]).unwrap();
    assert!(world.ran().is_empty());
}

#[test]
fn calls_off_the_pattern_that_run_do_not_pause_the_turn() {
    let mut world = world();
    let calls = (10..13).flat_map(|hour| (0..2).map(move |_| call(&format!(r#"{{"time":"{hour}:00 AM"}}"#))));
    world.say("Go", &[], calls.chain([ScriptedReply::stream("", "Fine.", &[])]).collect()).unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Done, 3));
}

#[test]
fn user_sends_arguments_off_the_pattern_from_the_card() {
    let mut world = world();
    world.rules.mode = Mode::Confirm;
    let edits = Some(r#"{"time":"10:00 AM"}"#.to_owned());
    let run = UserCommand::Decide("t0.2.0".into(), UserDecision { edits, ..Decision::Run.into() });
    world
        .say("Go", &[run], vec![call(r#"{"time":"1:00 AM"}"#), ScriptedReply::stream("", "Fine.", &[])])
        .unwrap();
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), r#"{"time":"10:00 AM"}"#.to_owned())]);
    assert!(tools(&world.log)[0].off_pattern);
}

#[test]
fn worker_that_dies_after_the_mistake_was_told_lets_the_call_run() {
    let mut world = world();
    let ten = || call(r#"{"time":"10:00 AM"}"#);
    world.say("Go", &[], vec![ten(), ten(), ScriptedReply::stream("", "Fine.", &[])]).unwrap();
    let second = world.events().iter().rposition(|name| *name == "answered").unwrap() - 3;
    let log = &world.log[..second];
    assert_eq!(world.events()[second - 1], "answered");
    assert!(matches!(resume::resume(log, Limits::default()), Next::Call { stage: CallStage::Judge, .. }));
}
