//! Earlier threads, on disk. What may take long here is done by tasks of their own.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use sidecar_agent::archive::{self, Archived};
use sidecar_agent::search::Query;
use sidecar_agent::{StoreError, markdown};
use sidecar_protocol::ThreadId;
use sidecar_protocol::history::{ExportForm, Found, ImportOutcome, TITLE_LIMIT, UNDO_MS};
use sidecar_protocol::link::Refusal;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_session::panels::LinkId;
use sidecar_session::refusals;
use sidecar_session::threads::{LogStore, ReadError, SavedThread};
use wasm_bindgen_futures::spawn_local;

use crate::call_log::CallNames;
use crate::clock;
use crate::database::Database;
use crate::event::{Event, Mailbox};
use crate::pieces::in_pieces;

/// Threads that are searched in one go, before what was found is told and other things get their turn.
const SEARCHED_AT_ONCE: usize = 25;

/// How much longer than it is promised a deleted thread can be brought back, in milliseconds: a click at the last moment
/// takes its time to arrive.
const GRACE_MS: u64 = 2_000;

/// What is going on between panels and the disk.
pub struct History {
    mailbox: Mailbox,
    database: Database,
    /// The last search of each panel, by number; an earlier one ends.
    searches: HashMap<LinkId, Rc<Cell<u32>>>,
    /// Files that are on their way from a panel.
    files: HashMap<LinkId, archive::Reader>,
    /// How often the list of threads was read for all panels.
    lists: u32,
    /// The last page of the log of calls that each panel asked for, by number.
    pages: HashMap<LinkId, Rc<Cell<u32>>>,
    /// The names in that log.
    names: CallNames,
}

/// A search that was begun.
pub struct Searching<F> {
    /// What is looked for.
    pub query: Query,
    /// Whether the panel looks for something else by now.
    pub is_called_off: F,
}

impl History {
    pub fn new(mailbox: Mailbox, database: Database) -> Self {
        Self {
            mailbox,
            database,
            searches: HashMap::new(),
            files: HashMap::new(),
            lists: 0,
            pages: HashMap::new(),
            names: CallNames::default(),
        }
    }

    /// The disk, for a task of its own.
    pub fn database(&self) -> Database {
        self.database.clone()
    }

    /// A panel closed: nobody waits for what it asked.
    pub fn gone(&mut self, link: LinkId) {
        for last in [self.searches.remove(&link), self.pages.remove(&link)].into_iter().flatten() {
            last.set(0);
        }
        self.files.remove(&link);
    }

    /// Reads the list of threads for all panels.
    pub fn list_for_all(&mut self) {
        self.lists += 1;
        let (number, database, mailbox) = (self.lists, self.database.clone(), self.mailbox.clone());
        spawn_local(async move {
            mailbox.post(match list(&database).await {
                Ok(threads) => Event::ThreadsListed { number, threads },
                Err(error) => Event::Trouble { why: refusals::storage(error) },
            });
        });
    }

    /// Whether no later list was asked for.
    pub fn is_latest_list(&self, number: u32) -> bool {
        self.lists == number
    }

    /// Calls off the panel's search, and begins another where the text is one to be looked for.
    pub fn search(&mut self, link: LinkId, text: &str) -> Option<Searching<impl Fn() -> bool + use<>>> {
        let last = self.searches.entry(link).or_default().clone();
        let number = last.get() + 1;
        last.set(number);
        let query = Query::of(text)?;
        Some(Searching { query, is_called_off: move || last.get() != number })
    }

    /// A panel asks for a page of the log of calls. Says whether it asks for another one by then.
    pub fn ask_for_calls(&mut self, link: LinkId) -> impl Fn() -> bool + use<> {
        let last = self.pages.entry(link).or_default().clone();
        let number = last.get() + 1;
        last.set(number);
        move || last.get() != number
    }

    /// The names in the log of calls.
    pub fn names(&self) -> CallNames {
        self.names.clone()
    }

    /// Takes the next piece of a file from a panel. The file, once it is whole.
    pub fn receive(&mut self, link: LinkId, text: &str, more: bool) -> Option<archive::Reader> {
        let file = self.files.entry(link).or_default();
        file.push(text);
        if more { None } else { self.files.remove(&link) }
    }

    /// Removes the threads that cannot be brought back any more.
    pub fn purge(&self) {
        let (database, mailbox) = (self.database.clone(), self.mailbox.clone());
        spawn_local(async move {
            // What cannot be removed now is removed another time.
            let gone = purge(&database).await.unwrap_or_default();
            if !gone.is_empty() {
                mailbox.post(Event::Purged { gone });
            }
        });
    }
}

/// All threads on disk, as they stand in the list.
pub async fn list(database: &Database) -> Result<Vec<ThreadSummary>, StoreError> {
    let mut records = database.records().await?;
    records.retain(|record| record.deleted.is_none());
    Ok(records.into_iter().map(|record| record.summary).collect())
}

/// The name that a user gives a thread; `None` when it is none.
pub fn title_of(text: &str) -> Option<String> {
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = title.chars().take(TITLE_LIMIT).collect();
    if title.is_empty() { None } else { Some(title) }
}

/// Takes a thread out of the list, and has it removed when it cannot be brought back any more.
pub async fn delete(database: &Database, mailbox: &Mailbox, id: &ThreadId) -> Result<(), StoreError> {
    database.change(id, |record| record.deleted = Some(clock::now())).await?;
    let mailbox = mailbox.clone();
    spawn_local(async move {
        TimeoutFuture::new(u32::try_from(UNDO_MS + GRACE_MS).unwrap_or(u32::MAX)).await;
        mailbox.post(Event::PurgeDue);
    });
    Ok(())
}

async fn purge(database: &Database) -> Result<Vec<ThreadId>, StoreError> {
    let until = clock::now().saturating_sub(UNDO_MS + GRACE_MS);
    let records = database.records().await?;
    let outdated = records.into_iter().filter(|record| record.deleted.is_some_and(|at| at <= until));
    let ids: Vec<ThreadId> = outdated.map(|record| record.summary.id).collect();
    if !ids.is_empty() {
        database.purge(&ids).await?;
    }
    Ok(ids)
}

/// Looks for a text in all threads. What is found is told as it is found.
pub async fn search(
    database: &Database,
    query: &Query,
    is_called_off: impl Fn() -> bool,
    found: impl Fn(Vec<Found>),
) -> Result<(), StoreError> {
    for some in list(database).await?.chunks(SEARCHED_AT_ONCE) {
        // What cannot be read is not found; opening it says why.
        let there = database.search(query, some.to_vec()).await.unwrap_or_default();
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
    database: &Database,
    id: Option<ThreadId>,
    form: ExportForm,
    language: Language,
    piece: impl Fn(String),
) -> Result<(), Refusal> {
    let ids = match id {
        Some(id) => vec![id],
        None => {
            let threads = list(database).await.map_err(refusals::storage)?;
            threads.into_iter().map(|summary| summary.id).collect()
        }
    };
    if form == ExportForm::Json {
        in_pieces(&archive::opening(), &piece);
    }
    let (mut is_first, mut unread) = (true, None);
    for id in ids {
        let (summary, log) = match database.thread(&id).await {
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
    database: &Database,
    file: archive::Reader,
    new_id: impl Fn() -> ThreadId,
) -> Result<ImportOutcome, StoreError> {
    let threads = match file.end() {
        Ok(threads) => threads,
        Err(problem) => return Ok(ImportOutcome::Refused { problem }),
    };
    let records = database.records().await?;
    let mut taken: BTreeSet<ThreadId> = records.into_iter().map(|record| record.summary.id).collect();
    let (mut added, mut known) = (Vec::new(), 0);
    for mut thread in threads {
        if !taken.insert(thread.summary.id.clone()) {
            let there = match database.thread(&thread.summary.id).await {
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
    database.add(&added).await?;
    Ok(ImportOutcome::Imported { added: added.len() as u64, known })
}
