//! The list of threads with an unfinished turn, for the next worker.
//!
//! A thread is on the list from before its turn's first entry until after its last one, so that it stays
//! there if the worker dies at any moment. The list lives as long as the browser: after that, tab ids are
//! different, and a turn is not revived without the user.

use std::collections::BTreeSet;

use sidecar_protocol::ThreadId;

use crate::cache;
use crate::key_value::KeyValue;

const UNFINISHED: &str = "unfinishedThreads";

/// Starts a worker from time to time while the list is not empty.
#[allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]
pub trait Alarm {
    /// Starts the alarm, which goes off periodically. If this fails, the turn of a worker that dies continues
    /// only when another event starts the next worker.
    async fn set(&self);

    /// Stops the alarm.
    async fn clear(&self);
}

/// The list. An unfinished turn that is not on it is ended as interrupted when its thread is next loaded.
#[derive(Debug)]
pub struct UnfinishedThreads<K, A> {
    store: K,
    alarm: A,
    threads: BTreeSet<ThreadId>,
    /// Whether something else is unfinished.
    is_kept: bool,
}

impl<K: KeyValue, A: Alarm> UnfinishedThreads<K, A> {
    /// Reads what the previous worker saved.
    pub async fn load(store: K, alarm: A) -> Self {
        Self { threads: cache::read(&store, UNFINISHED).await, store, alarm, is_kept: false }
    }

    /// All threads on the list.
    pub fn all(&self) -> Vec<ThreadId> {
        self.threads.iter().cloned().collect()
    }

    /// A turn is about to start or continue in this thread.
    pub async fn add(&mut self, thread: &ThreadId) {
        if self.threads.insert(thread.clone()) {
            self.save().await;
            if self.threads.len() == 1 && !self.is_kept {
                self.alarm.set().await;
            }
        }
    }

    /// The turn of this thread has ended.
    pub async fn remove(&mut self, thread: &ThreadId) {
        if self.threads.remove(thread) {
            self.save().await;
            self.clear_alarm_if_empty().await;
        }
    }

    /// Something besides turns is unfinished, or no longer: the alarm is kept for it.
    pub async fn keep_alarm(&mut self, is_wanted: bool) {
        self.is_kept = is_wanted;
        if is_wanted {
            self.alarm.set().await;
        } else {
            self.clear_alarm_if_empty().await;
        }
    }

    /// Clears the alarm if the list is empty. It may be left over from before the browser was closed: unlike
    /// the list, alarms outlive the browser.
    pub async fn clear_alarm_if_empty(&self) {
        if self.threads.is_empty() && !self.is_kept {
            self.alarm.clear().await;
        }
    }

    async fn save(&self) {
        cache::write(&self.store, UNFINISHED, &self.threads).await;
    }
}

#[cfg(test)]
mod tests;
