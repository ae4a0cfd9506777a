//! A tool's time limit, and what its page waits for.

use super::*;

#[test]
fn tool_that_takes_too_long_times_out_and_the_model_is_told() {
    let mut world = TurnWorld::new();
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "hang", "{}")]),
        ScriptedReply::stream("", "It hangs.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    let told = world.last_messages()[3]["content"].as_str().unwrap().to_owned();
    assert!(told.starts_with("Error: no result after 10 s"), "{told}");
}

/// The page's message that it waits, in the first call of the first answer.
pub(super) fn page_says(document: &str, phase: InteractionPhase) -> UserCommand {
    let (document, call) = (DocumentId::from(document), CallId::from("t0.2.0"));
    UserCommand::Interaction(Interaction {
        document: Some(document),
        call,
        phase,
        kind: InteractionKind::Form,
    })
}

#[test]
fn time_limit_pauses_while_the_page_waits_and_stop_works() {
    let mut world = TurnWorld::new();
    let commands = vec![page_says("doc", InteractionPhase::Started), UserCommand::Stop];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &[("a", "hang", "{}")])]).unwrap();
    assert_eq!(world.events()[3..], ["tool started", "wait started", "tool finished", "rested"]);
    assert_eq!((world.outcomes(), world.end()), (vec![ToolOutcome::Cancelled], TurnEnd::Stopped));

    let until_wait = &world.log[..5];
    assert_eq!(resume::activity(until_wait), Activity::Waiting);
    let states: Vec<ToolState> = (4..7)
        .filter_map(|entries| match view::items(&world.log[..entries], None).pop()?.kind {
            ItemKind::Tool(tool) => Some(tool.state),
            _ => None,
        })
        .collect();
    assert!(matches!(states[0], ToolState::Running { .. }));
    assert!(matches!(states[1], ToolState::Waiting { kind: InteractionKind::Form, ran_ms: 1..1000 }));
    assert!(matches!(states[2], ToolState::Finished { duration_ms: 1..1000, .. }));
    assert!(matches!(
        after_death(until_wait, None)[0],
        Event::ToolFinished { outcome: ToolOutcome::Interrupted, .. }
    ));
}

#[test]
fn time_limit_resumes_after_the_wait() {
    let mut world = TurnWorld::new();
    let phases = [InteractionPhase::Started, InteractionPhase::Ended];
    let commands = phases.map(|phase| page_says("doc", phase)).to_vec();
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "hang", "{}")]),
        ScriptedReply::stream("", "It hangs.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.events()[3..7], ["tool started", "wait started", "wait ended", "tool finished"]);
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    let ItemKind::Tool(tool) = view::items(&world.log[..6], None).pop().unwrap().kind else {
        panic!("the call is shown last");
    };
    assert!(matches!(tool.state, ToolState::Running { since, .. } if since > world.log[3].at));
}

#[test]
fn time_limit_cannot_be_paused_by_another_page() {
    let mut world = TurnWorld::new();
    let commands = vec![page_says("another", InteractionPhase::Started)];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "hang", "{}")]),
        ScriptedReply::stream("", "It hangs.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    assert!(!world.events().contains(&"wait started"));
}
