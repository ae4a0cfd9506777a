//! Which threads have a turn that has not come to rest, written down where the next worker finds it, and the alarm
//! that starts that worker when nothing else does.
//!
//! A thread is on the list from before its turn's first entry until after its last, so that a worker's death at any
//! moment leaves it there. The list lives as long as the browser: after that, tabs are others, and a turn is not carried
//! on without the user.
//!
//! The alarm is one for both workers. That of private windows leaves it alone: its conversations are in its memory only,
//! and end with it.

use std::collections::BTreeSet;

use sidecar_chrome::alarms;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::ThreadId;

use crate::storage::Store;

/// In `storage.session`: the threads, as a JSON array of their ids.
const UNFINISHED: &str = "unfinishedThreads";

/// The alarm that starts a worker while the list has something in it.
const ALARM: &str = "unfinished";

/// How often it goes off, in minutes: Chrome's shortest.
const ALARM_PERIOD: f64 = 0.5;

/// The list.
#[derive(Debug, Default)]
pub struct Unfinished(BTreeSet<ThreadId>);

impl Unfinished {
    /// As the worker before left it.
    pub async fn load() -> Self {
        let text = Store::Session.get(UNFINISHED).await.ok().flatten().unwrap_or_default();
        Self(serde_json::from_str(&text).unwrap_or_default())
    }

    /// All of them.
    pub fn all(&self) -> Vec<ThreadId> {
        self.0.iter().cloned().collect()
    }

    /// A turn is about to begin in this thread, or to go on.
    pub async fn add(&mut self, thread: &ThreadId) {
        if self.0.insert(thread.clone()) {
            self.save().await;
            if self.0.len() == 1 && !is_private() {
                // Without it, the turn of a worker that dies goes on when the next one is started by something else.
                let _ = alarms::repeat(ALARM, ALARM_PERIOD).await;
            }
        }
    }

    /// Its turn rests.
    pub async fn remove(&mut self, thread: &ThreadId) {
        if self.0.remove(thread) {
            self.save().await;
            self.let_sleep().await;
        }
    }

    /// Takes the alarm back when the list is empty. It may be that of a browser that was closed meanwhile: alarms outlive
    /// it, the list does not.
    pub async fn let_sleep(&self) {
        if self.0.is_empty() && !is_private() {
            let _ = alarms::clear(ALARM).await;
        }
    }

    async fn save(&self) {
        let ids: Vec<&ThreadId> = self.0.iter().collect();
        // A turn that is not on the list rests as interrupted when somebody next looks at it.
        let _ = Store::Session.set(UNFINISHED, &serde_json::to_string(&ids).unwrap_or_default()).await;
    }
}
