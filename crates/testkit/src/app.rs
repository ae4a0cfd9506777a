//! The state that the routes of a server share.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::fault::Faults;
use crate::journal::{AnswerPhase, Journal, Ticket};
use crate::scenario::Scenarios;

/// The state that the routes share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) scenarios: Scenarios,
    pub(crate) journal: Journal,
    first_key: String,
    key: Mutex<String>,
    faults: Mutex<Faults>,
    taken: Mutex<HashMap<u64, HashMap<usize, u32>>>,
    holds: Mutex<HashMap<Ticket, oneshot::Sender<()>>>,
}

impl App {
    pub(crate) fn new(scenarios: Scenarios, key: String) -> Self {
        Self {
            scenarios,
            journal: Journal::default(),
            first_key: key.clone(),
            key: Mutex::new(key),
            faults: Mutex::default(),
            taken: Mutex::default(),
            holds: Mutex::default(),
        }
    }

    pub(crate) fn accepts(&self, key: &str) -> bool {
        *lock(&self.key) == key
    }

    pub(crate) fn set_key(&self, key: &str) {
        key.clone_into(&mut lock(&self.key));
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, Faults> {
        lock(&self.faults)
    }

    /// How often each step was taken for a conversation.
    pub(crate) fn taken(&self, conversation: u64) -> HashMap<usize, u32> {
        lock(&self.taken).get(&conversation).cloned().unwrap_or_default()
    }

    /// Counts a step. One without a limit resets the counts, so that the same conversation gets the same
    /// steps again.
    pub(crate) fn took(&self, conversation: u64, step: usize, is_counted: bool) {
        let mut taken = lock(&self.taken);
        if is_counted {
            *taken.entry(conversation).or_default().entry(step).or_default() += 1;
        } else {
            taken.remove(&conversation);
        }
    }

    /// Registers a held answer. The receiver completes when it is released.
    pub(crate) fn hold(&self, ticket: Ticket) -> oneshot::Receiver<()> {
        let (release, released) = oneshot::channel();
        lock(&self.holds).insert(ticket, release);
        self.journal.update(ticket, |entry| entry.phase = AnswerPhase::Held);
        released
    }

    /// Removes a held answer.
    pub(crate) fn forget_hold(&self, ticket: Ticket) {
        lock(&self.holds).remove(&ticket);
        self.journal.update(ticket, |entry| entry.phase = AnswerPhase::Open);
    }

    pub(crate) fn release(&self, number: Option<u32>) -> Vec<u32> {
        let mut released = Vec::new();
        lock(&self.holds).retain(|ticket, _| {
            let goes_on = number.is_none_or(|number| number == ticket.number);
            if goes_on {
                released.push(ticket.number);
            }
            !goes_on
        });
        released.sort_unstable();
        released
    }

    pub(crate) fn reset(&self) {
        self.journal.clear();
        self.faults().clear();
        lock(&self.taken).clear();
        lock(&self.holds).clear();
        self.set_key(&self.first_key);
    }
}

/// Locks a mutex even after a panic elsewhere: every value in it is always consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
