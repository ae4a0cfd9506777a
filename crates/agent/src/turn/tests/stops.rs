//! The user stops, or sends another message.

use super::*;

#[test]
fn stop_in_a_stream_keeps_the_text_and_continuing_goes_on_from_it() {
    let mut world = TurnWorld::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![ScriptedReply::Hangs(said, UserCommand::Stop)]).unwrap();
    assert_eq!(world.end(), TurnEnd::Stopped);
    let items = view::items(&world.log, None);
    assert!(
        matches!(&items[1].kind, ItemKind::Assistant { text, state: AnswerState::Stopped, .. } if text == "Half an")
    );

    world.continue_turn(vec![ScriptedReply::stream("", " answer.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
    let messages = world.last_messages();
    let last_two = &messages.as_array().unwrap()[2..];
    assert_eq!(last_two[0]["content"], "Half an");
    assert_eq!(last_two[1], json!({"role": "user", "content": "Please go on."}));
}

#[test]
fn stop_in_a_call_cancels_it_and_the_later_ones() {
    let mut world = TurnWorld::new();
    world.tools.insert("hang", (false, Does::Meanwhile(vec![UserCommand::Stop])));
    let replies = vec![ScriptedReply::stream("", "", &[("a", "hang", "{}"), ("b", "list", "{}")])];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::Cancelled, ToolOutcome::Cancelled]);
    assert_eq!((world.ran(), world.end()), (vec!["hang".to_owned()], TurnEnd::Stopped));
}

#[test]
fn stop_comes_before_anything_further_begins() {
    // During the delay before a retry.
    let mut world = TurnWorld::new();
    world.say("Go", &[], vec![ScriptedReply::Meanwhile(UserCommand::Stop, Box::new(busy()))]).unwrap();
    assert_eq!((world.end(), world.asked.borrow().len()), (TurnEnd::Stopped, 1));

    // Just as an answer with a call arrives.
    let mut world = TurnWorld::new();
    let answer = Box::new(ScriptedReply::stream("", "", &[("a", "search", "{}")]));
    world.say("Go", &[], vec![ScriptedReply::Meanwhile(UserCommand::Stop, answer)]).unwrap();
    assert_eq!((world.end(), world.ran()), (TurnEnd::Stopped, Vec::<String>::new()));

    // While a decision is awaited.
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    world
        .say("Go", &[UserCommand::Stop], vec![ScriptedReply::stream("", "", &[("a", "search", "{}")])])
        .unwrap();
    assert_eq!((world.end(), world.outcomes()), (TurnEnd::Stopped, vec![ToolOutcome::Cancelled]));
}

#[test]
fn confirm_mode_set_during_a_turn_holds_for_it() {
    let mut world = TurnWorld::new();
    let answer = Box::new(ScriptedReply::stream("", "", &[("a", "search", "{}")]));
    let replies = vec![
        ScriptedReply::Meanwhile(UserCommand::SetMode(Mode::Confirm), answer),
        ScriptedReply::stream("", "As you like.", &[]),
    ];
    let declined = UserCommand::Decide("t0.2.0".into(), Decision::Decline.into());
    world.say("Go", &[declined], replies).unwrap();
    assert_eq!((world.outcomes(), world.ran()), (vec![ToolOutcome::Declined], Vec::new()));
}

#[test]
fn calls_left_over_are_cancelled_when_the_user_sends_a_message() {
    let mut world = TurnWorld::new();
    world.rules.limits.tool_calls = 1;
    let two = [("a", "list", "{}"), ("b", "search", "{}")];
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &two)]).unwrap();
    let left_over = crate::turn::resume::before_new_turn(&world.log);
    assert_eq!(left_over.len(), 1);
    world.log.extend(left_over.into_iter().map(|event| Entry { at: 0, event }));
    world.say("Never mind", &[], vec![ScriptedReply::stream("", "Fine.", &[])]).unwrap();
    let messages = world.last_messages();
    assert_eq!(messages[4]["content"], "The user stopped before this call was made. The tool did not run.");
}

#[test]
fn call_does_not_run_or_ask_while_the_agent_rests() {
    let mut world = TurnWorld::new();
    world.rules.mode = Mode::Confirm;
    let calls = [("a", "list", "{}"), ("b", "search", "{}")];
    world.say("Go", &[UserCommand::Stop], vec![ScriptedReply::stream("", "", &calls)]).unwrap();
    let asked = world.events().iter().position(|name| *name == "approval asked").unwrap();
    for (cut, expected) in [
        (asked + 1, ToolState::Queued),
        (world.events().iter().position(|name| *name == "tool started").unwrap() + 1, ToolState::Queued),
    ] {
        let mut log = world.log[..cut].to_vec();
        let death = after_death(&log, None);
        log.extend(death.into_iter().map(|event| Entry { at: 0, event }));
        let last = view::items(&log, None)
            .into_iter()
            .filter_map(|item| match item.kind {
                ItemKind::Tool(tool) if !matches!(tool.state, ToolState::Finished { .. }) => Some(tool.state),
                _ => None,
            })
            .next_back();
        assert_eq!(last, Some(expected), "cut at {cut}");
    }
}
