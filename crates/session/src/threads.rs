//! The threads in memory: those that panels show or in which a turn runs. Each has a single log ([`log`]),
//! which the running turn writes, too; panels are kept up to date by a projection of it ([`projection`]).

use std::collections::HashMap;

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::branch::is_on_guard;
use sidecar_agent::log::Target;
use sidecar_agent::recording::{self, TurnRecording};
use sidecar_agent::{Entry, Event, PageRef, Rules, StoreError, UserCommand, resume, view};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::ThreadView;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::thread::{Item, Omission, ThreadSummary, TurnEnd};
use sidecar_protocol::{CallId, ItemId, TabId, ThreadId, Timestamp, TurnId};

use crate::attention::Asking;
use crate::turns::Turns;

pub mod log;
mod open;
pub(crate) mod pictures;
pub mod projection;
pub mod store;
mod versions;

pub use log::ThreadLog;
use open::OpenThread;
pub use open::ThreadNews;
pub use store::{AnswerDraft, LogStore, ReadError, SavedThread, ThreadRecord};

/// A message of the user.
#[derive(Debug, Clone)]
pub struct UserMessage {
    /// The text.
    pub text: String,
    /// Attached texts of pages.
    pub attached: Vec<Attachment>,
    /// Pictures, which are kept already.
    pub pictures: Vec<Picture>,
}

/// The threads that this worker has in memory.
#[derive(Debug)]
pub struct Threads<S> {
    store: S,
    turns: Turns,
    open: HashMap<ThreadId, OpenThread<S>>,
}

impl<S: LogStore + Clone> Threads<S> {
    /// Starts without threads.
    pub fn new(store: S, turns: Turns) -> Self {
        Self { store, turns, open: HashMap::new() }
    }

    /// Starts a temporary thread, which is not saved.
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

    /// Whether any thread is temporary.
    pub fn has_temporary(&self) -> bool {
        self.open.keys().any(ThreadId::is_temporary)
    }

    /// The user changed a thread's line in the list.
    pub fn set_summary(&self, summary: ThreadSummary) {
        if let Some(thread) = self.open.get(&summary.id) {
            thread.set_summary(summary);
        }
    }

    /// Reads a thread into memory unless it is there. Returns whether the thread exists. If its last turn is
    /// unfinished and was not revived, the turn is ended as interrupted, so that it can be continued.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn load(&mut self, id: &ThreadId, now: Timestamp) -> Result<bool, ReadError> {
        if !self.open.contains_key(id) {
            let Some((mut thread, draft)) = self.read(id).await? else { return Ok(false) };
            thread.end_turn(now, draft).await;
            thread.restart();
            self.open.insert(id.clone(), thread);
        }
        Ok(true)
    }

    /// Reads a thread with an unfinished turn of a previous worker, so that this worker can run it. Returns
    /// the page to which the turn is bound; `None` if there is nothing to revive: the thread is already in
    /// memory or gone, or its turn has ended.
    ///
    /// If the previous worker is still alive, the two do not interfere: each writes an entry before it acts,
    /// both would write it at the same position of the log, and the store accepts only one.
    ///
    /// # Errors
    /// If it cannot be read or written.
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

    /// A thread on disk, and the draft of the answer at the end of its log.
    async fn read(&self, id: &ThreadId) -> Result<Option<(OpenThread<S>, Option<view::Live>)>, ReadError> {
        let Some(SavedThread { summary, log, draft }) = self.store.thread(id).await? else { return Ok(None) };
        let live =
            |AnswerDraft { reasoning, text, .. }| view::Live { reasoning, text, ..view::Live::default() };
        Ok(Some((OpenThread::new(Some(self.store.clone()), summary, log), draft.map(live))))
    }

    /// A thread in memory, as panels show it first.
    pub fn view(&self, id: &ThreadId) -> Option<ThreadView> {
        self.open.get(id).map(|thread| thread.view(self.turns.is_running(id)))
    }

    /// What is new in a thread since the last call. Take the news before [`Threads::view`], which includes
    /// them.
    pub fn news(&mut self, id: &ThreadId) -> ThreadNews {
        let is_running = self.turns.is_running(id);
        self.open.get_mut(id).map(|thread| thread.news(is_running)).unwrap_or_default()
    }

    /// The page of items before `before`, and whether there are older ones.
    pub fn older(&self, id: &ThreadId, before: u64) -> Option<(Vec<Item>, bool)> {
        Some(self.open.get(id)?.older(before))
    }

    /// Whether the thread is in memory.
    pub fn is_open(&self, id: &ThreadId) -> bool {
        self.open.contains_key(id)
    }

    /// How the last turn of the thread ended, if it has ended.
    pub fn end(&self, id: &ThreadId) -> Option<TurnEnd> {
        self.open.get(id)?.end()
    }

    /// Whether the thread's log has this turn.
    pub fn has_turn(&self, id: &ThreadId, turn: &TurnId) -> bool {
        self.open.get(id).is_some_and(|thread| thread.has_turn(turn))
    }

    /// Estimate of the thread's context usage, in tokens.
    pub fn tokens(&self, id: &ThreadId, rules: &Rules) -> u64 {
        self.open.get(id).map_or(0, |thread| thread.tokens(rules))
    }

    /// Goes back to before the message of this item. Returns whether the message exists.
    ///
    /// # Errors
    /// If it cannot be written. Nothing changed then.
    pub async fn take_back(
        &mut self,
        id: &ThreadId,
        item: &ItemId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_back(item, now).await
    }

    /// Goes back to before the last request to the model, so that the model answers again. Returns whether
    /// there was a request in this turn.
    ///
    /// # Errors
    /// If it cannot be written. The thread may have gone back without continuing.
    pub async fn take_back_answer(
        &mut self,
        id: &ThreadId,
        page: PageRef,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_back_answer(page, now).await
    }

    /// Switches to another version of the thread. Returns whether `version` is the end of one.
    ///
    /// # Errors
    /// If it cannot be written. Nothing changed then.
    pub async fn take_version(
        &mut self,
        id: &ThreadId,
        version: u64,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        thread.take_version(version, now).await
    }

    /// Undoes compaction. Panels must then be shown the whole thread.
    ///
    /// # Errors
    /// If it cannot be written. Nothing changed then.
    pub async fn undo_compaction(&mut self, id: &ThreadId, now: Timestamp) -> Result<(), StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(()) };
        thread.append(now, Event::CompactionUndone).await?;
        thread.restart();
        Ok(())
    }

    /// Writes a message, which starts a turn, into the thread. Creates the thread if it is new.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn say(
        &mut self,
        id: &ThreadId,
        turn: TurnId,
        UserMessage { text, attached, pictures }: UserMessage,
        page: PageRef,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let event = Event::TurnStarted { turn, text, attached, pictures, page };
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

    /// Continues the last turn, leaving out part of the model's input if `without` is set.
    ///
    /// # Errors
    /// If it cannot be written. Nothing changed then.
    pub async fn continue_turn(
        &mut self,
        id: &ThreadId,
        page: PageRef,
        without: Option<Omission>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Some(thread) = self.open.get(id) else { return Ok(()) };
        thread.append(now, Event::TurnContinued { page, without }).await
    }

    /// Registers a running turn. Returns the thread's log, and the receiver of the turn's commands.
    pub fn begin_turn(&self, id: &ThreadId) -> Option<(ThreadLog<S>, UnboundedReceiver<UserCommand>)> {
        Some((self.open.get(id)?.log.clone(), self.turns.begin(id)))
    }

    /// The thread's running turn ended. If it could not write its turn end, it is ended as interrupted, with
    /// the part of the answer that was shown.
    pub async fn turn_ended(&mut self, id: &ThreadId, now: Timestamp) {
        self.turns.end(id);
        if let Some(thread) = self.open.get(id) {
            thread.end_turn(now, Some(thread.log.live())).await;
        }
    }

    /// Lifts the guard of a thread in which no turn runs.
    ///
    /// # Errors
    /// If it cannot be written. Nothing changed then.
    pub async fn lift_guard(&mut self, id: &ThreadId, now: Timestamp) -> Result<(), StoreError> {
        match self.open.get(id) {
            Some(thread) if is_on_guard(&thread.log.entries()) => {
                thread.append(now, Event::GuardLifted).await
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The tab of a call's tool.
    pub fn tab_of_call(&self, id: &ThreadId, call: &CallId) -> Option<TabId> {
        self.target_of_call(id, call)?.tool.tab()
    }

    /// The target of a call.
    pub fn target_of_call(&self, id: &ThreadId, call: &CallId) -> Option<Target> {
        self.open.get(id)?.target_of_call(call)
    }

    /// The arguments of a call, as the model gave them (JSON text).
    pub fn arguments_of_call(&self, id: &ThreadId, call: &CallId) -> Option<String> {
        self.open.get(id)?.arguments_of_call(call)
    }

    /// The recording of the turn that ends with this item.
    pub fn recording(&self, id: &ThreadId, end: &ItemId) -> Option<TurnRecording> {
        recording::of(&self.open.get(id)?.log.entries(), end)
    }

    /// The calls that wait for the user's decision, ordered by id.
    pub fn asking(&self) -> Vec<Asking> {
        let asking = |(id, thread): (&ThreadId, &OpenThread<S>)| thread.asking(self.turns.is_running(id));
        let mut asking: Vec<Asking> = self.open.iter().filter_map(asking).collect();
        asking.sort_unstable_by(|one, other| one.approval.call_id.cmp(&other.approval.call_id));
        asking
    }

    /// Stops the turn that runs in a thread, if any.
    pub fn stop(&self, id: &ThreadId) {
        self.turns.tell(id, UserCommand::Stop);
    }

    /// Drops threads that no panel shows and no turn runs in; a temporary one is lost. First stops the turns
    /// of temporary threads that are no longer shown.
    pub fn forget_all_but(&mut self, shown: &[ThreadId]) {
        for id in self.open.keys().filter(|id| id.is_temporary() && !shown.contains(id)) {
            self.stop(id);
        }
        self.open.retain(|id, _| self.turns.is_running(id) || shown.contains(id));
    }
}

#[cfg(test)]
mod tests;
