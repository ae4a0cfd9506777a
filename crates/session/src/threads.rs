//! The threads that are shown or running, in memory: each has one log ([`log`]), which a turn that runs there writes, too;
//! what panels have of it is a projection ([`projection`]).

use std::collections::HashMap;

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::branch::is_on_guard;
use sidecar_agent::log::Target;
use sidecar_agent::{Entry, Event, PageRef, Rules, StoreError, UserCommand, resume, view};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::ThreadView;
use sidecar_protocol::thread::{Item, Omission, ThreadSummary, TurnEnd};
use sidecar_protocol::{CallId, ItemId, TabId, ThreadId, Timestamp, TurnId};

use crate::attention::Asking;
use crate::turns::Turns;

pub mod log;
mod open;
pub mod projection;
pub mod store;
mod versions;

pub use log::ThreadLog;
use open::OpenThread;
pub use open::ThreadNews;
pub use store::{AnswerDraft, LogStore, ReadError, SavedThread, ThreadRecord};

/// What the user says in one go.
#[derive(Debug, Clone)]
pub struct UserMessage {
    /// The words.
    pub text: String,
    /// Texts of pages that go with them.
    pub attached: Vec<Attachment>,
}

/// The threads that this worker has in memory.
#[derive(Debug)]
pub struct Threads<S> {
    store: S,
    turns: Turns,
    open: HashMap<ThreadId, OpenThread<S>>,
}

impl<S: LogStore + Clone> Threads<S> {
    /// None are open yet.
    pub fn new(store: S, turns: Turns) -> Self {
        Self { store, turns, open: HashMap::new() }
    }

    /// Begins a thread that is kept nowhere.
    pub fn begin_temporary(&mut self, id: ThreadId, now: Timestamp) -> ThreadId {
        let id = ThreadId(format!("{}{id}", ThreadId::TEMPORARY));
        let summary = ThreadSummary {
            id: id.clone(),
            title: String::new(),
            site: String::new(),
            created: now,
            updated: now,
            pinned: false,
            temporary: true,
        };
        self.open.insert(id.clone(), OpenThread::new(None, summary, Vec::new()));
        id
    }

    /// Whether there is a thread that is nowhere else.
    pub fn has_temporary(&self) -> bool {
        self.open.keys().any(ThreadId::is_temporary)
    }

    /// The user changed a thread's line in the list.
    pub fn set_summary(&self, summary: ThreadSummary) {
        if let Some(thread) = self.open.get(&summary.id) {
            thread.set_summary(summary);
        }
    }

    /// Reads a thread into memory if need be. Says whether there is one. A turn in it that no worker runs any more is
    /// brought to rest, so that it can be continued.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn load(&mut self, id: &ThreadId, now: Timestamp) -> Result<bool, ReadError> {
        if !self.open.contains_key(id) {
            let Some((mut thread, draft)) = self.read(id).await? else { return Ok(false) };
            thread.end_turn(now, draft).await;
            thread.restart();
            self.open.insert(id.clone(), thread);
        }
        Ok(true)
    }

    /// Reads an unfinished turn that an earlier worker ran, so that this one can run it. Gives the page that it is bound
    /// to; `None` when there is nothing to carry on: the turn rests, or runs here.
    ///
    /// Should that worker still be alive, the two do not get into each other's way: each writes an entry before it acts,
    /// both would write it at the same position of the log, and the store lets only one of them.
    ///
    /// # Errors
    /// When it cannot be read, or not be written on.
    pub async fn revive(&mut self, id: &ThreadId, now: Timestamp) -> Result<Option<PageRef>, ReadError> {
        if self.open.contains_key(id) {
            return Ok(None);
        }
        let Some((mut thread, draft)) = self.read(id).await? else { return Ok(None) };
        let log = thread.log.entries();
        if !resume::is_unfinished(&log) {
            return Ok(None);
        }
        let page = resume::page_of_turn(&log);
        let revived = resume::revived(&log, draft.map(|live| (live.reasoning, live.text)));
        drop(log);
        if let Some(event) = revived {
            thread.append(now, event).await?;
        }
        thread.restart();
        self.open.insert(id.clone(), thread);
        Ok(Some(page))
    }

    /// A thread from the disk, and the answer that was growing at the end of its log.
    async fn read(&self, id: &ThreadId) -> Result<Option<(OpenThread<S>, Option<view::Live>)>, ReadError> {
        let Some(SavedThread { summary, log, draft }) = self.store.thread(id).await? else { return Ok(None) };
        let live = |AnswerDraft { reasoning, text, .. }| view::Live { reasoning, text, until: None };
        Ok(Some((OpenThread::new(Some(self.store.clone()), summary, log), draft.map(live))))
    }

    /// A thread in memory as panels show it first.
    pub fn view(&self, id: &ThreadId) -> Option<ThreadView> {
        self.open.get(id).map(|thread| thread.view(self.turns.is_running(id)))
    }

    /// What is new in a thread since this was last asked. Whatever writes to it, panels have to be told of this before they
    /// are shown the whole.
    pub fn news(&mut self, id: &ThreadId) -> ThreadNews {
        let is_running = self.turns.is_running(id);
        self.open.get_mut(id).map(|thread| thread.news(is_running)).unwrap_or_default()
    }

    /// The page of items before `before`, and whether there are still older ones.
    pub fn older(&self, id: &ThreadId, before: u64) -> Option<(Vec<Item>, bool)> {
        Some(self.open.get(id)?.older(before))
    }

    /// Whether the thread is in memory.
    pub fn is_open(&self, id: &ThreadId) -> bool {
        self.open.contains_key(id)
    }

    /// How the last turn of the thread ended, if it has.
    pub fn end(&self, id: &ThreadId) -> Option<TurnEnd> {
        self.open.get(id)?.end()
    }

    /// Whether a turn of this name ever began in the thread.
    pub fn has_turn(&self, id: &ThreadId, turn: &TurnId) -> bool {
        self.open.get(id).is_some_and(|thread| thread.has_turn(turn))
    }

    /// About how many tokens of a model's window the thread takes.
    pub fn tokens(&self, id: &ThreadId, rules: &Rules) -> u64 {
        self.open.get(id).map_or(0, |thread| thread.tokens(rules))
    }

    /// Goes back behind the words of this item, so that others can be said in their place. Says whether they are there.
    ///
    /// # Errors
    /// When it cannot be written. Nothing changed then.
    pub async fn take_back(
        &mut self,
        id: &ThreadId,
        item: &ItemId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_back(item, now).await
    }

    /// Goes back to where the model was last asked, so that it answers again. Says whether it ever was in this turn.
    ///
    /// # Errors
    /// When it cannot be written. The thread may have gone back, and no further.
    pub async fn take_back_answer(
        &mut self,
        id: &ThreadId,
        page: PageRef,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_back_answer(page, now).await
    }

    /// Goes on from another version of the thread. Says whether there is one that ends there.
    ///
    /// # Errors
    /// When it cannot be written. Nothing changed then.
    pub async fn take_version(
        &mut self,
        id: &ThreadId,
        version: u64,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_version(version, now).await
    }

    /// Has the model told everything again. Panels have to be shown the whole thread after that.
    ///
    /// # Errors
    /// When it cannot be written. Nothing changed then.
    pub async fn undo_compaction(&mut self, id: &ThreadId, now: Timestamp) -> Result<(), StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(()) };
        thread.append(now, Event::CompactionUndone).await?;
        thread.restart();
        Ok(())
    }

    /// Writes the user's words into the thread, which is made if it is new.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn say(
        &mut self,
        id: &ThreadId,
        turn: TurnId,
        UserMessage { text, attached }: UserMessage,
        page: PageRef,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let event = Event::TurnStarted { turn, text, attached, page };
        if let Some(thread) = self.open.get(id) {
            let left_over = resume::before_new_turn(&thread.log.entries());
            for event in left_over {
                thread.append(now, event).await?;
            }
            return thread.append(now, event).await;
        }
        if id.is_temporary() {
            return Err(StoreError::other("the temporary conversation is over"));
        }
        let entry = Entry { at: now, event };
        let Some(summary) = view::summary(id, std::slice::from_ref(&entry)) else { return Ok(()) };
        let mut thread = OpenThread::new(Some(self.store.clone()), summary, Vec::new());
        thread.log.append(entry).await?;
        thread.restart();
        self.open.insert(id.clone(), thread);
        Ok(())
    }

    /// Takes up a turn that rests, without part of what the model was told before.
    ///
    /// # Errors
    /// When it cannot be written. Nothing changed then.
    pub async fn take_up(
        &mut self,
        id: &ThreadId,
        page: PageRef,
        without: Option<Omission>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Some(thread) = self.open.get(id) else { return Ok(()) };
        thread.append(now, Event::TurnContinued { page, without }).await
    }

    /// A turn runs in the thread from here on: its log, and what it is told.
    pub fn begin_turn(&self, id: &ThreadId) -> Option<(ThreadLog<S>, UnboundedReceiver<UserCommand>)> {
        Some((self.open.get(id)?.log.clone(), self.turns.begin(id)))
    }

    /// The thread's turn ended. One that could not be saved ended without rest; what was shown of it stays on the screen at
    /// least.
    pub async fn turn_ended(&mut self, id: &ThreadId, now: Timestamp) {
        self.turns.end(id);
        if let Some(thread) = self.open.get(id) {
            thread.end_turn(now, Some(thread.log.live())).await;
        }
    }

    /// Calls off the guard of a thread in which nothing runs.
    ///
    /// # Errors
    /// When it cannot be written. Nothing changed then.
    pub async fn lift_guard(&mut self, id: &ThreadId, now: Timestamp) -> Result<(), StoreError> {
        match self.open.get(id) {
            Some(thread) if is_on_guard(&thread.log.entries()) => {
                thread.append(now, Event::GuardLifted).await
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The tab in which a call runs or ran.
    pub fn tab_of_call(&self, id: &ThreadId, call: &CallId) -> Option<TabId> {
        self.target_of_call(id, call)?.tool.tab()
    }

    /// The tool that a call means.
    pub fn target_of_call(&self, id: &ThreadId, call: &CallId) -> Option<Target> {
        self.open.get(id)?.target_of_call(call)
    }

    /// The calls that wait for the user's decision, in order of their names.
    pub fn asking(&self) -> Vec<Asking> {
        let asking = |(id, thread): (&ThreadId, &OpenThread<S>)| thread.asking(self.turns.is_running(id));
        let mut asking: Vec<Asking> = self.open.iter().filter_map(asking).collect();
        asking.sort_unstable_by(|one, other| one.approval.call_id.cmp(&other.approval.call_id));
        asking
    }

    /// Stops the turn that runs in a thread, if one does.
    pub fn stop(&self, id: &ThreadId) {
        self.turns.tell(id, UserCommand::Stop);
    }

    /// Forgets threads that nobody shows and nothing runs in; they are on disk, or were temporary. A temporary one that
    /// nobody shows any more is stopped first.
    pub fn forget_all_but(&mut self, shown: &[ThreadId]) {
        for id in self.open.keys().filter(|id| id.is_temporary() && !shown.contains(id)) {
            self.stop(id);
        }
        self.open.retain(|id, _| self.turns.is_running(id) || shown.contains(id));
    }
}

#[cfg(test)]
mod tests;
