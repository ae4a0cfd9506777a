//! The open thread of each window, for the next worker or panel.

use std::collections::BTreeMap;

use sidecar_protocol::{ThreadId, WindowId};

use crate::cache;
use crate::key_value::KeyValue;

const OPEN_THREADS: &str = "openThreads";

/// The open threads, saved until the browser is closed. If they are lost, a new panel starts with an empty
/// thread.
#[derive(Debug)]
pub struct OpenThreads<K> {
    store: K,
    threads: BTreeMap<i32, ThreadId>,
}

impl<K: KeyValue> OpenThreads<K> {
    /// Reads what the previous worker saved.
    pub async fn load(store: K) -> Self {
        Self { threads: cache::read(&store, OPEN_THREADS).await, store }
    }

    /// The thread that a window has open.
    pub fn of(&self, window: WindowId) -> Option<&ThreadId> {
        self.threads.get(&window.0)
    }

    /// Opens a thread (or none) in a window.
    pub async fn open(&mut self, window: WindowId, thread: Option<ThreadId>) {
        match thread {
            Some(thread) => self.threads.insert(window.0, thread),
            None => self.threads.remove(&window.0),
        };
        self.save().await;
    }

    /// Closes this thread in all windows.
    pub async fn leave(&mut self, thread: &ThreadId) {
        self.threads.retain(|_, open| open != thread);
        self.save().await;
    }

    async fn save(&self) {
        cache::write(&self.store, OPEN_THREADS, &self.threads).await;
    }
}
