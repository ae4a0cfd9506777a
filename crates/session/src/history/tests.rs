use std::cell::{Cell, RefCell};

use futures::executor::block_on;
use sidecar_agent::{Entry, Event};
use sidecar_protocol::history::{ImportProblem, ThreadMatch};
use sidecar_protocol::picture::PictureType;

use super::*;
use crate::testing::Disk;
use crate::testing::events::{bought, chatted, log, said};

const ID: &str = "19a-0001";

/// A disk with threads of these ids; thread number `n` was last changed at `n` seconds.
fn disk(ids: &[&str]) -> Disk {
    let disk = Disk::with(ids[0], &log(chatted("t.0")));
    for (number, id) in ids.iter().enumerate() {
        let entries = log(chatted(&format!("t.{number}")));
        for (position, entry) in entries.iter().enumerate() {
            disk.put_entry(id, position, &serde_json::to_string(entry).unwrap());
        }
        let summary = sidecar_agent::view::summary(&(*id).into(), &entries).unwrap();
        let updated = 1_000 * number as u64;
        disk.put_record(id, &ThreadRecord::new(ThreadSummary { updated, ..summary }));
    }
    disk
}

fn listed(disk: &Disk) -> Vec<String> {
    block_on(list(disk)).unwrap().into_iter().map(|summary| summary.id.0).collect()
}

fn exported(disk: &Disk, id: Option<&str>, form: ExportForm) -> (String, Result<(), Refusal>) {
    let text = RefCell::new(String::new());
    let piece = |piece: String| text.borrow_mut().push_str(&piece);
    let result = block_on(export(disk, id.map(ThreadId::from), form, Language::English, piece));
    (text.into_inner(), result)
}

fn imported(disk: &Disk, text: &str) -> Result<ImportOutcome, StoreError> {
    let (mut file, number) = (archive::Reader::default(), Cell::new(0));
    file.push(text);
    let new_id = || {
        number.set(number.get() + 1);
        ThreadId(format!("new-{}", number.get()))
    };
    block_on(import(disk, file, new_id))
}

fn outcome(added: u64, known: u64) -> Result<ImportOutcome, StoreError> {
    Ok(ImportOutcome::Imported { added, known })
}

#[test]
fn list_has_pinned_threads_first_and_then_the_newest() {
    let disk = disk(&["a", "b", "c"]);
    assert_eq!(listed(&disk), ["c", "b", "a"]);
    assert!(block_on(pin(&disk, &"a".into(), true)).unwrap().pinned);
    assert_eq!(listed(&disk), ["a", "c", "b"]);
    assert!(!block_on(pin(&disk, &"a".into(), false)).unwrap().pinned);
    assert_eq!(listed(&disk), ["c", "b", "a"]);
}

#[test]
fn rename_normalizes_and_cuts_the_title() {
    let disk = disk(&[ID]);
    let summary = block_on(rename(&disk, &ID.into(), "  My \n seats ")).unwrap();
    assert_eq!((summary.title.as_str(), disk.record(ID).unwrap().summary), ("My seats", summary.clone()));
    let long = block_on(rename(&disk, &ID.into(), &"世".repeat(TITLE_LIMIT + 5))).unwrap();
    assert_eq!(long.title.chars().count(), TITLE_LIMIT);
}

#[test]
fn blank_title_changes_nothing() {
    let disk = disk(&[ID]);
    let before = disk.record(ID).unwrap();
    assert_eq!(block_on(rename(&disk, &ID.into(), " \n ")), Ok(before.summary.clone()));
    assert_eq!(disk.record(ID), Some(before));
}

#[test]
fn changes_are_refused_when_the_thread_is_gone() {
    let disk = disk(&[ID]);
    for gone in [
        block_on(rename(&disk, &"gone".into(), "Name")).map(drop),
        block_on(pin(&disk, &"gone".into(), true)).map(drop),
        block_on(restore(&disk, &"gone".into())),
    ] {
        assert_eq!(gone, Err(Refusal::NoThread));
    }
    assert_eq!(block_on(delete(&disk, &"gone".into(), 1)), Ok(()), "it is deleted");
}

#[test]
fn change_that_cannot_be_written_is_refused_and_changes_nothing() {
    let disk = disk(&[ID]);
    disk.leave_room(Some(0));
    for refused in [
        block_on(rename(&disk, &ID.into(), "Name")).map(drop),
        block_on(pin(&disk, &ID.into(), true)).map(drop),
        block_on(delete(&disk, &ID.into(), 1)),
        block_on(restore(&disk, &ID.into())),
    ] {
        assert!(matches!(refused, Err(Refusal::Storage { .. })), "{refused:?}");
    }
    assert_eq!(listed(&disk), [ID]);
}

#[test]
fn deleted_thread_is_unlisted_until_it_is_restored() {
    let disk = disk(&["a", "b"]);
    block_on(delete(&disk, &"a".into(), 50_000)).unwrap();
    assert_eq!(listed(&disk), ["b"]);
    block_on(restore(&disk, &"a".into())).unwrap();
    assert_eq!(listed(&disk), ["b", "a"]);
}

#[test]
fn deleted_thread_is_purged_when_its_time_is_over() {
    let disk = disk(&["a", "b", "c"]);
    block_on(delete(&disk, &"a".into(), 50_000)).unwrap();
    block_on(delete(&disk, &"b".into(), 50_001)).unwrap();
    assert_eq!(block_on(purge(&disk, BTreeSet::new(), 50_000 + PURGE_AFTER_MS - 1)), Ok(Vec::new()));
    assert_eq!(block_on(purge(&disk, BTreeSet::new(), 50_000 + PURGE_AFTER_MS)), Ok(vec!["a".into()]));
    assert!(disk.record("a").is_none() && disk.log("a").is_empty());
    assert!(disk.record("b").is_some() && disk.log("c").len() == 4);
}

#[test]
fn restored_thread_is_not_purged() {
    let disk = disk(&["a"]);
    block_on(delete(&disk, &"a".into(), 50_000)).unwrap();
    block_on(restore(&disk, &"a".into())).unwrap();
    assert_eq!(block_on(purge(&disk, BTreeSet::new(), 900_000)), Ok(Vec::new()));
}

#[test]
fn failed_purge_is_repeated_by_the_next() {
    let disk = disk(&["a"]);
    block_on(delete(&disk, &"a".into(), 50_000)).unwrap();
    disk.leave_room(Some(0));
    assert!(block_on(purge(&disk, BTreeSet::new(), 900_000)).is_err());
    disk.leave_room(None);
    assert_eq!(block_on(purge(&disk, BTreeSet::new(), 900_000)), Ok(vec!["a".into()]));
}

#[test]
fn purge_names_threads_with_queued_messages_that_no_longer_exist() {
    let disk = disk(&["a", "b"]);
    block_on(delete(&disk, &"b".into(), 50_000)).unwrap();
    let queued = || ["a", "b", "c"].map(ThreadId::from).into();
    assert_eq!(block_on(purge(&disk, queued(), 50_001)), Ok(vec!["c".into()]), "b can be restored");
    assert_eq!(block_on(purge(&disk, queued(), 900_000)), Ok(vec!["b".into(), "c".into()]));
}

#[test]
fn search_reports_matches_in_batches_and_stops_when_cancelled() {
    let ids: Vec<String> = (0..60).map(|number| format!("id-{number:02}")).collect();
    let disk = disk(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let query = SearchQuery::of("good day").unwrap();
    let batches = RefCell::new(Vec::new());
    let found = |some: Vec<ThreadMatch>| batches.borrow_mut().push(some.len());
    block_on(search(&disk, &query, || false, found)).unwrap();
    assert_eq!(*batches.borrow(), [25, 25, 10]);
    batches.borrow_mut().clear();
    let is_called_off = || !batches.borrow().is_empty();
    let found = |some: Vec<ThreadMatch>| batches.borrow_mut().push(some.len());
    block_on(search(&disk, &query, is_called_off, found)).unwrap();
    assert_eq!(*batches.borrow(), [25]);
    let none = SearchQuery::of("bad night").unwrap();
    block_on(search(&disk, &none, || false, |found| panic!("{found:?}"))).unwrap();
}

#[test]
fn export_and_import_round_trip() {
    let there = disk(&["a", "b"]);
    let (file, result) = exported(&there, None, ExportForm::Json);
    assert_eq!(result, Ok(()));
    let here = Disk::default();
    assert_eq!(imported(&here, &file), outcome(2, 0));
    assert_eq!((here.log("a"), here.log("b")), (there.log("a"), there.log("b")));
    assert_eq!(listed(&here), ["b", "a"]);
}

#[test]
fn pictures_are_exported_with_their_thread_and_imported_if_they_are_what_the_log_names() {
    let (data, digest) = ("/9j/AAAA", "8a07fbb5bbb3ce2bd1bda6fb26ebb6b8c5bb8d1e8ed8e4a4e2c2d5b0a1c7d001");
    let named = Picture {
        digest: pictures::digest_of(data),
        media_type: PictureType::Jpeg,
        width: 8,
        height: 4,
        size: 6,
    };
    let mut events = chatted("t.0");
    let Event::TurnStarted { pictures, .. } = &mut events[0] else { panic!("{events:?}") };
    *pictures = vec![named.clone(), Picture { digest: digest.to_owned(), ..named.clone() }];
    let from = Disk::with(ID, &log(events));
    let kept = vec![(named.digest.clone(), data.to_owned()), (digest.to_owned(), "/9j/another".to_owned())];
    block_on(from.keep_pictures(&ID.into(), kept)).unwrap();
    let (text, result) = exported(&from, None, ExportForm::Json);
    assert_eq!((result, text.matches("/9j/").count()), (Ok(()), 2));

    let to = Disk::default();
    assert_eq!(imported(&to, &text), outcome(1, 0));
    let data_of = |digest: &str| block_on(to.picture(&ID.into(), digest));
    assert_eq!(data_of(&named.digest).as_deref(), Some(data));
    assert_eq!(data_of(digest), None, "its data is another picture");
}

#[test]
fn one_thread_can_be_exported() {
    let disk = disk(&["a", "b"]);
    let (file, _) = exported(&disk, Some("a"), ExportForm::Json);
    assert_eq!(imported(&Disk::default(), &file), outcome(1, 0));
    let (text, result) = exported(&disk, Some("gone"), ExportForm::Markdown);
    assert_eq!((text.as_str(), result), ("", Ok(())));
}

#[test]
fn markdown_export_separates_threads_with_a_line() {
    let (text, _) = exported(&disk(&["a", "b"]), None, ExportForm::Markdown);
    assert_eq!((text.matches("Good day.").count(), text.matches("\n---\n\n").count()), (2, 1));
}

#[test]
fn unreadable_thread_is_reported_and_the_others_are_exported() {
    let disk = disk(&["a", "b", "c"]);
    disk.put_entry("b", 4, r#"{"at":9,"event":"turnForked"}"#);
    let (file, result) = exported(&disk, None, ExportForm::Json);
    assert_eq!(result, Err(Refusal::NewerThread));
    assert_eq!(imported(&Disk::default(), &file), outcome(2, 0));
}

#[test]
fn export_fails_when_the_disk_cannot_be_read() {
    let disk = disk(&["a"]);
    disk.become_unreadable();
    let (_, result) = exported(&disk, Some("a"), ExportForm::Json);
    assert!(matches!(result, Err(Refusal::Storage { .. })));
}

#[test]
fn identical_thread_is_not_imported_again() {
    let disk = disk(&["a", "b"]);
    let (file, _) = exported(&disk, None, ExportForm::Json);
    block_on(rename(&disk, &"a".into(), "My name")).unwrap();
    assert_eq!(imported(&disk, &file), outcome(0, 2));
    assert_eq!((disk.record("a").unwrap().summary.title.as_str(), listed(&disk).len()), ("My name", 2));
}

#[test]
fn thread_is_imported_with_a_new_id_when_its_id_is_taken() {
    let (file, _) = exported(&Disk::with("a", &log(bought("t.1", "c1"))), None, ExportForm::Json);
    let disk = disk(&["a"]);
    let before = disk.log("a");
    assert_eq!(imported(&disk, &file), outcome(1, 0));
    assert_eq!((disk.log("a"), disk.log("new-1").len()), (before, 11));
}

#[test]
fn thread_is_imported_when_its_id_belongs_to_a_deleted_or_unreadable_one() {
    let (file, _) = exported(&disk(&["a"]), None, ExportForm::Json);
    let deleted = disk(&["a"]);
    block_on(delete(&deleted, &"a".into(), 50_000)).unwrap();
    assert_eq!(imported(&deleted, &file), outcome(1, 0));
    let newer = disk(&["a"]);
    newer.put_entry("a", 4, r#"{"at":9,"event":"turnForked"}"#);
    assert_eq!(imported(&newer, &file), outcome(1, 0));
    assert_eq!((deleted.log("new-1").len(), newer.log("new-1").len()), (4, 4));
}

#[test]
fn import_of_an_invalid_file_is_refused_and_writes_nothing() {
    let disk = Disk::default();
    let refused = Ok(ImportOutcome::Refused { problem: ImportProblem::NotOurs });
    assert_eq!(imported(&disk, "{\"a\":1}"), refused);
    assert_eq!(disk.texts(), 0);
}

#[test]
fn file_is_imported_whole_or_not_at_all() {
    let (file, _) = exported(&disk(&["a", "b"]), None, ExportForm::Json);
    let full = Disk::default();
    full.leave_room(Some(0));
    assert!(imported(&full, &file).is_err());
    assert_eq!(full.texts(), 0);
    let unreadable = Disk::default();
    unreadable.become_unreadable();
    assert!(imported(&unreadable, &file).is_err());
}

#[test]
fn pending_calls_of_an_imported_file_are_cancelled() {
    let entries: Vec<Entry> = log(bought("t.1", "c1")[..4].to_vec());
    let (file, _) = exported(&Disk::with("a", &entries), None, ExportForm::Json);
    let disk = Disk::default();
    assert_eq!(imported(&disk, &file), outcome(1, 0));
    let text = format!("{:?}", disk.log("a"));
    assert!(text.contains("Cancelled") && text.contains("TurnEnded"), "{text}");
}

#[test]
fn list_fails_when_the_disk_cannot_be_read() {
    let disk = Disk::with("a", &log([said("t.1", "Hi")]));
    disk.become_unreadable();
    assert!(block_on(list(&disk)).is_err());
}
