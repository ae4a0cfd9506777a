//! Which threads have a turn that has not come to rest, written down where the next worker finds it.
//!
//! A thread is on the list from before its turn's first entry until after its last, so that a worker's death at any
//! moment leaves it there. The list lives as long as the browser: after that, tabs are others, and a turn is not carried
//! on without the user.

use std::collections::BTreeSet;

use sidecar_protocol::ThreadId;

use crate::cache;
use crate::key_value::KeyValue;

const UNFINISHED: &str = "unfinishedThreads";

/// The list. A turn that is missing from it rests as interrupted when somebody next looks at it.
#[derive(Debug)]
pub struct UnfinishedThreads<K> {
    store: K,
    threads: BTreeSet<ThreadId>,
}

impl<K: KeyValue> UnfinishedThreads<K> {
    /// As the worker before left it.
    pub async fn load(store: K) -> Self {
        Self { threads: cache::read(&store, UNFINISHED).await, store }
    }

    /// All of them.
    pub fn all(&self) -> Vec<ThreadId> {
        self.threads.iter().cloned().collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// A turn is about to begin in this thread, or to go on. Says whether it is the first on the list.
    pub async fn add(&mut self, thread: &ThreadId) -> bool {
        let is_new = self.threads.insert(thread.clone());
        if is_new {
            self.save().await;
        }
        is_new && self.threads.len() == 1
    }

    /// Its turn rests. Says whether it was on the list.
    pub async fn remove(&mut self, thread: &ThreadId) -> bool {
        let was_there = self.threads.remove(thread);
        if was_there {
            self.save().await;
        }
        was_there
    }

    async fn save(&self) {
        cache::write(&self.store, UNFINISHED, &self.threads).await;
    }
}
