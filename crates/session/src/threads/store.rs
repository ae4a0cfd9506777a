//! Storage for the logs of threads. The worker implements [`LogStore`] with the browser's database, tests in
//! memory; the format, and what may be written, is decided here.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde::{Deserialize, Serialize};
use sidecar_agent::saved::{self, Unreadable};
use sidecar_agent::{Entry, Event, StoreError};
use sidecar_protocol::call_log::LoggedCall;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{ThreadId, Timestamp};

/// The logs of threads, with one entry per position.
pub trait LogStore {
    /// A thread with its whole log; `None` if the thread does not exist or was deleted ([`SavedThread::of`]).
    ///
    /// # Errors
    /// If it cannot be read, or the saved log cannot be used.
    async fn thread(&self, thread: &ThreadId) -> Result<Option<SavedThread>, ReadError>;

    /// Writes an entry at its position, in one transaction with the thread's line in the list
    /// ([`ThreadRecord::with_entry`]) and the log line of the call that ends with it. Durable when this
    /// returns.
    ///
    /// # Errors
    /// If that position is taken or the one before it is empty, if the entry may not be written, or if
    /// writing fails. Nothing is written then.
    async fn append(
        &self,
        summary: &ThreadSummary,
        position: usize,
        entry: &Entry,
        call: Option<&LoggedCall>,
    ) -> Result<(), StoreError>;

    /// Saves the draft of an answer in place of the previous one. Failures are ignored. Dropping the future
    /// does not cancel the write.
    async fn save_draft(&self, thread: &ThreadId, draft: AnswerDraft);

    /// Keeps pictures of a thread: their data in base64, under their digests. Durable when this returns.
    ///
    /// # Errors
    /// If it cannot be written. Nothing is written then.
    async fn keep_pictures(
        &self,
        thread: &ThreadId,
        pictures: Vec<(String, String)>,
    ) -> Result<(), StoreError>;

    /// The data of a thread's picture in base64; `None` if it is not kept or cannot be read.
    async fn picture(&self, thread: &ThreadId, digest: &str) -> Option<String>;
}

/// A thread's line in the list, and whether the thread was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRecord {
    /// The line.
    #[serde(flatten)]
    pub summary: ThreadSummary,
    /// When the user deleted it; absent if it was not deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Timestamp>,
}

/// The draft of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDraft {
    /// The position in the log that the answer's entry will have.
    pub position: usize,
    /// Reasoning so far.
    pub reasoning: String,
    /// Text so far.
    pub text: String,
}

/// A thread as it is saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedThread {
    /// Its line in the list.
    pub summary: ThreadSummary,
    /// The whole log.
    pub log: Vec<Entry>,
    /// The draft of the answer at the end of the log, if the worker died while one was arriving.
    pub draft: Option<AnswerDraft>,
}

/// Why a thread could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The database refused.
    Store(StoreError),
    /// The saved log cannot be used.
    Log(Unreadable),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Message of the error for writing to a deleted thread.
const DELETED: &str = "the conversation was deleted";

impl ThreadRecord {
    /// The record of a thread that is not deleted.
    pub fn new(summary: ThreadSummary) -> Self {
        Self { summary, deleted: None }
    }

    /// The record after an entry is written at a position. `saved` is the record on disk; `new` is the line
    /// of a new thread. The user's changes to an existing record are kept.
    ///
    /// # Errors
    /// If the thread is gone, or the entry would start or continue a turn in a deleted thread.
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
    /// Makes a thread from its record, the texts of its log with their positions, and its draft. A draft for
    /// another position than the end of the log is dropped. `None` if the thread does not exist, was deleted,
    /// or is empty.
    ///
    /// # Errors
    /// If the log cannot be used.
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
