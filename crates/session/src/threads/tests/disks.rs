//! Tests with disks that are full, damaged, or also written by another worker.

use sidecar_agent::saved::Unreadable;

use super::*;

#[test]
fn missing_thread_is_not_loaded() {
    let mut threads = threads(&Disk::default());
    assert_eq!(block_on(threads.load(&id(), 50_000)), Ok(false));
    assert!(threads.view(&id()).is_none() && threads.older(&id(), 0).is_none());
}

#[test]
fn deleted_thread_is_not_loaded_until_it_is_restored() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    let there = disk.record(ID).unwrap();
    disk.put_record(ID, &ThreadRecord { deleted: Some(5_000), ..there.clone() });
    let mut threads = threads(&disk);
    assert_eq!(block_on(threads.load(&id(), 50_000)), Ok(false));
    disk.put_record(ID, &there);
    assert_eq!(block_on(threads.load(&id(), 50_000)), Ok(true));
}

#[test]
fn thread_of_a_newer_version_is_not_loaded_and_not_written_to() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    disk.put_entry(ID, 4, r#"{"at":9,"event":"turnForked"}"#);
    let mut threads = threads(&disk);
    let newer = Err(ReadError::Log(Unreadable::Newer));
    assert_eq!(block_on(threads.load(&id(), 50_000)), newer);
    assert_eq!(block_on(threads.revive(&id(), 50_000)).map(|_| true), newer);
    assert!(!threads.is_open(&id()) && disk.texts() == 6);
}

#[test]
fn damaged_thread_is_not_loaded() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    disk.put_entry(ID, 6, r#"{"at":9,"event":"turnRested","rest":"done"}"#);
    let damaged = Err(ReadError::Log(Unreadable::Damaged));
    assert_eq!(block_on(threads(&disk).load(&id(), 50_000)), damaged);
}

#[test]
fn load_fails_when_the_disk_cannot_be_read() {
    let disk = Disk::with(ID, &log(chatted("t.1")));
    disk.become_unreadable();
    let refused = Err(ReadError::Store(StoreError::other("UnknownError")));
    assert_eq!(block_on(threads(&disk).load(&id(), 50_000)), refused);
}

#[test]
fn unfinished_turn_is_ended_on_a_full_disk_and_written_when_there_is_room() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1"))[..6]);
    disk.leave_room(Some(0));
    let mut threads = loaded(&disk);
    assert_eq!(threads.end(&id()), Some(TurnEnd::Interrupted));
    assert!(say(&mut threads, "t.2", "Hello").is_err());
    assert_eq!(disk.log(ID).len(), 6, "nothing was written");
    assert_eq!(threads.view(&id()).unwrap().activity, sidecar_protocol::thread::Activity::Resting);
    disk.leave_room(None);
    say(&mut threads, "t.2", "Hello").unwrap();
    assert_eq!(names(&disk.log(ID))[6..], ["toolFinished", "turnRested", "turnStarted"]);
    assert_eq!(disk.calls().len(), 1, "the call that was interrupted is logged with its entry");
}

#[test]
fn remembered_entries_are_written_after_those_that_fit_on_the_disk() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1"))[..6]);
    disk.leave_room(Some(0));
    let mut threads = loaded(&disk);
    disk.leave_room(Some(1));
    assert!(say(&mut threads, "t.2", "Hello").is_err());
    assert_eq!(names(&disk.log(ID))[6..], ["toolFinished"]);
    disk.leave_room(None);
    say(&mut threads, "t.2", "Hello").unwrap();
    assert_eq!(names(&disk.log(ID))[6..], ["toolFinished", "turnRested", "turnStarted"]);
    assert_eq!(disk.calls().len(), 1);
}

#[test]
fn entry_that_cannot_be_written_is_not_in_the_log_and_can_be_retried() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    say(&mut threads, "t.1", "Buy").unwrap();
    let (turn, _inbox) = begin(&threads);
    for event in bought("t.1", "c1").into_iter().skip(1).take(5) {
        write(&turn, event).unwrap();
    }
    disk.leave_room(Some(0));
    assert!(write(&turn, finished("c1")).is_err());
    assert_eq!((turn.log().len(), disk.calls().len()), (6, 0));
    disk.leave_room(None);
    write(&turn, finished("c1")).unwrap();
    assert_eq!((*turn.log() == disk.log(ID), disk.calls().len()), (true, 1));
}

#[test]
fn worker_cannot_write_after_another_took_over_its_turn() {
    let disk = Disk::with(ID, &log(bought("t.1", "c1"))[..3]);
    let (mut one, mut other) = (threads(&disk), threads(&disk));
    for threads in [&mut one, &mut other] {
        // Both read before either writes.
        let (thread, _) = block_on(threads.read(&id())).unwrap().unwrap();
        threads.open.insert(id(), thread);
    }
    let (turn, _inbox) = begin(&one);
    write(&turn, approval_asked("c1")).unwrap();
    let (late, _inbox) = begin(&other);
    assert_eq!(write(&late, started("c1")), Err(StoreError::other("ConstraintError")));
    assert_eq!(names(&disk.log(ID))[3..], ["approvalAsked"]);
}

#[test]
fn nothing_is_written_to_a_purged_thread() {
    let gone = Disk::default();
    let mut threads = threads(&gone);
    let summary = view::summary(&id(), &log(chatted("t.1"))).unwrap();
    threads.open.insert(id(), OpenThread::new(Some(gone.clone()), summary, log(chatted("t.1"))));
    assert!(say(&mut threads, "t.2", "Hello").is_err());
    assert_eq!(gone.texts(), 0);
}
