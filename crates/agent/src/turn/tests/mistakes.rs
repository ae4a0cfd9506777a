//! The model breaks the rules.

use super::*;

/// The calls of the log with their repairs.
pub(super) fn repaired(world: &TurnWorld) -> Vec<(String, Vec<Repair>)> {
    let calls = |entry: &Entry| match &entry.event {
        Event::ModelAnswered { calls, .. } => calls.clone(),
        _ => Vec::new(),
    };
    world.log.iter().flat_map(calls).map(|call| (call.record.name.clone(), call.repaired)).collect()
}

fn notes(world: &TurnWorld) -> Vec<String> {
    let notes = |entry: &Entry| match &entry.event {
        Event::ModelAnswered { notes, .. } => notes.clone(),
        _ => Vec::new(),
    };
    world.log.iter().flat_map(notes).collect()
}

pub(super) const DSML: &str = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"search\"><｜DSML｜parameter name=\"seats\" string=\"false\">\
                    2</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>";

#[test]
fn inline_tool_call_runs_and_asks_first_if_it_acts() {
    let mut world = TurnWorld::new();
    let run = UserCommand::Decide("t0.2.0".into(), Decision::Run.into());
    let text = format!("I will look.\n\n{DSML}");
    world
        .say(
            "Go",
            &[run],
            vec![ScriptedReply::stream("", &text, &[]), ScriptedReply::stream("", "Done.", &[])],
        )
        .unwrap();
    assert_eq!(
        world.events(),
        [
            "started",
            "asked",
            "answered",
            "approval asked",
            "approval given",
            "tool started",
            "tool finished",
            "asked",
            "answered",
            "rested"
        ]
    );
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), r#"{"seats":2}"#.to_owned())]);
    assert_eq!(repaired(&world), [("search".to_owned(), vec![Repair::Leaked])]);
    assert_eq!(
        notes(&world),
        ["Markup of tool calls (DSML) stood in the text and was taken out of it; calls made of it: 1."]
    );
    assert!(!world.grew.contains("DSML") && world.grew.contains("I will look."), "{}", world.grew);
    // The model reads it as the call that it meant.
    let said = &world.last_messages()[2];
    assert_eq!(
        (&said["content"], &said["tool_calls"][0]["function"]["name"]),
        (&json!("I will look."), &json!("search"))
    );
    let items = view::items(&world.log, None);
    let tool = items.iter().find_map(|item| match &item.kind {
        ItemKind::Tool(tool) => Some(tool),
        _ => None,
    });
    assert_eq!(tool.unwrap().repaired, [Repair::Leaked]);
}

#[test]
fn inline_tool_call_of_a_read_only_tool_does_not_ask() {
    let mut world = TurnWorld::new();
    let text = DSML.replace("search", "list");
    world
        .say("Go", &[], vec![ScriptedReply::stream("", &text, &[]), ScriptedReply::stream("", "Done.", &[])])
        .unwrap();
    assert_eq!((world.end(), world.ran()), (TurnEnd::Done, vec!["list".to_owned()]));
}

#[test]
fn arguments_are_repaired_for_the_tool() {
    let mut world = TurnWorld::new();
    let decline = UserCommand::Decide("t0.2.1".into(), Decision::Decline.into());
    let calls = [("a", "functions.list", "{'seats': 2,}"), ("b", "search", "{seats: 1}")];
    world
        .say(
            "Go",
            &[decline],
            vec![ScriptedReply::stream("", "", &calls), ScriptedReply::stream("", "Done.", &[])],
        )
        .unwrap();
    assert_eq!(*world.ran.borrow(), [("list".to_owned(), r#"{"seats":2}"#.to_owned())]);
    assert_eq!(world.outcomes(), [ok("CA1883"), ToolOutcome::Declined]);
    assert_eq!(
        repaired(&world),
        [
            ("functions.list".to_owned(), vec![Repair::Name, Repair::Syntax]),
            ("search".to_owned(), vec![Repair::Syntax])
        ]
    );
    // It reads its arguments as they were understood, not the invalid text.
    let calls = world.last_messages()[2]["tool_calls"].clone();
    assert_eq!(calls[0]["function"]["arguments"], r#"{"seats":2}"#);
}

#[test]
fn inline_tool_call_of_an_unknown_tool_is_told_to_the_model_once() {
    let mut world = TurnWorld::new();
    let text = format!("So. {}", DSML.replace("search", "book"));
    world
        .say("Go", &[], vec![ScriptedReply::stream("", &text, &[]), ScriptedReply::stream("", "Sorry.", &[])])
        .unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Done, 0));
    let messages = world.last_messages();
    assert_eq!(messages[2]["content"], "So.");
    assert_eq!(
        messages[3]["content"],
        "[Notice: your last answer held a tool call as text (DSML), and nothing came of it. There is no tool named \
         \"book\". The tools are: hang, list, search. Make calls as calls, not as text.]"
    );

    let mut world = TurnWorld::new();
    let answers = (0..2).map(|_| ScriptedReply::stream("", &text, &[])).collect();
    world.say("Go", &[], answers).unwrap();
    assert_eq!(world.end(), TurnEnd::Stuck { how: Stuck::Silent });
}

#[test]
fn silent_model_is_asked_once_more() {
    let mut world = TurnWorld::new();
    let silence = || ScriptedReply::stream("Hm.", "", &[]);
    world.say("Go", &[], vec![silence(), ScriptedReply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
    assert_eq!(notes(&world), ["The answer holds neither words nor calls."]);
    let asked = world.asked.borrow();
    assert_eq!(asked[0]["messages"], asked[1]["messages"]);
    drop(asked);

    let mut world = TurnWorld::new();
    world.say("Go", &[], vec![silence(), silence()]).unwrap();
    assert_eq!(world.end(), TurnEnd::Stuck { how: Stuck::Silent });
    world.continue_turn(vec![silence(), ScriptedReply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
}

#[test]
fn repeated_call_is_told_to_the_model_and_then_ends_the_turn() {
    let mut world = TurnWorld::new();
    let same = || ScriptedReply::stream("", "", &[("a", "list", r#"{"seats":1}"#)]);
    world.say("Go", &[], (0..6).map(|_| same()).collect()).unwrap();
    // Every other one gets the result again.
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Stuck { how: Stuck::Repeating }, 3));
    let messages = world.last_messages();
    let told: Vec<bool> = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().contains("times in a row"))
        .collect();
    assert_eq!(told, [false, false, true, true, true]);
    world.continue_turn(vec![ScriptedReply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Done, 4));

    let mut world = TurnWorld::new();
    let other =
        |n: usize| ScriptedReply::stream("", "", &[("a", "list", &format!("{{\"seats\":{}}}", n % 2))]);
    world
        .say("Go", &[], (0..8).map(other).chain([ScriptedReply::stream("", "Done.", &[])]).collect())
        .unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Done, 4));
}

#[test]
fn invalid_calls_in_a_row_end_the_turn() {
    let mut world = TurnWorld::new();
    let wrong = |n: usize| ScriptedReply::stream("", "", &[("a", "search", &format!("[{n}]"))]);
    world.say("Go", &[], (0..3).map(wrong).collect()).unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Stuck { how: Stuck::Mistaken }, 0));
    assert_eq!(world.outcomes().len(), 2);
    world.continue_turn(vec![wrong(4), wrong(5), ScriptedReply::stream("", "Sorry.", &[])]).unwrap();
    assert_eq!((world.end(), world.outcomes().len()), (TurnEnd::Done, 5));
}

#[test]
fn invalid_call_is_answered_and_does_not_run() {
    let mut world = TurnWorld::new();
    let calls = [
        ("a", "fly", "{}"),
        ("b", "search", "[1]"),
        ("c", "search", "{\"to\":"),
        ("d", "search", r#"{"seats":"two"}"#),
    ];
    world
        .say("Go", &[], vec![ScriptedReply::stream("", "", &calls), ScriptedReply::stream("", "Sorry.", &[])])
        .unwrap();
    let codes: Vec<_> = world
        .outcomes()
        .into_iter()
        .map(|outcome| match outcome {
            ToolOutcome::Failed { code, .. } => code,
            other => panic!("{other:?}"),
        })
        .collect();
    let bad = ToolFailure::BadArguments;
    assert_eq!(codes, [ToolFailure::UnknownTool, bad, bad, bad]);
    assert_eq!(world.ran(), Vec::<String>::new());
    let messages = world.last_messages();
    assert_eq!(
        messages[3]["content"],
        "Error: There is no tool named \"fly\". The tools are: hang, list, search. Use only the tools you were given."
    );
    assert_eq!(messages[3]["tool_call_id"], "a");
    assert_eq!(
        messages[6]["content"],
        "Error: The arguments do not fit the tool's input schema: seats: expected an integer, but got the string \"two\". \
         The tool did not run. Call it again with valid arguments."
    );
}

#[test]
fn call_cut_by_the_token_limit_is_requested_again_with_twice_the_limit() {
    let cut = |text: &str| {
        let delta = json!({"content": text, "tool_calls":
            [{"index": 0, "id": "c", "function": {"name": "search", "arguments": "{\"to\":\"SH"}}]});
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": "length"}]});
        ScriptedReply::Body(200, Vec::new(), format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let mut world = TurnWorld::new();
    world.connection.max_tokens = Some(1000);
    let whole = ScriptedReply::stream("", "", &[("d", "search", "{}")]);
    world.say("go", &[], vec![cut("I search."), whole, ScriptedReply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.end(), world.ran()), (TurnEnd::Done, vec!["search".to_owned()]));
    let limits =
        || world.asked.borrow().iter().map(|request| request["max_tokens"].clone()).collect::<Vec<_>>();
    assert_eq!(limits(), [json!(1000), json!(2000), json!(1000)]);
    let told = world.asked.borrow()[1]["messages"][3].clone();
    assert_eq!(told["role"], "user");
    assert!(told["content"].as_str().unwrap().contains("cut your tool call"), "{told}");

    // Twice in a row is for the user to decide.
    world.say("go", &[], vec![cut(""), cut("")]).unwrap();
    assert_eq!((world.end(), world.ran().len()), (TurnEnd::Length, 1));
    world.continue_turn(vec![cut(""), ScriptedReply::stream("", "Done.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
}
