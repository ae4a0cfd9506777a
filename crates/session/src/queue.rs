//! What the user said while the agent was at work. It is on disk, but for temporary threads, and said for good when the
//! turn before it has come to its end by itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_agent::{PageRef, StoreError};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::QueuedMessage;
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_protocol::settings::Language;
use sidecar_protocol::{ThreadId, TurnId};

use crate::key_value::KeyValue;
use crate::saved::{NotSaved, Persistent, Saved};

/// Most messages that wait in a thread.
const MOST: usize = 10;

/// Most bytes of all that waits: `storage.local` has ten million for everything.
const MOST_BYTES: usize = 4_000_000;

/// The messages that wait.
#[derive(Debug)]
pub struct Queue<K> {
    kept: Saved<WaitingMessages, K>,
    /// Those of temporary threads.
    temporary: WaitingMessages,
}

/// Messages by their threads, the one to be said first in front.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WaitingMessages(BTreeMap<ThreadId, Vec<WaitingMessage>>);

/// A message that waits, with what held when the user sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingMessage {
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
#[derive(Debug, PartialEq, Eq)]
pub enum NotQueued {
    /// Too many, or too long ones, wait already.
    Full,
    /// It could not be saved.
    Unsaved(NotSaved),
}

impl Persistent for WaitingMessages {
    const NAME: SavedName = SavedName::Queue;
    const KEY: &'static str = "queue";
}

impl<K: KeyValue> Queue<K> {
    /// Reads what waits.
    pub async fn load(store: K) -> Self {
        Self { kept: Saved::load(store).await, temporary: WaitingMessages::default() }
    }

    /// What could not be read.
    pub fn unread(&self) -> Option<UnreadValue> {
        self.kept.unread()
    }

    /// Gives up the messages that could not be read.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_unread(&mut self) -> Result<(), StoreError> {
        self.kept.give_up_unread().await
    }

    /// What waits in a thread, as panels show it.
    pub fn view(&self, thread: &ThreadId) -> Vec<QueuedMessage> {
        self.of(thread).iter().map(view).collect()
    }

    /// The message to be said first.
    pub fn first(&self, thread: &ThreadId) -> Option<WaitingMessage> {
        self.of(thread).first().cloned()
    }

    /// Puts a message behind those that wait.
    ///
    /// # Errors
    /// When there are too many, or it could not be saved. It does not wait then.
    pub async fn add(&mut self, thread: &ThreadId, message: WaitingMessage) -> Result<(), NotQueued> {
        let mut messages = self.home(thread).clone();
        let waiting = messages.0.entry(thread.clone()).or_default();
        waiting.push(message);
        let is_full = waiting.len() > MOST || size(&messages) > MOST_BYTES;
        if is_full {
            return Err(NotQueued::Full);
        }
        self.become_saved(thread, messages).await.map_err(NotQueued::Unsaved)
    }

    /// Takes a message out, and gives it if it was there.
    ///
    /// # Errors
    /// When that could not be saved. It still waits then.
    pub async fn remove(
        &mut self,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<Option<QueuedMessage>, NotSaved> {
        let Some(removed) = self.of(thread).iter().find(|message| message.turn == *turn).map(view) else {
            return Ok(None);
        };
        let mut messages = self.home(thread).clone();
        if let Some(waiting) = messages.0.get_mut(thread) {
            waiting.retain(|message| message.turn != *turn);
        }
        messages.0.retain(|_, waiting| !waiting.is_empty());
        self.become_saved(thread, messages).await?;
        Ok(Some(removed))
    }

    /// Takes out all messages of temporary threads that are over.
    pub fn keep_temporary(&mut self, is_kept: impl Fn(&ThreadId) -> bool) {
        self.temporary.0.retain(|thread, _| is_kept(thread));
    }

    /// Takes out all messages of threads that were deleted, those too that could not be read.
    ///
    /// # Errors
    /// When that could not be saved. They still wait then.
    pub async fn forget(&mut self, gone: &[ThreadId]) -> Result<(), NotSaved> {
        let mut messages = self.kept.value().clone();
        messages.0.retain(|thread, _| !gone.contains(thread));
        if messages != *self.kept.value() {
            self.kept.save(messages).await?;
        }
        self.kept.give_up_members(|name| gone.iter().any(|thread| thread.0 == name)).await
    }

    fn of(&self, thread: &ThreadId) -> &[WaitingMessage] {
        self.home(thread).0.get(thread).map_or(&[], Vec::as_slice)
    }

    fn home(&self, thread: &ThreadId) -> &WaitingMessages {
        if thread.is_temporary() { &self.temporary } else { self.kept.value() }
    }

    async fn become_saved(&mut self, thread: &ThreadId, messages: WaitingMessages) -> Result<(), NotSaved> {
        if !thread.is_temporary() {
            return self.kept.save(messages).await;
        }
        self.temporary = messages;
        Ok(())
    }
}

/// A message as panels show it.
fn view(WaitingMessage { turn, text, attached, .. }: &WaitingMessage) -> QueuedMessage {
    QueuedMessage { id: turn.clone(), text: text.clone(), attached: attached.clone() }
}

/// Bytes of messages on disk. Our own types always have a JSON text.
fn size(messages: &WaitingMessages) -> usize {
    serde_json::to_string(messages).unwrap_or_default().len()
}

#[cfg(test)]
mod tests;
