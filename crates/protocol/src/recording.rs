//! A turn of a chat that becomes a case of an eval.

use serde::{Deserialize, Serialize};

use crate::settings::Language;
use crate::thread::ToolOutcome;

/// A turn to be made a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnQuestion {
    /// The language of the notes.
    pub language: Language,
    /// The turns of the conversation, of which the last one becomes the case.
    pub turns: Vec<RecordedTurn>,
    /// The tools that its pages have now.
    pub tools: Vec<RecordedTool>,
}

/// A turn of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedTurn {
    /// The user's words.
    pub said: String,
    /// Whether texts of pages or pictures were attached to them.
    pub attached: bool,
    /// Address of the page in front of the user.
    pub url: String,
    /// The model's answers.
    pub answers: Vec<RecordedAnswer>,
}

/// An answer of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedAnswer {
    /// Its text.
    pub text: String,
    /// Its calls of tools of pages and SKILLs, in order.
    pub calls: Vec<RecordedToolCall>,
    /// Whether it called other tools.
    pub others: bool,
}

/// A call with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedToolCall {
    /// The tool's name, as the page or the SKILL gave it.
    pub tool: String,
    /// Its arguments (JSON text).
    pub arguments: String,
    /// Where they contain secrets according to the tool's schema, as JSON Pointers.
    pub secrets: Vec<String>,
    /// How it ended.
    pub outcome: ToolOutcome,
}

/// A tool as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedTool {
    /// Its name, as the page or the SKILL gave it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON text of its input schema; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// What a turn came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnCase {
    /// The name of the case.
    pub name: String,
    /// A suite with the case: text of a file. Absent if there is no case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// What was left out, or why there is no case: sentences.
    pub notes: Vec<String>,
}
