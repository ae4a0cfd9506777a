//! Calls that a model repeats although they succeeded.

use sidecar_protocol::policy::{AskReason, Policy};
use sidecar_protocol::thread::ToolItem;

use super::*;

fn calls(tool: &str, arguments: &[&str]) -> Vec<ScriptedReply> {
    let call = |arguments: &&str| ScriptedReply::stream("", "", &[("a", tool, arguments)]);
    arguments.iter().map(call).chain([ScriptedReply::stream("", "Fine.", &[])]).collect()
}

fn decide(call: &str, decision: Decision) -> UserCommand {
    UserCommand::Decide(call.into(), decision.into())
}

fn tools(log: &[Entry]) -> Vec<ToolItem> {
    let tools = view::items(log, None).into_iter().filter_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some(tool),
        _ => None,
    });
    tools.collect()
}

/// The call that asks at the end of a log.
fn asking(log: &[Entry]) -> CallId {
    let asked = log.iter().rev().find_map(|entry| match &entry.event {
        Event::ApprovalAsked { call, .. } => Some(call.clone()),
        _ => None,
    });
    asked.expect("a question")
}

#[test]
fn acting_call_made_again_does_not_run_and_the_model_is_told_that_it_was_done() {
    let mut world = TurnWorld::new();
    world
        .say("Add milk", &[], calls("search", &[r#"{"seats":1,"a":2}"#, r#"{ "a": 2, "seats": 1 }"#]))
        .unwrap();
    assert_eq!(world.ran(), ["search"]);
    let of = CallId::from("t0.2.0");
    assert_eq!(world.outcomes(), [ok("5 flights"), ToolOutcome::Repeated { of }]);
    let told = world.last_messages()[5]["content"].as_str().unwrap().to_owned();
    assert!(told.contains("did not run again") && told.ends_with(&data("5 flights")), "{told}");
    let shown = tools(&world.log).pop().unwrap().state;
    assert!(matches!(shown, ToolState::Finished { outcome: ToolOutcome::Repeated { .. }, .. }), "{shown:?}");
}

#[test]
fn acting_call_made_a_third_time_asks_and_runs_if_the_user_wants() {
    for (decision, runs) in [(Decision::Run, 2), (Decision::Decline, 1)] {
        let mut world = TurnWorld::new();
        world.policies.borrow_mut().insert("search", Policy::Allow);
        world.say("Add milk", &[decide("t0.9.0", decision)], calls("search", &["{}"; 3])).unwrap();
        assert_eq!(asking(&world.log), CallId::from("t0.9.0"));
        assert_eq!(tools(&world.log)[2].approval.why, [AskReason::Repeated]);
        assert_eq!(world.ran().len(), runs);
        assert_eq!(world.end(), TurnEnd::Done);
    }
}

#[test]
fn declined_repeat_asks_again() {
    let mut world = TurnWorld::new();
    let both = [decide("t0.9.0", Decision::Decline), decide("t0.14.0", Decision::Decline)];
    world.say("Add milk", &both, calls("search", &["{}"; 4])).unwrap();
    assert_eq!(world.ran().len(), 1);
    let asked = world.events().iter().filter(|name| **name == "approval asked").count();
    assert_eq!(asked, 2);
}

#[test]
fn calls_of_one_answer_are_the_same_too() {
    let mut world = TurnWorld::new();
    let both = [("a", "search", "{}"), ("b", "search", "{}")];
    world
        .say("Go", &[], vec![ScriptedReply::stream("", "", &both), ScriptedReply::stream("", "Fine.", &[])])
        .unwrap();
    assert_eq!(world.ran(), ["search"]);
}

#[test]
fn call_runs_again_when_something_changed_in_between() {
    // Another tool acted.
    let mut world = TurnWorld::new();
    world.tools.insert("book", (false, Does::Returns(ok("booked"))));
    let calls_of = |names: [&str; 3]| {
        let call = |name: &str| ScriptedReply::stream("", "", &[("a", name, "{}")]);
        names.map(call).into_iter().chain([ScriptedReply::stream("", "Fine.", &[])]).collect::<Vec<_>>()
    };
    world.say("Go", &[], calls_of(["search", "book", "search"])).unwrap();
    assert_eq!(world.ran(), ["search", "book", "search"]);
    // A read-only tool changes nothing.
    let mut world = TurnWorld::new();
    world.say("Go", &[], calls_of(["search", "list", "search"])).unwrap();
    assert_eq!(world.ran(), ["search", "list"]);
    // It has other arguments.
    let mut world = TurnWorld::new();
    world.say("Go", &[], calls("search", &["{}", r#"{"seats":1}"#])).unwrap();
    assert_eq!(world.ran().len(), 2);
    // It failed.
    let mut world = TurnWorld::new();
    world.tools.insert(
        "search",
        (false, Does::Returns(ok(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#))),
    );
    world.say("Go", &[], calls("search", &["{}", "{}"])).unwrap();
    assert_eq!(world.ran().len(), 2);
    // The user sent a message.
    let mut world = TurnWorld::new();
    world.say("Go", &[], calls("search", &["{}"])).unwrap();
    world.say("Go", &[], calls("search", &["{}"])).unwrap();
    world.continue_turn(calls("search", &["{}"])).unwrap();
    assert_eq!(world.ran().len(), 3);
    // The user answered a question.
    let mut world = TurnWorld::new();
    let question = ScriptedReply::stream("", "", &[("q", "ask_user", r#"{"question":"More?"}"#)]);
    let mut replies = calls("search", &["{}", "{}"]);
    replies.insert(1, question);
    let answer = UserDecision { words: "Yes, once more.".to_owned(), ..Decision::Run.into() };
    world.say("Go", &[UserCommand::Decide("t0.6.0".into(), answer)], replies).unwrap();
    assert_eq!(world.ran().len(), 2);
}

#[test]
fn call_runs_again_when_the_page_has_other_tools() {
    let mut world = TurnWorld::new();
    world.say("Go", &[], calls("search", &["{}", "{}"])).unwrap();
    let second =
        world.log.iter().rposition(|entry| matches!(entry.event, Event::ModelAnswered { .. })).unwrap() - 2;
    let mut log = world.log[..second].to_vec();
    assert!(matches!(resume::resume(&log, Limits::default()), Next::Settle(_, ToolOutcome::Repeated { .. })));
    let asked = log.iter().rposition(|entry| matches!(entry.event, Event::ModelAsked { .. })).unwrap();
    for changed in [Some(Fingerprint("other".to_owned())), None] {
        if let Event::ModelAsked { offers, .. } = &mut log[asked].event {
            *offers = changed.clone();
        }
        let next = resume::resume(&log, Limits::default());
        assert!(
            matches!(next, Next::Call { stage: CallStage::Judge, is_repeated: false, .. }),
            "{changed:?}: {next:?}"
        );
    }
}

#[test]
fn reading_call_is_given_its_result_again_and_read_anew_the_third_time() {
    let mut world = TurnWorld::new();
    world.say("Go", &[], calls("list", &["{}"; 4])).unwrap();
    assert_eq!(world.ran(), ["list", "list"]);
    assert!(!world.events().contains(&"approval asked"));
    let told = world.last_messages()[5]["content"].as_str().unwrap().to_owned();
    assert!(told.ends_with(&data("CA1883")), "{told}");
}

#[test]
fn log_without_offers_is_read() {
    let text = r#"{"event":"modelAsked","provider":"p","model":"m","tools":2}"#;
    let event: Event = serde_json::from_str(text).unwrap();
    assert!(matches!(event, Event::ModelAsked { offers: None, .. }));
}
