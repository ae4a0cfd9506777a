//! The list of threads whose turn has not come to rest ([`UnfinishedThreads`]), and the alarm that starts the worker that
//! carries them on, when nothing else does.
//!
//! The alarm is one for both workers. That of private windows leaves it alone: its conversations are in its memory only,
//! and end with it.

use sidecar_chrome::alarms;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::ThreadId;
use sidecar_session::UnfinishedThreads;

use crate::storage::Store;

/// The alarm that starts a worker while the list has something in it.
const ALARM: &str = "unfinished";

/// How often it goes off, in minutes: Chrome's shortest.
const ALARM_PERIOD: f64 = 0.5;

/// The list.
#[derive(Debug)]
pub struct Unfinished(UnfinishedThreads<Store>);

impl Unfinished {
    /// As the worker before left it.
    pub async fn load() -> Self {
        Self(UnfinishedThreads::load(Store::Session).await)
    }

    /// All of them.
    pub fn all(&self) -> Vec<ThreadId> {
        self.0.all()
    }

    /// A turn is about to begin in this thread, or to go on.
    pub async fn add(&mut self, thread: &ThreadId) {
        if self.0.add(thread).await && !is_private() {
            // Without it, the turn of a worker that dies goes on when the next one is started by something else.
            let _ = alarms::repeat(ALARM, ALARM_PERIOD).await;
        }
    }

    /// Its turn rests.
    pub async fn remove(&mut self, thread: &ThreadId) {
        if self.0.remove(thread).await {
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
}
