//! The log of one thread, as a turn writes it.

use std::cell::{Cell, RefCell};

use futures::channel::oneshot;
use sidecar_agent::audit::Recorder;
use sidecar_agent::{Entry, Store, StoreError};
use sidecar_protocol::thread::ThreadSummary;
use wasm_bindgen_futures::spawn_local;

use crate::database::{Database, Draft};

/// Writes one thread.
pub struct ThreadStore {
    /// Where; a temporary thread is written nowhere.
    pub database: Option<Database>,
    /// Names the thread.
    pub summary: ThreadSummary,
    /// Where the next entry goes.
    pub next: Cell<usize>,
    /// Tells of the calls that end.
    pub recorder: RefCell<Recorder>,
}

impl Store for ThreadStore {
    async fn append(&self, position: usize, entry: &Entry) -> Result<(), StoreError> {
        if let Some(database) = &self.database {
            let call = self.recorder.borrow_mut().read(entry);
            database.append(&self.summary, position, entry, call.as_ref()).await?;
        }
        self.next.set(position + 1);
        Ok(())
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        let Some(database) = &self.database else { return };
        let draft =
            Draft { position: self.next.get(), reasoning: reasoning.to_owned(), text: text.to_owned() };
        // Once begun it is written to its end, also when nobody waits for it any more.
        let (database, thread) = (database.clone(), self.summary.id.clone());
        let (sender, saved) = oneshot::channel();
        spawn_local(async move {
            // A draft that could not be kept is no reason to stop: the whole answer will be logged.
            let _ = database.save_draft(&thread, &draft).await;
            let _ = sender.send(());
        });
        let _ = saved.await;
    }
}
