//! The threads on disk: IndexedDB.
//!
//! Three stores. `threads`: id → summary. `log`: [id, position] → entry. `drafts`: id → the answer that was growing.
//! Every value is a JSON text.

use std::rc::Rc;

use futures::lock::Mutex;
use idb::builder::{DatabaseBuilder, ObjectStoreBuilder};
use idb::{KeyRange, Query, TransactionMode};
use serde::{Deserialize, Serialize};
use sidecar_agent::saved::{self, Unreadable};
use sidecar_agent::{Entry, StoreError};
use sidecar_protocol::ThreadId;
use sidecar_protocol::thread::ThreadSummary;
use wasm_bindgen::JsValue;

const NAME: &str = "webmcp-sidecar";
const VERSION: u32 = 1;
const THREADS: &str = "threads";
const LOG: &str = "log";
const DRAFTS: &str = "drafts";

/// The database, opened when it is first needed and again after a failure.
#[derive(Clone, Default)]
pub struct Database(Rc<Mutex<Option<Rc<idb::Database>>>>);

/// An answer that was growing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The position in the log at which the answer is awaited.
    pub position: usize,
    /// Thoughts so far.
    pub reasoning: String,
    /// Words so far.
    pub text: String,
}

/// Why a thread could not be read.
#[derive(Debug)]
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

impl Database {
    /// What the browser said. The connection may be what is broken, so the next call opens another.
    async fn refused(&self, error: idb::Error) -> StoreError {
        *self.0.lock().await = None;
        StoreError(error.to_string())
    }

    async fn open(&self) -> Result<Rc<idb::Database>, StoreError> {
        let mut open = self.0.lock().await;
        if let Some(database) = &*open {
            return Ok(database.clone());
        }
        let database = DatabaseBuilder::new(NAME)
            .version(VERSION)
            .add_object_store(ObjectStoreBuilder::new(THREADS))
            .add_object_store(ObjectStoreBuilder::new(LOG))
            .add_object_store(ObjectStoreBuilder::new(DRAFTS))
            .build()
            .await
            .map_err(|error| StoreError(error.to_string()))?;
        let database = Rc::new(database);
        *open = Some(database.clone());
        Ok(database)
    }

    /// Writes an entry at its place, and the thread's line in the list with it.
    pub async fn append(
        &self,
        summary: &ThreadSummary,
        position: usize,
        entry: &Entry,
    ) -> Result<(), StoreError> {
        let database = self.open().await?;
        let write = async {
            let transaction = database.transaction(&[THREADS, LOG], TransactionMode::ReadWrite)?;
            let key = log_key(&summary.id, position);
            // `add`, not `put`: what is written is never overwritten.
            transaction.object_store(LOG)?.add(&text(entry), Some(&key))?.await?;
            transaction.object_store(THREADS)?.put(&text(summary), Some(&thread_key(&summary.id)))?.await?;
            transaction.commit()?.await.map(drop)
        };
        match write.await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.refused(error).await),
        }
    }

    /// Keeps the answer that is growing, in the place of the one before.
    pub async fn save_draft(&self, thread: &ThreadId, draft: &Draft) -> Result<(), StoreError> {
        let database = self.open().await?;
        let write = async {
            let transaction = database.transaction(&[DRAFTS], TransactionMode::ReadWrite)?;
            transaction.object_store(DRAFTS)?.put(&text(draft), Some(&thread_key(thread)))?.await?;
            transaction.commit()?.await.map(drop)
        };
        match write.await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.refused(error).await),
        }
    }

    /// The thread's whole log, and the answer that was growing when the worker died, if one was.
    pub async fn read(&self, thread: &ThreadId) -> Result<(Vec<Entry>, Option<Draft>), ReadError> {
        let database = self.open().await?;
        let read = async {
            let transaction = database.transaction(&[LOG, DRAFTS], TransactionMode::ReadOnly)?;
            let range =
                KeyRange::bound(&log_key(thread, 0), &log_key(thread, u32::MAX as usize), None, None)?;
            let store = transaction.object_store(LOG)?;
            let keys = store.get_all_keys(Some(Query::KeyRange(range.clone())), None)?.await?;
            let log = store.get_all(Some(Query::KeyRange(range)), None)?.await?;
            let draft = transaction.object_store(DRAFTS)?.get(thread_key(thread))?.await?;
            Ok::<_, idb::Error>((keys, log, draft))
        };
        let (keys, log, draft) = match read.await {
            Ok(read) => read,
            Err(error) => return Err(self.refused(error).await.into()),
        };
        let rows =
            keys.iter().map(position_of).zip(log.iter().map(|row| row.as_string().unwrap_or_default()));
        let entries = saved::read(rows).map_err(ReadError::Log)?;
        let draft = draft.as_ref().and_then(|draft| parse::<Draft>(draft).ok());
        Ok((entries, draft))
    }

    /// All threads, newest first.
    pub async fn threads(&self) -> Result<Vec<ThreadSummary>, StoreError> {
        let database = self.open().await?;
        let read = async {
            let transaction = database.transaction(&[THREADS], TransactionMode::ReadOnly)?;
            transaction.object_store(THREADS)?.get_all(None, None)?.await
        };
        let values = match read.await {
            Ok(values) => values,
            Err(error) => return Err(self.refused(error).await),
        };
        let mut threads = values.iter().map(parse).collect::<Result<Vec<ThreadSummary>, StoreError>>()?;
        threads.sort_by_key(|thread| std::cmp::Reverse(thread.updated));
        Ok(threads)
    }
}

fn thread_key(thread: &ThreadId) -> JsValue {
    JsValue::from_str(&thread.0)
}

fn log_key(thread: &ThreadId, position: usize) -> JsValue {
    js_sys::Array::of2(&thread_key(thread), &JsValue::from_f64(position as f64)).into()
}

/// The position in a [`log_key`].
fn position_of(key: &JsValue) -> usize {
    let position = js_sys::Array::from(key).get(1).as_f64().unwrap_or(f64::MAX);
    position as usize
}

fn text(value: &impl Serialize) -> JsValue {
    JsValue::from_str(&serde_json::to_string(value).unwrap_or_default())
}

fn parse<T: for<'de> Deserialize<'de>>(value: &JsValue) -> Result<T, StoreError> {
    let text = value.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| StoreError(error.to_string()))
}
