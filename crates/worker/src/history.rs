//! Work between panels and the disk ([`sidecar_session::history`]). What may take long is done by tasks of their own.

use std::collections::HashMap;

use gloo_timers::future::TimeoutFuture;
use sidecar_agent::archive;
use sidecar_session::call_log::CallNames;
use sidecar_session::history::{self, PURGE_AFTER_MS};
use sidecar_session::latest::Latest;
use sidecar_session::panels::LinkId;
use sidecar_session::refusals;
use wasm_bindgen_futures::spawn_local;

use crate::clock;
use crate::database::Database;
use crate::event::{Mailbox, WorkerEvent};

/// What is going on there.
pub struct History {
    mailbox: Mailbox,
    database: Database,
    /// Searches in threads.
    pub searches: Latest,
    /// Pages of the log of calls.
    pub pages: Latest,
    /// The names in that log.
    pub names: CallNames,
    /// Files that are on their way from a panel.
    files: HashMap<LinkId, archive::Reader>,
    /// How often the list of threads was read for all panels.
    lists: u32,
}

impl History {
    pub fn new(mailbox: Mailbox, database: Database) -> Self {
        Self {
            mailbox,
            database,
            searches: Latest::default(),
            pages: Latest::default(),
            names: CallNames::default(),
            files: HashMap::new(),
            lists: 0,
        }
    }

    /// The disk, for a task of its own.
    pub fn database(&self) -> Database {
        self.database.clone()
    }

    /// A panel closed: nobody waits for what it asked.
    pub fn gone(&mut self, link: LinkId) {
        self.searches.gone(link);
        self.pages.gone(link);
        self.files.remove(&link);
    }

    /// Reads the list of threads for all panels.
    pub fn list_for_all(&mut self) {
        self.lists += 1;
        let (number, database, mailbox) = (self.lists, self.database.clone(), self.mailbox.clone());
        spawn_local(async move {
            mailbox.post(match history::list(&database).await {
                Ok(threads) => WorkerEvent::ThreadsListed { number, threads },
                Err(error) => WorkerEvent::Trouble { why: refusals::storage(error) },
            });
        });
    }

    /// Whether no later list was asked for.
    pub fn is_latest_list(&self, number: u32) -> bool {
        self.lists == number
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
            let gone = history::purge(&database, clock::now()).await.unwrap_or_default();
            if !gone.is_empty() {
                mailbox.post(WorkerEvent::Purged { gone });
            }
        });
    }
}

/// Has threads that are deleted now removed when they cannot be brought back any more.
pub fn purge_later(mailbox: Mailbox) {
    spawn_local(async move {
        TimeoutFuture::new(u32::try_from(PURGE_AFTER_MS).unwrap_or(u32::MAX)).await;
        mailbox.post(WorkerEvent::PurgeDue);
    });
}
