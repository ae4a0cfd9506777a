//! The items of a conversation.

use serde::{Deserialize, Serialize};

use super::tool::ToolItem;
use super::turn_end::TurnEnd;
use super::usage::{Cost, Usage};
use crate::Timestamp;
use crate::attachment::Attachment;
use crate::error::ModelError;
use crate::guard::InjectionSignal;
use crate::ids::{ItemId, TurnId};
use crate::settings::ModelChoice;

/// One entry of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Stable while the item changes.
    pub id: ItemId,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Order within the thread; grows, never reused.
    pub seq: u64,
    /// When it began.
    pub at: Timestamp,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ItemKind {
    /// The user's words.
    User {
        /// As typed.
        text: String,
        /// Texts of pages that went with them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// One answer of the model: its reasoning, then its words. Either may be empty.
    Assistant {
        /// The model's thoughts; empty when it gave none.
        reasoning: String,
        /// How long it thought, in milliseconds; absent while it thinks and when it did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_ms: Option<u64>,
        /// Markdown.
        text: String,
        /// How far it is.
        state: AnswerState,
    },
    /// One tool call.
    Tool(ToolItem),
    /// A failure that is being waited out: "too many requests, trying again".
    Retry {
        /// What went wrong.
        error: ModelError,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How many there will be at most.
        of: u32,
        /// When the next attempt starts.
        until: Timestamp,
        /// Whose model failed; absent when nobody's was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
    },
    /// A text of a page seemed to instruct the model: the conversation is on guard, and every tool that acts asks.
    Guard {
        /// The tool that gave it, or whose description it is; empty when it has to do with none.
        tool: String,
        /// Host of its page.
        site: String,
        /// What text it is.
        text: PageText,
        /// What made it suspicious.
        signals: Vec<InjectionSignal>,
        /// Whether the user has called it off since.
        lifted: bool,
    },
    /// From here on the model is told less of what is above.
    LeftOut {
        /// What it is not told.
        what: Omission,
    },
    /// What is above, or follows from it, is one of several versions: the user changed the words, or had the model answer
    /// again.
    Versions {
        /// Which it is, from 1, in their order in time.
        version: u32,
        /// How many there are.
        of: u32,
        /// What [`crate::link::ChatCommand::TakeVersion`] names the one before with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<u64>,
        /// And the one after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        later: Option<u64>,
    },
    /// From here on the model is told less of what is above, because its window is nearly full.
    Compacted {
        /// What it is told instead.
        how: Compaction,
        /// Whether the user has taken that back.
        #[serde(default)]
        undone: bool,
    },
    /// The end of the turn, or a pause that can be continued.
    TurnEnd {
        /// How it ended.
        end: TurnEnd,
        /// Tokens of the whole turn, where the provider said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What they cost, a sum for each currency; empty where the user set no price.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        costs: Vec<Cost>,
        /// Since the turn began, in milliseconds.
        duration_ms: u64,
        /// The model that was asked last, which a failure is told of; absent when none was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
    },
}

/// A text of a page that reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageText {
    /// What a tool gave.
    Result,
    /// What a page says of a tool.
    Description,
    /// What the user attached to a message.
    Attached,
}

/// How room is made in a model's window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Compaction {
    /// The model is writing a summary.
    Summing,
    /// It is not told what tools gave earlier.
    Results,
    /// It is told this in the place of what was said.
    Summary {
        /// In the model's words.
        text: String,
    },
}

/// How far an answer of the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerState {
    /// The request is out, nothing came yet.
    Waiting,
    /// It grows.
    Streaming,
    /// It is whole.
    Done,
    /// The user stopped it; what came is kept.
    Stopped,
    /// It broke off; what came is kept.
    Cut,
}

/// What is left out of a conversation when it is taken up again, because the model could not take all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Omission {
    /// Earlier turns, and of this one what tools gave but for the last: it was too long.
    History,
    /// What pages gave: a filter took offence.
    PageContent,
}
