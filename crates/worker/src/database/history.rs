//! The threads on disk.

use futures::future::try_join_all;
use idb::{KeyRange, Query as Place};
use serde::{Deserialize, Serialize};
use sidecar_agent::archive::Archived;
use sidecar_agent::search::Query;
use sidecar_agent::{Entry, Event as LogEvent, StoreError, saved};
use sidecar_protocol::audit::LoggedCall;
use sidecar_protocol::history::{Excerpt, Found};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{ThreadId, Timestamp};
use wasm_bindgen::{JsCast, JsValue};

use crate::event::Event;

use super::{CALLS, DRAFTS, Database, LOG, ReadError, THREADS, parse, text, thread_key};

/// Why nothing is written to a thread.
const DELETED: &str = "the conversation was deleted";

/// A thread's line in the list, and whether it is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(flatten)]
    pub summary: ThreadSummary,
    /// When the user deleted it, until it is gone for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Timestamp>,
}

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

/// A thread as it is on disk.
pub struct Kept {
    pub summary: ThreadSummary,
    pub log: Vec<Entry>,
    pub draft: Option<Draft>,
}

impl Database {
    /// Writes an entry at its place, with it the time in the thread's line in the list, and the line of the call that ends
    /// with it. `summary` is the line of a thread that is new; whatever the user changed in one that is there stays.
    ///
    /// Nothing is written behind a place that is empty, and no turn begins in a thread that the user deleted.
    pub async fn append(
        &self,
        summary: &ThreadSummary,
        position: usize,
        entry: &Entry,
        call: Option<&LoggedCall>,
    ) -> Result<(), StoreError> {
        let refused = self
            .write_in(&[THREADS, LOG, CALLS], async |transaction| {
                let threads = transaction.object_store(THREADS)?;
                let key = thread_key(&summary.id);
                let kept = threads.get(key.clone())?.await?;
                let mut record = match kept.as_ref().and_then(|kept| parse(kept).ok()) {
                    Some(record) => record,
                    None if position == 0 => Record { summary: summary.clone(), deleted: None },
                    None => return Ok(Some(DELETED)),
                };
                let begins =
                    matches!(entry.event, LogEvent::TurnStarted { .. } | LogEvent::TurnContinued { .. });
                if begins && record.deleted.is_some() {
                    return Ok(Some(DELETED));
                }
                record.summary.updated = entry.at;
                let log = transaction.object_store(LOG)?;
                if let Some(before) = position.checked_sub(1)
                    && log.get_key(log_key(&summary.id, before))?.await?.is_none()
                {
                    return Ok(Some("an entry is missing before this one"));
                }
                // `add`, not `put`: what is written is never overwritten.
                let key_in_log = log_key(&summary.id, position);
                log.add(&text(entry), Some(&key_in_log))?.await?;
                threads.put(&text(&record), Some(&key))?.await?;
                if let Some(call) = call {
                    self.add_call(transaction, call).await?;
                }
                Ok(None)
            })
            .await?;
        if let Some(why) = refused {
            return Err(StoreError(why.to_owned()));
        }
        if call.is_some() {
            self.mailbox.post(Event::CallsChanged);
        }
        Ok(())
    }

    /// Keeps the answer that is growing, in the place of the one before.
    pub async fn save_draft(&self, thread: &ThreadId, draft: &Draft) -> Result<(), StoreError> {
        self.write_in(&[DRAFTS], async |transaction| {
            transaction.object_store(DRAFTS)?.put(&text(draft), Some(&thread_key(thread)))?.await.map(drop)
        })
        .await
    }

    /// The thread with its whole log, and the answer that was growing when the worker died, if one was. `None` when there
    /// is no such thread, or the user deleted it.
    pub async fn thread(&self, thread: &ThreadId) -> Result<Option<Kept>, ReadError> {
        let (record, positions, log, draft) = self
            .read_in(&[THREADS, LOG, DRAFTS], async |transaction| {
                let record = transaction.object_store(THREADS)?.get(thread_key(thread))?.into_future();
                let store = transaction.object_store(LOG)?;
                let positions = store.get_all_keys(Some(whole_log(thread)?), None)?.into_future();
                let log = store.get_all(Some(whole_log(thread)?), None)?.into_future();
                let draft = transaction.object_store(DRAFTS)?.get(thread_key(thread))?.into_future();
                Ok((record.await?, positions.await?, log.await?, draft.await?))
            })
            .await?;
        let Some(Record { summary, deleted: None }) = record.as_ref().map(parse).transpose()? else {
            return Ok(None);
        };
        let texts = log.iter().map(|entry| entry.as_string().unwrap_or_default());
        let log = saved::read(positions.iter().map(position_of).zip(texts)).map_err(ReadError::Log)?;
        let draft = draft.as_ref().and_then(|draft| parse::<Draft>(draft).ok());
        Ok((!log.is_empty()).then_some(Kept { summary, log, draft }))
    }

    /// The lines of all threads, also of those that were deleted and can be brought back; those that are kept at the top
    /// first, then the newest.
    pub async fn records(&self) -> Result<Vec<Record>, StoreError> {
        let values = self
            .read_in(&[THREADS], async |transaction| {
                transaction.object_store(THREADS)?.get_all(None, None)?.await
            })
            .await?;
        let mut records = values.iter().map(parse).collect::<Result<Vec<Record>, StoreError>>()?;
        records.sort_by_key(|Record { summary, .. }| std::cmp::Reverse((summary.pinned, summary.updated)));
        Ok(records)
    }

    /// Changes a thread's line in the list. `None` when there is no such thread.
    pub async fn change(
        &self,
        thread: &ThreadId,
        change: impl FnOnce(&mut Record),
    ) -> Result<Option<Record>, StoreError> {
        self.write_in(&[THREADS], async |transaction| {
            let threads = transaction.object_store(THREADS)?;
            let kept = threads.get(thread_key(thread))?.await?;
            let Some(mut record) = kept.as_ref().and_then(|kept| parse::<Record>(kept).ok()) else {
                return Ok(None);
            };
            change(&mut record);
            threads.put(&text(&record), Some(&thread_key(thread)))?.await?;
            Ok(Some(record))
        })
        .await
    }

    /// Removes threads for good, if they are still deleted.
    pub async fn purge(&self, threads: &[ThreadId]) -> Result<(), StoreError> {
        self.write_in(&[THREADS, LOG, DRAFTS], async |transaction| {
            let store = transaction.object_store(THREADS)?;
            for thread in threads {
                let kept = store.get(thread_key(thread))?.await?;
                let record = kept.as_ref().and_then(|kept| parse::<Record>(kept).ok());
                if record.is_some_and(|record| record.deleted.is_some()) {
                    store.delete(thread_key(thread))?.await?;
                    transaction.object_store(DRAFTS)?.delete(thread_key(thread))?.await?;
                    transaction.object_store(LOG)?.delete(whole_log(thread)?)?.await?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Writes threads whose ids are free: all of them, or none.
    pub async fn add(&self, threads: &[Archived]) -> Result<(), StoreError> {
        self.write_in(&[THREADS, LOG], async |transaction| {
            let (store, store_of_log) = (transaction.object_store(THREADS)?, transaction.object_store(LOG)?);
            for Archived { summary, log } in threads {
                let record = Record { summary: summary.clone(), deleted: None };
                store.add(&text(&record), Some(&thread_key(&summary.id)))?.await?;
                let adding = log.iter().enumerate().map(|(position, entry)| {
                    let key = log_key(&summary.id, position);
                    Ok(store_of_log.add(&text(entry), Some(&key))?.into_future())
                });
                try_join_all(adding.collect::<Result<Vec<_>, idb::Error>>()?).await?;
            }
            Ok(())
        })
        .await
    }

    /// Those of the threads in which the text stands, in the same order.
    pub async fn search(&self, query: &Query, threads: Vec<ThreadSummary>) -> Result<Vec<Found>, StoreError> {
        let logs = self
            .read_in(&[LOG], async |transaction| {
                let log = transaction.object_store(LOG)?;
                let reading = threads
                    .iter()
                    .map(|thread| Ok(log.get_all(Some(whole_log(&thread.id)?), None)?.into_future()));
                try_join_all(reading.collect::<Result<Vec<_>, idb::Error>>()?).await
            })
            .await?;
        let needles: Vec<_> =
            query.needles().iter().map(|needle| js_sys::JsString::from(needle.as_str())).collect();
        let found = threads.into_iter().zip(logs).filter_map(|(summary, log)| {
            let excerpt = || log.iter().find_map(|entry| excerpt_of(query, &needles, entry));
            match query.find(&summary.title) {
                // The title is mostly the first words: there is no more to say than that.
                Some(_) => Some(Found { summary, excerpt: None }),
                None => Some(Found { excerpt: Some(excerpt()?), summary }),
            }
        });
        Ok(found.collect())
    }
}

/// What matches in an entry. Most are passed over where they are, without being read into this module's memory.
fn excerpt_of(query: &Query, needles: &[js_sys::JsString], entry: &JsValue) -> Option<Excerpt> {
    let text = entry.dyn_ref::<js_sys::JsString>()?.to_lower_case();
    needles.iter().all(|needle| text.index_of(&String::from(needle), 0) >= 0).then_some(())?;
    query.find_in(&parse::<Entry>(entry).ok()?)
}

fn log_key(thread: &ThreadId, position: usize) -> JsValue {
    js_sys::Array::of2(&thread_key(thread), &JsValue::from_f64(position as f64)).into()
}

/// The position in a [`log_key`].
fn position_of(key: &JsValue) -> usize {
    let position = js_sys::Array::from(key).get(1).as_f64().unwrap_or(f64::MAX);
    position as usize
}

fn whole_log(thread: &ThreadId) -> Result<Place, idb::Error> {
    let range = KeyRange::bound(&log_key(thread, 0), &log_key(thread, u32::MAX as usize), None, None)?;
    Ok(Place::KeyRange(range))
}
