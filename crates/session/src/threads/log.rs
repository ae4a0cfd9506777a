//! The log of one thread, the only copy in memory. A running turn writes it; what panels show follows from
//! it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures::lock::Mutex;
use sidecar_agent::call_log::Recorder;
use sidecar_agent::view::Live;
use sidecar_agent::{Entry, Event, Store, StoreError, TurnUpdate};
use sidecar_protocol::Timestamp;
use sidecar_protocol::picture::{NewPicture, Picture};
use sidecar_protocol::thread::ThreadSummary;

use super::pictures;
use super::store::{AnswerDraft, LogStore};

/// A thread's log, its line in the list, and the live state of an answer that is arriving. Clones are handles
/// to the same log.
#[derive(Debug)]
pub struct ThreadLog<S>(Rc<SharedLog<S>>);

#[derive(Debug)]
struct SharedLog<S> {
    /// Absent for a temporary thread, which is not saved.
    store: Option<S>,
    summary: RefCell<ThreadSummary>,
    entries: RefCell<Rc<Vec<Entry>>>,
    live: RefCell<Live>,
    /// Serializes writes by the turn and others.
    writer: Mutex<LogWriter>,
    has_news: Cell<bool>,
    /// The data of pictures by digest, if there is no store.
    pictures: RefCell<HashMap<String, String>>,
}

#[derive(Debug, Default)]
struct LogWriter {
    /// Number of entries on disk. Later ones could not be written yet.
    saved: usize,
    /// Makes the log lines of calls that end; absent until the first write, and after a failed one.
    recorder: Option<Recorder>,
}

impl<S> Clone for ThreadLog<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: LogStore> ThreadLog<S> {
    /// A log with these entries, all of them on disk if there is a store.
    pub fn new(store: Option<S>, summary: ThreadSummary, entries: Vec<Entry>) -> Self {
        Self(Rc::new(SharedLog {
            store,
            summary: RefCell::new(summary),
            writer: Mutex::new(LogWriter { saved: entries.len(), recorder: None }),
            entries: RefCell::new(Rc::new(entries)),
            live: RefCell::default(),
            has_news: Cell::new(false),
            pictures: RefCell::default(),
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

    /// Live state of the answer that is arriving, or of the running call.
    pub fn live(&self) -> Live {
        self.0.live.borrow().clone()
    }

    /// Appends an entry. When this succeeds, the whole log is on disk.
    ///
    /// # Errors
    /// If the entry, or an earlier one that could not be written then, cannot be written. The log is
    /// unchanged then.
    pub async fn append(&self, entry: Entry) -> Result<(), StoreError> {
        let mut writer = self.0.writer.lock().await;
        self.write(&mut writer, &entry).await?;
        self.push(entry);
        writer.saved = self.len();
        Ok(())
    }

    /// Appends entries that can be derived again from the log. One that cannot be written stays in memory;
    /// the next append writes it first, at its own position, unless another worker has taken that position.
    pub async fn append_or_remember(&self, at: Timestamp, events: Vec<Event>) {
        for event in events {
            let entry = Entry { at, event };
            if self.append(entry.clone()).await.is_err() {
                self.push(entry);
            }
        }
    }

    /// Updates the live state. Returns whether the actor has to be told that there is news: not if it was
    /// told and has not looked yet.
    pub fn note(&self, told: &TurnUpdate<'_>) -> bool {
        let mut live = self.0.live.borrow_mut();
        match told {
            TurnUpdate::Appended(_) => {}
            TurnUpdate::Grew { reasoning, text } => {
                live.reasoning.push_str(reasoning);
                live.text.push_str(text);
            }
            TurnUpdate::TimeRunsOut(until) => live.until = *until,
            TurnUpdate::Step(step) => live.step = Some(*step),
            TurnUpdate::Learnt(_) => return false,
        }
        !self.0.has_news.replace(true)
    }

    /// Keeps the data of pictures in memory, for a thread that is not saved.
    pub(super) fn remember_pictures(&self, pictures: Vec<(String, String)>) {
        self.0.pictures.borrow_mut().extend(pictures);
    }

    /// Keeps the picture of a card in memory: it shows what the page shows now, which may be the user's own, and is of no
    /// use once the call is decided.
    pub fn show_picture(&self, picture: NewPicture) -> Option<Picture> {
        let named = pictures::named(std::slice::from_ref(&picture))?.into_iter().next()?;
        self.remember_pictures(vec![(named.digest.clone(), picture.data)]);
        Some(named)
    }

    /// Keeps a picture of a result; `None` if the thread has no room for it, or it cannot be written.
    pub async fn keep_picture(&self, picture: NewPicture) -> Option<Picture> {
        let named = pictures::named(std::slice::from_ref(&picture))?;
        if !pictures::have_room(&self.entries(), &named) {
            return None;
        }
        let data = vec![(named[0].digest.clone(), picture.data)];
        match &self.0.store {
            Some(store) => {
                let thread = self.summary().id;
                store.keep_pictures(&thread, data).await.ok()?;
            }
            None => self.remember_pictures(data),
        }
        named.into_iter().next()
    }

    /// The actor has looked at the news.
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
        let is_of_wait = matches!(entry.event, Event::WaitStarted { .. } | Event::WaitEnded { .. });
        let mut live = self.0.live.borrow_mut();
        // A step goes on after the user's part of it.
        *live = Live { step: live.step.filter(|_| is_of_wait), ..Live::default() };
        drop(live);
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

    async fn picture(&self, digest: &str) -> Option<String> {
        if let Some(data) = self.0.pictures.borrow().get(digest) {
            return Some(data.clone());
        }
        let store = self.0.store.as_ref()?;
        let thread = self.0.summary.borrow().id.clone();
        store.picture(&thread, digest).await
    }
}
