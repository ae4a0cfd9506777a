//! Tests of chat commands with a disk in memory.

use futures::executor::block_on;
use sidecar_agent::{Entry, Event};
use sidecar_protocol::ItemId;
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::thread::ItemKind;

use super::*;
use crate::saved::Persistent;
use crate::testing::events::{asked, bought, chatted, event, log, said};
use crate::testing::{Bell, Disk, Memory};

mod queue;
mod turns;

const ID: &str = "19a-0001";

/// A worker, with the storage that outlives it.
struct ChatWorld {
    chat: Chat<Memory, Bell, Disk>,
    disk: Disk,
    memory: Memory,
    bell: Bell,
    turns: Turns,
    number: u64,
}

/// The open tabs, by id.
struct FakeTabs(Vec<i32>);

impl OpenTabs for FakeTabs {
    async fn has(&self, tab: TabId) -> bool {
        self.0.contains(&tab.0)
    }
}

impl ChatWorld {
    fn new() -> Self {
        Self::of(Disk::default(), Memory::default())
    }

    /// A world with one thread on disk.
    fn with(events: Vec<Event>) -> Self {
        Self::of(Disk::with(ID, &log(events)), Memory::default())
    }

    fn of(disk: Disk, memory: Memory) -> Self {
        let (turns, bell) = (Turns::default(), Bell::default());
        let threads = Threads::new(disk.clone(), turns.clone());
        let queue = block_on(Queue::load(memory.clone()));
        let unfinished = block_on(UnfinishedThreads::load(memory.clone(), bell.clone()));
        let chat = Chat::new(threads, queue, turns.clone(), unfinished, false);
        Self { chat, disk, memory, bell, turns, number: 0 }
    }

    /// The worker dies, and another one starts.
    fn restart(self) -> Self {
        Self { number: self.number, ..Self::of(self.disk, self.memory) }
    }

    fn moment(&mut self) -> Moment {
        self.number += 1;
        Moment { now: 100_000 + self.number, nonce: format!("{:08x}-0000", self.number) }
    }

    fn send(&mut self, thread: Option<&str>, text: &str) -> Result<Option<ThreadId>, Refusal> {
        let moment = self.moment();
        block_on(self.chat.send(place(thread), message(text), Vec::new(), &moment))
    }

    fn now(&mut self) -> Timestamp {
        self.moment().now
    }

    /// Starts the turns that the effects request. Returns their threads.
    fn run(&mut self) -> Vec<ThreadId> {
        let runs = self.chat.take_effects().into_iter().filter_map(|effect| match effect {
            Effect::Run(start) => Some(start.thread),
            _ => None,
        });
        let runs: Vec<_> = runs.collect();
        for thread in &runs {
            // A running turn would hold the log and the inbox; nothing runs it here.
            std::mem::forget(self.chat.threads.begin_turn(thread));
        }
        runs
    }

    /// The running turn writes these events and ends.
    fn end_turn(&mut self, thread: &str, events: Vec<Event>) {
        let (log, _inbox) = self.chat.threads.begin_turn(&thread.into()).unwrap();
        for event in events {
            block_on(log.append(Entry { at: 200_000, event })).unwrap();
        }
        let now = self.now();
        block_on(self.chat.turn_ended(&thread.into(), &FakeTabs(vec![7]), now));
    }

    /// The texts of the user's messages in the thread, and of those in the queue.
    fn words(&mut self, thread: &str) -> (Vec<String>, Vec<String>) {
        let view = self.chat.threads.view(&thread.into()).unwrap();
        let text = |kind| if let ItemKind::User { text, .. } = kind { Some(text) } else { None };
        let said = view.items.into_iter().filter_map(|item| text(item.kind)).collect();
        let waiting = self.chat.queue.view(&thread.into());
        (said, waiting.into_iter().map(|message| message.text).collect())
    }

    fn unfinished(&self) -> String {
        self.memory.text("unfinishedThreads")
    }
}

fn place(thread: Option<&str>) -> UserPlace {
    let page = PageRef { tab: Some(TabId(7)), site: "shop.example".to_owned(), ..PageRef::default() };
    UserPlace { thread: thread.map(ThreadId::from), page, language: Language::English }
}

fn message(text: &str) -> UserMessage {
    UserMessage { text: text.to_owned(), attached: Vec::new(), pictures: Vec::new() }
}

fn full() -> Refusal {
    refusals::storage(sidecar_agent::StoreError::new(StorageTrouble::Full, "QuotaExceededError"))
}
