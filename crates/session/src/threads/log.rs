//! The log of one thread: the only one in memory. A turn that runs in the thread writes it, and what panels show is read
//! off it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::lock::Mutex;
use sidecar_agent::call_log::Recorder;
use sidecar_agent::view::Live;
use sidecar_agent::{Entry, Event, Store, StoreError, TurnUpdate};
use sidecar_protocol::Timestamp;
use sidecar_protocol::thread::ThreadSummary;

use super::store::{AnswerDraft, LogStore};

/// A thread's log, with its line in the list, and what is known beyond the log of an answer that grows. A handle: copies are
/// of the same log.
#[derive(Debug)]
pub struct ThreadLog<S>(Rc<SharedLog<S>>);

#[derive(Debug)]
struct SharedLog<S> {
    /// Absent for a temporary thread, which is written nowhere.
    store: Option<S>,
    summary: RefCell<ThreadSummary>,
    entries: RefCell<Rc<Vec<Entry>>>,
    live: RefCell<Live>,
    /// Entries are written one after the other, whoever writes them.
    writer: Mutex<LogWriter>,
    has_news: Cell<bool>,
}

#[derive(Debug, Default)]
struct LogWriter {
    /// How many entries are on disk. The others could not be written when they were made.
    saved: usize,
    /// Tells of the calls that end; absent until the first entry is written.
    recorder: Option<Recorder>,
}

impl<S> Clone for ThreadLog<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: LogStore> ThreadLog<S> {
    /// A log whose entries are all on disk, if it has a store.
    pub fn new(store: Option<S>, summary: ThreadSummary, entries: Vec<Entry>) -> Self {
        Self(Rc::new(SharedLog {
            store,
            summary: RefCell::new(summary),
            writer: Mutex::new(LogWriter { saved: entries.len(), recorder: None }),
            entries: RefCell::new(Rc::new(entries)),
            live: RefCell::default(),
            has_news: Cell::new(false),
        }))
    }

    /// The entries so far.
    pub fn entries(&self) -> Rc<Vec<Entry>> {
        self.0.entries.borrow().clone()
    }

    /// The thread's line in the list.
    pub fn summary(&self) -> ThreadSummary {
        self.0.summary.borrow().clone()
    }

    /// The user changed the thread's line in the list.
    pub fn set_summary(&self, summary: ThreadSummary) {
        *self.0.summary.borrow_mut() = summary;
    }

    /// What is known of the answer that grows at the end of the log, or of the call that runs.
    pub fn live(&self) -> Live {
        self.0.live.borrow().clone()
    }

    /// Writes an entry behind all that are there. When this returns well, the whole log is on disk.
    ///
    /// # Errors
    /// When it, or one before it that could not be written then, cannot be written. The log stays as it is.
    pub async fn append(&self, entry: Entry) -> Result<(), StoreError> {
        let mut writer = self.0.writer.lock().await;
        self.write(&mut writer, &entry).await?;
        self.push(entry);
        writer.saved = self.len();
        Ok(())
    }

    /// Writes entries that cost nothing if they are lost: they would be made anew from the log. One that cannot be
    /// written is written before the next one, at its own position, unless that is another worker's by then.
    pub async fn append_or_remember(&self, at: Timestamp, events: Vec<Event>) {
        for event in events {
            let entry = Entry { at, event };
            if self.append(entry.clone()).await.is_err() {
                self.push(entry);
            }
        }
    }

    /// Takes note of what a turn tells that is not in the log. Says whether those who show the thread are to look at it: not
    /// while they were told to and have not.
    pub fn note(&self, told: &TurnUpdate<'_>) -> bool {
        let mut live = self.0.live.borrow_mut();
        match told {
            TurnUpdate::Appended(_) => {}
            TurnUpdate::Grew { reasoning, text } => {
                live.reasoning.push_str(reasoning);
                live.text.push_str(text);
            }
            TurnUpdate::TimeRunsOut(until) => live.until = *until,
            TurnUpdate::TakesTools(_) => return false,
        }
        !self.0.has_news.replace(true)
    }

    /// Those who show the thread look at it.
    pub(super) fn looked_at(&self) {
        self.0.has_news.set(false);
    }

    async fn write(&self, writer: &mut LogWriter, entry: &Entry) -> Result<(), StoreError> {
        let Some(store) = &self.0.store else { return Ok(()) };
        let (log, summary) = (self.entries(), self.summary());
        for entry in log[writer.saved..].iter().chain([entry]) {
            let LogWriter { saved, recorder } = writer;
            let call = recorder.get_or_insert_with(|| Recorder::of(&log[..*saved])).read(entry);
            if let Err(error) = store.append(&summary, *saved, entry, call.as_ref()).await {
                *recorder = None;
                return Err(error);
            }
            *saved += 1;
        }
        Ok(())
    }

    fn push(&self, entry: Entry) {
        self.0.summary.borrow_mut().updated = entry.at;
        *self.0.live.borrow_mut() = Live::default();
        Rc::make_mut(&mut self.0.entries.borrow_mut()).push(entry);
    }

    fn len(&self) -> usize {
        self.0.entries.borrow().len()
    }
}

impl<S: LogStore> Store for ThreadLog<S> {
    fn log(&self) -> Rc<Vec<Entry>> {
        self.entries()
    }

    async fn append(&self, entry: Entry) -> Result<(), StoreError> {
        Self::append(self, entry).await
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        let Some(store) = &self.0.store else { return };
        let (reasoning, text) = (reasoning.to_owned(), text.to_owned());
        let draft = AnswerDraft { position: self.len(), reasoning, text };
        let thread = self.0.summary.borrow().id.clone();
        store.save_draft(&thread, draft).await;
    }
}
