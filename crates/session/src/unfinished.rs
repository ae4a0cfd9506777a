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

/// What starts a worker while the list has something in it, when nothing else does.
#[allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]
pub trait Alarm {
    /// Goes off again and again from now on. Without it, the turn of a worker that dies goes on when the next one is
    /// started by something else.
    async fn set(&self);

    /// Does not go off any more.
    async fn clear(&self);
}

/// The list. A turn that is missing from it rests as interrupted when somebody next looks at it.
#[derive(Debug)]
pub struct UnfinishedThreads<K, A> {
    store: K,
    alarm: A,
    threads: BTreeSet<ThreadId>,
}

impl<K: KeyValue, A: Alarm> UnfinishedThreads<K, A> {
    /// As the worker before left it.
    pub async fn load(store: K, alarm: A) -> Self {
        Self { threads: cache::read(&store, UNFINISHED).await, store, alarm }
    }

    /// All of them.
    pub fn all(&self) -> Vec<ThreadId> {
        self.threads.iter().cloned().collect()
    }

    /// A turn is about to begin in this thread, or to go on.
    pub async fn add(&mut self, thread: &ThreadId) {
        if self.threads.insert(thread.clone()) {
            self.save().await;
            if self.threads.len() == 1 {
                self.alarm.set().await;
            }
        }
    }

    /// Its turn rests.
    pub async fn remove(&mut self, thread: &ThreadId) {
        if self.threads.remove(thread) {
            self.save().await;
            self.let_sleep().await;
        }
    }

    /// Takes the alarm back when the list is empty. It may be that of a browser that was closed meanwhile: alarms outlive
    /// it, the list does not.
    pub async fn let_sleep(&self) {
        if self.threads.is_empty() {
            self.alarm.clear().await;
        }
    }

    async fn save(&self) {
        cache::write(&self.store, UNFINISHED, &self.threads).await;
    }
}

#[cfg(test)]
mod tests;
