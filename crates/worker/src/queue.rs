//! What the user said while the agent was at work. It is on disk, but for temporary threads, and said for good when the
//! turn before it has come to its end by itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_agent::{PageRef, StoreError};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::QueuedMessage;
use sidecar_protocol::settings::Language;
use sidecar_protocol::{ThreadId, TurnId};

use crate::storage::Store;
use crate::threads::is_temporary;

/// In `storage.local`.
const QUEUE: &str = "queue";

/// Most messages that wait in a thread.
const MOST: usize = 10;

/// Most bytes of all that waits: `storage.local` has ten million for everything.
const MOST_BYTES: usize = 4_000_000;

/// The messages that wait, by their threads, the one to be said first in front.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Queue {
    threads: BTreeMap<ThreadId, Vec<Waiting>>,
}

/// A message that waits, with what held when the user sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Names the turn that it will begin: by this the thread's log tells whether it has.
    pub turn: TurnId,
    /// The user's words.
    pub text: String,
    /// Texts of pages that go with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
    /// Where the user was.
    pub page: PageRef,
    /// The language of the panel.
    pub language: Language,
}

/// Why a message does not wait.
#[derive(Debug)]
pub enum NotQueued {
    /// Too many, or too long ones, wait already.
    Full,
    /// It could not be saved.
    Unsaved(StoreError),
}

impl From<StoreError> for NotQueued {
    fn from(error: StoreError) -> Self {
        Self::Unsaved(error)
    }
}

impl Queue {
    /// Reads what waits.
    pub async fn load() -> Self {
        let text = Store::Conversations.get(QUEUE).await.ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// What waits in a thread, as panels show it.
    pub fn view(&self, thread: &ThreadId) -> Vec<QueuedMessage> {
        self.of(thread).iter().map(view).collect()
    }

    /// The message to be said first.
    pub fn first(&self, thread: &ThreadId) -> Option<Waiting> {
        self.of(thread).first().cloned()
    }

    /// Puts a message behind those that wait.
    ///
    /// # Errors
    /// When there are too many, or it could not be saved. It does not wait then.
    pub async fn add(&mut self, thread: &ThreadId, waiting: Waiting) -> Result<(), NotQueued> {
        let mut queue = self.clone();
        queue.threads.entry(thread.clone()).or_default().push(waiting);
        if queue.of(thread).len() > MOST || text_of(&queue).len() > MOST_BYTES {
            return Err(NotQueued::Full);
        }
        Ok(self.become_saved(queue).await?)
    }

    /// Takes a message out, and gives it if it was there.
    ///
    /// # Errors
    /// When that could not be saved. It still waits then.
    pub async fn remove(
        &mut self,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<Option<QueuedMessage>, StoreError> {
        let removed = self.of(thread).iter().find(|waiting| waiting.turn == *turn).map(view);
        let mut queue = self.clone();
        if let Some(messages) = queue.threads.get_mut(thread) {
            messages.retain(|waiting| waiting.turn != *turn);
        }
        queue.threads.retain(|_, messages| !messages.is_empty());
        self.become_saved(queue).await?;
        Ok(removed)
    }

    fn of(&self, thread: &ThreadId) -> &[Waiting] {
        self.threads.get(thread).map_or(&[], Vec::as_slice)
    }

    /// Takes out all messages of threads that are gone.
    ///
    /// # Errors
    /// When that could not be saved. They still wait then.
    pub async fn keep_only(&mut self, is_kept: impl Fn(&ThreadId) -> bool) -> Result<(), StoreError> {
        let mut queue = self.clone();
        queue.threads.retain(|thread, _| is_kept(thread));
        if queue.threads.len() == self.threads.len() {
            return Ok(());
        }
        self.become_saved(queue).await
    }

    async fn become_saved(&mut self, queue: Self) -> Result<(), StoreError> {
        let mut kept = queue.clone();
        kept.threads.retain(|thread, _| !is_temporary(thread));
        Store::Conversations.set(QUEUE, &text_of(&kept)).await.map_err(|error| StoreError(error.0))?;
        *self = queue;
        Ok(())
    }
}

/// A message as panels show it.
fn view(Waiting { turn, text, attached, .. }: &Waiting) -> QueuedMessage {
    QueuedMessage { id: turn.clone(), text: text.clone(), attached: attached.clone() }
}

/// The JSON text of a queue. Our own types always have one.
fn text_of(queue: &Queue) -> String {
    serde_json::to_string(queue).unwrap_or_default()
}
