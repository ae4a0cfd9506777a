//! State of work between panels and the disk ([`crate::history`]). What may take long runs in tasks of its
//! own.

use std::collections::{BTreeSet, HashMap};

use sidecar_agent::archive;
use sidecar_protocol::ThreadId;

use crate::browser::BrowserPort;
use crate::call_log::CallNames;
use crate::event::{RequestEvent, WorkEvent};
use crate::history::{self, PURGE_AFTER_MS};
use crate::latest::Latest;
use crate::panels::LinkId;
use crate::refusals;

/// The work under way.
#[derive(Debug)]
pub struct History<B: BrowserPort> {
    browser: B,
    database: B::Disk,
    /// The latest search of each panel.
    pub searches: Latest,
    /// The latest page of the log of calls that each panel requested.
    pub pages: Latest,
    /// The names of sites and tools in that log.
    pub names: CallNames,
    /// Files that panels are sending, for import.
    files: HashMap<LinkId, archive::Reader>,
    /// Number of times the list of threads was requested for all panels.
    lists: u32,
}

impl<B: BrowserPort> History<B> {
    pub fn new(browser: B, database: B::Disk) -> Self {
        Self {
            browser,
            database,
            searches: Latest::default(),
            pages: Latest::default(),
            names: CallNames::default(),
            files: HashMap::new(),
            lists: 0,
        }
    }

    /// A handle to the disk.
    pub fn database(&self) -> B::Disk {
        self.database.clone()
    }

    /// A panel closed: cancels its work.
    pub fn gone(&mut self, link: LinkId) {
        self.searches.gone(link);
        self.pages.gone(link);
        self.files.remove(&link);
    }

    /// Reads the list of threads; posts [`RequestEvent::ThreadsListed`].
    pub fn list_for_all(&mut self) {
        self.lists += 1;
        let (number, database, browser) = (self.lists, self.database.clone(), self.browser.clone());
        self.browser.spawn(async move {
            match history::list(&database).await {
                Ok(threads) => browser.post(RequestEvent::ThreadsListed { number, threads }),
                Err(error) => browser.post(WorkEvent::Trouble { link: None, why: refusals::storage(error) }),
            }
        });
    }

    /// Whether no later list was requested.
    pub fn is_latest_list(&self, number: u32) -> bool {
        self.lists == number
    }

    /// Adds the next piece of a file from a panel. Returns the file if this was the last piece.
    pub fn receive(&mut self, link: LinkId, text: &str, more: bool) -> Option<archive::Reader> {
        let file = self.files.entry(link).or_default();
        file.push(text);
        if more { None } else { self.files.remove(&link) }
    }

    /// Removes threads whose time for being restored is over; posts [`RequestEvent::Purged`]. `queued` are the
    /// threads that have queued messages.
    pub fn purge(&self, queued: BTreeSet<ThreadId>) {
        let (database, browser) = (self.database.clone(), self.browser.clone());
        self.browser.spawn(async move {
            // On a failure a later purge tries again.
            let gone = history::purge(&database, queued, browser.now()).await.unwrap_or_default();
            if !gone.is_empty() {
                browser.post(RequestEvent::Purged { gone });
            }
        });
    }
}

/// Schedules a purge for when a thread that is deleted now can no longer be restored.
pub fn purge_later(browser: &impl BrowserPort) {
    let later = browser.clone();
    browser.spawn(async move {
        later.sleep(PURGE_AFTER_MS).await;
        later.post(RequestEvent::PurgeDue);
    });
}
