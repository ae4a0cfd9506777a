//! Looking after earlier threads and the log of calls, for panels that ask.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use sidecar_agent::archive::{self, Archived};
use sidecar_agent::search::Query;
use sidecar_agent::{StoreError, markdown};
use sidecar_protocol::ThreadId;
use sidecar_protocol::audit::{CALLS_PAGE, CallFilter, CallPage};
use sidecar_protocol::history::{
    ExportForm, IMPORT_LIMIT, ImportOutcome, ImportProblem, PIECE_LIMIT, TITLE_LIMIT, UNDO_MS,
};
use sidecar_protocol::link::WorkerEvent;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ThreadSummary;
use wasm_bindgen_futures::spawn_local;

use crate::actor::{refused_for_storage, refused_unread};
use crate::clock;
use crate::database::{Database, Kept, ReadError};
use crate::event::{Event, LinkId, Mailbox};

/// Threads that are searched in one go, before what was found is told and other things get their turn.
const SEARCHED_AT_ONCE: usize = 25;

/// How much longer than it is promised a deleted thread can be brought back, in milliseconds: a click at the last moment
/// takes its time to arrive.
const GRACE_MS: u64 = 2_000;

/// What panels ask for that is on disk.
pub struct History {
    mailbox: Mailbox,
    database: Database,
    /// The last question of each panel; a search whose question is an earlier one ends.
    questions: HashMap<LinkId, Rc<Cell<u32>>>,
    /// Files that are on their way from a panel; `None` for one that is too large.
    files: HashMap<LinkId, Option<String>>,
}

impl History {
    pub fn new(mailbox: Mailbox, database: Database) -> Self {
        Self { mailbox, database, questions: HashMap::new(), files: HashMap::new() }
    }

    /// A panel closed: nobody waits for what it asked.
    pub fn gone(&mut self, link: LinkId) {
        if let Some(last) = self.questions.remove(&link) {
            last.set(0);
        }
        self.files.remove(&link);
    }

    /// All threads on disk, as they stand in the list.
    pub async fn list(&self) -> Result<Vec<ThreadSummary>, StoreError> {
        let mut records = self.database.records().await?;
        records.retain(|record| record.deleted.is_none());
        Ok(records.into_iter().map(|record| record.summary).collect())
    }

    /// Gives a thread a name. `None` when there is no such thread, or the name is none.
    pub async fn rename(&self, id: &ThreadId, title: &str) -> Result<Option<ThreadSummary>, StoreError> {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title: String = title.chars().take(TITLE_LIMIT).collect();
        if title.is_empty() {
            return Ok(None);
        }
        let record = self.database.change(id, |record| record.summary.title = title).await?;
        Ok(record.map(|record| record.summary))
    }

    /// Keeps a thread at the top of the list, or does not. `None` when there is no such thread.
    pub async fn pin(&self, id: &ThreadId, pinned: bool) -> Result<Option<ThreadSummary>, StoreError> {
        let record = self.database.change(id, |record| record.summary.pinned = pinned).await?;
        Ok(record.map(|record| record.summary))
    }

    /// Takes a thread out of the list, and removes it when it cannot be brought back any more.
    pub async fn delete(&self, id: &ThreadId) -> Result<bool, StoreError> {
        let record = self.database.change(id, |record| record.deleted = Some(clock::now())).await?;
        let mailbox = self.mailbox.clone();
        spawn_local(async move {
            TimeoutFuture::new(u32::try_from(UNDO_MS + GRACE_MS).unwrap_or(u32::MAX)).await;
            mailbox.post(Event::Purge);
        });
        Ok(record.is_some())
    }

    /// Brings a deleted thread back. Says whether it was still there.
    pub async fn restore(&self, id: &ThreadId) -> Result<bool, StoreError> {
        Ok(self.database.change(id, |record| record.deleted = None).await?.is_some())
    }

    /// Removes the threads that cannot be brought back any more. Says which.
    pub async fn purge(&self) -> Result<Vec<ThreadId>, StoreError> {
        let until = clock::now().saturating_sub(UNDO_MS + GRACE_MS);
        let records = self.database.records().await?;
        let outdated = records.into_iter().filter(|record| record.deleted.is_some_and(|at| at <= until));
        let ids: Vec<ThreadId> = outdated.map(|record| record.summary.id).collect();
        if !ids.is_empty() {
            self.database.purge(&ids).await?;
        }
        Ok(ids)
    }

    /// Looks for a text in all threads, in place of what the panel looked for before. What is found is told as it is found.
    pub fn search(&mut self, link: LinkId, number: u32, text: &str) {
        let last = self.questions.entry(link).or_default().clone();
        last.set(number);
        let Some(query) = Query::of(text) else { return };
        let (mailbox, database) = (self.mailbox.clone(), self.database.clone());
        spawn_local(clock::awake(async move {
            let tell = |threads, more| {
                let told = Box::new(WorkerEvent::Found { number, threads, more });
                mailbox.post(Event::Answered { link, told });
            };
            let records = match database.records().await {
                Ok(records) => records,
                Err(error) => {
                    let told = Box::new(refused_for_storage(error, String::new()));
                    mailbox.post(Event::Answered { link, told });
                    return tell(Vec::new(), false);
                }
            };
            let there = records.into_iter().filter(|record| record.deleted.is_none());
            let threads: Vec<ThreadSummary> = there.map(|record| record.summary).collect();
            for some in threads.chunks(SEARCHED_AT_ONCE) {
                // What cannot be read is not found; opening it says why.
                let found = database.search(&query, some.to_vec()).await.unwrap_or_default();
                if last.get() != number {
                    return;
                }
                if !found.is_empty() {
                    tell(found, true);
                }
            }
            tell(Vec::new(), false);
        }));
    }

    /// Writes out a thread, or all of them, piece by piece.
    pub fn export(&self, link: LinkId, id: Option<ThreadId>, form: ExportForm, language: Language) {
        let (mailbox, database) = (self.mailbox.clone(), self.database.clone());
        spawn_local(clock::awake(async move {
            let pieces = Pieces { mailbox, link };
            let mut unread = None;
            let written = async {
                let ids = match id {
                    Some(id) => vec![id],
                    None => {
                        let records = database.records().await?.into_iter();
                        let there = records.filter(|record| record.deleted.is_none());
                        there.map(|record| record.summary.id).collect()
                    }
                };
                if form == ExportForm::Json {
                    pieces.send(&archive::opening());
                }
                let mut is_first = true;
                for id in ids {
                    let (summary, log) = match database.thread(&id).await {
                        Ok(Some(Kept { summary, log, .. })) => (summary, log),
                        Ok(None) => continue,
                        Err(ReadError::Store(error)) => return Err(error),
                        Err(ReadError::Log(why)) => {
                            unread = Some(ReadError::Log(why));
                            continue;
                        }
                    };
                    let between = match form {
                        _ if is_first => "",
                        ExportForm::Json => archive::BETWEEN,
                        ExportForm::Markdown => "\n---\n\n",
                    };
                    is_first = false;
                    pieces.send(between);
                    pieces.send(&match form {
                        ExportForm::Json => archive::written(&Archived { summary, log }),
                        ExportForm::Markdown => markdown::of(&summary, &log, language),
                    });
                }
                if form == ExportForm::Json {
                    pieces.send(archive::CLOSING);
                }
                Ok(())
            };
            pieces.end(written.await);
            // The others are in the file.
            if let Some(error) = unread {
                pieces.tell(refused_unread(error, String::new()));
            }
        }));
    }

    /// Takes the next piece of a file of threads. After the last one the threads are written, if all of them can be.
    ///
    /// # Errors
    /// When the database refuses. Nothing was written then.
    pub async fn import(
        &mut self,
        link: LinkId,
        text: &str,
        more: bool,
        new_id: impl Fn() -> ThreadId,
    ) -> Result<Option<ImportOutcome>, StoreError> {
        let file = self.files.entry(link).or_insert_with(|| Some(String::new()));
        if file.as_ref().is_some_and(|file| file.len() + text.len() > IMPORT_LIMIT) {
            *file = None;
        }
        if let Some(file) = file {
            file.push_str(text);
        }
        if more {
            return Ok(None);
        }
        let file = self.files.remove(&link).flatten().ok_or(ImportProblem::TooLarge);
        let threads = match file.and_then(|file| archive::read(&file)) {
            Ok(threads) => threads,
            Err(problem) => return Ok(Some(ImportOutcome::Refused { problem })),
        };
        let records = self.database.records().await?;
        let mut taken: BTreeSet<ThreadId> = records.into_iter().map(|record| record.summary.id).collect();
        let (mut added, mut known) = (Vec::new(), 0);
        for mut thread in threads {
            if !taken.insert(thread.summary.id.clone()) {
                let there = match self.database.thread(&thread.summary.id).await {
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
        self.database.add(&added).await?;
        Ok(Some(ImportOutcome::Imported { added: added.len() as u64, known }))
    }

    /// A page of the log of calls, newest first.
    pub async fn calls(&self, filter: &CallFilter, before: Option<u64>) -> Result<CallPage, StoreError> {
        let rows = self.database.calls().await?;
        let mut page = CallPage { total: rows.len() as u64, ..CallPage::default() };
        let (mut sites, mut tools) = (BTreeSet::new(), BTreeSet::new());
        for row in rows.into_iter().rev() {
            if !row.call.site.is_empty() {
                sites.insert(row.call.site.clone());
            }
            tools.insert(row.call.tool.clone());
            if before.is_none_or(|before| row.place < before) && filter.lets(&row.call) {
                match page.rows.len() < CALLS_PAGE {
                    true => page.rows.push(row),
                    false => page.more = true,
                }
            }
        }
        page.sites = sites.into_iter().collect();
        page.tools = tools.into_iter().collect();
        Ok(page)
    }

    /// Writes out the log of calls, a line of JSON for each, oldest first.
    pub fn export_calls(&self, link: LinkId, filter: CallFilter) {
        let (mailbox, database) = (self.mailbox.clone(), self.database.clone());
        spawn_local(clock::awake(async move {
            let pieces = Pieces { mailbox, link };
            let written = async {
                let rows = database.calls().await?.into_iter().filter(|row| filter.lets(&row.call));
                let line = |row| Some(serde_json::to_string(&row).ok()? + "\n");
                pieces.send(&rows.filter_map(|row| line(row.call)).collect::<String>());
                Ok(())
            };
            pieces.end(written.await);
        }));
    }

    /// Forgets the log of calls.
    pub async fn clear_calls(&self) -> Result<(), StoreError> {
        self.database.clear_calls().await
    }

    /// The log of calls keeps so many from now on. Says whether it may be another now.
    pub async fn keep_calls(&self, count: u32) -> Result<bool, StoreError> {
        self.database.keep_calls(count).await
    }
}

/// A long text on its way to a panel.
struct Pieces {
    mailbox: Mailbox,
    link: LinkId,
}

impl Pieces {
    fn send(&self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(PIECE_LIMIT).map_or(rest.len(), |(end, _)| end);
            let (piece, behind) = rest.split_at(end);
            self.tell(WorkerEvent::Exported { text: piece.to_owned(), more: true });
            rest = behind;
        }
    }

    fn end(&self, written: Result<(), StoreError>) {
        self.tell(match written {
            Ok(()) => WorkerEvent::Exported { text: String::new(), more: false },
            Err(error) => refused_for_storage(error, String::new()),
        });
    }

    fn tell(&self, told: WorkerEvent) {
        self.mailbox.post(Event::Answered { link: self.link, told: Box::new(told) });
    }
}
