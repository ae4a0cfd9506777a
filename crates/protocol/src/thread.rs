//! What the panel shows of a conversation: threads, and the items in them.
//!
//! Items are a projection of the turn's log; they hold no truth of their own.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::ids::ThreadId;

mod item;
mod outcome;
mod tool;
mod turn_end;
mod usage;

pub use item::{AnswerState, Compaction, Item, ItemKind, Omission, PageText};
pub use outcome::{ToolFailure, ToolOutcome};
pub use tool::{Question, Repair, ResultCut, ToolItem, ToolState, ToolStep};
pub use turn_end::{Stuck, TurnEnd};
pub use usage::{Cost, Usage};

/// A conversation in the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadSummary {
    /// Its id.
    pub id: ThreadId,
    /// The user's first words, or the name that the user gave it; at most [`crate::history::TITLE_LIMIT`]
    /// characters.
    pub title: String,
    /// Host of the page on which it began; empty if there was none.
    pub site: String,
    /// When it began.
    pub created: Timestamp,
    /// When something last happened in it.
    pub updated: Timestamp,
    /// Whether the user keeps it at the top of the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Whether it is temporary: it is in no list, is not saved, and ends with its worker.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temporary: bool,
}

/// What the agent is doing in a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Activity {
    /// Nothing: no turn is running.
    #[default]
    Resting,
    /// A request was sent to the model, or its answer is arriving.
    Model,
    /// A tool runs.
    Tool,
    /// A tool runs, and its page waits for the user.
    Waiting,
    /// A call waits for the user's decision.
    Asking,
    /// A request failed and is retried after a delay.
    Retrying,
}
