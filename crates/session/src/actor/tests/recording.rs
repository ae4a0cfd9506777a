//! Tests of turns that become cases of evals.

use sidecar_protocol::ThreadId;
use sidecar_protocol::link::ThreadsAnswer;
use sidecar_protocol::recording::{RecordedTurn, TurnCase};
use sidecar_protocol::thread::{ItemKind, ToolOutcome};

use super::*;

impl ActorWorld {
    fn record(&mut self, heard: &PanelMessages, thread: &ThreadId, item: &str) -> Option<TurnCase> {
        heard.forget();
        self.ask_json(PANEL, json!({"threads": {"recordCase": {"threadId": thread, "item": item}}}));
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Threads(ThreadsAnswer::Recorded { case })))] => case,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn turn_that_called_a_tool_is_recorded_with_the_tools_of_its_page() {
    let mut world = ActorWorld::new();
    world.tell_tools(&["find", "look"]);
    let heard = world.panel();
    world.page_answers(1);
    world.send("Find tea");
    world.call_tool("find", "{}");
    world.pass(2_000);
    world.answer("Found.");
    let thread = world.thread_in(OTHER_PANEL, WINDOW).unwrap();
    let end = thread.items.last().unwrap();
    assert!(matches!(end.kind, ItemKind::TurnEnd { called_tools: true, .. }), "{:?}", thread.items);
    let case = world.record(&heard, &thread.summary.id, &end.id.0).unwrap();
    assert_eq!((case.name.as_str(), case.notes), ("Find tea", vec!["find".to_owned(), "look".to_owned()]));
    let turn: RecordedTurn = serde_json::from_str(&case.suite.unwrap()).unwrap();
    assert_eq!((turn.answers.len(), turn.url.as_str()), (2, "https://shop.example/"));
    assert_eq!(turn.answers[0].calls[0].outcome, ToolOutcome::ok("bought"));
    // The page has other tools now, and the thread is on disk alone.
    let mut world = world.restart();
    let heard = world.panel();
    let case = world.record(&heard, &thread.summary.id, &end.id.0).unwrap();
    assert_eq!((case.name.as_str(), case.notes.len()), ("Find tea", 0));
    assert_eq!(world.record(&heard, &thread.summary.id, "gone"), None);
    assert_eq!(world.record(&heard, &"gone".into(), &end.id.0), None);
}

#[test]
fn turn_without_calls_offers_no_case() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    world.panel();
    world.send("Hello");
    world.answer("Hi.");
    let thread = world.thread_in(OTHER_PANEL, WINDOW).unwrap();
    let end = &thread.items.last().unwrap().kind;
    assert!(matches!(end, ItemKind::TurnEnd { called_tools: false, .. }), "{end:?}");
}
