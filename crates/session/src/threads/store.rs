//! Where the logs of threads are kept. The worker implements [`LogStore`] with the browser's database, the tests in memory;
//! what lies there, and what may be written to it, is decided here.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde::{Deserialize, Serialize};
use sidecar_agent::saved::{self, Unreadable};
use sidecar_agent::{Entry, Event, StoreError};
use sidecar_protocol::call_log::LoggedCall;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{ThreadId, Timestamp};

/// The logs of threads, an entry at each position.
pub trait LogStore {
    /// A thread with its whole log; `None` when there is no such thread, or the user deleted it ([`SavedThread::of`]).
    ///
    /// # Errors
    /// When it cannot be read, or what is saved cannot be used.
    async fn thread(&self, thread: &ThreadId) -> Result<Option<SavedThread>, ReadError>;

    /// Writes an entry at its position, and with it what follows from it: the thread's line in the list
    /// ([`ThreadRecord::with_entry`]), and the line of the call that ends with it. Durable when it returns.
    ///
    /// # Errors
    /// When that position is taken or the one before it is empty, when no such entry may be written, or when it cannot be.
    /// Nothing is written then.
    async fn append(
        &self,
        summary: &ThreadSummary,
        position: usize,
        entry: &Entry,
        call: Option<&LoggedCall>,
    ) -> Result<(), StoreError>;

    /// Keeps an answer that is growing, in the place of the one before. A failure is of no consequence. Once begun it is
    /// written to its end, also when nobody waits for it any more.
    async fn save_draft(&self, thread: &ThreadId, draft: AnswerDraft);
}

/// A thread's line in the list, and whether it is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRecord {
    /// The line.
    #[serde(flatten)]
    pub summary: ThreadSummary,
    /// When the user deleted it, until it is gone for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Timestamp>,
}

/// An answer that was growing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDraft {
    /// The position in the log at which the answer is awaited.
    pub position: usize,
    /// Thoughts so far.
    pub reasoning: String,
    /// Words so far.
    pub text: String,
}

/// A thread as it is saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedThread {
    /// Its line in the list.
    pub summary: ThreadSummary,
    /// All of it.
    pub log: Vec<Entry>,
    /// The answer that was growing at the end of the log when the worker died, if one was.
    pub draft: Option<AnswerDraft>,
}

/// Why a thread could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The database refused.
    Store(StoreError),
    /// What is saved cannot be used.
    Log(Unreadable),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why nothing is written to a thread.
const DELETED: &str = "the conversation was deleted";

impl ThreadRecord {
    /// One that was not deleted.
    pub fn new(summary: ThreadSummary) -> Self {
        Self { summary, deleted: None }
    }

    /// The line once an entry is written at a position. `saved` is what there is; `new` the line of a thread that begins.
    /// Whatever the user changed in a line that is there stays.
    ///
    /// # Errors
    /// When the thread is gone, or the entry would begin a turn in one that the user deleted.
    pub fn with_entry(
        saved: Option<Self>,
        new: &ThreadSummary,
        position: usize,
        entry: &Entry,
    ) -> Result<Self, StoreError> {
        let mut record = match saved {
            Some(record) => record,
            None if position == 0 => Self::new(new.clone()),
            None => return Err(StoreError::other(DELETED)),
        };
        let begins_turn = matches!(entry.event, Event::TurnStarted { .. } | Event::TurnContinued { .. });
        if begins_turn && record.deleted.is_some() {
            return Err(StoreError::other(DELETED));
        }
        record.summary.updated = entry.at;
        Ok(record)
    }
}

impl SavedThread {
    /// A thread of what is saved of it: its line, the texts of its log with their positions, its draft. A draft of an answer
    /// that came to its end is none.
    ///
    /// # Errors
    /// When the log cannot be used.
    pub fn of<T: AsRef<str>>(
        record: Option<ThreadRecord>,
        rows: impl IntoIterator<Item = (usize, T)>,
        draft: Option<AnswerDraft>,
    ) -> Result<Option<Self>, Unreadable> {
        let Some(ThreadRecord { summary, deleted: None }) = record else { return Ok(None) };
        let log = saved::read(rows)?;
        let draft = draft.filter(|draft| draft.position == log.len());
        Ok((!log.is_empty()).then_some(Self { summary, log, draft }))
    }
}

#[cfg(test)]
mod tests;
