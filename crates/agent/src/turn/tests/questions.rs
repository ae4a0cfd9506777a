//! The agent asks the user.

use sidecar_protocol::thread::Question;

use super::*;
use crate::call_log::Recorder;

const WHICH: &str = r#"{"question": "Which day?", "choices": ["Monday", "Tuesday"]}"#;

fn ask(id: &str) -> ScriptedReply {
    ScriptedReply::stream("", "", &[(id, "ask_user", WHICH)])
}

/// The user answers, or declines to.
fn answer(call: &str, words: Option<&str>) -> UserCommand {
    let decision = if words.is_some() { Decision::Run } else { Decision::Decline };
    let words = words.unwrap_or_default().to_owned();
    UserCommand::Decide(call.into(), UserDecision { words, ..decision.into() })
}

fn shown(log: &[Entry]) -> (Question, ToolState) {
    let items = view::items(log, None).into_iter();
    let mut questions = items.filter_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some((*tool.question?, tool.state)),
        _ => None,
    });
    questions.next().expect("a question")
}

#[test]
fn question_has_the_users_answer_as_result_and_is_not_in_the_log_of_calls() {
    let mut world = TurnWorld::new();
    let replies = vec![ask("a"), ScriptedReply::stream("", "Tuesday it is.", &[])];
    world.say("Book", &[answer("t0.2.0", Some("Tuesday"))], replies).unwrap();
    assert_eq!(
        world.events(),
        [
            "started",
            "asked",
            "answered",
            "approval asked",
            "approval given",
            "tool finished",
            "asked",
            "answered",
            "rested"
        ]
    );
    let question =
        Question { text: "Which day?".to_owned(), choices: vec!["Monday".to_owned(), "Tuesday".to_owned()] };
    let (asked, state) = shown(&world.log);
    assert_eq!(asked, question);
    assert!(matches!(state, ToolState::Finished { outcome, .. } if outcome == ToolOutcome::ok("Tuesday")));
    assert_eq!(
        world.last_messages().as_array().unwrap().last().unwrap()["content"],
        "The user answered: Tuesday"
    );
    assert!(world.ran().is_empty());
    let mut recorder = Recorder::default();
    assert!(world.log.iter().all(|entry| recorder.read(entry).is_none()));
}

#[test]
fn question_may_be_declined() {
    let mut world = TurnWorld::new();
    world
        .say("Book", &[answer("t0.2.0", None)], vec![ask("a"), ScriptedReply::stream("", "Then not.", &[])])
        .unwrap();
    let told = world.last_messages().as_array().unwrap().last().unwrap()["content"].clone();
    assert!(told.as_str().unwrap().starts_with("The user did not answer."), "{told}");
    assert!(matches!(shown(&world.log).1, ToolState::Finished { outcome: ToolOutcome::Declined, .. }));
}

#[test]
fn question_survives_the_death_of_the_worker() {
    let mut world = TurnWorld::new();
    let replies = vec![ask("a"), ScriptedReply::stream("", "Fine.", &[])];
    world.say("Book", &[answer("t0.2.0", Some("Monday"))], replies).unwrap();
    let asked = &world.log[..4];
    assert_eq!(resume::activity(asked), Activity::Asking);
    assert_eq!(resume::revived(asked, None), None);
    assert!(matches!(
        resume::resume(asked, Limits::default()),
        Next::Call { stage: CallStage::Approve { .. }, .. }
    ));
    assert!(matches!(shown(asked).1, ToolState::Asking));
}

#[test]
fn question_without_text_is_a_mistake_and_does_not_ask() {
    let mut world = TurnWorld::new();
    let broken = ScriptedReply::stream("", "", &[("a", "ask_user", r#"{"choices": ["x"]}"#)]);
    world.say("Book", &[], vec![broken, ScriptedReply::stream("", "Sorry.", &[])]).unwrap();
    assert!(!world.events().contains(&"approval asked"));
    let told = world.last_messages().as_array().unwrap().last().unwrap()["content"].clone();
    assert!(told.as_str().unwrap().contains("question"), "{told}");
}

#[test]
fn question_tool_is_offered_after_the_pages_tools_and_not_without_any() {
    let names = |body: &Value| -> Vec<String> {
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let mut world = TurnWorld::new();
    world.say("Hi", &[], vec![ScriptedReply::stream("", "Hello.", &[])]).unwrap();
    assert_eq!(names(&world.asked.borrow()[0]).last().map(String::as_str), Some("ask_user"));
    let mut world = TurnWorld::new();
    world.tools.clear();
    world.say("Hi", &[], vec![ScriptedReply::stream("", "Hello.", &[])]).unwrap();
    assert_eq!(names(&world.asked.borrow()[0]), [""; 0]);
}
