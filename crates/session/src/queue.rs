//! Messages that the user sent while a turn was running. Each is sent when the turn before it ends as done,
//! or when the user asks for it. The queue is on disk, except for temporary threads.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sidecar_agent::{PageRef, StoreError};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::QueuedMessage;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_protocol::settings::Language;
use sidecar_protocol::{ThreadId, TurnId};

use crate::key_value::KeyValue;
use crate::saved::{NotSaved, Persistent, Saved};

/// Maximum number of queued messages of a thread.
const MOST: usize = 10;

/// Maximum bytes of all queued messages: `storage.local` has ten million for everything.
const MOST_BYTES: usize = 4_000_000;

/// The queued messages.
#[derive(Debug)]
pub struct Queue<K> {
    kept: Saved<WaitingMessages, K>,
    /// The messages of temporary threads.
    temporary: WaitingMessages,
}

/// Messages by thread, the next one to send first.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WaitingMessages(BTreeMap<ThreadId, Vec<WaitingMessage>>);

/// A queued message, with its context when the user sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingMessage {
    /// The id of the turn that it will start. If the thread's log has this turn, the message has been sent.
    pub turn: TurnId,
    /// The text.
    pub text: String,
    /// Attached texts of pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
    /// Pictures, which are kept already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// The page where the user was.
    pub page: PageRef,
    /// The language of the panel.
    pub language: Language,
}

/// Why a message was not queued.
#[derive(Debug, PartialEq, Eq)]
pub enum NotQueued {
    /// The queue has too many messages, or too many bytes.
    Full,
    /// It could not be saved.
    Unsaved(NotSaved),
}

impl Persistent for WaitingMessages {
    const NAME: SavedName = SavedName::Queue;
    const KEY: &'static str = "queue";
}

impl<K: KeyValue> Queue<K> {
    /// Reads the queue.
    pub async fn load(store: K) -> Self {
        Self { kept: Saved::load(store).await, temporary: WaitingMessages::default() }
    }

    /// The unreadable parts, if there are any.
    pub fn unread(&self) -> Option<UnreadValue> {
        self.kept.unread()
    }

    /// Discards the messages that could not be read.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_unread(&mut self) -> Result<(), StoreError> {
        self.kept.give_up_unread().await
    }

    /// The queue of a thread, as panels show it.
    pub fn view(&self, thread: &ThreadId) -> Vec<QueuedMessage> {
        self.of(thread).iter().map(view).collect()
    }

    /// The threads that have messages on disk, readable or not.
    pub fn threads(&self) -> BTreeSet<ThreadId> {
        let unread = self.kept.unread_members().map(ThreadId::from);
        self.kept.value().0.keys().cloned().chain(unread).collect()
    }

    /// The next message of a thread.
    pub fn first(&self, thread: &ThreadId) -> Option<WaitingMessage> {
        self.of(thread).first().cloned()
    }

    /// Appends a message to the queue of a thread.
    ///
    /// # Errors
    /// If the queue is full, or cannot be saved. The message is not queued then.
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

    /// Removes a message; returns it if it was there.
    ///
    /// # Errors
    /// If the change cannot be saved. The message stays queued then.
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

    /// Drops the messages of temporary threads that are gone.
    pub fn keep_temporary(&mut self, is_kept: impl Fn(&ThreadId) -> bool) {
        self.temporary.0.retain(|thread, _| is_kept(thread));
    }

    /// Removes the messages of deleted threads, including unreadable ones.
    ///
    /// # Errors
    /// If the change cannot be saved. Messages may then remain on disk.
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

/// The message as panels show it.
fn view(WaitingMessage { turn, text, attached, pictures, .. }: &WaitingMessage) -> QueuedMessage {
    let (id, text) = (turn.clone(), text.clone());
    QueuedMessage { id, text, attached: attached.clone(), pictures: pictures.clone() }
}

/// Size of messages on disk, in bytes.
fn size(messages: &WaitingMessages) -> usize {
    serde_json::to_string(messages).unwrap_or_default().len()
}

#[cfg(test)]
mod tests;
