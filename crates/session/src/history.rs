//! Earlier threads, on disk: the list, its changes, search, files.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::collections::BTreeSet;

use sidecar_agent::archive::{self, Archived};
use sidecar_agent::search::SearchQuery;
use sidecar_agent::{StoreError, markdown};
use sidecar_protocol::history::{ExportForm, ImportOutcome, TITLE_LIMIT, ThreadMatch, UNDO_MS};
use sidecar_protocol::link::Refusal;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{ThreadId, Timestamp};

use crate::pieces::in_pieces;
use crate::refusals;
use crate::threads::{LogStore, ReadError, SavedThread, ThreadRecord};

/// Threads that are searched in one go, before what was found is told and other things get their turn.
const SEARCHED_AT_ONCE: usize = 25;

/// How long a deleted thread can be brought back, in milliseconds: longer than it is promised, for a click at the last
/// moment takes its time to arrive.
pub const PURGE_AFTER_MS: u64 = UNDO_MS + 2_000;

/// All threads on disk.
pub trait ThreadFiles: LogStore {
    /// The lines of all threads, also of those that were deleted and can be brought back.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn records(&self) -> Result<Vec<ThreadRecord>, StoreError>;

    /// Changes a thread's line. `None` when there is no such thread.
    ///
    /// # Errors
    /// When it cannot be written.
    async fn change(
        &self,
        thread: &ThreadId,
        change: impl FnOnce(&mut ThreadRecord),
    ) -> Result<Option<ThreadRecord>, StoreError>;

    /// Removes threads for good, if they are still deleted.
    ///
    /// # Errors
    /// When it cannot be written. All are there then.
    async fn purge(&self, threads: &[ThreadId]) -> Result<(), StoreError>;

    /// Writes threads whose ids are free: all of them, or none.
    ///
    /// # Errors
    /// When they cannot be written.
    async fn add(&self, threads: &[Archived]) -> Result<(), StoreError>;

    /// Those of the threads in which the text stands, in the same order.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn search(
        &self,
        query: &SearchQuery,
        threads: Vec<ThreadSummary>,
    ) -> Result<Vec<ThreadMatch>, StoreError>;
}

/// All threads on disk, as they stand in the list: those that are kept at the top first, then the newest.
///
/// # Errors
/// When they cannot be read.
pub async fn list(files: &impl ThreadFiles) -> Result<Vec<ThreadSummary>, StoreError> {
    let mut records = files.records().await?;
    records.retain(|record| record.deleted.is_none());
    records.sort_by_key(|ThreadRecord { summary, .. }| std::cmp::Reverse((summary.pinned, summary.updated)));
    Ok(records.into_iter().map(|record| record.summary).collect())
}

/// Gives a thread another name. Its line in the list then.
///
/// # Errors
/// When there is no such thread, or that is no name, or it cannot be written.
pub async fn rename(
    files: &impl ThreadFiles,
    thread: &ThreadId,
    title: &str,
) -> Result<ThreadSummary, Refusal> {
    let title = title_of(title).ok_or(Refusal::NoThread)?;
    change(files, thread, |record| record.summary.title = title).await
}

/// Keeps a thread at the top of the list, or does not. Its line in the list then.
///
/// # Errors
/// When there is no such thread, or it cannot be written.
pub async fn pin(
    files: &impl ThreadFiles,
    thread: &ThreadId,
    is_pinned: bool,
) -> Result<ThreadSummary, Refusal> {
    change(files, thread, |record| record.summary.pinned = is_pinned).await
}

/// Takes a thread out of the list. It can be restored until it is purged.
///
/// # Errors
/// When it cannot be written.
pub async fn delete(files: &impl ThreadFiles, thread: &ThreadId, now: Timestamp) -> Result<(), Refusal> {
    files.change(thread, |record| record.deleted = Some(now)).await.map(drop).map_err(refusals::storage)
}

/// Brings a deleted thread back.
///
/// # Errors
/// When it is gone for good, or that cannot be written.
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

/// The name that a user gives a thread; `None` when it is none.
fn title_of(text: &str) -> Option<String> {
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = title.chars().take(TITLE_LIMIT).collect();
    if title.is_empty() { None } else { Some(title) }
}

/// Removes the threads that cannot be brought back any more, and gives them.
///
/// # Errors
/// When it cannot be written. All are there then.
pub async fn purge(files: &impl ThreadFiles, now: Timestamp) -> Result<Vec<ThreadId>, StoreError> {
    let until = now.saturating_sub(PURGE_AFTER_MS);
    let records = files.records().await?;
    let outdated = records.into_iter().filter(|record| record.deleted.is_some_and(|at| at <= until));
    let ids: Vec<ThreadId> = outdated.map(|record| record.summary.id).collect();
    if !ids.is_empty() {
        files.purge(&ids).await?;
    }
    Ok(ids)
}

/// Looks for a text in all threads. What is found is told as it is found, until the search is called off.
///
/// # Errors
/// When the list cannot be read.
pub async fn search(
    files: &impl ThreadFiles,
    query: &SearchQuery,
    is_called_off: impl Fn() -> bool,
    found: impl Fn(Vec<ThreadMatch>),
) -> Result<(), StoreError> {
    for some in list(files).await?.chunks(SEARCHED_AT_ONCE) {
        // What cannot be read is not found; opening it says why.
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

/// Writes out a thread, or all of them, piece by piece.
///
/// # Errors
/// When the database refuses; or when a thread cannot be read, and then the others are written all the same.
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
            ExportForm::Json => archive::written(&Archived { summary, log }),
            ExportForm::Markdown => markdown::of(&summary, &log, language),
        };
        in_pieces(&text, &piece);
    }
    if form == ExportForm::Json {
        in_pieces(archive::CLOSING, &piece);
    }
    unread.map_or(Ok(()), |error| Err(refusals::unread(error)))
}

/// Takes in the threads of a file, if all of them can be.
///
/// # Errors
/// When the database refuses. Nothing was written then.
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
        added.push(thread);
    }
    files.add(&added).await?;
    Ok(ImportOutcome::Imported { added: added.len() as u64, known })
}

#[cfg(test)]
mod tests;
