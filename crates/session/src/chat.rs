//! What the user does in threads, and the turns that follow. Nothing here sends to panels or runs a turn:
//! what is to be done is returned as [`Effect`]s.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_agent::PageRef;
use sidecar_protocol::attachment::is_sound;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::picture::{NewPicture, Picture};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Item, Omission};
use sidecar_protocol::{TabId, ThreadId, Timestamp, TurnId};

use crate::key_value::KeyValue;
use crate::queue::Queue;
use crate::refusals;
use crate::threads::{LogStore, ReadError, Threads, UserMessage, pictures};
use crate::turns::Turns;
use crate::unfinished::{Alarm, UnfinishedThreads};

mod rewinds;
mod waiting;

/// Threads, their queues, and which of them have an unfinished turn.
#[derive(Debug)]
pub struct Chat<K, A, L> {
    /// The threads in memory.
    pub threads: Threads<L>,
    /// The queued messages.
    pub queue: Queue<K>,
    turns: Turns,
    unfinished: UnfinishedThreads<K, A>,
    is_private: bool,
    effects: Vec<Effect>,
}

/// Something to be done by the actor.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Run the thread's turn, and send panels what is new in the thread.
    Run(TurnStart),
    /// Send panels what is new in the thread.
    ShowNews(ThreadId),
    /// Send panels the whole thread, because changes cannot bring their view up to date.
    ShowWhole(ThreadId),
    /// Send panels the queue of the thread.
    ShowQueue(ThreadId),
    /// Send the panels of the thread an error.
    Trouble(ThreadId, Refusal),
}

/// A turn to run.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnStart {
    /// The thread of the turn.
    pub thread: ThreadId,
    /// The page to which it is bound.
    pub page: PageRef,
    /// The language of the panel that started the turn; absent for a revived turn.
    pub language: Option<Language>,
}

/// Where a message or command of the user comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct UserPlace {
    /// The thread that the panel has open.
    pub thread: Option<ThreadId>,
    /// The page that its window shows.
    pub page: PageRef,
    /// The language of the panel.
    pub language: Language,
}

/// A time, with a nonce for ids that are made at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub now: Timestamp,
    /// Random; starts with at least eight hexadecimal digits.
    pub nonce: String,
}

/// Access to the open tabs.
pub trait OpenTabs {
    /// Whether a tab is still open.
    async fn has(&self, tab: TabId) -> bool;
}

impl Moment {
    /// An id for a new thread: the time and a random number.
    pub fn thread_id(&self) -> ThreadId {
        ThreadId(format!("{:x}-{}", self.now, self.nonce.chars().take(8).collect::<String>()))
    }

    /// An id for a new turn, unique for all time: call ids are derived from it, and pages keep results by
    /// call id.
    fn turn_id(&self, thread: &ThreadId) -> TurnId {
        TurnId(format!("{thread}.{}", self.nonce))
    }
}

impl<K: KeyValue, A: Alarm, L: LogStore + Clone> Chat<K, A, L> {
    /// With `is_private`, new threads are temporary.
    pub fn new(
        threads: Threads<L>,
        queue: Queue<K>,
        turns: Turns,
        unfinished: UnfinishedThreads<K, A>,
        is_private: bool,
    ) -> Self {
        Self { threads, queue, turns, unfinished, is_private, effects: Vec::new() }
    }

    /// Takes the effects since the last call, in order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Starts a turn with a message, or queues the message if a turn is running. Returns the id of the thread
    /// if it is new.
    ///
    /// # Errors
    /// If the message is invalid, the queue is full, or something cannot be read or written.
    pub async fn send(
        &mut self,
        from: UserPlace,
        mut message: UserMessage,
        pictures: Vec<NewPicture>,
        moment: &Moment,
    ) -> Result<Option<ThreadId>, Refusal> {
        check(&message)?;
        message.pictures = pictures::named(&pictures).ok_or(Refusal::BadMessage)?;
        let mut open = from.thread.clone();
        if let Some(thread) = &open {
            // Only a previous worker may have loaded it, and its log may be gone from the disk.
            match self.load(thread, moment.now).await? {
                true if self.turns.is_running(thread) => {
                    self.keep_pictures(thread, &message.pictures, pictures).await?;
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
        self.keep_pictures(&thread, &message.pictures, pictures).await?;
        let start = TurnStart { thread: thread.clone(), page: from.page, language: Some(from.language) };
        self.begin(moment.turn_id(&thread), message, start, moment.now).await?;
        Ok(is_new.then_some(thread))
    }

    /// Keeps the pictures of a message.
    async fn keep_pictures(
        &mut self,
        thread: &ThreadId,
        names: &[Picture],
        pictures: Vec<NewPicture>,
    ) -> Result<(), Refusal> {
        if !self.threads.has_room_for(thread, names) {
            return Err(Refusal::ManyPictures);
        }
        self.threads.keep_pictures(thread, names, pictures).await.map_err(refusals::storage)
    }

    /// The bytes of a picture of a thread, in base64; `None` if it is not kept.
    pub async fn picture(&self, thread: Option<ThreadId>, digest: &str) -> Option<String> {
        self.threads.picture(&thread?, digest).await
    }

    /// Writes the message that starts a turn.
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

    /// Requests the run of a turn after its first entry was written. `written` says whether there was
    /// anything to write.
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
                // Some entries may have been written.
                self.effects.push(Effect::ShowNews(start.thread));
                return Err(refusals::storage(error));
            }
        }
        Ok(())
    }

    /// Continues a turn that has ended, leaving out part of the model's input if `without` is set. Does
    /// nothing if it cannot be continued.
    ///
    /// # Errors
    /// If the thread cannot be read or written.
    pub async fn continue_turn(
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
        let written = self.threads.continue_turn(&thread, from.page.clone(), without, now).await;
        let start = TurnStart { thread, page: from.page, language: Some(from.language) };
        self.written(start, written.map(|()| true)).await
    }

    /// The page of items before this one, and whether there are older ones; `None` if no thread is open.
    ///
    /// # Errors
    /// If the thread cannot be read, or is gone.
    pub async fn older(
        &mut self,
        thread: Option<ThreadId>,
        before: u64,
        now: Timestamp,
    ) -> Result<Option<(Vec<Item>, bool)>, Refusal> {
        let Some(thread) = thread else { return Ok(None) };
        // Only a previous worker may have loaded it.
        self.load(&thread, now).await?;
        self.threads.older(&thread, before).map(Some).ok_or(Refusal::NoThread)
    }

    /// Lifts the guard of a thread in which no turn runs.
    ///
    /// # Errors
    /// If the thread cannot be read or written.
    pub async fn lift_guard(&mut self, thread: &ThreadId, now: Timestamp) -> Result<(), Refusal> {
        self.load(thread, now).await?;
        self.threads.lift_guard(thread, now).await.map_err(refusals::storage)?;
        self.effects.push(Effect::ShowNews(thread.clone()));
        Ok(())
    }

    /// Revives the turns of workers that died. Returns the errors of threads that could not be read. The next
    /// alarm tries again, but not where the log cannot be used: panels are told that when they open the
    /// thread.
    pub async fn revive(&mut self, tabs: &impl OpenTabs, now: Timestamp) -> Vec<ReadError> {
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
                Err(error) => {
                    if matches!(error, ReadError::Log(_)) {
                        self.unfinished.remove(&thread).await;
                    }
                    unread.push(error);
                }
            }
        }
        unread
    }

    /// Whether a worker left a turn unfinished, or one runs.
    pub fn has_unfinished(&self) -> bool {
        !self.unfinished.all().is_empty()
    }

    /// Keeps the alarm also if no turn is unfinished, or no longer.
    pub async fn keep_alarm(&mut self, is_wanted: bool) {
        self.unfinished.keep_alarm(is_wanted).await;
    }

    /// Clears the alarm if no turn is unfinished.
    pub async fn clear_alarm_if_empty(&self) {
        self.unfinished.clear_alarm_if_empty().await;
    }

    /// Drops threads from memory that no panel shows and no turn runs in, and the queues of temporary threads
    /// that are gone.
    pub fn forget_all_but(&mut self, shown: &[ThreadId]) {
        self.threads.forget_all_but(shown);
        let threads = &self.threads;
        self.queue.keep_temporary(|thread| is_kept(threads, thread));
    }

    /// Whether a thread may still exist: a temporary one exists only while it is in memory.
    pub fn is_kept(&self, thread: &ThreadId) -> bool {
        is_kept(&self.threads, thread)
    }

    async fn load(&mut self, thread: &ThreadId, now: Timestamp) -> Result<bool, Refusal> {
        self.threads.load(thread, now).await.map_err(refusals::unread)
    }

    /// The thread, if it exists and no turn runs in it.
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

/// Checks that a message is not blank, not too long, and has valid attachments.
fn check(UserMessage { text, attached, .. }: &UserMessage) -> Result<(), Refusal> {
    let is_message = !text.trim().is_empty() && text.chars().count() <= MESSAGE_LIMIT && is_sound(attached);
    if is_message { Ok(()) } else { Err(Refusal::BadMessage) }
}

#[cfg(test)]
mod tests;
