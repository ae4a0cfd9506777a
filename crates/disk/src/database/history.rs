//! The threads on disk: their records, logs and drafts.

use futures::channel::oneshot;
use futures::future::try_join_all;
use idb::{KeyRange, Query as Place};
use sidecar_agent::archive::Archived;
use sidecar_agent::search::SearchQuery;
use sidecar_agent::{Entry, StoreError};
use sidecar_protocol::ThreadId;
use sidecar_protocol::call_log::LoggedCall;
use sidecar_protocol::history::{Excerpt, ThreadMatch};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_session::event::WorkEvent;
use sidecar_session::history::ThreadFiles;
use sidecar_session::threads::{AnswerDraft, LogStore, ReadError, SavedThread, ThreadRecord};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use super::{CALLS, DRAFTS, Database, LOG, PICTURES, THREADS, parse, text, thread_key};

impl LogStore for Database {
    async fn thread(&self, thread: &ThreadId) -> Result<Option<SavedThread>, ReadError> {
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
        let record = record.as_ref().map(parse).transpose()?;
        let texts = log.iter().map(|entry| entry.as_string().unwrap_or_default());
        let draft = draft.as_ref().and_then(|draft| parse(draft).ok());
        SavedThread::of(record, positions.iter().map(position_of).zip(texts), draft).map_err(ReadError::Log)
    }

    async fn append(
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
                let saved = threads.get(key.clone())?.await?;
                let saved = saved.as_ref().and_then(|saved| parse(saved).ok());
                let record = match ThreadRecord::with_entry(saved, summary, position, entry) {
                    Ok(record) => record,
                    Err(error) => return Ok(Some(error)),
                };
                let log = transaction.object_store(LOG)?;
                if let Some(before) = position.checked_sub(1)
                    && log.get_key(log_key(&summary.id, before))?.await?.is_none()
                {
                    return Ok(Some(StoreError::other("an entry is missing before this one")));
                }
                // `add`, not `put`: it fails if the position is taken.
                let key_in_log = log_key(&summary.id, position);
                log.add(&text(entry), Some(&key_in_log))?.await?;
                threads.put(&text(&record), Some(&key))?.await?;
                if let Some(call) = call {
                    self.add_call(transaction, call).await?;
                }
                Ok(None)
            })
            .await?;
        if let Some(error) = refused {
            return Err(error);
        }
        if call.is_some() {
            self.mailbox.post(WorkEvent::CallsChanged);
        }
        Ok(())
    }

    async fn save_draft(&self, thread: &ThreadId, draft: AnswerDraft) {
        let (database, thread) = (self.clone(), thread.clone());
        let (sender, saved) = oneshot::channel();
        spawn_local(async move {
            // Failures are ignored: the log gets the whole answer in the end.
            let _ = database
                .write_in(&[DRAFTS], async |transaction| {
                    let drafts = transaction.object_store(DRAFTS)?;
                    drafts.put(&text(&draft), Some(&thread_key(&thread)))?.await.map(drop)
                })
                .await;
            let _ = sender.send(());
        });
        let _ = saved.await;
    }

    async fn keep_pictures(
        &self,
        thread: &ThreadId,
        pictures: Vec<(String, String)>,
    ) -> Result<(), StoreError> {
        if pictures.is_empty() {
            return Ok(());
        }
        self.write_in(&[PICTURES], async |transaction| {
            put_pictures(transaction, thread, pictures.iter().map(|(digest, data)| (digest, data))).await
        })
        .await
    }

    async fn picture(&self, thread: &ThreadId, digest: &str) -> Option<String> {
        let data = self
            .read_in(&[PICTURES], async |transaction| {
                transaction.object_store(PICTURES)?.get(picture_key(thread, digest))?.await
            })
            .await;
        data.ok()??.as_string()
    }
}

impl ThreadFiles for Database {
    async fn records(&self) -> Result<Vec<ThreadRecord>, StoreError> {
        let values = self
            .read_in(&[THREADS], async |transaction| {
                transaction.object_store(THREADS)?.get_all(None, None)?.await
            })
            .await?;
        values.iter().map(parse).collect()
    }

    async fn change(
        &self,
        thread: &ThreadId,
        change: impl FnOnce(&mut ThreadRecord),
    ) -> Result<Option<ThreadRecord>, StoreError> {
        self.write_in(&[THREADS], async |transaction| {
            let threads = transaction.object_store(THREADS)?;
            let kept = threads.get(thread_key(thread))?.await?;
            let Some(mut record) = kept.as_ref().and_then(|kept| parse::<ThreadRecord>(kept).ok()) else {
                return Ok(None);
            };
            change(&mut record);
            threads.put(&text(&record), Some(&thread_key(thread)))?.await?;
            Ok(Some(record))
        })
        .await
    }

    async fn purge(&self, threads: &[ThreadId]) -> Result<(), StoreError> {
        self.write_in(&[THREADS, LOG, DRAFTS, PICTURES], async |transaction| {
            let store = transaction.object_store(THREADS)?;
            for thread in threads {
                let kept = store.get(thread_key(thread))?.await?;
                let record = kept.as_ref().and_then(|kept| parse::<ThreadRecord>(kept).ok());
                if record.is_some_and(|record| record.deleted.is_some()) {
                    store.delete(thread_key(thread))?.await?;
                    transaction.object_store(DRAFTS)?.delete(thread_key(thread))?.await?;
                    transaction.object_store(LOG)?.delete(whole_log(thread)?)?.await?;
                    transaction.object_store(PICTURES)?.delete(pictures_of(thread)?)?.await?;
                }
            }
            Ok(())
        })
        .await
    }

    async fn add(&self, threads: &[Archived]) -> Result<(), StoreError> {
        self.write_in(&[THREADS, LOG, PICTURES], async |transaction| {
            let (store, store_of_log) = (transaction.object_store(THREADS)?, transaction.object_store(LOG)?);
            for Archived { summary, log, pictures } in threads {
                let record = ThreadRecord { summary: summary.clone(), deleted: None };
                store.add(&text(&record), Some(&thread_key(&summary.id)))?.await?;
                let adding = log.iter().enumerate().map(|(position, entry)| {
                    let key = log_key(&summary.id, position);
                    Ok(store_of_log.add(&text(entry), Some(&key))?.into_future())
                });
                try_join_all(adding.collect::<Result<Vec<_>, idb::Error>>()?).await?;
                put_pictures(transaction, &summary.id, pictures).await?;
            }
            Ok(())
        })
        .await
    }

    async fn search(
        &self,
        query: &SearchQuery,
        threads: Vec<ThreadSummary>,
    ) -> Result<Vec<ThreadMatch>, StoreError> {
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
                // The title is usually the beginning of the first message, so an excerpt would repeat it.
                Some(_) => Some(ThreadMatch { summary, excerpt: None }),
                None => Some(ThreadMatch { excerpt: Some(excerpt()?), summary }),
            }
        });
        Ok(found.collect())
    }
}

/// The match in an entry. Entries without one are recognised as JavaScript strings, without copying them into
/// WASM memory.
fn excerpt_of(query: &SearchQuery, needles: &[js_sys::JsString], entry: &JsValue) -> Option<Excerpt> {
    let text = entry.dyn_ref::<js_sys::JsString>()?.to_lower_case();
    needles.iter().all(|needle| text.index_of(&String::from(needle), 0) >= 0).then_some(())?;
    query.find_in(&parse::<Entry>(entry).ok()?)
}

fn log_key(thread: &ThreadId, position: usize) -> JsValue {
    js_sys::Array::of2(&thread_key(thread), &JsValue::from_f64(position as f64)).into()
}

async fn put_pictures<'a>(
    transaction: &idb::Transaction,
    thread: &ThreadId,
    pictures: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<(), idb::Error> {
    let store = transaction.object_store(PICTURES)?;
    for (digest, data) in pictures {
        store.put(&JsValue::from_str(data), Some(&picture_key(thread, digest)))?.await?;
    }
    Ok(())
}

fn picture_key(thread: &ThreadId, digest: &str) -> JsValue {
    js_sys::Array::of2(&thread_key(thread), &JsValue::from_str(digest)).into()
}

/// All pictures of a thread: `g` comes after every hexadecimal digit.
fn pictures_of(thread: &ThreadId) -> Result<Place, idb::Error> {
    let range = KeyRange::bound(&picture_key(thread, ""), &picture_key(thread, "g"), None, None)?;
    Ok(Place::KeyRange(range))
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
