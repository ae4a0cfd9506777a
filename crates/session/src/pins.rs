//! Pinned tabs: their tools are offered in a thread together with those of the tab in front, whichever that
//! is. Saved until the browser is closed, because tab ids do not outlive it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::{TabId, ThreadId, WindowId};

use crate::cache;
use crate::key_value::KeyValue;

const PINS: &str = "pinnedTabs";

/// Maximum number of pinned tabs of a thread.
const MOST: usize = 5;

/// The pinned tabs.
#[derive(Debug)]
pub struct Pins<K> {
    store: K,
    tabs: PinnedTabs,
}

/// Tabs in the order in which they were pinned.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct PinnedTabs {
    threads: BTreeMap<ThreadId, Vec<TabId>>,
    /// Tabs pinned in windows without a thread, for the thread that will be started there.
    windows: BTreeMap<WindowId, Vec<TabId>>,
}

impl<K: KeyValue> Pins<K> {
    /// Reads what the previous worker saved.
    pub async fn load(store: K) -> Self {
        Self { tabs: cache::read(&store, PINS).await, store }
    }

    /// The tabs pinned to a thread, or to the one that the window will start.
    pub fn of(&self, thread: Option<&ThreadId>, window: WindowId) -> &[TabId] {
        thread
            .map_or(self.tabs.windows.get(&window), |thread| self.tabs.threads.get(thread))
            .map_or(&[], Vec::as_slice)
    }

    /// The tabs whose tools a turn is offered: the pinned ones of its thread, and the one to which the turn
    /// is bound.
    pub fn of_turn(&self, thread: &ThreadId, tab: Option<TabId>) -> Vec<TabId> {
        let mut tabs = self.tabs.threads.get(thread).cloned().unwrap_or_default();
        tabs.extend(tab.filter(|tab| !tabs.contains(tab)));
        tabs
    }

    /// All pinned tabs.
    pub fn all(&self) -> Vec<TabId> {
        self.tabs.threads.values().chain(self.tabs.windows.values()).flatten().copied().collect()
    }

    /// Pins a tab to a thread (or to the one that the window will start), or unpins it. Returns `false` if
    /// there are too many pinned tabs already.
    pub async fn set(
        &mut self,
        thread: Option<&ThreadId>,
        window: WindowId,
        tab: TabId,
        pinned: bool,
    ) -> bool {
        let tabs = match thread {
            Some(thread) => self.tabs.threads.entry(thread.clone()).or_default(),
            None => self.tabs.windows.entry(window).or_default(),
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

    /// A thread was started in the window: the tabs pinned there are now the thread's.
    pub async fn begin(&mut self, window: WindowId, thread: &ThreadId) {
        if let Some(tabs) = self.tabs.windows.remove(&window) {
            self.tabs.threads.insert(thread.clone(), tabs);
            self.save().await;
        }
    }

    /// Unpins all tabs from the thread that the window will start.
    pub async fn clear(&mut self, window: WindowId) {
        if self.tabs.windows.remove(&window).is_some() {
            self.save().await;
        }
    }

    /// A tab was closed: unpins it everywhere.
    pub async fn closed(&mut self, tab: TabId) {
        let before = self.tabs.clone();
        let PinnedTabs { threads, windows } = &mut self.tabs;
        threads
            .values_mut()
            .chain(windows.values_mut())
            .for_each(|tabs| tabs.retain(|pinned| *pinned != tab));
        if self.tabs != before {
            self.save().await;
        }
    }

    /// Drops the pinned tabs of threads that no longer exist.
    pub async fn keep_only(&mut self, is_kept: impl Fn(&ThreadId) -> bool) {
        let before = self.tabs.threads.len();
        self.tabs.threads.retain(|thread, _| is_kept(thread));
        if self.tabs.threads.len() != before {
            self.save().await;
        }
    }

    async fn save(&mut self) {
        self.tabs.threads.retain(|_, tabs| !tabs.is_empty());
        self.tabs.windows.retain(|_, tabs| !tabs.is_empty());
        // Failures are ignored: a new worker then offers only the tools of the tab in front, and panels show
        // that.
        cache::write(&self.store, PINS, &self.tabs).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    #[test]
    fn tabs_of_a_turn_are_the_pinned_ones_and_its_own_without_duplicates() {
        let mut pins = block_on(Pins::load(Memory::default()));
        let thread = ThreadId::from("19a-0001");
        assert!(block_on(pins.set(Some(&thread), WindowId(1), TabId(12), true)));
        assert_eq!(pins.of_turn(&thread, None), [TabId(12)]);
        assert_eq!(pins.of_turn(&thread, Some(TabId(7))), [TabId(12), TabId(7)]);
        assert_eq!(pins.of_turn(&thread, Some(TabId(12))), [TabId(12)]);
        assert_eq!(pins.of_turn(&"19a-0002".into(), Some(TabId(7))), [TabId(7)]);
    }
}
