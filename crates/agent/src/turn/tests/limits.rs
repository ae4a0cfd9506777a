//! Models that want too much.

use super::*;

#[test]
fn call_limit_holds_within_one_answer_of_a_hundred_calls() {
    let mut world = TurnWorld::new();
    let limit = world.rules.limits.tool_calls;
    let calls: Vec<(String, String)> =
        (0..100).map(|n| (format!("c{n}"), format!(r#"{{"page": {n}}}"#))).collect();
    let calls: Vec<_> =
        calls.iter().map(|(id, arguments)| (id.as_str(), "list", arguments.as_str())).collect();
    world.say("Everything", &[], vec![ScriptedReply::stream("", "", &calls)]).unwrap();
    assert_eq!(world.end(), TurnEnd::CallLimit { limit });
    assert_eq!(world.ran().len(), limit as usize);
    // Calls that were left over are told as not made when the user sends another message.
    let settled = resume::before_new_turn(&world.log);
    world.log.extend(settled.into_iter().map(|event| Entry { at: world.time, event }));
    world.say("Enough", &[], vec![ScriptedReply::stream("", "Fine.", &[])]).unwrap();
    assert_eq!(world.ran().len(), limit as usize);
    let messages = world.last_messages();
    let results = messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let not_made =
        results.filter(|message| message["content"].as_str().unwrap().contains("did not run")).count();
    assert_eq!(not_made, 100 - limit as usize);
}

#[test]
fn tool_that_takes_long_gets_its_time_again_when_the_user_waits_longer() {
    let replies = || {
        vec![
            ScriptedReply::stream("", "", &[("a", "hang", "{}")]),
            ScriptedReply::stream("", "It hangs.", &[]),
        ]
    };
    let longer = |call: &str| UserCommand::WaitLonger(call.into());
    let given_up = |world: &TurnWorld| match world.outcomes()[..] {
        [ToolOutcome::TimedOut { limit_ms }] => limit_ms,
        ref other => panic!("{other:?}"),
    };
    let mut world = TurnWorld::new();
    world.say("Go", &[], replies()).unwrap();
    let [Some(until)] = world.deadlines[..] else { panic!("{:?}", world.deadlines) };
    let started = world.log.iter().find(|entry| matches!(entry.event, Event::ToolStarted { .. })).unwrap().at;
    assert!((9_800..=10_400).contains(&(until - started)), "{}", until - started);
    assert_eq!(given_up(&world), 10_000);

    let mut world = TurnWorld::new();
    let commands = vec![longer("t0.2.0"), longer("another"), longer("t0.2.0")];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    world.say("Go", &[], replies()).unwrap();
    assert!(matches!(world.deadlines[..], [None, None, Some(_)]), "{:?}", world.deadlines);
    assert!((10_100..11_000).contains(&given_up(&world)), "{}", given_up(&world));
    assert!(world.last_messages()[3]["content"].as_str().unwrap().starts_with("Error: no result after 10 s"));
}

#[test]
fn call_that_runs_shows_its_step_and_when_it_is_given_up() {
    let mut world = TurnWorld::new();
    world.tools.insert("hang", (false, Does::Meanwhile(vec![UserCommand::Stop])));
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &[("a", "hang", "{}")])]).unwrap();
    let state = |until: Option<Timestamp>, step: Option<ToolStep>| {
        let live = view::Live { until, step, ..view::Live::default() };
        match view::items(&world.log[..4], Some(&live)).pop().unwrap().kind {
            ItemKind::Tool(tool) => tool.state,
            other => panic!("{other:?}"),
        }
    };
    let since = world.log[3].at;
    for until in [None, Some(since + 10_000)] {
        let step = until.map(|_| ToolStep { number: 2, of: 3 });
        assert_eq!(state(until, step), ToolState::Running { since, until, step });
    }
}

#[test]
fn step_is_told_of_the_call_that_runs_and_of_no_other() {
    let mut world = TurnWorld::new();
    let [first, second] = [1, 2].map(|number| ToolStep { number, of: 2 });
    let of = |call: &str, step| UserCommand::Step(call.into(), step);
    let said = vec![of("t0.2.0", first), of("another", first), of("t0.2.0", second), UserCommand::Stop];
    world.tools.insert("hang", (false, Does::Meanwhile(said)));
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &[("a", "hang", "{}")])]).unwrap();
    assert_eq!(world.steps, [first, second]);
}

#[test]
fn time_that_the_user_gave_a_tool_does_not_pause_the_turn() {
    let finished = |n: usize, duration_ms: u64| Event::ToolFinished {
        call: format!("t0.2.{n}").as_str().into(),
        outcome: ToolOutcome::left(),
        duration_ms,
    };
    let limits = Limits { tool_seconds: 10, turn_seconds: 20, ..Limits::default() };
    let mut world = TurnWorld::new();
    let calls: Vec<_> = (0..3).map(|_| ("a", "hang", "{}")).collect();
    world.tools.insert("hang", (false, Does::Meanwhile(vec![UserCommand::Stop])));
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &calls)]).unwrap();
    let next = |durations: &[u64]| {
        let mut log = world.log[..3].to_vec();
        let events = durations.iter().enumerate().map(|(n, ms)| finished(n, *ms));
        log.extend(events.map(|event| Entry { at: 0, event }));
        matches!(resume::resume(&log, limits), resume::Next::End(TurnEnd::TimeLimit { .. }))
    };
    assert!(!next(&[300_000]), "one tool that was waited for");
    assert!(!next(&[9_000, 10_900]));
    assert!(next(&[300_000, 10_000]), "two that took all that a turn has");
}

#[test]
fn page_that_never_ends_its_wait_is_given_up() {
    let mut world = TurnWorld::new();
    let commands = vec![page_says("doc", InteractionPhase::Started)];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "hang", "{}")]),
        ScriptedReply::stream("", "It hangs.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.events()[3..7], ["tool started", "wait started", "wait ended", "tool finished"]);
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    let waited = world.log[5].at - world.log[4].at;
    assert!((600_000..602_000).contains(&waited), "{waited}");
    assert!(
        matches!(world.deadlines[..], [Some(_)]),
        "time runs on, and can be had again: {:?}",
        world.deadlines
    );
}

#[test]
fn call_limit_pauses_the_turn_and_continuing_runs_the_waiting_call() {
    let mut world = TurnWorld::new();
    world.rules.limits.tool_calls = 2;
    let three = [("a", "list", "{}"), ("b", "list", r#"{"seats":1}"#), ("c", "search", "{}")];
    world.say("Go", &[], vec![ScriptedReply::stream("", "", &three)]).unwrap();
    assert_eq!(world.end(), TurnEnd::CallLimit { limit: 2 });
    assert_eq!(world.ran(), ["list", "list"]);
    world.continue_turn(vec![ScriptedReply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.ran().len(), world.end()), (3, TurnEnd::Done));
}

#[test]
fn time_limit_counts_the_time_of_tools_only() {
    let mut world = TurnWorld::new();
    world.rules.limits.turn_seconds = 15;
    let hang = |id| ScriptedReply::stream("long thoughts", "", &[(id, "hang", "{}")]);
    world.say("Go", &[], vec![hang("a"), hang("b"), hang("c")]).unwrap();
    assert_eq!(world.end(), TurnEnd::TimeLimit { limit_ms: 15_000 });
    assert_eq!(world.ran().len(), 2);
}
