//! Tests of turns whose worker died.

use super::*;

fn dead(entries: usize) -> Disk {
    Disk::with(ID, &log(bought("t.1", "c1"))[..entries])
}

fn draft(position: usize, text: &str) -> AnswerDraft {
    AnswerDraft { position, reasoning: "Hm".to_owned(), text: text.to_owned() }
}

#[test]
fn unfinished_turn_is_ended_when_its_thread_is_loaded() {
    let disk = dead(6);
    let threads = loaded(&disk);
    assert_eq!(names(&disk.log(ID))[6..], ["toolFinished", "turnRested"]);
    assert_eq!(threads.end(&id()), Some(TurnEnd::Interrupted));
}

#[test]
fn draft_is_kept_when_an_unfinished_turn_is_ended() {
    let disk = dead(2);
    disk.put_draft(ID, &draft(2, "I will"));
    let threads = loaded(&disk);
    assert_eq!(names(&disk.log(ID))[2..], ["modelFailed", "turnRested"]);
    assert!(format!("{:?}", threads.view(&id()).unwrap().items).contains("\"I will\""));
}

#[test]
fn unfinished_turn_is_revived_with_its_page() {
    let disk = dead(6);
    let mut threads = threads(&disk);
    let page = block_on(threads.revive(&id(), 50_000)).unwrap().unwrap();
    assert_eq!(page.tab, Some(TabId(7)));
    assert_eq!(names(&disk.log(ID))[6..], ["turnRevived"]);
    assert_eq!(threads.news(&id()), ThreadNews::default());
}

#[test]
fn draft_is_logged_when_its_turn_is_revived() {
    let disk = dead(2);
    disk.put_draft(ID, &draft(2, "I will"));
    block_on(threads(&disk).revive(&id(), 50_000)).unwrap().unwrap();
    let (reasoning, text) = ("Hm".to_owned(), "I will".to_owned());
    assert_eq!(disk.log(ID)[2], Entry { at: 50_000, event: Event::TurnRevived { reasoning, text } });
}

#[test]
fn waiting_approval_is_revived_without_an_entry() {
    let disk = dead(4);
    let mut threads = threads(&disk);
    assert!(block_on(threads.revive(&id(), 50_000)).unwrap().is_some());
    assert_eq!(disk.log(ID).len(), 4);
    let _inbox = begin(&threads);
    assert_eq!(threads.asking().len(), 1);
}

#[test]
fn ended_or_running_turn_is_not_revived() {
    let disk = dead(11);
    let mut at_rest = threads(&disk);
    assert_eq!(block_on(at_rest.revive(&id(), 50_000)), Ok(None));
    assert!(!at_rest.is_open(&id()));
    let disk = dead(6);
    let mut running = threads(&disk);
    assert!(block_on(running.revive(&id(), 50_000)).unwrap().is_some());
    assert_eq!(block_on(running.revive(&id(), 51_000)), Ok(None));
    assert_eq!(disk.log(ID).len(), 7);
}

#[test]
fn turn_is_not_revived_when_the_disk_refuses_or_the_thread_is_gone() {
    let disk = dead(6);
    disk.leave_room(Some(0));
    let mut threads = threads(&disk);
    assert!(matches!(block_on(threads.revive(&id(), 50_000)), Err(ReadError::Store(_))));
    assert!(!threads.is_open(&id()), "the next alarm tries again");
    assert_eq!(block_on(threads.revive(&"gone".into(), 50_000)), Ok(None));
}
