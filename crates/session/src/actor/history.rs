//! Work between panels and the disk ([`crate::history`]). What may take long is done by tasks of their own.

use std::collections::HashMap;

use sidecar_agent::archive;

use crate::browser::BrowserPort;
use crate::call_log::CallNames;
use crate::event::SessionEvent;
use crate::history::{self, PURGE_AFTER_MS};
use crate::latest::Latest;
use crate::panels::LinkId;
use crate::refusals;

/// What is going on there.
#[derive(Debug)]
pub struct History<B: BrowserPort> {
    browser: B,
    database: B::Disk,
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

    /// The disk, for a task of its own.
    pub fn database(&self) -> B::Disk {
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
        let (number, database, browser) = (self.lists, self.database.clone(), self.browser.clone());
        self.browser.spawn(async move {
            browser.post(match history::list(&database).await {
                Ok(threads) => SessionEvent::ThreadsListed { number, threads },
                Err(error) => SessionEvent::Trouble { why: refusals::storage(error) },
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
        let (database, browser) = (self.database.clone(), self.browser.clone());
        self.browser.spawn(async move {
            // What cannot be removed now is removed another time.
            let gone = history::purge(&database, browser.now()).await.unwrap_or_default();
            if !gone.is_empty() {
                browser.post(SessionEvent::Purged { gone });
            }
        });
    }
}

/// Has threads that are deleted now removed when they cannot be brought back any more.
pub fn purge_later(browser: &impl BrowserPort) {
    let later = browser.clone();
    browser.spawn(async move {
        later.sleep(PURGE_AFTER_MS).await;
        later.post(SessionEvent::PurgeDue);
    });
}
