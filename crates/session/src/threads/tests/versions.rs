//! Tests of edited messages, repeated answers and versions.

use sidecar_protocol::thread::ItemKind;

use super::*;

fn user_item(turn: &str) -> ItemId {
    view::user_id(&turn.into())
}

fn texts(threads: &Threads<Disk>) -> Vec<String> {
    let items = threads.view(&id()).unwrap().items;
    let text = |item: Item| match item.kind {
        ItemKind::User { text, .. } | ItemKind::Assistant { text, .. } => Some(text),
        _ => None,
    };
    items.into_iter().filter_map(text).collect()
}

fn versions(threads: &Threads<Disk>) -> Option<(Option<u64>, Option<u64>)> {
    threads.view(&id()).unwrap().items.into_iter().find_map(|item| match item.kind {
        ItemKind::Versions { earlier, later, .. } => Some((earlier, later)),
        _ => None,
    })
}

#[test]
fn message_is_taken_back_and_replaced() {
    let disk = Disk::with(ID, &log(chatted("t.1").into_iter().chain(bought("t.2", "c1"))));
    let mut threads = loaded(&disk);
    assert_eq!(block_on(threads.take_back(&id(), &user_item("t.2"), 60_000)), Ok(true));
    say(&mut threads, "t.3", "Buy one seat").unwrap();
    assert_eq!(texts(&threads), ["Hello", "Good day.", "Buy one seat"]);
    assert_eq!(versions(&threads), Some((Some(14), None)));
}

#[test]
fn first_message_is_taken_back() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    assert_eq!(block_on(threads.take_back(&id(), &user_item("t.1"), 60_000)), Ok(true));
    assert_eq!(texts(&threads), Vec::<String>::new());
    say(&mut threads, "t.2", "Good morning").unwrap();
    assert_eq!(texts(&threads), ["Good morning"]);
}

#[test]
fn missing_message_is_not_taken_back() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    for item in ["t.9.user", "t.1.1.answer", ""] {
        assert_eq!(block_on(threads.take_back(&id(), &item.into(), 60_000)), Ok(false), "{item}");
    }
    assert_eq!(block_on(threads.take_back(&"gone".into(), &user_item("t.1"), 60_000)), Ok(false));
    assert_eq!(disk.log(ID).len(), 4);
}

#[test]
fn message_stays_when_taking_it_back_cannot_be_written() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    disk.leave_room(Some(0));
    assert!(block_on(threads.take_back(&id(), &user_item("t.1"), 60_000)).is_err());
    assert_eq!(texts(&threads), ["Hello", "Good day."]);
}

#[test]
fn answer_is_taken_back_to_the_last_request() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1")));
    let mut threads = loaded(&disk);
    assert_eq!(block_on(threads.take_back_answer(&id(), PageRef::default(), 60_000)), Ok(true));
    assert_eq!(names(&disk.log(ID))[11..], ["rewound", "turnContinued"]);
    assert_eq!(texts(&threads), ["Buy two seats", "I buy."], "what its tools did stays done");
}

#[test]
fn answer_is_not_taken_back_when_the_model_was_never_asked() {
    let disk = Disk::with(ID, &log([said("t.1", "Hello"), rested()]));
    let mut threads = loaded(&disk);
    assert_eq!(block_on(threads.take_back_answer(&id(), PageRef::default(), 60_000)), Ok(false));
    assert_eq!(disk.log(ID).len(), 2);
}

#[test]
fn version_can_be_restored_when_taking_an_answer_back_fails_halfway() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    disk.leave_room(Some(1));
    assert!(block_on(threads.take_back_answer(&id(), PageRef::default(), 60_000)).is_err());
    assert_eq!(texts(&threads), ["Hello"]);
    assert_eq!(threads.end(&id()), Some(TurnEnd::Interrupted));
    disk.leave_room(None);
    let earlier = versions(&threads).unwrap().0.unwrap();
    assert_eq!(block_on(threads.take_version(&id(), earlier, 61_000)), Ok(true));
    assert_eq!(texts(&threads), ["Hello", "Good day."]);
}

#[test]
fn earlier_version_can_be_taken() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    block_on(threads.take_back(&id(), &user_item("t.1"), 60_000)).unwrap();
    say(&mut threads, "t.2", "Good morning").unwrap();
    let earlier = versions(&threads).unwrap().0.unwrap();
    assert_eq!(block_on(threads.take_version(&id(), earlier, 61_000)), Ok(true));
    assert_eq!(texts(&threads), ["Hello", "Good day."]);
    assert!(versions(&threads).unwrap().1.is_some());
}

#[test]
fn invalid_version_is_not_taken() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    for version in [0, 3, 99, u64::MAX] {
        assert_eq!(block_on(threads.take_version(&id(), version, 60_000)), Ok(false), "{version}");
    }
    assert_eq!(disk.log(ID).len(), 4);
}

#[test]
fn unfinished_turn_of_a_taken_version_is_ended() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1"))[..5]);
    let mut threads = threads(&disk);
    let (thread, _) = block_on(threads.read(&id())).unwrap().unwrap();
    threads.open.insert(id(), thread);
    block_on(threads.take_back(&id(), &user_item("t.1"), 60_000)).unwrap();
    say(&mut threads, "t.2", "Hello").unwrap();
    let earlier = versions(&threads).unwrap().0.unwrap();
    assert_eq!(block_on(threads.take_version(&id(), earlier, 61_000)), Ok(true));
    assert_eq!(threads.end(&id()), Some(TurnEnd::Interrupted));
    assert!(
        disk.log(ID).iter().any(|entry| matches!(entry.event, Event::ToolFinished { .. })),
        "the call is off"
    );
}

#[test]
fn rewinding_sends_no_changes_because_the_whole_thread_is_shown() {
    let disk = Disk::with(ID, &log(chatted("t.1").into_iter().chain(chatted("t.2"))));
    let mut threads = loaded(&disk);
    block_on(threads.take_back(&id(), &user_item("t.2"), 60_000)).unwrap();
    assert_eq!(threads.news(&id()), ThreadNews::default());
    block_on(threads.undo_compaction(&id(), 61_000)).unwrap();
    assert_eq!(threads.news(&id()), ThreadNews::default());
}
