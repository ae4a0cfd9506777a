//! Services that send too much, too little, or what they must not send.

use sidecar_protocol::Cause;

use super::*;

const KEY: &str = "sk-secret";

fn growth(field: &str, text: &str) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": { field: text } }] });
    format!("data: {chunk}\n\n")
}

/// A complete answer in which these texts arrive one after the other.
fn pieces(field: &str, texts: &[&str]) -> ScriptedReply {
    let body: String = texts.iter().map(|text| growth(field, text)).collect();
    // Reasoning alone is no answer.
    let body = body + &growth("content", if field == "reasoning_content" { "Here." } else { "" });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    ScriptedReply::Pieces(
        body.split_inclusive("\n\n")
            .map(str::to_owned)
            .chain([format!("data: {end}\n\ndata: [DONE]\n\n")])
            .collect(),
    )
}

/// Everything of a world that is kept or shown.
fn everything(world: &TurnWorld) -> String {
    let items = serde_json::to_string(&view::items(&world.log, None)).unwrap();
    let log = serde_json::to_string(&world.log).unwrap();
    format!("{items}\n{log}\n{}\n{:?}", world.grew, world.drafts.borrow())
}

#[test]
fn answer_that_is_too_long_is_cut_kept_and_not_told_again() {
    let mut world = TurnWorld::new();
    let long = growth("content", &"word ".repeat(100_000)).repeat(3);
    world.say("Talk", &[], vec![ScriptedReply::Body(200, Vec::new(), long)]).unwrap();
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!((error.class, error.cause), (ErrorClass::StreamCut, Some(Cause::TooLong)));
    let items = view::items(&world.log, None);
    let ItemKind::Assistant { text, state: AnswerState::Cut, .. } = &items[1].kind else { panic!() };
    assert!(text.starts_with("word word") && (1_000_000..=1 << 20).contains(&text.len()), "{}", text.len());
    world.continue_turn(vec![ScriptedReply::stream("", "Shorter.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
    assert!(world.last_messages().to_string().len() < 10_000, "the model is not told all that");
}

#[test]
fn many_small_events_are_told_and_saved_at_a_pace() {
    let mut world = TurnWorld::new();
    let texts = vec!["ab"; 10_000];
    let body: String = texts.iter().map(|text| growth("content", text)).collect();
    world.say("Talk", &[], vec![ScriptedReply::Hangs(body, UserCommand::Stop)]).unwrap();
    assert!(world.grew.matches(';').count() <= 3, "{}", world.grew.matches(';').count());
    assert!(world.grew.contains("abab"));
    let kept = view::items(&world.log, None);
    assert!(matches!(&kept[1].kind, ItemKind::Assistant { text, .. } if text.len() == 20_000));
}

#[test]
fn service_that_only_says_that_it_is_there_is_given_up_after_a_while() {
    let drip = |piece: &str| ScriptedReply::Drips(piece.to_owned(), 100_000, growth("content", "Late."));
    for piece in [": OPENROUTER PROCESSING\n\n", "\n", "data: {}\n\n"] {
        let mut world = TurnWorld::new();
        let before = world.time;
        world.say("Talk", &[], vec![drip(piece)]).unwrap();
        let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
        assert_eq!(
            (error.class, error.message.as_str()),
            (ErrorClass::StreamCut, "nothing of an answer for 600 s")
        );
        assert!((600_000..700_000).contains(&(world.time - before)), "{}", world.time - before);
    }
}

#[test]
fn model_that_thinks_for_minutes_behind_signs_of_life_is_waited_for() {
    let mut world = TurnWorld::new();
    let answer = growth("content", "Here.") + "data: [DONE]\n\n";
    let slow = ScriptedReply::Drips(": keep-alive\n\n".to_owned(), 1_000, answer);
    let before = world.time;
    world.say("Think", &[], vec![slow]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
    assert!(world.time - before > 200_000, "{}", world.time - before);
}

#[test]
fn key_that_a_service_repeats_is_nowhere() {
    for field in ["content", "reasoning_content", "refusal"] {
        for at in 0..=KEY.len() {
            let mut world = TurnWorld::new();
            let (first, second) = KEY.split_at(at);
            let answer = pieces(field, &["Your key is ", first, second, ", keep it."]);
            world.say("My key?", &[], vec![answer]).unwrap();
            let all = everything(&world);
            assert!(!all.contains(KEY) && all.contains("Your key is …, keep it."), "{field} {at}: {all}");
        }
    }
}

#[test]
fn key_in_calls_questions_and_results_reaches_nobody() {
    let mut world = TurnWorld::new();
    world.tools.insert("list", (true, Does::Returns(ToolOutcome::ok(format!("A page says {KEY}")))));
    let escaped = r#"{"a": "\u0073k-sec\u0072et", "sk-secret": 1}"#;
    let question = format!(r#"{{"question": "Is it {KEY}?", "choices": ["{KEY}"]}}"#);
    let calls = [("a", "list", escaped), ("b", KEY, "{}"), (KEY, "ask_user", &question)];
    let answer = vec![UserCommand::Decide("t0.2.2".into(), Decision::Run.into())];
    world
        .say(
            "Go",
            &answer,
            vec![ScriptedReply::stream("", "", &calls), ScriptedReply::stream("", "Done.", &[])],
        )
        .unwrap();
    let all = everything(&world);
    for trace in [KEY, "\\u0073k", "k-sec"] {
        assert!(!all.contains(trace), "{trace}: {all}");
    }
    assert!(!format!("{:?}", world.ran).contains("k-sec"));
    assert!(!world.last_messages().to_string().contains(KEY));
    assert!(all.contains("Is it …?") && all.contains("A page says …"));
}

#[test]
fn key_that_was_said_before_reaches_no_service() {
    let mut world = TurnWorld::new();
    world.say(&format!("My key is {KEY}"), &[], vec![ScriptedReply::stream("", "I see.", &[])]).unwrap();
    assert_eq!(world.last_messages()[1]["content"], "My key is …");
}

#[test]
fn key_in_an_answer_that_the_user_stops_is_neither_shown_nor_kept() {
    for (said, told) in
        [("Your key is sk-secre", "Your key is …"), ("It is sk-secret. Keep it", "It is …. Keep it")]
    {
        let mut world = TurnWorld::new();
        let said = growth("content", said);
        world.say("My key?", &[], vec![ScriptedReply::Hangs(said, UserCommand::Stop)]).unwrap();
        let all = everything(&world);
        assert!(!all.contains("sk-secre") && all.contains(told), "{all}");
        let items = view::items(&world.log, None);
        assert!(matches!(&items[1].kind, ItemKind::Assistant { text, .. } if text == told), "{items:?}");
        assert_eq!(world.drafts.borrow().last().map(String::as_str), None);
    }
}

#[test]
fn draft_of_an_answer_is_all_of_it_without_keys() {
    let mut world = TurnWorld::new();
    let texts: Vec<&str> = std::iter::repeat_n("word ", 8).chain(["sk-se", "cret", " and more. "]).collect();
    let long: Vec<&str> = texts.iter().copied().chain(std::iter::repeat_n("word ", 8)).collect();
    world.say("Talk", &[], vec![pieces("content", &long)]).unwrap();
    let drafts = world.drafts.borrow();
    assert!(drafts.len() > 1 && drafts.iter().all(|draft| draft.starts_with("|word word")), "{drafts:?}");
    assert!(drafts.last().is_some_and(|draft| draft.contains("… and more. word")), "{drafts:?}");
}
