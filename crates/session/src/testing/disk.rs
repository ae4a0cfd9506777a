//! A disk in memory with the rules of the browser's database. Threads are kept as JSON texts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

use futures::channel::oneshot;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sidecar_agent::archive::Archived;
use sidecar_agent::search::SearchQuery;
use sidecar_agent::{Entry, StoreError};
use sidecar_protocol::ThreadId;
use sidecar_protocol::call_log::LoggedCall;
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, SavedEval};
use sidecar_protocol::history::ThreadMatch;
use sidecar_protocol::thread::ThreadSummary;

use crate::call_log::{CallFiles, CallLines, Places, last_outdated};
use crate::evals::files::{EvalFiles, forgotten};
use crate::history::ThreadFiles;
use crate::threads::{AnswerDraft, LogStore, ReadError, SavedThread, ThreadRecord};

/// A disk that can be made to refuse or to wait. Clones share its state.
#[derive(Debug, Clone, Default)]
pub struct Disk(Rc<DiskState>);

#[derive(Debug, Default)]
struct DiskState {
    records: RefCell<BTreeMap<ThreadId, String>>,
    log: RefCell<BTreeMap<(ThreadId, usize), String>>,
    drafts: RefCell<BTreeMap<ThreadId, String>>,
    calls: RefCell<Vec<LoggedCall>>,
    pictures: RefCell<BTreeMap<(ThreadId, String), String>>,
    evals: RefCell<BTreeMap<EvalId, KeptEval>>,
    /// Number of further writes that succeed; absent if all do.
    room: Cell<Option<usize>>,
    is_unreadable: Cell<bool>,
    /// The next write waits for this.
    gate: RefCell<Option<oneshot::Receiver<()>>>,
}

impl Disk {
    /// A disk with one thread.
    pub fn with(id: &str, entries: &[Entry]) -> Self {
        let disk = Self::default();
        for (position, entry) in entries.iter().enumerate() {
            disk.put_entry(id, position, &text(entry));
        }
        let summary = sidecar_agent::view::summary(&id.into(), entries).unwrap();
        disk.put_record(id, &ThreadRecord::new(summary));
        disk
    }

    pub fn put_record(&self, id: &str, record: &ThreadRecord) {
        self.0.records.borrow_mut().insert(id.into(), text(record));
    }

    pub fn put_entry(&self, id: &str, position: usize, entry: &str) {
        self.0.log.borrow_mut().insert((id.into(), position), entry.to_owned());
    }

    pub fn put_draft(&self, id: &str, draft: &AnswerDraft) {
        self.0.drafts.borrow_mut().insert(id.into(), text(draft));
    }

    /// Lets this many further writes succeed, or all of them.
    pub fn leave_room(&self, writes: Option<usize>) {
        self.0.room.set(writes);
    }

    /// Makes all reads fail.
    pub fn become_unreadable(&self) {
        self.0.is_unreadable.set(true);
    }

    /// Makes the next write wait until the returned sender is used or dropped.
    pub fn hold_next_write(&self) -> oneshot::Sender<()> {
        let (sender, receiver) = oneshot::channel();
        *self.0.gate.borrow_mut() = Some(receiver);
        sender
    }

    /// The entries of a thread.
    pub fn log(&self, id: &str) -> Vec<Entry> {
        let log = self.0.log.borrow();
        let rows = log.iter().filter(|((thread, _), _)| thread.0 == id);
        rows.map(|(_, entry)| serde_json::from_str(entry).unwrap()).collect()
    }

    pub fn record(&self, id: &str) -> Option<ThreadRecord> {
        Some(serde_json::from_str(self.0.records.borrow().get(&ThreadId::from(id))?).unwrap())
    }

    pub fn draft(&self, id: &str) -> Option<AnswerDraft> {
        Some(serde_json::from_str(self.0.drafts.borrow().get(&ThreadId::from(id))?).unwrap())
    }

    /// The lines of the log of calls.
    pub fn calls(&self) -> Vec<LoggedCall> {
        self.0.calls.borrow().clone()
    }

    /// Number of texts of threads: records, entries and drafts.
    pub fn texts(&self) -> usize {
        self.0.records.borrow().len() + self.0.log.borrow().len() + self.0.drafts.borrow().len()
    }

    fn check_read(&self) -> Result<(), StoreError> {
        match self.0.is_unreadable.get() {
            true => Err(StoreError::other("UnknownError")),
            false => Ok(()),
        }
    }

    async fn check_write(&self) -> Result<(), StoreError> {
        let gate = self.0.gate.borrow_mut().take();
        if let Some(gate) = gate {
            let _ = gate.await;
        }
        match self.0.room.get() {
            Some(0) => Err(StoreError::new(StorageTrouble::Full, "QuotaExceededError")),
            room => {
                self.0.room.set(room.map(|room| room - 1));
                Ok(())
            }
        }
    }
}

impl LogStore for Disk {
    async fn thread(&self, thread: &ThreadId) -> Result<Option<SavedThread>, ReadError> {
        self.check_read()?;
        let log = self.0.log.borrow();
        let rows = log.iter().filter(|((id, _), _)| id == thread);
        let rows = rows.map(|((_, position), text)| (*position, text.clone()));
        SavedThread::of(self.record(&thread.0), rows, self.draft(&thread.0)).map_err(ReadError::Log)
    }

    async fn append(
        &self,
        summary: &ThreadSummary,
        position: usize,
        entry: &Entry,
        call: Option<&LoggedCall>,
    ) -> Result<(), StoreError> {
        self.check_write().await?;
        let record = ThreadRecord::with_entry(self.record(&summary.id.0), summary, position, entry)?;
        let mut log = self.0.log.borrow_mut();
        let is_taken = |position: usize| log.contains_key(&(summary.id.clone(), position));
        if position > 0 && !is_taken(position - 1) {
            return Err(StoreError::other("an entry is missing before this one"));
        }
        if is_taken(position) {
            return Err(StoreError::other("ConstraintError"));
        }
        log.insert((summary.id.clone(), position), text(entry));
        self.put_record(&summary.id.0, &record);
        self.0.calls.borrow_mut().extend(call.cloned());
        Ok(())
    }

    async fn save_draft(&self, thread: &ThreadId, draft: AnswerDraft) {
        if self.check_write().await.is_ok() {
            self.put_draft(&thread.0, &draft);
        }
    }

    async fn keep_pictures(
        &self,
        thread: &ThreadId,
        pictures: Vec<(String, String)>,
    ) -> Result<(), StoreError> {
        if pictures.is_empty() {
            return Ok(());
        }
        self.check_write().await?;
        let keyed = pictures.into_iter().map(|(digest, data)| ((thread.clone(), digest), data));
        self.0.pictures.borrow_mut().extend(keyed);
        Ok(())
    }

    async fn picture(&self, thread: &ThreadId, digest: &str) -> Option<String> {
        self.0.pictures.borrow().get(&(thread.clone(), digest.to_owned())).cloned()
    }
}

impl ThreadFiles for Disk {
    async fn records(&self) -> Result<Vec<ThreadRecord>, StoreError> {
        self.check_read()?;
        Ok(self.0.records.borrow().values().map(|record| serde_json::from_str(record).unwrap()).collect())
    }

    async fn change(
        &self,
        thread: &ThreadId,
        change: impl FnOnce(&mut ThreadRecord),
    ) -> Result<Option<ThreadRecord>, StoreError> {
        self.check_write().await?;
        let Some(mut record) = self.record(&thread.0) else { return Ok(None) };
        change(&mut record);
        self.put_record(&thread.0, &record);
        Ok(Some(record))
    }

    async fn purge(&self, threads: &[ThreadId]) -> Result<(), StoreError> {
        self.check_write().await?;
        for thread in threads {
            if self.record(&thread.0).is_some_and(|record| record.deleted.is_some()) {
                self.0.records.borrow_mut().remove(thread);
                self.0.drafts.borrow_mut().remove(thread);
                self.0.log.borrow_mut().retain(|(id, _), _| id != thread);
                self.0.pictures.borrow_mut().retain(|(id, _), _| id != thread);
            }
        }
        Ok(())
    }

    async fn add(&self, threads: &[Archived]) -> Result<(), StoreError> {
        self.check_write().await?;
        for Archived { summary, log, pictures } in threads {
            assert!(self.record(&summary.id.0).is_none(), "the id is free");
            self.put_record(&summary.id.0, &ThreadRecord::new(summary.clone()));
            for (position, entry) in log.iter().enumerate() {
                self.put_entry(&summary.id.0, position, &text(entry));
            }
            let keyed =
                pictures.iter().map(|(digest, data)| ((summary.id.clone(), digest.clone()), data.clone()));
            self.0.pictures.borrow_mut().extend(keyed);
        }
        Ok(())
    }

    async fn search(
        &self,
        query: &SearchQuery,
        threads: Vec<ThreadSummary>,
    ) -> Result<Vec<ThreadMatch>, StoreError> {
        self.check_read()?;
        let found = |summary: ThreadSummary| {
            let log = self.log(&summary.id.0);
            let excerpt = log.iter().find_map(|entry| query.find_in(entry))?;
            Some(ThreadMatch { summary, excerpt: Some(excerpt) })
        };
        Ok(threads.into_iter().filter_map(found).collect())
    }
}

impl CallLines for Disk {
    async fn places(&self) -> Result<Option<Places>, StoreError> {
        self.check_read()?;
        let count = self.0.calls.borrow().len() as u64;
        Ok((count > 0).then_some(Places { first: 1, last: count, count }))
    }

    async fn lines<T: DeserializeOwned>(
        &self,
        places: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, T)>, StoreError> {
        let calls = self.0.calls.borrow();
        let there = (1..).zip(calls.iter()).filter(|(place, _)| places.contains(place));
        Ok(there.map(|(place, call)| (place, serde_json::from_str(&text(call)).unwrap())).collect())
    }
}

impl CallFiles for Disk {
    async fn keep_calls(&self, count: u32) -> Result<bool, StoreError> {
        self.check_write().await?;
        let mut calls = self.0.calls.borrow_mut();
        let outdated = last_outdated(calls.len() as u64, count).unwrap_or_default();
        calls.drain(..usize::try_from(outdated).unwrap());
        Ok(outdated > 0)
    }

    async fn log_call(&self, call: &LoggedCall) -> Result<(), StoreError> {
        self.check_write().await?;
        self.0.calls.borrow_mut().push(call.clone());
        Ok(())
    }

    async fn clear_calls(&self) -> Result<(), StoreError> {
        self.check_write().await?;
        self.0.calls.borrow_mut().clear();
        Ok(())
    }
}

/// An eval, what it runs, and its runs by name.
type KeptEval = (EvalEntry, EvalPlan, BTreeMap<String, Value>);

impl EvalFiles for Disk {
    async fn evals(&self) -> Result<Vec<EvalEntry>, StoreError> {
        self.check_read()?;
        Ok(self.0.evals.borrow().values().map(|(entry, ..)| entry.clone()).collect())
    }

    async fn eval(&self, id: &EvalId) -> Result<Option<SavedEval>, StoreError> {
        self.check_read()?;
        let evals = self.0.evals.borrow();
        let saved = evals.get(id).map(|(entry, plan, runs)| SavedEval {
            entry: entry.clone(),
            plan: plan.clone(),
            records: runs.values().cloned().collect(),
        });
        Ok(saved)
    }

    async fn keep_eval(&self, entry: &EvalEntry, plan: &EvalPlan) -> Result<(), StoreError> {
        self.check_write().await?;
        let saved = (entry.clone(), plan.clone(), BTreeMap::new());
        self.0.evals.borrow_mut().insert(entry.id.clone(), saved);
        Ok(())
    }

    async fn note_eval(&self, entry: &EvalEntry, run: Option<(&str, &Value)>) -> Result<(), StoreError> {
        self.check_write().await?;
        let mut evals = self.0.evals.borrow_mut();
        let saved = evals.get_mut(&entry.id).ok_or_else(forgotten)?;
        saved.0 = entry.clone();
        if let Some((name, record)) = run {
            saved.2.insert(name.to_owned(), record.clone());
        }
        Ok(())
    }

    async fn forget_eval(&self, id: &EvalId) -> Result<(), StoreError> {
        self.check_write().await?;
        self.0.evals.borrow_mut().remove(id);
        Ok(())
    }
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}
