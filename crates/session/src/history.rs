//! Threads on disk: the list, changes, search, export and import.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::collections::{BTreeMap, BTreeSet};

use sidecar_agent::archive::{self, Archived};
use sidecar_agent::search::SearchQuery;
use sidecar_agent::{Entry, StoreError, markdown};
use sidecar_protocol::history::{ExportForm, ImportOutcome, TITLE_LIMIT, ThreadMatch, UNDO_MS};
use sidecar_protocol::link::Refusal;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{ThreadId, Timestamp};

use crate::pieces::in_pieces;
use crate::refusals;
use crate::threads::{LogStore, ReadError, SavedThread, ThreadRecord, pictures};

/// Number of threads that are searched at a time, before matches are reported and other work gets its turn.
const SEARCHED_AT_ONCE: usize = 25;

/// How long a deleted thread can be restored, in milliseconds: longer than promised, because a click at the
/// last moment takes time to arrive.
pub const PURGE_AFTER_MS: u64 = UNDO_MS + 2_000;

/// All threads on disk.
pub trait ThreadFiles: LogStore {
    /// The records of all threads in any order, including deleted ones that can still be restored.
    ///
    /// # Errors
    /// If they cannot be read.
    async fn records(&self) -> Result<Vec<ThreadRecord>, StoreError>;

    /// Changes a thread's record. `None` if the thread does not exist.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn change(
        &self,
        thread: &ThreadId,
        change: impl FnOnce(&mut ThreadRecord),
    ) -> Result<Option<ThreadRecord>, StoreError>;

    /// Removes threads for good, except those that were restored.
    ///
    /// # Errors
    /// If it cannot be written. Nothing is removed then.
    async fn purge(&self, threads: &[ThreadId]) -> Result<(), StoreError>;

    /// Writes threads whose ids are not in use: all of them, or none.
    ///
    /// # Errors
    /// If they cannot be written.
    async fn add(&self, threads: &[Archived]) -> Result<(), StoreError>;

    /// The threads that contain the text, in the same order.
    ///
    /// # Errors
    /// If they cannot be read.
    async fn search(
        &self,
        query: &SearchQuery,
        threads: Vec<ThreadSummary>,
    ) -> Result<Vec<ThreadMatch>, StoreError>;
}

/// The list of threads on disk: pinned threads first, then the newest.
///
/// # Errors
/// If they cannot be read.
pub async fn list(files: &impl ThreadFiles) -> Result<Vec<ThreadSummary>, StoreError> {
    let mut records = files.records().await?;
    records.retain(|record| record.deleted.is_none());
    records.sort_by_key(|ThreadRecord { summary, .. }| std::cmp::Reverse((summary.pinned, summary.updated)));
    Ok(records.into_iter().map(|record| record.summary).collect())
}

/// Renames a thread; a blank title changes nothing. Returns its line in the list.
///
/// # Errors
/// If the thread does not exist, or it cannot be written.
pub async fn rename(
    files: &impl ThreadFiles,
    thread: &ThreadId,
    title: &str,
) -> Result<ThreadSummary, Refusal> {
    change(files, thread, |record| {
        if let Some(title) = title_of(title) {
            record.summary.title = title;
        }
    })
    .await
}

/// Pins a thread to the top of the list, or unpins it. Returns its line in the list.
///
/// # Errors
/// If the thread does not exist, or it cannot be written.
pub async fn pin(
    files: &impl ThreadFiles,
    thread: &ThreadId,
    is_pinned: bool,
) -> Result<ThreadSummary, Refusal> {
    change(files, thread, |record| record.summary.pinned = is_pinned).await
}

/// Deletes a thread: removes it from the list. It can be restored until it is purged.
///
/// # Errors
/// If it cannot be written.
pub async fn delete(files: &impl ThreadFiles, thread: &ThreadId, now: Timestamp) -> Result<(), Refusal> {
    files.change(thread, |record| record.deleted = Some(now)).await.map(drop).map_err(refusals::storage)
}

/// Restores a deleted thread.
///
/// # Errors
/// If the thread was purged, or it cannot be written.
pub async fn restore(files: &impl ThreadFiles, thread: &ThreadId) -> Result<(), Refusal> {
    change(files, thread, |record| record.deleted = None).await.map(drop)
}

async fn change(
    files: &impl ThreadFiles,
    thread: &ThreadId,
    change: impl FnOnce(&mut ThreadRecord),
) -> Result<ThreadSummary, Refusal> {
    let record = files.change(thread, change).await.map_err(refusals::storage)?;
    record.map(|record| record.summary).ok_or(Refusal::NoThread)
}

/// Normalizes a title of the user; `None` if it is blank.
fn title_of(text: &str) -> Option<String> {
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = title.chars().take(TITLE_LIMIT).collect();
    if title.is_empty() { None } else { Some(title) }
}

/// Removes the threads whose time for being restored is over. Returns their ids, and those of `queued` that
/// no thread has: after an earlier purge, their messages could not be removed.
///
/// # Errors
/// If it cannot be written. Nothing is removed then.
pub async fn purge(
    files: &impl ThreadFiles,
    mut queued: BTreeSet<ThreadId>,
    now: Timestamp,
) -> Result<Vec<ThreadId>, StoreError> {
    let until = now.saturating_sub(PURGE_AFTER_MS);
    let records = files.records().await?;
    for record in &records {
        queued.remove(&record.summary.id);
    }
    let outdated = records.into_iter().filter(|record| record.deleted.is_some_and(|at| at <= until));
    let mut gone: Vec<ThreadId> = outdated.map(|record| record.summary.id).collect();
    if !gone.is_empty() {
        files.purge(&gone).await?;
    }
    gone.extend(queued);
    Ok(gone)
}

/// Searches all threads. Matches are reported as they are found, until the search is cancelled.
///
/// # Errors
/// If the list cannot be read.
pub async fn search(
    files: &impl ThreadFiles,
    query: &SearchQuery,
    is_called_off: impl Fn() -> bool,
    found: impl Fn(Vec<ThreadMatch>),
) -> Result<(), StoreError> {
    for some in list(files).await?.chunks(SEARCHED_AT_ONCE) {
        // Threads that cannot be read are not found; opening one reports why.
        let there = files.search(query, some.to_vec()).await.unwrap_or_default();
        if is_called_off() {
            break;
        }
        if !there.is_empty() {
            found(there);
        }
    }
    Ok(())
}

/// Exports a thread, or all of them, in pieces.
///
/// # Errors
/// If the database refuses; or if a thread cannot be read, in which case the others are exported all the
/// same.
pub async fn export(
    files: &impl ThreadFiles,
    id: Option<ThreadId>,
    form: ExportForm,
    language: Language,
    piece: impl Fn(String),
) -> Result<(), Refusal> {
    let ids = match id {
        Some(id) => vec![id],
        None => {
            let threads = list(files).await.map_err(refusals::storage)?;
            threads.into_iter().map(|summary| summary.id).collect()
        }
    };
    if form == ExportForm::Json {
        in_pieces(&archive::opening(), &piece);
    }
    let (mut is_first, mut unread) = (true, None);
    for id in ids {
        let (summary, log) = match files.thread(&id).await {
            Ok(Some(SavedThread { summary, log, .. })) => (summary, log),
            Ok(None) => continue,
            Err(ReadError::Store(error)) => return Err(refusals::storage(error)),
            Err(error @ ReadError::Log(_)) => {
                unread = Some(error);
                continue;
            }
        };
        let between = match form {
            _ if is_first => "",
            ExportForm::Json => archive::BETWEEN,
            ExportForm::Markdown => "\n---\n\n",
        };
        is_first = false;
        in_pieces(between, &piece);
        let text = match form {
            ExportForm::Json => {
                let pictures = pictures_of(files, &summary.id, &log).await;
                archive::written(&Archived { summary, log, pictures })
            }
            ExportForm::Markdown => markdown::of(&summary, &log, language),
        };
        in_pieces(&text, &piece);
    }
    if form == ExportForm::Json {
        in_pieces(archive::CLOSING, &piece);
    }
    unread.map_or(Ok(()), |error| Err(refusals::unread(error)))
}

/// The data of the pictures that a log names, as far as it is kept.
async fn pictures_of(files: &impl ThreadFiles, thread: &ThreadId, log: &[Entry]) -> BTreeMap<String, String> {
    let mut pictures = BTreeMap::new();
    for Picture { digest, .. } in log.iter().flat_map(archive::pictures) {
        if let Some(data) = files.picture(thread, digest).await {
            pictures.insert(digest.clone(), data);
        }
    }
    pictures
}

/// Drops data that is no picture which the thread's log names.
fn drop_unnamed(Archived { summary: _, log, pictures }: &mut Archived) {
    let named: BTreeSet<_> = log.iter().flat_map(archive::pictures).map(|picture| &picture.digest).collect();
    pictures.retain(|digest, data| named.contains(digest) && pictures::is_named(digest, data));
}

/// Imports the threads of a file: all of them, or none. Threads that already exist unchanged are skipped.
///
/// # Errors
/// If the database refuses. Nothing is written then.
pub async fn import(
    files: &impl ThreadFiles,
    file: archive::Reader,
    new_id: impl Fn() -> ThreadId,
) -> Result<ImportOutcome, StoreError> {
    let threads = match file.end() {
        Ok(threads) => threads,
        Err(problem) => return Ok(ImportOutcome::Refused { problem }),
    };
    let records = files.records().await?;
    let mut taken: BTreeSet<ThreadId> = records.into_iter().map(|record| record.summary.id).collect();
    let (mut added, mut known) = (Vec::new(), 0);
    for mut thread in threads {
        if !taken.insert(thread.summary.id.clone()) {
            let there = match files.thread(&thread.summary.id).await {
                Ok(there) => there,
                Err(ReadError::Store(error)) => return Err(error),
                Err(ReadError::Log(_)) => None,
            };
            if there.is_some_and(|there| there.log == thread.log) {
                known += 1;
                continue;
            }
            thread.summary.id = new_id();
            taken.insert(thread.summary.id.clone());
        }
        drop_unnamed(&mut thread);
        added.push(thread);
    }
    files.add(&added).await?;
    Ok(ImportOutcome::Imported { added: added.len() as u64, known })
}

#[cfg(test)]
mod tests;
