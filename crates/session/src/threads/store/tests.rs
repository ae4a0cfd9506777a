use serde_json::json;

use super::*;
use crate::testing::events::{answered, asked, chatted, event, log, rested, said};

fn summary(title: &str) -> ThreadSummary {
    ThreadSummary {
        id: "19a-0001".into(),
        title: title.to_owned(),
        site: "shop.example".to_owned(),
        created: 1_000,
        updated: 1_000,
        pinned: false,
        temporary: false,
    }
}

fn entry(at: Timestamp, event: Event) -> Entry {
    Entry { at, event }
}

fn rows(entries: &[Entry]) -> Vec<(usize, String)> {
    entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).enumerate().collect()
}

#[test]
fn record_is_new_when_the_first_entry_is_written() {
    let record = ThreadRecord::with_entry(None, &summary("Seats"), 0, &entry(5_000, said("t.1", "Seats")));
    assert_eq!(record, Ok(ThreadRecord::new(ThreadSummary { updated: 5_000, ..summary("Seats") })));
}

#[test]
fn record_keeps_the_users_title_and_pin_when_a_turn_writes() {
    let mine = ThreadRecord::new(ThreadSummary { pinned: true, ..summary("My name") });
    let record = ThreadRecord::with_entry(Some(mine), &summary("Seats"), 3, &entry(9_000, asked())).unwrap();
    assert_eq!((record.summary.title.as_str(), record.summary.pinned), ("My name", true));
    assert_eq!((record.summary.created, record.summary.updated), (1_000, 9_000));
}

#[test]
fn entry_is_refused_when_its_thread_is_gone() {
    let refused = ThreadRecord::with_entry(None, &summary("Seats"), 3, &entry(9_000, asked()));
    assert_eq!(refused, Err(StoreError::other(DELETED)));
}

#[test]
fn turn_does_not_start_or_continue_in_a_deleted_thread() {
    let deleted = ThreadRecord { deleted: Some(7_000), ..ThreadRecord::new(summary("Seats")) };
    let continued = event(json!({"event": "turnContinued", "page": {}}));
    for event in [said("t.2", "Again"), continued] {
        let refused =
            ThreadRecord::with_entry(Some(deleted.clone()), &summary("Seats"), 4, &entry(9_000, event));
        assert_eq!(refused, Err(StoreError::other(DELETED)));
    }
}

#[test]
fn running_turn_is_written_to_its_end_in_a_deleted_thread() {
    let deleted = ThreadRecord { deleted: Some(7_000), ..ThreadRecord::new(summary("Seats")) };
    for event in [answered("Good day."), rested()] {
        let record =
            ThreadRecord::with_entry(Some(deleted.clone()), &summary("Seats"), 4, &entry(9_000, event));
        assert_eq!(record.unwrap().deleted, Some(7_000), "it stays deleted");
    }
}

#[test]
fn records_and_drafts_round_trip() {
    let records = sidecar_golden::current::<ThreadRecord>(include_str!("../../../fixtures/threads.jsonl"));
    assert_eq!(
        records.iter().map(|record| record.deleted).collect::<Vec<_>>(),
        [None, Some(1_790_000_000_000)]
    );
    let drafts = sidecar_golden::current::<AnswerDraft>(include_str!("../../../fixtures/drafts.jsonl"));
    assert_eq!(drafts[0].text, "There are");
}

#[test]
fn thread_is_read_whole() {
    let entries = log(chatted("t.1"));
    let saved = SavedThread::of(Some(ThreadRecord::new(summary("Seats"))), rows(&entries), None);
    assert_eq!(saved, Ok(Some(SavedThread { summary: summary("Seats"), log: entries, draft: None })));
}

#[test]
fn thread_is_none_when_it_is_deleted_missing_or_empty() {
    let (entries, there) = (log(chatted("t.1")), ThreadRecord::new(summary("Seats")));
    let deleted = ThreadRecord { deleted: Some(7_000), ..there.clone() };
    assert_eq!(SavedThread::of(Some(deleted), rows(&entries), None), Ok(None));
    assert_eq!(SavedThread::of(None, rows(&entries), None), Ok(None));
    assert_eq!(SavedThread::of(Some(there), rows(&[]), None), Ok(None));
}

#[test]
fn thread_of_a_newer_version_is_distinguished_from_a_damaged_one() {
    let there = || Some(ThreadRecord::new(summary("Seats")));
    let newer = vec![(0, r#"{"at":1,"event":"turnForked"}"#)];
    assert_eq!(SavedThread::of(there(), newer, None), Err(Unreadable::Newer));
    let mut gap = rows(&log(chatted("t.1")));
    gap.remove(1);
    assert_eq!(SavedThread::of(there(), gap, None), Err(Unreadable::Damaged));
}

#[test]
fn draft_is_used_only_at_the_end_of_the_log() {
    let entries = log([said("t.1", "Hello"), asked()]);
    let draft = |position| AnswerDraft { position, reasoning: String::new(), text: "Good".to_owned() };
    let read = |position| {
        let there = Some(ThreadRecord::new(summary("Seats")));
        SavedThread::of(there, rows(&entries), Some(draft(position))).unwrap().unwrap().draft
    };
    assert_eq!(read(2), Some(draft(2)));
    assert_eq!((read(1), read(3)), (None, None));
}
