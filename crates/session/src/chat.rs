//! What the user says in threads, and the turns that come of it. Nothing is sent to panels and no turn is run from here:
//! what is to be done is put down as [`Effect`]s.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_agent::PageRef;
use sidecar_protocol::attachment::is_sound;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Item, Omission};
use sidecar_protocol::{TabId, ThreadId, Timestamp, TurnId};

use crate::key_value::KeyValue;
use crate::queue::Queue;
use crate::refusals;
use crate::threads::{LogStore, ReadError, Threads, UserMessage};
use crate::turns::Turns;
use crate::unfinished::{Alarm, UnfinishedThreads};

mod rewinds;
mod waiting;

/// Threads, what waits in them, and which of them have a turn that has not come to rest.
#[derive(Debug)]
pub struct Chat<K, A, L> {
    /// Those in memory.
    pub threads: Threads<L>,
    /// What waits in them.
    pub queue: Queue<K>,
    turns: Turns,
    unfinished: UnfinishedThreads<K, A>,
    is_private: bool,
    effects: Vec<Effect>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Run the thread's turn, and show what is new in the thread.
    Run(TurnStart),
    /// Show what is new in the thread.
    ShowNews(ThreadId),
    /// Show the whole thread: what panels have of it may not be told any more.
    ShowWhole(ThreadId),
    /// Show what waits in the thread.
    ShowQueue(ThreadId),
    /// Tell the panels of the thread that something could not be done.
    Trouble(ThreadId, Refusal),
}

/// A turn that is to run.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnStart {
    /// Its thread.
    pub thread: ThreadId,
    /// The page to which it is bound.
    pub page: PageRef,
    /// The language of the panel in which the user spoke; absent for a turn that another worker ran.
    pub language: Option<Language>,
}

/// Where the user speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct UserPlace {
    /// The thread that the panel has open.
    pub thread: Option<ThreadId>,
    /// The page that its window shows.
    pub page: PageRef,
    /// The language of the panel.
    pub language: Language,
}

/// When something is said, and what sets the ids that are made for it apart from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub now: Timestamp,
    /// Random hexadecimal digits, eight at least.
    pub nonce: String,
}

/// Which tabs there are.
pub trait OpenTabs {
    /// Whether a tab is still open.
    async fn has(&self, tab: TabId) -> bool;
}

impl Moment {
    /// A name for a thread that begins now. The time and a random number tell threads apart.
    pub fn thread_id(&self) -> ThreadId {
        ThreadId(format!("{:x}-{}", self.now, self.nonce.chars().take(8).collect::<String>()))
    }

    /// A name for a turn that begins now, which no other ever had: its calls are named after it, and pages keep results by
    /// those names.
    fn turn_id(&self, thread: &ThreadId) -> TurnId {
        TurnId(format!("{thread}.{}", self.nonce))
    }
}

impl<K: KeyValue, A: Alarm, L: LogStore + Clone> Chat<K, A, L> {
    /// Threads that begin in private windows are temporary.
    pub fn new(
        threads: Threads<L>,
        queue: Queue<K>,
        turns: Turns,
        unfinished: UnfinishedThreads<K, A>,
        is_private: bool,
    ) -> Self {
        Self { threads, queue, turns, unfinished, is_private, effects: Vec::new() }
    }

    /// What is to be done since this was last asked, in order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Begins a turn, or has the message wait until the one that runs has come to its end. Gives the thread that is new with
    /// it.
    ///
    /// # Errors
    /// When it is no message, or cannot be written.
    pub async fn send(
        &mut self,
        from: UserPlace,
        message: UserMessage,
        moment: &Moment,
    ) -> Result<Option<ThreadId>, Refusal> {
        check(&message)?;
        let mut open = from.thread.clone();
        if let Some(thread) = &open {
            // A worker before this one may have had it in memory, or its log may be gone from the disk.
            match self.load(thread, moment.now).await? {
                true if self.turns.is_running(thread) => {
                    let turn = moment.turn_id(thread);
                    return self.enqueue(&thread.clone(), turn, message, from).await.map(|()| None);
                }
                true => {}
                false => open = None,
            }
        }
        let is_new = open.is_none();
        let thread = match open {
            Some(thread) => thread,
            None if self.is_private => self.threads.begin_temporary(moment.thread_id(), moment.now),
            None => moment.thread_id(),
        };
        let start = TurnStart { thread: thread.clone(), page: from.page, language: Some(from.language) };
        self.begin(moment.turn_id(&thread), message, start, moment.now).await?;
        Ok(is_new.then_some(thread))
    }

    /// Writes the words that begin a turn.
    async fn begin(
        &mut self,
        turn: TurnId,
        message: UserMessage,
        start: TurnStart,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        self.unfinished.add(&start.thread).await;
        let said = self.threads.say(&start.thread, turn, message, start.page.clone(), now).await;
        self.written(start, said.map(|()| true)).await
    }

    /// Has a turn run of which the beginning is written, if there is one.
    async fn written(
        &mut self,
        start: TurnStart,
        written: Result<bool, sidecar_agent::StoreError>,
    ) -> Result<(), Refusal> {
        match written {
            Ok(true) => self.effects.push(Effect::Run(start)),
            Ok(false) => self.unfinished.remove(&start.thread).await,
            Err(error) => {
                self.unfinished.remove(&start.thread).await;
                // Part of it may have been written.
                self.effects.push(Effect::ShowNews(start.thread));
                return Err(refusals::storage(error));
            }
        }
        Ok(())
    }

    /// Takes up a turn that rests, without part of what the model was told before.
    ///
    /// # Errors
    /// When the thread cannot be read, or that cannot be written.
    pub async fn take_up(
        &mut self,
        from: UserPlace,
        without: Option<Omission>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let Some(thread) = self.resting(from.thread, now).await? else { return Ok(()) };
        if !self.threads.end(&thread).is_some_and(|rest| rest.can_continue()) {
            return Ok(());
        }
        self.unfinished.add(&thread).await;
        let written = self.threads.take_up(&thread, from.page.clone(), without, now).await;
        let start = TurnStart { thread, page: from.page, language: Some(from.language) };
        self.written(start, written.map(|()| true)).await
    }

    /// The page of items before this one, and whether there are still older ones; `None` where no thread is open.
    ///
    /// # Errors
    /// When the thread cannot be read, or is gone.
    pub async fn older(
        &mut self,
        thread: Option<ThreadId>,
        before: u64,
        now: Timestamp,
    ) -> Result<Option<(Vec<Item>, bool)>, Refusal> {
        let Some(thread) = thread else { return Ok(None) };
        // A worker before this one may have had it in memory.
        self.load(&thread, now).await?;
        self.threads.older(&thread, before).map(Some).ok_or(Refusal::NoThread)
    }

    /// Calls off the guard of a thread in which nothing runs.
    ///
    /// # Errors
    /// When the thread cannot be read, or that cannot be written.
    pub async fn lift_guard(&mut self, thread: &ThreadId, now: Timestamp) -> Result<(), Refusal> {
        self.load(thread, now).await?;
        self.threads.lift_guard(thread, now).await.map_err(refusals::storage)?;
        self.effects.push(Effect::ShowNews(thread.clone()));
        Ok(())
    }

    /// Carries on the turns of workers that died. Gives what could not be read; the next alarm tries again.
    pub async fn revive(&mut self, tabs: &impl OpenTabs, now: Timestamp) -> Vec<sidecar_agent::StoreError> {
        let mut unread = Vec::new();
        for thread in self.unfinished.all() {
            if self.turns.is_running(&thread) {
                continue;
            }
            match self.threads.revive(&thread, now).await {
                Ok(Some(page)) => {
                    self.effects.push(Effect::Run(TurnStart { thread, page, language: None }));
                }
                Ok(None) => {
                    if self.queue.first(&thread).is_some() {
                        let _ = self.threads.load(&thread, now).await;
                    }
                    self.after_turn(&thread, tabs, now).await;
                }
                Err(ReadError::Store(error)) => unread.push(error),
                Err(ReadError::Log(_)) => self.unfinished.remove(&thread).await,
            }
        }
        unread
    }

    /// Takes the alarm back when nothing is unfinished.
    pub async fn let_sleep(&self) {
        self.unfinished.let_sleep().await;
    }

    /// Forgets threads that nobody shows and nothing runs in, and what waited in temporary ones that are over.
    pub fn forget_all_but(&mut self, shown: &[ThreadId]) {
        self.threads.forget_all_but(shown);
        let threads = &self.threads;
        self.queue.keep_temporary(|thread| is_kept(threads, thread));
    }

    /// Whether a thread is somewhere: on disk, or temporary and in memory.
    pub fn is_kept(&self, thread: &ThreadId) -> bool {
        is_kept(&self.threads, thread)
    }

    async fn load(&mut self, thread: &ThreadId, now: Timestamp) -> Result<bool, Refusal> {
        self.threads.load(thread, now).await.map_err(refusals::unread)
    }

    /// The thread, if no turn runs in it.
    async fn resting(
        &mut self,
        thread: Option<ThreadId>,
        now: Timestamp,
    ) -> Result<Option<ThreadId>, Refusal> {
        let Some(thread) = thread else { return Ok(None) };
        let is_there = self.load(&thread, now).await?;
        Ok((is_there && !self.turns.is_running(&thread)).then_some(thread))
    }
}

fn is_kept<L: LogStore + Clone>(threads: &Threads<L>, thread: &ThreadId) -> bool {
    !thread.is_temporary() || threads.is_open(thread)
}

/// Refuses what cannot be a message.
fn check(UserMessage { text, attached }: &UserMessage) -> Result<(), Refusal> {
    let is_message = !text.trim().is_empty() && text.chars().count() <= MESSAGE_LIMIT && is_sound(attached);
    if is_message { Ok(()) } else { Err(Refusal::BadMessage) }
}

#[cfg(test)]
mod tests;
