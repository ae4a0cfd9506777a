//! Tests of turns that start, continue and are revived.

use sidecar_agent::saved::Unreadable;

use super::*;

#[test]
fn first_message_starts_a_thread_and_a_turn() {
    let mut world = ChatWorld::new();
    let thread = world.send(None, "Hello").unwrap().unwrap();
    assert_eq!(thread.0, "186a1-00000001");
    let start = TurnStart { thread, page: place(None).page, language: Some(Language::English) };
    assert_eq!(world.chat.take_effects(), [Effect::Run(start)]);
    assert_eq!((world.unfinished().as_str(), world.bell.counts()), (r#"["186a1-00000001"]"#, (1, 0)));
    assert_eq!(world.disk.log("186a1-00000001").len(), 1);
}

#[test]
fn message_starts_a_turn_when_none_runs() {
    let mut world = ChatWorld::with(chatted("t.1"));
    assert_eq!(world.send(Some(ID), "More"), Ok(None));
    assert_eq!(world.run(), [ID.into()]);
    assert_eq!(world.words(ID).0, ["Hello", "More"]);
}

#[test]
fn message_starts_a_new_thread_when_its_thread_is_gone() {
    let mut world = ChatWorld::new();
    let new = world.send(Some("gone"), "Hello").unwrap();
    assert!(new.is_some_and(|thread| thread.0 != "gone"));
}

#[test]
fn invalid_message_is_refused_and_changes_nothing() {
    let mut world = ChatWorld::with(chatted("t.1"));
    for text in ["", " \n", &"x".repeat(MESSAGE_LIMIT + 1)] {
        assert_eq!(world.send(Some(ID), text), Err(Refusal::BadMessage));
        let moment = world.moment();
        let edited = block_on(world.chat.edit(
            place(Some(ID)),
            &"t.1.user".into(),
            message(text),
            Vec::new(),
            &moment,
        ));
        assert_eq!(edited, Err(Refusal::BadMessage));
    }
    assert!(world.chat.take_effects().is_empty() && world.unfinished().is_empty());
}

#[test]
fn message_that_cannot_be_written_starts_no_turn_and_leaves_nothing_unfinished() {
    let mut world = ChatWorld::new();
    world.disk.leave_room(Some(0));
    assert_eq!(world.send(None, "Hello"), Err(full()));
    assert!(matches!(world.chat.take_effects()[..], [Effect::ShowNews(_)]));
    assert_eq!((world.unfinished().as_str(), world.bell.counts()), ("[]", (1, 1)));
}

#[test]
fn message_to_a_thread_of_a_newer_version_is_refused() {
    let mut world = ChatWorld::with(chatted("t.1"));
    world.disk.put_entry(ID, 4, r#"{"at":9,"event":"turnForked"}"#);
    assert_eq!(world.send(Some(ID), "More"), Err(Refusal::NewerThread));
    assert!(world.unfinished().is_empty());
}

#[test]
fn thread_is_temporary_when_it_starts_in_a_private_window() {
    let mut world = ChatWorld::new();
    world.chat.is_private = true;
    let thread = world.send(None, "Hello").unwrap().unwrap();
    assert!(thread.is_temporary() && world.chat.is_kept(&thread) && world.disk.texts() == 0);
    world.chat.forget_all_but(&[]);
    assert!(!world.chat.is_kept(&thread), "its turn was never run");
    assert!(world.chat.is_kept(&"on disk".into()));
}

#[test]
fn turn_is_unfinished_until_it_ends() {
    let mut world = ChatWorld::new();
    let thread = world.send(None, "Hello").unwrap().unwrap();
    world.run();
    assert_ne!(world.unfinished(), "[]");
    world.end_turn(&thread.0, chatted("").split_off(1));
    assert_eq!((world.unfinished().as_str(), world.bell.counts()), ("[]", (1, 1)));
    assert_eq!(world.chat.take_effects(), [Effect::ShowNews(thread)]);
}

#[test]
fn edited_message_replaces_the_earlier_one() {
    let mut world = ChatWorld::with(chatted("t.1"));
    let moment = world.moment();
    let item = ItemId::from("t.1.user");
    let edited = world.chat.edit(place(Some(ID)), &item, message("Good morning"), Vec::new(), &moment);
    block_on(edited).unwrap();
    let effects = world.chat.take_effects();
    assert!(matches!(&effects[..], [Effect::ShowWhole(_), Effect::Run(_)]), "{effects:?}");
    assert_eq!(world.words(ID).0, ["Good morning"]);
}

#[test]
fn edit_is_refused_when_the_message_does_not_exist_or_a_turn_runs() {
    let mut world = ChatWorld::with(chatted("t.1"));
    let moment = world.moment();
    let edit = |world: &mut ChatWorld, thread, item: &str| {
        block_on(world.chat.edit(place(thread), &item.into(), message("Hi"), Vec::new(), &moment))
    };
    assert_eq!(edit(&mut world, None, "t.1.user"), Err(Refusal::NoThread));
    assert_eq!(edit(&mut world, Some("gone"), "t.1.user"), Err(Refusal::NoThread));
    assert_eq!(edit(&mut world, Some(ID), "t.9.user"), Err(Refusal::NoThread));
    assert!(world.chat.take_effects().is_empty());
    world.send(Some(ID), "More").unwrap();
    world.run();
    assert_eq!(edit(&mut world, Some(ID), "t.1.user"), Err(Refusal::Busy));
}

#[test]
fn thread_is_rewound_when_the_edited_message_cannot_be_written() {
    let mut world = ChatWorld::with(chatted("t.1"));
    block_on(world.chat.threads.load(&ID.into(), 1)).unwrap();
    world.disk.leave_room(Some(1));
    let moment = world.moment();
    let item = ItemId::from("t.1.user");
    let edited = world.chat.edit(place(Some(ID)), &item, message("Hi"), Vec::new(), &moment);
    assert_eq!(block_on(edited), Err(full()));
    let effects = world.chat.take_effects();
    assert_eq!(effects, [Effect::ShowWhole(ID.into()), Effect::ShowNews(ID.into())]);
    assert_eq!((world.unfinished().as_str(), world.words(ID).0.len()), ("[]", 0));
}

#[test]
fn model_answers_again_when_the_turn_is_done() {
    let mut world = ChatWorld::with(chatted("t.1"));
    let now = world.now();
    block_on(world.chat.answer_again(place(Some(ID)), now)).unwrap();
    let effects = world.chat.take_effects();
    assert!(matches!(&effects[..], [Effect::ShowWhole(_), Effect::Run(_)]), "{effects:?}");
}

#[test]
fn model_does_not_answer_again_when_the_turn_is_not_done_or_it_was_never_asked() {
    let stopped = event(serde_json::json!({"event": "turnRested", "rest": "stopped"}));
    let done = event(serde_json::json!({"event": "turnRested", "rest": "done"}));
    for events in [vec![said("t.1", "Hi"), asked(), stopped], vec![said("t.1", "Hi"), done]] {
        let mut world = ChatWorld::with(events);
        let now = world.now();
        block_on(world.chat.answer_again(place(Some(ID)), now)).unwrap();
        assert!(world.chat.take_effects().is_empty());
        assert!(["", "[]"].contains(&world.unfinished().as_str()), "nothing is unfinished");
    }
}

#[test]
fn thread_is_shown_whole_when_answering_again_fails_halfway() {
    let mut world = ChatWorld::with(chatted("t.1"));
    block_on(world.chat.threads.load(&ID.into(), 1)).unwrap();
    world.disk.leave_room(Some(1));
    let now = world.now();
    assert_eq!(block_on(world.chat.answer_again(place(Some(ID)), now)), Err(full()));
    let effects = world.chat.take_effects();
    assert_eq!(effects, [Effect::ShowWhole(ID.into()), Effect::ShowNews(ID.into())]);
    assert_eq!(world.unfinished(), "[]");
}

#[test]
fn turn_continues_only_when_it_can() {
    let stopped = event(serde_json::json!({"event": "turnRested", "rest": "stopped"}));
    for (rest, goes_on) in [(chatted("t.1").pop().unwrap(), false), (stopped, true)] {
        let mut world = ChatWorld::with(vec![said("t.1", "Hi"), asked(), rest]);
        let now = world.now();
        block_on(world.chat.continue_turn(place(Some(ID)), None, now)).unwrap();
        assert_eq!(world.run().len(), usize::from(goes_on));
        assert_eq!(world.unfinished().contains(ID), goes_on);
    }
}

#[test]
fn commands_do_nothing_when_no_thread_is_open() {
    let mut world = ChatWorld::new();
    let now = world.now();
    block_on(world.chat.answer_again(place(None), now)).unwrap();
    block_on(world.chat.continue_turn(place(None), None, now)).unwrap();
    block_on(world.chat.take_version(None, 1, now)).unwrap();
    block_on(world.chat.undo_compaction(None, now)).unwrap();
    block_on(world.chat.send_queued_now(place(None), &FakeTabs(Vec::new()), now)).unwrap();
    assert_eq!(block_on(world.chat.older(None, 1, now)), Ok(None));
    assert_eq!(block_on(world.chat.unqueue(None, &"t".into())), Ok(None));
    assert!(world.chat.take_effects().is_empty() && world.disk.texts() == 0);
}

#[test]
fn commands_change_nothing_while_a_turn_runs() {
    let mut world = ChatWorld::with(chatted("t.1"));
    world.send(Some(ID), "More").unwrap();
    world.run();
    let (now, before) = (world.now(), world.disk.log(ID).len());
    block_on(world.chat.answer_again(place(Some(ID)), now)).unwrap();
    block_on(world.chat.continue_turn(place(Some(ID)), None, now)).unwrap();
    block_on(world.chat.take_version(Some(ID.into()), 1, now)).unwrap();
    block_on(world.chat.undo_compaction(Some(ID.into()), now)).unwrap();
    assert_eq!((world.chat.take_effects(), world.disk.log(ID).len()), (Vec::new(), before));
}

#[test]
fn thread_is_shown_whole_after_compaction_is_undone() {
    let mut world = ChatWorld::with(chatted("t.1"));
    let now = world.now();
    block_on(world.chat.undo_compaction(Some(ID.into()), now)).unwrap();
    assert_eq!(world.chat.take_effects(), [Effect::ShowWhole(ID.into())]);
}

#[test]
fn older_items_of_a_thread_that_is_gone_are_refused() {
    let mut world = ChatWorld::with(chatted("t.1"));
    let now = world.now();
    let (items, more) = block_on(world.chat.older(Some(ID.into()), u64::MAX, now)).unwrap().unwrap();
    assert_eq!((items.len(), more), (3, false));
    assert_eq!(block_on(world.chat.older(Some("gone".into()), 9, now)), Err(Refusal::NoThread));
}

#[test]
fn guard_is_lifted_in_a_thread_that_is_not_in_memory() {
    let mut world = ChatWorld::with(bought("t.1", "c1"));
    let now = world.now();
    block_on(world.chat.lift_guard(&ID.into(), now)).unwrap();
    assert_eq!(world.chat.take_effects(), [Effect::ShowNews(ID.into())]);
    assert_eq!(world.disk.log(ID).len(), 12);
}

#[test]
fn turn_of_a_dead_worker_is_revived_once_with_its_page() {
    let mut world = ChatWorld::new();
    let thread = world.send(None, "Hello").unwrap().unwrap();
    let mut next = world.restart();
    let now = next.now();
    assert_eq!(block_on(next.chat.revive(&FakeTabs(vec![7]), now)), []);
    let start = TurnStart { thread, page: place(None).page, language: None };
    assert_eq!(next.chat.take_effects(), [Effect::Run(start.clone())]);
    std::mem::forget(next.chat.threads.begin_turn(&start.thread));
    assert_eq!(block_on(next.chat.revive(&FakeTabs(vec![7]), now)), []);
    assert!(next.chat.take_effects().is_empty(), "it runs already");
}

#[test]
fn ended_turn_of_a_dead_worker_is_removed_from_the_unfinished() {
    let world = ChatWorld::with(chatted("t.1"));
    world.memory.put("unfinishedThreads", &format!("[\"{ID}\"]"));
    let mut next = world.restart();
    let now = next.now();
    block_on(next.chat.revive(&FakeTabs(Vec::new()), now));
    assert_eq!((next.run(), next.unfinished().as_str()), (Vec::new(), "[]"));
}

#[test]
fn turn_stays_unfinished_and_is_reported_when_its_thread_cannot_be_read() {
    let mut world = ChatWorld::new();
    world.send(None, "Hello").unwrap();
    let mut next = world.restart();
    next.disk.become_unreadable();
    let now = next.now();
    assert_eq!(block_on(next.chat.revive(&FakeTabs(Vec::new()), now)).len(), 1);
    assert_ne!(next.unfinished(), "[]");
}

#[test]
fn turn_is_removed_from_the_unfinished_and_reported_when_its_log_is_damaged() {
    let mut world = ChatWorld::new();
    let thread = world.send(None, "Hello").unwrap().unwrap();
    let mut next = world.restart();
    next.disk.put_entry(&thread.0, 1, "{");
    let now = next.now();
    let unread = block_on(next.chat.revive(&FakeTabs(Vec::new()), now));
    assert_eq!(unread, [ReadError::Log(Unreadable::Damaged)]);
    assert_eq!((next.run(), next.unfinished().as_str()), (Vec::new(), "[]"));
}
