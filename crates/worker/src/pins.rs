//! The tabs that stay with a thread whichever tab is in front: its tools are offered together with those of the tab in
//! front. Written down as long as the browser lives; after that, tabs are others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::{TabId, ThreadId, WindowId};

use crate::storage::Store;

/// In `storage.session`.
const PINS: &str = "pinnedTabs";

/// Most tabs that stay with a thread.
const MOST: usize = 5;

/// The pinned tabs, in the order in which they were pinned.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pins {
    threads: BTreeMap<ThreadId, Vec<TabId>>,
    /// Of the threads that windows will begin.
    windows: BTreeMap<WindowId, Vec<TabId>>,
}

impl Pins {
    /// As the worker before left them.
    pub async fn load() -> Self {
        let text = Store::Session.get(PINS).await.ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Those of a thread, or of the one that the window will begin.
    pub fn of(&self, thread: Option<&ThreadId>, window: WindowId) -> &[TabId] {
        thread.map_or(self.windows.get(&window), |thread| self.threads.get(thread)).map_or(&[], Vec::as_slice)
    }

    /// Those of a thread.
    pub fn of_thread(&self, thread: &ThreadId) -> &[TabId] {
        self.threads.get(thread).map_or(&[], Vec::as_slice)
    }

    /// Every tab that is pinned to something.
    pub fn all(&self) -> Vec<TabId> {
        self.threads.values().chain(self.windows.values()).flatten().copied().collect()
    }

    /// Has a tab stay with a thread (or with the one that the window will begin), or not any more. Says whether it could:
    /// no more than a handful of tabs may stay.
    pub async fn set(
        &mut self,
        thread: Option<&ThreadId>,
        window: WindowId,
        tab: TabId,
        pinned: bool,
    ) -> bool {
        let tabs = match thread {
            Some(thread) => self.threads.entry(thread.clone()).or_default(),
            None => self.windows.entry(window).or_default(),
        };
        tabs.retain(|known| *known != tab);
        if pinned && tabs.len() >= MOST {
            return false;
        }
        if pinned {
            tabs.push(tab);
        }
        self.save().await;
        true
    }

    /// The window begins this thread: what was pinned before stays with it.
    pub async fn begin(&mut self, window: WindowId, thread: &ThreadId) {
        if let Some(tabs) = self.windows.remove(&window) {
            self.threads.insert(thread.clone(), tabs);
            self.save().await;
        }
    }

    /// The window has an empty thread before it, to which nothing is pinned.
    pub async fn clear(&mut self, window: WindowId) {
        if self.windows.remove(&window).is_some() {
            self.save().await;
        }
    }

    /// A tab is gone.
    pub async fn closed(&mut self, tab: TabId) {
        let before = self.clone();
        self.threads
            .values_mut()
            .chain(self.windows.values_mut())
            .for_each(|tabs| tabs.retain(|pinned| *pinned != tab));
        if *self != before {
            self.save().await;
        }
    }

    /// Threads are gone.
    pub async fn keep_only(&mut self, is_kept: impl Fn(&ThreadId) -> bool) {
        let before = self.threads.len();
        self.threads.retain(|thread, _| is_kept(thread));
        if self.threads.len() != before {
            self.save().await;
        }
    }

    async fn save(&mut self) {
        self.threads.retain(|_, tabs| !tabs.is_empty());
        self.windows.retain(|_, tabs| !tabs.is_empty());
        // What is lost is that a new worker offers the tools of the tab in front only, and the panel shows it so.
        let _ = Store::Session.set(PINS, &serde_json::to_string(self).unwrap_or_default()).await;
    }
}
