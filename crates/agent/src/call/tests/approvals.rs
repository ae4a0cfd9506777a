//! Whether a call runs at once, after approval, or not at all.

use sidecar_protocol::picture::PictureType;
use sidecar_protocol::{ActionOutcome, Consequence, UserInput};

use super::*;
use crate::browser_tools::done_by_user;

#[test]
fn call_of_a_read_only_tool_runs_at_once() {
    let mut world = GateWorld { mode: Mode::Confirm, ..GateWorld::new() };
    let exit = world.run(&call("list", "{}"), &[]);
    assert!(matches!(exit, Exit::Done(Some(Run { stayed: true, .. }))), "{exit:?}");
    assert_eq!(world.events(), ["started", "finished"]);
    assert_eq!((world.outcome(), world.allowed_by()), (ToolOutcome::ok("CA1883"), Some(AllowedBy::ReadOnly)));
}

#[test]
fn call_asks_in_confirm_mode_and_runs_with_the_edits() {
    let mut world = GateWorld { mode: Mode::Confirm, ..GateWorld::new() };
    let said =
        [decide(Decision::Run, Some(r#"{"seats":"many"}"#)), decide(Decision::Run, Some(r#"{"seats":"3"}"#))];
    world.run(&call("search", r#"{"seats":1,"to":"SHA"}"#), &said);
    assert_eq!(world.events(), ["asked", "mistaken", "decided", "started", "finished"]);
    assert_eq!(world.asked(), [AskReason::Mode]);
    assert_eq!(world.ran(), [("search".to_owned(), r#"{"seats":3,"to":"SHA"}"#.to_owned())]);
    assert_eq!(world.allowed_by(), Some(AllowedBy::User));
}

#[test]
fn mode_that_the_user_sets_meanwhile_holds() {
    let mut world = GateWorld::new();
    let said = [UserCommand::SetMode(Mode::Confirm), decide(Decision::Decline, None)];
    world.run(&call("search", "{}"), &said);
    assert_eq!(world.events(), ["asked", "decided", "finished"]);
}

#[test]
fn declined_call_does_not_run() {
    let mut world = GateWorld { mode: Mode::Confirm, ..GateWorld::new() };
    world.run(&call("search", "{}"), &[decide(Decision::Decline, None)]);
    assert_eq!((world.outcome(), world.ran().len()), (ToolOutcome::Declined, 0));
}

#[test]
fn call_of_a_tool_that_is_off_is_refused() {
    for tool in ["list", "search"] {
        let mut world = GateWorld { policy: Some(Policy::Off), ..GateWorld::new() };
        assert_eq!(world.run(&call(tool, "{}"), &[]), Exit::Done(None));
        assert_eq!((world.events(), world.outcome()), (vec!["finished"], failed(ToolFailure::Off)));
        assert_eq!(world.dismissed, [CallId::from(CALL)], "nothing stays lit for it");
    }
}

#[test]
fn tool_that_is_gone_or_changed_after_the_approval_does_not_run() {
    let mut asked = GateWorld { mode: Mode::Confirm, ..GateWorld::new() };
    asked.run(&call("search", "{}"), &[decide(Decision::Run, None)]);
    let approved =
        || MemoryRecorder { events: asked.record.events[..2].to_vec(), ..MemoryRecorder::default() };

    let mut gone = GateWorld { record: approved(), tools: Vec::new(), ..GateWorld::new() };
    gone.run(&call("search", "{}"), &[]);
    assert_eq!(gone.outcome(), failed(ToolFailure::Page(FailureCode::NotFound)));

    let mut off = GateWorld { record: approved(), policy: Some(Policy::Off), ..GateWorld::new() };
    off.run(&call("search", "{}"), &[]);
    assert_eq!(off.outcome(), failed(ToolFailure::Off));

    let shifty = Does::Returns(ToolOutcome::ok("done"));
    let mut changed =
        GateWorld { record: approved(), tools: vec![("shifty", false, shifty)], ..GateWorld::new() };
    changed.run(&call("shifty", "{}"), &[]);
    assert_eq!(changed.outcome(), failed(ToolFailure::Changed));
    assert_eq!((gone.ran().len(), off.ran().len(), changed.ran().len()), (0, 0, 0));
}

#[test]
fn arguments_are_checked_by_the_schema_before_anything_runs_or_asks() {
    let mut world = GateWorld { mode: Mode::Confirm, ..GateWorld::new() };
    world.run(&call("search", r#"{"seats":"many"}"#), &[]);
    let outcome = world.outcome();
    assert!(
        matches!(&outcome, ToolOutcome::Failed { code: ToolFailure::BadArguments, message }
            if message.contains("seats: expected an integer")),
        "{outcome:?}"
    );
    assert_eq!(world.events(), ["finished"]);

    // Arguments that were checked by this schema are not checked again.
    let mut world = GateWorld::new();
    world.run(&ToolCall { is_checked: true, ..call("search", r#"{"seats":"many"}"#) }, &[]);
    assert_eq!(world.ran().len(), 1);
}

#[test]
fn arguments_off_the_pattern_go_through_when_a_person_calls() {
    const TIME: &str = r#"{"properties": {"time": {"type": "string", "pattern": "^[1-9]:"}}}"#;
    let ten = || call("search", r#"{"time":"10:00"}"#);
    let client = Caller::Client { name: "a client".to_owned() };
    for (caller, runs) in [(Caller::User, 1), (client, 0)] {
        let mut world = GateWorld { schema: TIME, ..GateWorld::new() };
        world.run(&ToolCall { caller, ..ten() }, &[]);
        assert_eq!(world.ran().len(), runs);
    }
}

#[test]
fn tool_that_is_another_one_than_a_person_saw_does_not_run() {
    let shifty = Does::Returns(ToolOutcome::ok("done"));
    let mut world = GateWorld { tools: vec![("shifty", false, shifty)], ..GateWorld::new() };
    world.run(&ToolCall { caller: Caller::User, ..call("shifty", "{}") }, &[]);
    assert_eq!((world.outcome(), world.ran().len()), (failed(ToolFailure::Changed), 0));
}

#[test]
fn question_is_asked_and_its_answer_is_the_outcome() {
    let mut world = GateWorld::new();
    let question = ToolCall { callee: Callee::User, ..call("", "{}") };
    let answer = UserDecision { words: "Monday".to_owned(), ..Decision::Run.into() };
    world.run(&question, &[UserCommand::Decide(CallId::from(CALL), answer)]);
    assert_eq!((world.events(), world.asked()), (vec!["asked", "decided", "finished"], Vec::new()));
    assert_eq!(world.outcome(), ToolOutcome::ok("Monday"));
}

#[test]
fn call_asks_when_the_user_turns_to_confirm_while_its_arguments_are_checked() {
    let mut world =
        GateWorld { while_checked: vec![UserCommand::SetMode(Mode::Confirm)], ..GateWorld::new() };
    let declined = UserCommand::Decide(CallId::from(CALL), Decision::Decline.into());
    world.run(&call("search", r#"{"seats":1}"#), &[declined]);
    assert_eq!((world.events(), world.ran()), (vec!["asked", "decided", "finished"], Vec::new()));
}

#[test]
fn restored_question_about_an_action_is_asked_anew_if_the_page_has_another_one_now() {
    let card = |name: &str, dialog: &str| ActionCard {
        name: name.to_owned(),
        dialog: dialog.to_owned(),
        consequence: Some(Consequence::Pay),
        ..ActionCard::default()
    };
    let why = |card: ActionCard| vec![AskReason::Consequential, AskReason::Action { card: Box::new(card) }];
    let restored = |now: ActionCard, meanwhile: &[UserCommand]| {
        let while_pictured = meanwhile.to_vec();
        let mut world = GateWorld { card: Some(now), while_pictured, ..GateWorld::new() };
        world.record.events.push((1, CallEvent::Asked { why: why(card("Pay 10", "in 9 s")) }));
        world.run(&call("search", "{}"), &[decide(Decision::Run, None)]);
        world
    };
    let same = restored(card("Pay 10", "in 3 s"), &[]);
    assert_eq!(
        (same.events().as_slice(), same.ran().len()),
        (["asked", "decided", "started", "finished"].as_slice(), 1)
    );
    let other = restored(card("Pay 900", "in 3 s"), &[decide(Decision::Decline, None)]);
    assert_eq!(
        (other.events().as_slice(), other.ran().len()),
        (["asked", "asked", "decided", "finished"].as_slice(), 0)
    );
    let (_, CallEvent::Asked { why: anew }) = &other.record.events[1] else { panic!("not asked anew") };
    assert_eq!(*anew, why(card("Pay 900", "in 3 s")));
}

#[test]
fn hand_over_asks_in_automatic_mode_runs_nothing_and_is_dismissed_whatever_the_user_decides() {
    let done = done_by_user(UserInput::Secret, "{}");
    for (decision, outcome) in [(Decision::Decline, ToolOutcome::Declined), (Decision::Run, done)] {
        let card = ActionCard { by_user: Some(UserInput::Secret), ..ActionCard::default() };
        let mut world = GateWorld { card: Some(card.clone()), ..GateWorld::new() };
        world.run(&call("search", "{}"), &[decide(decision, None)]);
        assert_eq!(world.asked(), [AskReason::Action { card: Box::new(card) }]);
        assert_eq!(world.dismissed, [CallId::from(CALL)]);
        assert!(!world.record.events.iter().any(|(_, event)| matches!(event, CallEvent::Started { .. })));
        let ends = |(_, event): &(_, CallEvent)| match event {
            CallEvent::Finished { outcome, .. } => Some(outcome.clone()),
            _ => None,
        };
        assert_eq!(world.record.events.iter().find_map(ends), Some(outcome));
    }
}

#[test]
fn what_was_the_users_is_not_done_when_it_no_longer_is() {
    let card = ActionCard { by_user: Some(UserInput::Challenge), ..ActionCard::default() };
    let mut world = GateWorld { card: Some(ActionCard::default()), ..GateWorld::new() };
    let why = vec![AskReason::Action { card: Box::new(card) }];
    world.record.events.push((1, CallEvent::Asked { why }));
    world.run(&call("search", "{}"), &[decide(Decision::Run, None)]);
    let changed = failed(ToolFailure::Action(ActionOutcome::Changed));
    let ended = |(_, event): &(_, CallEvent)| matches!(event, CallEvent::Finished { outcome, .. } if *outcome == changed);
    assert!(world.record.events.iter().any(ended), "{:?}", world.record.events);
    assert!(!world.record.events.iter().any(|(_, event)| matches!(event, CallEvent::Started { .. })));
}

#[test]
fn after_a_challenge_the_model_is_told_that_nothing_else_was_done() {
    let told = done_by_user(UserInput::Challenge, r#"{"fields": []}"#);
    assert!(told.text().is_some_and(|text| text.contains("Nothing else of this call was done")), "{told:?}");
}

#[test]
fn call_that_is_stopped_while_its_picture_is_taken_asks_nothing() {
    let card = ActionCard { consequence: Some(Consequence::Pay), ..ActionCard::default() };
    let while_pictured = vec![UserCommand::Stop];
    let mut world = GateWorld { card: Some(card), while_pictured, ..GateWorld::new() };
    world.run(&call("search", "{}"), &[]);
    assert_eq!((world.events(), world.ran().len()), (vec!["finished"], 0));
}

#[test]
fn card_has_a_picture_unless_the_user_is_to_fill_the_field() {
    let picture = || Picture {
        digest: "a".repeat(64),
        media_type: PictureType::Png,
        width: 200,
        height: 80,
        size: 900,
    };
    let paying = ActionCard { consequence: Some(Consequence::Pay), ..ActionCard::default() };
    let secret = ActionCard { by_user: Some(UserInput::Secret), ..ActionCard::default() };
    for (card, expected) in [(paying, Some(picture())), (secret, None)] {
        let mut world = GateWorld { card: Some(card), picture: Some(picture()), ..GateWorld::new() };
        world.run(&call("search", "{}"), &[decide(Decision::Decline, None)]);
        assert_eq!(AskReason::card_in(&world.asked()).unwrap().picture, expected);
    }
}

#[test]
fn hand_over_is_done_though_the_worker_died_and_its_tool_is_gone() {
    let card = ActionCard { by_user: Some(UserInput::Secret), ..ActionCard::default() };
    let mut world = GateWorld::new();
    let why = vec![AskReason::Action { card: Box::new(card) }];
    world.record.events.push((1, CallEvent::Asked { why }));
    let (decision, arguments, secrets, off_pattern) = (Decision::Run, None, Vec::new(), false);
    let words = String::new();
    world.record.events.push((2, CallEvent::Decided { decision, arguments, secrets, off_pattern, words }));
    let arguments = r#"{"selector":"e1","submit":true}"#;
    world.run(&call("gone", arguments), &[]);
    let Some((_, CallEvent::Finished { outcome, .. })) = world.record.events.last() else { panic!() };
    assert_eq!(*outcome, done_by_user(UserInput::Secret, arguments));
    assert!(outcome.text().is_some_and(|text| text.contains("The form was not submitted")), "{outcome:?}");
}
