//! Tests of threads with a disk in memory.

use std::rc::Rc;

use futures::channel::mpsc::UnboundedReceiver;
use futures::executor::block_on;
use sidecar_agent::Store;
use sidecar_protocol::settings::Language;

use super::*;
use crate::testing::Disk;
use crate::testing::events::{
    answered, approval_asked, approved, asked, bought, calling, chatted, finished, log, questioning,
    refused_field, rested, said, started, suspected,
};

mod disks;
mod panels;
mod restarts;
mod turns;
mod versions;

const ID: &str = "19a-0001";

fn id() -> ThreadId {
    ID.into()
}

fn threads(disk: &Disk) -> Threads<Disk> {
    Threads::new(disk.clone(), Turns::default())
}

/// Threads with the one of [`ID`] in memory.
fn loaded(disk: &Disk) -> Threads<Disk> {
    let mut threads = threads(disk);
    assert_eq!(block_on(threads.load(&id(), 50_000)), Ok(true));
    threads
}

fn message(text: &str) -> UserMessage {
    UserMessage { text: text.to_owned(), attached: Vec::new(), pictures: Vec::new() }
}

fn say(threads: &mut Threads<Disk>, turn: &str, text: &str) -> Result<(), StoreError> {
    block_on(threads.say(&id(), turn.into(), message(text), PageRef::default(), 60_000))
}

/// Starts a turn in the thread.
fn begin(threads: &Threads<Disk>) -> (ThreadLog<Disk>, UnboundedReceiver<UserCommand>) {
    threads.begin_turn(&id()).expect("the thread is open")
}

fn write(log: &ThreadLog<Disk>, event: Event) -> Result<(), StoreError> {
    block_on(log.append(Entry { at: 70_000, event }))
}

fn names(entries: &[Entry]) -> Vec<String> {
    let name = |entry: &Entry| serde_json::to_value(entry).unwrap()["event"].as_str().unwrap().to_owned();
    entries.iter().map(name).collect()
}
