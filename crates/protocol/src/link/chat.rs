//! The open thread of a panel: what the user says in it, and how it grows.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::attachment::Attachment;
use crate::ids::{ItemId, TurnId};
use crate::thread::{Activity, Item, Omission, ThreadSummary};

/// Items in a page of a thread.
pub const PAGE_SIZE: usize = 100;

/// Longest message of a user, in characters.
pub const MESSAGE_LIMIT: usize = 100_000;

/// About the open thread of the panel that sends it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatCommand {
    /// The user said something. Begins a thread when none is open; waits where a turn runs in the open one.
    Send {
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Texts of pages that go with it; [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// Say the first message that waits now.
    SendQueued,
    /// Take back a message that waits; answered by [`ChatAnswer::Unqueued`] if it still does.
    Unqueue {
        /// As [`QueuedMessage`] names it.
        id: TurnId,
    },
    /// Take up the paused or failed turn.
    Continue {
        /// What is left out of what the model is told from now on.
        without: Option<Omission>,
    },
    /// Put other words in the place of earlier ones: the thread goes on from there, and what came of the earlier ones is
    /// kept as another version.
    Edit {
        /// The item of the earlier words.
        item: ItemId,
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Texts of pages that go with them; [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// Have the model answer once more. What its tools did and gave stays; the answer so far is kept as another version.
    AnswerAgain,
    /// Show another version of the thread, and go on from it.
    TakeVersion {
        /// As [`crate::thread::ItemKind::Versions`] names it.
        version: u64,
    },
    /// Tell the model again what it is not told for want of room, and make no room unasked any more.
    UndoCompaction,
    /// Send the page of items before this one; answered by [`ChatAnswer::Older`].
    LoadOlder {
        /// `seq` of the oldest item the panel has.
        before: u64,
    },
}

/// Answers a [`ChatCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatAnswer {
    /// The message waits no more, and was not said.
    Unqueued {
        /// As it was.
        message: QueuedMessage,
    },
    /// A page of older items.
    Older {
        /// Oldest first.
        items: Vec<Item>,
        /// Whether there are still older ones.
        more: bool,
    },
}

/// The open thread changed.
#[allow(clippy::large_enum_variant, reason = "each event is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChatEvent {
    /// Another thread (or none) is open now.
    Opened {
        /// As it is now.
        thread: Option<ThreadView>,
    },
    /// An item is new or changed: put it in its place by `id`.
    Item {
        /// The item, whole.
        item: Item,
    },
    /// An item is no more (a retry that is over).
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
    /// The agent does something else now.
    Activity {
        /// In the open thread.
        activity: Activity,
    },
    /// What waits changed.
    Queue {
        /// The next one first.
        messages: Vec<QueuedMessage>,
    },
    /// The thread takes more or less of the model's context window than before, or the model is another.
    Usage {
        /// As it is now.
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

/// A message that waits until the agent rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Names it, and the turn that it will begin.
    pub id: TurnId,
    /// The user's words.
    pub text: String,
    /// Texts of pages that go with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
}

/// A thread with its newest page of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadView {
    /// Its name in the list.
    pub summary: ThreadSummary,
    /// Oldest first, at most [`PAGE_SIZE`].
    pub items: Vec<Item>,
    /// Whether there are older ones.
    pub more: bool,
    /// What the agent is doing in it.
    pub activity: Activity,
    /// What the user said meanwhile, the next one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedMessage>,
    /// How much of the model's window it takes.
    #[serde(default)]
    pub usage: ContextUsage,
}

/// How much of a model's window a conversation takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Tokens: as the provider counted them last, and an estimate of what came since.
    pub tokens: u64,
    /// Of how many, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
}
