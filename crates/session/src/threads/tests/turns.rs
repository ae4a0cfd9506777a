//! Tests of turns that write the shared log.

use super::*;

#[test]
fn first_message_creates_a_thread_on_disk_and_in_memory() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    say(&mut threads, "t.1", " Two \n seats ").unwrap();
    assert_eq!(names(&disk.log(ID)), ["turnStarted"]);
    assert_eq!(disk.record(ID).unwrap().summary.title, "Two seats");
    assert_eq!(threads.view(&id()).unwrap().items.len(), 1);
    assert_eq!(threads.news(&id()), ThreadNews::default(), "panels are shown a new thread as a whole");
}

#[test]
fn first_message_that_cannot_be_written_creates_no_thread() {
    let disk = Disk::default();
    disk.leave_room(Some(0));
    let mut threads = threads(&disk);
    assert!(say(&mut threads, "t.1", "Two seats").is_err());
    assert!(!threads.is_open(&id()) && disk.texts() == 0);
}

#[test]
fn message_is_appended_to_the_log() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    say(&mut threads, "t.2", "More").unwrap();
    assert_eq!(names(&disk.log(ID))[3..], ["turnRested", "turnStarted"]);
    assert!(threads.has_turn(&id(), &"t.2".into()) && !threads.has_turn(&id(), &"t.3".into()));
}

#[test]
fn left_over_calls_are_cancelled_before_the_next_message() {
    let mut entries = vec![said("t.1", "Buy"), asked(), calling("", &["c1", "c2"])];
    entries.push(serde_json::from_str(r#"{"event":"turnRested","rest":{"callLimit":{"limit":1}}}"#).unwrap());
    let disk = Disk::with(ID, &log(entries));
    let mut threads = loaded(&disk);
    say(&mut threads, "t.2", "Never mind").unwrap();
    assert_eq!(names(&disk.log(ID))[4..], ["toolFinished", "toolFinished", "turnStarted"]);
}

#[test]
fn entry_of_a_turn_is_visible_at_once() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    say(&mut threads, "t.1", "Hello").unwrap();
    let (turn, _inbox) = begin(&threads);
    for event in [asked(), answered("Good day."), rested()] {
        write(&turn, event).unwrap();
    }
    assert_eq!(*turn.log(), disk.log(ID));
    assert_eq!(threads.end(&id()), Some(TurnEnd::Done));
    assert_eq!(threads.view(&id()).unwrap().items.len(), 3);
}

#[test]
fn log_grows_without_being_copied() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    let (turn, _inbox) = begin(&threads);
    let place = Rc::as_ptr(&turn.log());
    say(&mut threads, "t.2", "Hello").unwrap();
    write(&turn, asked()).unwrap();
    block_on(threads.turn_ended(&id(), 80_000));
    assert_eq!((Rc::as_ptr(&turn.log()), turn.log().len()), (place, 8));
}

#[test]
fn turn_that_stops_without_an_end_is_ended_with_the_shown_answer() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    say(&mut threads, "t.2", "Hello").unwrap();
    let (turn, _inbox) = begin(&threads);
    write(&turn, asked()).unwrap();
    turn.note(&sidecar_agent::TurnUpdate::Grew { reasoning: "", text: "Good" });
    block_on(threads.turn_ended(&id(), 80_000));
    assert_eq!(names(&disk.log(ID))[5..], ["modelAsked", "modelFailed", "turnRested"]);
    assert_eq!(threads.end(&id()), Some(TurnEnd::Interrupted));
    assert!(format!("{:?}", threads.view(&id()).unwrap().items).contains("\"Good\""));
}

#[test]
fn call_is_logged_with_its_outcome_once() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    say(&mut threads, "t.1", "Buy").unwrap();
    let (turn, _inbox) = begin(&threads);
    for event in bought("t.1", "c1").into_iter().skip(1) {
        write(&turn, event).unwrap();
    }
    let calls = disk.calls();
    assert_eq!(calls.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["buy"]);
    assert_eq!((calls[0].at, calls[0].duration_ms), (70_000, 40));
}

#[test]
fn call_that_another_worker_started_is_logged_with_its_start_time() {
    let entries = log(bought("t.1", "c1"));
    let disk = Disk::with(ID, &entries[..6]);
    let mut threads = threads(&disk);
    assert!(block_on(threads.revive(&id(), 50_000)).unwrap().is_some());
    let (turn, _inbox) = begin(&threads);
    write(&turn, finished("c1")).unwrap();
    assert_eq!(disk.calls()[0].at, entries[5].at);
}

#[test]
fn draft_is_saved_with_the_position_of_its_answer() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    say(&mut threads, "t.1", "Hello").unwrap();
    let (turn, _inbox) = begin(&threads);
    write(&turn, asked()).unwrap();
    for text in ["Good", "Good day"] {
        block_on(turn.save_draft("Hm", text));
    }
    let (reasoning, text) = ("Hm".to_owned(), "Good day".to_owned());
    assert_eq!(disk.draft(ID), Some(AnswerDraft { position: 2, reasoning, text }));
}

#[test]
fn rename_is_kept_while_a_turn_writes() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let mut threads = loaded(&disk);
    say(&mut threads, "t.2", "Hello").unwrap();
    let (turn, _inbox) = begin(&threads);
    let go_on = disk.hold_next_write();
    let rename = async {
        let mut record = disk.record(ID).unwrap();
        (record.summary.title, record.summary.pinned) = ("My name".to_owned(), true);
        disk.put_record(ID, &record);
        threads.set_summary(record.summary);
        go_on.send(()).unwrap();
    };
    let entry = Entry { at: 75_000, event: asked() };
    let (written, ()) = block_on(async { futures::join!(turn.append(entry), rename) });
    written.unwrap();
    let there = disk.record(ID).unwrap().summary;
    assert_eq!((there.title.as_str(), there.pinned, there.updated), ("My name", true, 75_000));
    assert_eq!(threads.view(&id()).unwrap().summary, there);
}

#[test]
fn concurrent_appends_are_serialized() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1")));
    let mut threads = loaded(&disk);
    say(&mut threads, "t.2", "Hello").unwrap();
    let (turn, _inbox) = begin(&threads);
    let go_on = disk.hold_next_write();
    let asks = turn.append(Entry { at: 75_000, event: asked() });
    let lifts = async {
        go_on.send(()).unwrap();
        threads.lift_guard(&id(), 75_001).await
    };
    let (one, other) = block_on(async { futures::join!(asks, lifts) });
    assert_eq!((one, other), (Ok(()), Ok(())));
    assert_eq!(names(&disk.log(ID))[12..], ["modelAsked", "guardLifted"]);
    assert_eq!(*turn.log(), disk.log(ID));
}

#[test]
fn guard_is_lifted_once_and_only_when_it_is_on() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1")));
    let mut threads = loaded(&disk);
    for _ in 0..2 {
        block_on(threads.lift_guard(&id(), 60_000)).unwrap();
    }
    assert_eq!(names(&disk.log(ID))[11..], ["guardLifted"]);
    assert!(!threads.news(&id()).changes.is_empty());
    let quiet = Disk::with(ID, &log(chatted("t.1")));
    block_on(loaded(&quiet).lift_guard(&id(), 60_000)).unwrap();
    assert_eq!(quiet.log(ID).len(), 4);
}

#[test]
fn ended_turn_is_continued() {
    let mut events = chatted("t.1");
    events[3] = serde_json::from_str(r#"{"event":"turnRested","rest":"stopped"}"#).unwrap();
    let disk = Disk::with(ID, &log(events));
    let mut threads = loaded(&disk);
    assert!(threads.end(&id()).unwrap().can_continue());
    block_on(threads.continue_turn(&id(), PageRef::default(), Some(Omission::PageContent), 60_000)).unwrap();
    assert_eq!(names(&disk.log(ID))[3..], ["turnRested", "turnContinued"]);
    assert_eq!(threads.end(&id()), None);
}
