//! Approvals: which calls ask, which do not, and what the user's decision does.

use sidecar_protocol::policy::{AllowedBy, Approval, AskReason, Policy};
use sidecar_protocol::thread::ToolItem;

use super::*;

fn decide(call: &str, decision: Decision, edits: Option<&str>, words: &str) -> UserCommand {
    let (edits, words) = (edits.map(str::to_owned), words.to_owned());
    UserCommand::Decide(call.into(), UserDecision { decision, edits, words, allow_flow: false })
}

/// One call of `search`, and a closing answer.
fn one_call(arguments: &str) -> Vec<ScriptedReply> {
    vec![
        ScriptedReply::stream("", "", &[("a", "search", arguments)]),
        ScriptedReply::stream("", "Fine.", &[]),
    ]
}

fn allowed_by(world: &TurnWorld) -> Vec<Option<AllowedBy>> {
    let allowed_by = |entry: &Entry| match &entry.event {
        Event::ToolStarted { allowed_by, .. } => Some(*allowed_by),
        _ => None,
    };
    world.log.iter().filter_map(allowed_by).collect()
}

fn tool(log: &[Entry]) -> ToolItem {
    let last = view::items(log, None).into_iter().rev().find_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some(tool),
        _ => None,
    });
    last.unwrap()
}

fn told(world: &TurnWorld) -> String {
    world.last_messages()[3]["content"].as_str().unwrap().to_owned()
}

#[test]
fn log_says_what_allowed_a_call() {
    let mut world = TurnWorld::new();
    world.policies.borrow_mut().insert("hang", Policy::Allow);
    world.tools.insert("hang", (false, Does::Returns(ok("now"))));
    let calls = [("a", "list", "{}"), ("b", "search", "{}"), ("c", "hang", "{}")];
    world
        .say("Go", &[], vec![ScriptedReply::stream("", "", &calls), ScriptedReply::stream("", "Fine.", &[])])
        .unwrap();
    assert_eq!(allowed_by(&world), [AllowedBy::ReadOnly, AllowedBy::Mode, AllowedBy::Grant].map(Some));
    world.rules.mode = Mode::Confirm;
    world.say("Again", &[decide("t12.14.0", Decision::Run, None, "")], one_call("{}")).unwrap();
    assert_eq!(allowed_by(&world)[3], Some(AllowedBy::User));
    assert_eq!(tool(&world.log).approval.allowed_by, Some(AllowedBy::User));
}

#[test]
fn tool_that_is_off_does_not_run_and_the_model_is_told() {
    let mut world = TurnWorld::new();
    world.policies.borrow_mut().insert("search", Policy::Off);
    world.say("Go", &[], one_call("{}")).unwrap();
    assert!(world.ran().is_empty());
    assert!(told(&world).contains("switched this tool off"), "{}", told(&world));
}

#[test]
fn tool_with_policy_ask_asks_even_if_read_only() {
    let mut world = TurnWorld::new();
    world.policies.borrow_mut().insert("list", Policy::Ask);
    let replies =
        vec![ScriptedReply::stream("", "", &[("a", "list", "{}")]), ScriptedReply::stream("", "Fine.", &[])];
    world.say("Go", &[decide("t0.2.0", Decision::Decline, None, "")], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::Declined]);
    assert_eq!(tool(&world.log).approval.why, [AskReason::Policy]);
}

#[test]
fn edited_arguments_are_those_that_run_and_that_the_model_reads() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    let run = decide("t0.2.0", Decision::Run, Some(r#"{"seats":3}"#), "");
    world.say("Go", &[run], one_call(r#"{"seats":1,"to":"SHA"}"#)).unwrap();
    let arguments = r#"{"seats":3,"to":"SHA"}"#;
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), arguments.to_owned())]);
    let shown = tool(&world.log);
    assert_eq!((shown.arguments.as_str(), shown.approval.edited), (arguments, true));
    let expected =
        format!("[The user changed the arguments of this call to {arguments}]\n\n{}", data("5 flights"));
    assert_eq!(told(&world), expected);
    // The model's own call is unchanged: some services compare it.
    let said = &world.last_messages()[2]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(said, r#"{"seats":1,"to":"SHA"}"#);
}

#[test]
fn edited_arguments_that_do_not_fit_ask_again() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    let commands = [
        decide("t0.2.0", Decision::Run, Some(r#"{"seats":"many"}"#), ""),
        // A second panel that does not know of the mistake does not make it run either.
        decide("t0.2.0", Decision::Run, None, ""),
        decide("t0.2.0", Decision::Run, Some("many"), ""),
        decide("t0.2.0", Decision::Run, Some(r#"{"seats":2}"#), ""),
    ];
    world.say("Go", &commands, one_call(r#"{"seats":1}"#)).unwrap();
    assert_eq!(
        world.events()[3..8],
        ["approval asked", "approval mistaken", "approval mistaken", "approval mistaken", "approval given"]
    );
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), r#"{"seats":2}"#.to_owned())]);
    let asking = tool(&world.log[..5]);
    assert_eq!((asking.state, asking.arguments.as_str()), (ToolState::Asking, r#"{"seats":"many"}"#));
    assert!(asking.approval.mistake.contains("seats: expected an integer"), "{}", asking.approval.mistake);
    assert!(tool(&world.log[..7]).approval.mistake.contains("no JSON object"));
    assert_eq!(tool(&world.log).approval.mistake, "");
}

#[test]
fn declined_call_keeps_the_models_arguments() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    let commands = [
        decide("t0.2.0", Decision::Run, Some(r#"{"seats":"many"}"#), ""),
        decide("t0.2.0", Decision::Decline, None, "Ask me for the seats."),
    ];
    world.say("Go", &commands, one_call(r#"{"seats":1}"#)).unwrap();
    let shown = tool(&world.log);
    assert_eq!((shown.arguments.as_str(), shown.approval.edited), (r#"{"seats":1}"#, false));
    assert_eq!(shown.approval.words, "Ask me for the seats.");
    assert_eq!(told(&world), "The user declined this call, with these words to you: Ask me for the seats.");
}

#[test]
fn words_of_the_user_are_cut() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    let long = "字".repeat(Approval::MOST_WORDS + 5);
    world.say("Go", &[decide("t0.2.0", Decision::Decline, None, &long)], one_call("{}")).unwrap();
    assert_eq!(tool(&world.log).approval.words.chars().count(), Approval::MOST_WORDS);
}

#[test]
fn approval_survives_the_workers_death_with_its_edits() {
    let mut whole = TurnWorld::new();
    whole.rules.mode = Mode::Confirm;
    let run = decide("t0.2.0", Decision::Run, Some(r#"{"seats":3}"#), "");
    whole.say("Go", &[run], one_call(r#"{"seats":1}"#)).unwrap();
    let limits = Limits::default();
    let next = resume::resume(&whole.log[..4], limits);
    assert!(matches!(next, Next::Call { stage: CallStage::Approve { arguments: r#"{"seats":1}"# }, .. }));
    let next = resume::resume(&whole.log[..5], limits);
    assert!(matches!(
        next,
        Next::Call { stage: CallStage::Run { arguments: r#"{"seats":3}"#, allowed_by: AllowedBy::User }, .. }
    ));
}

#[test]
fn log_without_policies_is_read() {
    for (text, expected) in [
        (
            r#"{"at":1,"event":"approvalAsked","call":"c"}"#,
            Event::ApprovalAsked { call: "c".into(), why: Vec::new() },
        ),
        (
            r#"{"at":1,"event":"approvalGiven","call":"c","decision":"run"}"#,
            Event::ApprovalGiven {
                call: "c".into(),
                decision: Decision::Run,
                arguments: None,
                secrets: Vec::new(),
                off_pattern: false,
                words: String::new(),
            },
        ),
        (
            r#"{"at":1,"event":"toolStarted","call":"c"}"#,
            Event::ToolStarted { call: "c".into(), allowed_by: None },
        ),
    ] {
        assert_eq!(serde_json::from_str::<Entry>(text).unwrap().event, expected);
    }
}

#[test]
fn confirm_mode_asks_about_acting_tools_only() {
    for (decision, outcome) in [(Decision::Run, ok("5 flights")), (Decision::Decline, ToolOutcome::Declined)]
    {
        let mut world = TurnWorld::new();
        world.rules.mode = Mode::Confirm;
        let replies = vec![
            ScriptedReply::stream("", "", &[("a", "list", "{}"), ("b", "search", "{}")]),
            ScriptedReply::stream("", "Fine.", &[]),
        ];
        // The first decision is about another call and must not count.
        let commands = [
            UserCommand::Decide("t0.2.0".into(), Decision::Run.into()),
            UserCommand::Decide("t0.2.1".into(), decision.into()),
        ];
        world.say("Go", &commands, replies).unwrap();
        assert_eq!(world.outcomes(), [ok("CA1883"), outcome]);
        assert_eq!(world.events().iter().filter(|name| **name == "approval asked").count(), 1);
        assert_eq!(world.ran().contains(&"search".to_owned()), decision == Decision::Run);
        assert_eq!(world.end(), TurnEnd::Done);
    }
}

#[test]
fn tool_that_changed_during_the_approval_does_not_run() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    world.tools.insert("shifty", (false, Does::Returns(ok("Paid."))));
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "shifty", "{}")]),
        ScriptedReply::stream("", "I see.", &[]),
    ];
    world.say("Go", &[UserCommand::Decide("t0.2.0".into(), Decision::Run.into())], replies).unwrap();
    let message = String::new();
    assert_eq!(world.outcomes(), [ToolOutcome::Failed { code: ToolFailure::Changed, message }]);
    assert_eq!((world.ran(), world.end()), (Vec::<String>::new(), TurnEnd::Done));
    assert!(world.last_messages()[3]["content"].as_str().unwrap().contains("this tool changed"));
}
