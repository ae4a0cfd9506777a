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
use crate::picture::Picture;
use crate::settings::ModelChoice;

/// One item of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Stable while the item changes.
    pub id: ItemId,
    /// Its turn.
    pub turn: TurnId,
    /// Order within the thread; grows and is never reused.
    pub seq: u64,
    /// When it began.
    pub at: Timestamp,
    /// What the item shows.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ItemKind {
    /// A message of the user.
    User {
        /// As typed.
        text: String,
        /// Attached texts of pages.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
        /// Pictures; [`crate::link::ChatCommand::Picture`] asks for their bytes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// One answer of the model: its reasoning, then its text. Either may be empty.
    Assistant {
        /// The model's reasoning; empty if it gave none.
        reasoning: String,
        /// Duration of the reasoning in milliseconds; absent while it lasts, and if there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_ms: Option<u64>,
        /// Markdown.
        text: String,
        /// Its progress.
        state: AnswerState,
    },
    /// One tool call.
    Tool(ToolItem),
    /// A failed request that is retried after a delay: "too many requests, trying again".
    Retry {
        /// What went wrong.
        error: ModelError,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// Maximum number of attempts.
        of: u32,
        /// When the next attempt starts.
        until: Timestamp,
        /// The model that failed; absent if none was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
    },
    /// A text of a page seemed to instruct the model: the conversation is on guard, and every tool that acts asks.
    Guard {
        /// The tool whose result or description it is; empty if it is of none.
        tool: String,
        /// Host of its page.
        site: String,
        /// Which text it is.
        text: PageText,
        /// Why it is suspicious.
        signals: Vec<InjectionSignal>,
        /// Whether the user has lifted the guard since.
        lifted: bool,
    },
    /// From here on, part of the conversation above is left out of the model's input.
    LeftOut {
        /// What is left out.
        what: Omission,
    },
    /// The item above, or what follows from it, has several versions, because the user edited the message
    /// or had the model answer again.
    Versions {
        /// The number of the shown version, from 1, by time.
        version: u32,
        /// Number of versions.
        of: u32,
        /// The previous version, for [`crate::link::ChatCommand::TakeVersion`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<u64>,
        /// The next version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        later: Option<u64>,
    },
    /// From here on the model reads a shorter form of the conversation above, because its context window is
    /// nearly full.
    Compacted {
        /// What it reads instead.
        how: Compaction,
        /// Whether the user has undone that.
        #[serde(default)]
        undone: bool,
    },
    /// The end of the turn, or a pause after which it can be continued.
    TurnEnd {
        /// Why the turn ended or pauses.
        end: TurnEnd,
        /// Tokens of the whole turn, if the provider reported them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Their cost, one sum per currency; empty if the user set no price.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        costs: Vec<Cost>,
        /// Duration since the turn began, in milliseconds.
        duration_ms: u64,
        /// The model of the last request, to which a failure refers; absent if there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
        /// Whether the turn called a tool of a page or a SKILL.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        called_tools: bool,
    },
}

/// A text of a page that the model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageText {
    /// A tool's result.
    Result,
    /// A tool's description.
    Description,
    /// An attachment of the user.
    Attached,
}

/// How the model's input was shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Compaction {
    /// The model is writing a summary.
    Summing,
    /// Results of earlier tool calls are left out.
    Results,
    /// A summary replaces the conversation so far.
    Summary {
        /// The summary, written by the model.
        text: String,
    },
}

/// The progress of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerState {
    /// The request is sent, and nothing has arrived yet.
    Waiting,
    /// It is arriving.
    Streaming,
    /// It is complete.
    Done,
    /// The user stopped it; what came is kept.
    Stopped,
    /// It broke off; what came is kept.
    Cut,
}

/// What is left out of the model's input when a turn is continued, because the model did not accept the
/// whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Omission {
    /// Earlier turns, and all but the last result of this one: the conversation was too long.
    History,
    /// Texts of pages: a content filter refused them.
    PageContent,
}
