//! Tests with queues as other versions write them.

use futures::executor::block_on;
use serde_json::json;

use super::*;
use crate::testing::Memory;

fn queue(memory: &Memory) -> Queue<Memory> {
    block_on(Queue::load(memory.clone()))
}

fn message(turn: &str) -> WaitingMessage {
    WaitingMessage {
        turn: turn.into(),
        text: format!("words of {turn}"),
        attached: Vec::new(),
        pictures: Vec::new(),
        page: PageRef::default(),
        language: Language::English,
    }
}

fn texts(queue: &Queue<Memory>, thread: &str) -> Vec<String> {
    queue.view(&thread.into()).into_iter().map(|message| message.id.0).collect()
}

#[test]
fn messages_keep_their_order_and_round_trip() {
    let memory = Memory::default();
    let mut waiting = queue(&memory);
    for turn in ["a", "b", "c"] {
        block_on(waiting.add(&"t".into(), message(turn))).unwrap();
    }
    let removed = block_on(waiting.remove(&"t".into(), &"b".into())).unwrap().unwrap();
    assert_eq!(
        (removed.text.as_str(), block_on(waiting.remove(&"t".into(), &"b".into()))),
        ("words of b", Ok(None))
    );
    let waiting = queue(&memory);
    assert_eq!(
        (texts(&waiting, "t"), waiting.first(&"t".into())),
        (vec!["a".into(), "c".into()], Some(message("a")))
    );
}

#[test]
fn unreadable_message_stays_on_disk_and_the_others_are_usable() {
    let later = json!({"turn": "x", "text": "later", "voice": "data", "page": {}, "language": "fr"});
    let memory = Memory::with("queue", &json!({"t": [later, message("a")], "u": [message("b")]}).to_string());
    let mut waiting = queue(&memory);
    assert_eq!((texts(&waiting, "t"), texts(&waiting, "u")), (vec!["a".to_owned()], vec!["b".to_owned()]));
    let unread = waiting.unread().unwrap();
    assert_eq!((unread.name, unread.places.len(), unread.is_whole), (SavedName::Queue, 1, false));
    block_on(waiting.add(&"t".into(), message("c"))).unwrap();
    block_on(waiting.remove(&"t".into(), &"a".into())).unwrap();
    block_on(waiting.remove(&"u".into(), &"b".into())).unwrap();
    assert_eq!(memory.json("queue"), json!({"t": [later, message("c")]}));
}

#[test]
fn removing_the_last_readable_message_keeps_the_unreadable_one() {
    let memory = Memory::with("queue", &json!({"t": [message("a"), 7]}).to_string());
    let mut waiting = queue(&memory);
    block_on(waiting.remove(&"t".into(), &"a".into())).unwrap();
    assert_eq!(memory.json("queue"), json!({"t": [7]}));
    assert_eq!((waiting.first(&"t".into()), queue(&memory).unread().unwrap().places.len()), (None, 1));
}

#[test]
fn unreadable_queue_accepts_no_message_until_it_is_discarded() {
    let memory = Memory::with("queue", "garbage");
    let mut waiting = queue(&memory);
    let refused = block_on(waiting.add(&"t".into(), message("a")));
    assert_eq!(refused, Err(NotQueued::Unsaved(NotSaved::Unread)));
    assert_eq!((texts(&waiting, "t").len(), memory.text("queue").as_str()), (0, "garbage"));
    block_on(waiting.give_up_unread()).unwrap();
    block_on(waiting.add(&"t".into(), message("a"))).unwrap();
    assert_eq!(texts(&queue(&memory), "t"), ["a"]);
}

#[test]
fn message_is_not_queued_when_storage_refuses() {
    let memory = Memory::default();
    let mut waiting = queue(&memory);
    memory.refuse(true);
    let refused = block_on(waiting.add(&"t".into(), message("a")));
    assert!(matches!(refused, Err(NotQueued::Unsaved(NotSaved::Refused(_)))), "{refused:?}");
    assert_eq!(texts(&waiting, "t").len(), 0);
}

#[test]
fn too_many_and_too_long_messages_are_refused() {
    let mut waiting = queue(&Memory::default());
    for turn in 0..MOST {
        block_on(waiting.add(&"t".into(), message(&turn.to_string()))).unwrap();
    }
    assert_eq!(block_on(waiting.add(&"t".into(), message("more"))), Err(NotQueued::Full));
    let long = WaitingMessage { text: "x".repeat(MOST_BYTES), ..message("long") };
    assert_eq!(block_on(waiting.add(&"u".into(), long)), Err(NotQueued::Full));
    assert_eq!((texts(&waiting, "t").len(), texts(&waiting, "u").len()), (MOST, 0));
}

#[test]
fn messages_of_temporary_threads_are_only_in_memory() {
    let memory = Memory::default();
    let mut waiting = queue(&memory);
    block_on(waiting.add(&"temporary-1".into(), message("a"))).unwrap();
    assert_eq!((texts(&waiting, "temporary-1"), memory.text("queue").as_str()), (vec!["a".to_owned()], ""));
    waiting.keep_temporary(|_| false);
    assert_eq!(waiting.first(&"temporary-1".into()), None);
}

#[test]
fn forgetting_threads_also_removes_their_unreadable_messages() {
    let memory =
        Memory::with("queue", &json!({"t": [message("a"), 7], "u": 8, "v": [message("b"), 9]}).to_string());
    let mut waiting = queue(&memory);
    assert_eq!(waiting.threads(), ["t", "u", "v"].map(ThreadId::from).into());
    block_on(waiting.forget(&["t".into(), "u".into()])).unwrap();
    assert_eq!(memory.json("queue"), json!({"v": [message("b"), 9]}));
    assert_eq!((texts(&waiting, "v"), waiting.unread().unwrap().places.len()), (vec!["b".to_owned()], 1));
}
