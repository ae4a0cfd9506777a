//! A journal of the chat requests: one entry each, updated while the answer is sent.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

/// One chat request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Its number, from 1, in order of arrival.
    pub number: u32,
    /// Its path.
    pub path: String,
    /// Its headers without `authorization`; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Whether it had the key; the key itself is never kept.
    pub key: KeyCheck,
    /// Its body; a string if it was not JSON.
    pub body: Value,
    /// The HTTP status it was answered with; 0 before that.
    pub status: u16,
    /// The message of the refusal, if it was refused.
    pub refusal: Option<String>,
    /// The progress of its answer.
    pub phase: AnswerPhase,
    /// Events sent.
    pub events: u64,
    /// Bytes of the body sent.
    pub bytes: u64,
    /// When it arrived, in milliseconds since the Unix epoch.
    pub received_at: u64,
    /// When its answer ended.
    pub ended_at: Option<u64>,
}

/// The key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyCheck {
    /// None.
    Missing,
    /// One that is not accepted.
    Wrong,
    /// The accepted one.
    Right,
}

/// The progress of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerPhase {
    /// The request is being read, or its answer is being sent.
    Open,
    /// It waits to be released.
    Held,
    /// It was sent completely.
    Finished,
    /// The client disconnected before its end.
    Aborted,
    /// The scenario cut it.
    Cut,
    /// It was refused.
    Refused,
}

/// The phase to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Until {
    /// The request has arrived.
    Seen,
    /// Its answer is held.
    Held,
    /// All of its answer is sent.
    Finished,
    /// Its client went away.
    Aborted,
    /// Its answer has ended, whichever way.
    Ended,
}

/// Why a wait failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WaitError {
    /// The timeout passed.
    #[error("request {number} was not {until:?} in time; it is {}", .entry.as_ref().map_or("not here".to_owned(), |entry| format!("{:?}", entry.phase)))]
    TimedOut {
        /// The request waited for.
        number: u32,
        /// The phase.
        until: Until,
        /// Its state, if it has arrived.
        entry: Option<Box<JournalEntry>>,
    },
    /// Its answer ended in another way, so that the phase cannot be reached any more.
    #[error("request {number} will never be {until:?}: it ended {:?}", .entry.phase)]
    EndedOtherwise {
        /// The request waited for.
        number: u32,
        /// The phase.
        until: Until,
        /// Its state.
        entry: Box<JournalEntry>,
    },
}

/// The entries, with a notification on every change.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    pages: Mutex<Pages>,
    for_threads: Condvar,
    for_tasks: watch::Sender<u64>,
}

/// Identifies an entry. Invalid after [`Journal::clear`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ticket {
    volume: u32,
    pub(crate) number: u32,
}

#[derive(Debug, Default)]
struct Pages {
    volume: u32,
    entries: Vec<JournalEntry>,
}

impl AnswerPhase {
    /// Whether the answer has ended.
    #[must_use]
    pub fn is_end(self) -> bool {
        match self {
            Self::Open | Self::Held => false,
            Self::Finished | Self::Aborted | Self::Cut | Self::Refused => true,
        }
    }
}

impl Until {
    fn is_reached(self, phase: AnswerPhase) -> bool {
        match self {
            Self::Seen => true,
            Self::Held => phase == AnswerPhase::Held,
            Self::Finished => phase == AnswerPhase::Finished,
            Self::Aborted => phase == AnswerPhase::Aborted,
            Self::Ended => phase.is_end(),
        }
    }
}

impl Journal {
    pub(crate) fn open(
        &self,
        path: &str,
        headers: BTreeMap<String, String>,
        key: KeyCheck,
        body: Value,
    ) -> Ticket {
        let mut pages = self.pages();
        let number = u32::try_from(pages.entries.len()).unwrap_or(u32::MAX).saturating_add(1);
        pages.entries.push(JournalEntry {
            number,
            path: path.to_owned(),
            headers,
            key,
            body,
            status: 0,
            refusal: None,
            phase: AnswerPhase::Open,
            events: 0,
            bytes: 0,
            received_at: now_ms(),
            ended_at: None,
        });
        let ticket = Ticket { volume: pages.volume, number };
        drop(pages);
        self.ring();
        ticket
    }

    pub(crate) fn update(&self, ticket: Ticket, change: impl FnOnce(&mut JournalEntry)) {
        let mut pages = self.pages();
        let is_current = pages.volume == ticket.volume;
        if let Some(entry) = pages.entries.get_mut(ticket.number as usize - 1).filter(|_| is_current) {
            change(entry);
            if entry.phase.is_end() && entry.ended_at.is_none() {
                entry.ended_at = Some(now_ms());
            }
        }
        drop(pages);
        self.ring();
    }

    pub(crate) fn entries(&self) -> Vec<JournalEntry> {
        self.pages().entries.clone()
    }

    pub(crate) fn clear(&self) {
        let mut pages = self.pages();
        pages.volume += 1;
        pages.entries.clear();
        drop(pages);
        self.ring();
    }

    /// Waits asynchronously.
    pub(crate) async fn wait(
        &self,
        number: u32,
        until: Until,
        most: Duration,
    ) -> Result<JournalEntry, WaitError> {
        let mut bell = self.for_tasks.subscribe();
        let reached = async {
            loop {
                bell.mark_unchanged();
                if let Some(verdict) = look(&self.pages(), number, until) {
                    return verdict;
                }
                if bell.changed().await.is_err() {
                    return Err(self.timed_out(number, until));
                }
            }
        };
        tokio::time::timeout(most, reached).await.unwrap_or_else(|_| Err(self.timed_out(number, until)))
    }

    /// Waits, blocking the thread.
    pub(crate) fn wait_blocking(
        &self,
        number: u32,
        until: Until,
        most: Duration,
    ) -> Result<JournalEntry, WaitError> {
        let end = Instant::now() + most;
        let mut pages = self.pages();
        loop {
            if let Some(verdict) = look(&pages, number, until) {
                return verdict;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                drop(pages);
                return Err(self.timed_out(number, until));
            }
            pages = self.for_threads.wait_timeout(pages, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn timed_out(&self, number: u32, until: Until) -> WaitError {
        let entry = find(&self.pages(), number).cloned().map(Box::new);
        WaitError::TimedOut { number, until, entry }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        self.for_threads.notify_all();
        self.for_tasks.send_modify(|rings| *rings += 1);
    }
}

fn find(pages: &Pages, number: u32) -> Option<&JournalEntry> {
    pages.entries.iter().find(|entry| entry.number == number)
}

/// The result of a wait, if it is decided.
fn look(pages: &Pages, number: u32, until: Until) -> Option<Result<JournalEntry, WaitError>> {
    let entry = find(pages, number)?;
    if until.is_reached(entry.phase) {
        Some(Ok(entry.clone()))
    } else if entry.phase.is_end() {
        Some(Err(WaitError::EndedOtherwise { number, until, entry: Box::new(entry.clone()) }))
    } else {
        None
    }
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
