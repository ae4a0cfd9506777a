//! The log of one thread, as a turn writes it.

use sidecar_agent::{Entry, Store, StoreError};
use sidecar_protocol::thread::ThreadSummary;
use std::cell::Cell;

use crate::database::{Database, Draft};

/// Writes one thread.
pub struct ThreadStore {
    /// Where.
    pub database: Database,
    /// The thread's line in the list.
    pub summary: ThreadSummary,
    /// Where the next entry goes.
    pub next: Cell<usize>,
}

impl Store for ThreadStore {
    async fn append(&self, position: usize, entry: &Entry) -> Result<(), StoreError> {
        let summary = ThreadSummary { updated: entry.at, ..self.summary.clone() };
        self.database.append(&summary, position, entry).await?;
        self.next.set(position + 1);
        Ok(())
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        let draft =
            Draft { position: self.next.get(), reasoning: reasoning.to_owned(), text: text.to_owned() };
        // A draft that could not be kept is no reason to stop: the whole answer will be logged.
        let _ = self.database.save_draft(&self.summary.id, &draft).await;
    }
}
