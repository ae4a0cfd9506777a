//! How far the agent may use the pages of a site in one thread only. What the user allows for good is a grant
//! ([`crate::grants`]). Saved until the browser is closed.

use std::collections::BTreeMap;

use sidecar_protocol::{PageAccess, ThreadId};

use crate::cache;
use crate::key_value::KeyValue;

const ACCESS: &str = "pageAccess";

/// Maximum number of threads with access of their own; beyond it, the first in the order of ids are dropped.
const MOST: usize = 200;

/// The threads' access to sites, by origin.
#[derive(Debug)]
pub struct ThreadAccess<K> {
    store: K,
    threads: BTreeMap<ThreadId, BTreeMap<String, PageAccess>>,
}

impl<K: KeyValue> ThreadAccess<K> {
    /// Reads what the previous worker saved.
    pub async fn load(store: K) -> Self {
        Self { threads: cache::read(&store, ACCESS).await, store }
    }

    /// How far a thread may use the pages of this origin.
    pub fn of(&self, thread: &ThreadId, origin: &str) -> Option<PageAccess> {
        self.threads.get(thread)?.get(origin).copied()
    }

    /// Allows a thread to use the pages of this origin.
    pub async fn give(&mut self, thread: &ThreadId, origin: &str, access: PageAccess) {
        let sites = self.threads.entry(thread.clone()).or_default();
        let access = sites.get(origin).copied().max(Some(access)).unwrap_or(access);
        sites.insert(origin.to_owned(), access);
        while self.threads.len() > MOST {
            self.threads.pop_first();
        }
        cache::write(&self.store, ACCESS, &self.threads).await;
    }

    /// Takes back what any thread may do on this origin.
    pub async fn take_back(&mut self, origin: &str) {
        for sites in self.threads.values_mut() {
            sites.remove(origin);
        }
        self.threads.retain(|_, sites| !sites.is_empty());
        cache::write(&self.store, ACCESS, &self.threads).await;
    }

    /// Takes back everything.
    pub async fn clear(&mut self) {
        self.threads.clear();
        cache::write(&self.store, ACCESS, &self.threads).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    const SHOP: &str = "https://shop.example";

    #[test]
    fn access_of_a_thread_grows_outlives_the_worker_and_is_taken_back_by_site() {
        block_on(async {
            let memory = Memory::default();
            let mut access = ThreadAccess::load(memory.clone()).await;
            let thread = ThreadId::from("t");
            access.give(&thread, SHOP, PageAccess::Act).await;
            access.give(&thread, SHOP, PageAccess::Read).await;
            let mut access = ThreadAccess::load(memory).await;
            assert_eq!(access.of(&thread, SHOP), Some(PageAccess::Act));
            assert_eq!(access.of(&ThreadId::from("other"), SHOP), None);
            access.take_back(SHOP).await;
            assert_eq!(access.of(&thread, SHOP), None);
        });
    }
}
