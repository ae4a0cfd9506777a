//! The open thread of a panel: what the user says in it, and how it grows.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::attachment::Attachment;
use crate::ids::{ItemId, TurnId};
use crate::picture::{NewPicture, Picture};
use crate::thread::{Activity, Item, Omission, ThreadSummary};

/// Maximum number of items in one message.
pub const PAGE_SIZE: usize = 100;

/// Longest message of a user, in characters.
pub const MESSAGE_LIMIT: usize = 100_000;

/// Commands for the open thread of the panel that sends them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatCommand {
    /// Send a message. Starts a thread if none is open; is queued while a turn runs in the open one.
    Send {
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Attached texts of pages; see [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
        /// Pictures, as [`Picture::are_sound`] allows.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<NewPicture>,
    },
    /// Send the first queued message now.
    SendQueued,
    /// Take a message out of the queue; answered by [`ChatAnswer::Unqueued`] if it was still there.
    Unqueue {
        /// As in [`QueuedMessage::id`].
        id: TurnId,
    },
    /// Continue the paused or failed turn.
    Continue {
        /// What to leave out of the model's input from now on.
        without: Option<Omission>,
    },
    /// Replace an earlier message and go on from there. The original message and what followed it are kept
    /// as another version.
    Edit {
        /// The item of the message to replace.
        item: ItemId,
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Attached texts of pages; see [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
        /// Pictures, as [`Picture::are_sound`] allows.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<NewPicture>,
    },
    /// Have the model answer once more. The results of its tool calls stay; the answer so far is kept as
    /// another version.
    AnswerAgain,
    /// Show another version of the thread and continue from it.
    TakeVersion {
        /// As in [`crate::thread::ItemKind::Versions`].
        version: u64,
    },
    /// Undo compaction and turn automatic compaction off for this thread.
    UndoCompaction,
    /// Send the page of items before this one; answered by [`ChatAnswer::Older`].
    LoadOlder {
        /// `seq` of the oldest item the panel has.
        before: u64,
    },
    /// Send a picture of the thread; answered by [`ChatAnswer::Picture`].
    Picture {
        /// As in [`Picture::digest`].
        digest: String,
    },
}

/// Answers a [`ChatCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatAnswer {
    /// The message is no longer queued, and was not sent.
    Unqueued {
        /// The message.
        message: QueuedMessage,
    },
    /// A page of older items.
    Older {
        /// Oldest first.
        items: Vec<Item>,
        /// Whether there are still older ones.
        more: bool,
    },
    /// A picture.
    Picture {
        /// Its bytes in base64; absent if it is no longer kept.
        data: Option<String>,
    },
}

/// The open thread changed.
#[allow(clippy::large_enum_variant, reason = "each event is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatEvent {
    /// Another thread, or none, is open now.
    Opened {
        /// The thread.
        thread: Option<ThreadView>,
    },
    /// An item is new or changed: insert it, or replace the item with its `id`.
    Item {
        /// The item, whole.
        item: Item,
    },
    /// An item was removed (a retry that is over).
    ItemGone {
        /// Its id.
        id: ItemId,
    },
    /// An [`crate::thread::ItemKind::Assistant`] item grew at its end.
    Grew {
        /// Its id.
        id: ItemId,
        /// New reasoning text; may be empty.
        reasoning: String,
        /// New answer text; may be empty.
        text: String,
    },
    /// The agent's activity changed.
    Activity {
        /// Its activity in the open thread.
        activity: Activity,
    },
    /// The queue changed.
    Queue {
        /// The next one to be sent first.
        messages: Vec<QueuedMessage>,
    },
    /// The context usage changed, or the model did.
    Usage {
        /// The usage now.
        usage: ContextUsage,
    },
}

impl Domain for ChatCommand {
    type Answer = ChatAnswer;

    fn command(self) -> Command {
        Command::Chat(self)
    }

    fn answer(answer: Answer) -> Option<ChatAnswer> {
        if let Answer::Chat(answer) = answer { Some(answer) } else { None }
    }
}

/// A message that is queued until the turn ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// The id of the message, and of the turn that it will start.
    pub id: TurnId,
    /// The user's words.
    pub text: String,
    /// Attached texts of pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
    /// Pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

/// A thread with its newest page of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadView {
    /// Its line in the list of threads.
    pub summary: ThreadSummary,
    /// Oldest first, at most [`PAGE_SIZE`].
    pub items: Vec<Item>,
    /// Whether there are older ones.
    pub more: bool,
    /// What the agent is doing in it.
    pub activity: Activity,
    /// Queued messages, the next one to be sent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedMessage>,
    /// How much of the model's context window it takes.
    #[serde(default)]
    pub usage: ContextUsage,
}

/// How much of the model's context window a conversation takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Tokens: the provider's last count, plus an estimate of what was added since.
    pub tokens: u64,
    /// Size of the context window in tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
}
