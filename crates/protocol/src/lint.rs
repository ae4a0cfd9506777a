//! What is wrong with a site's tools, for their developer.

use serde::{Deserialize, Serialize};

use crate::ids::FrameId;
use crate::page::ToolDescription;
use crate::schema::ProfileName;
use crate::settings::Language;
use crate::tool_run::ToolRun;

/// Tools to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LintQuestion {
    /// The language of the answer.
    pub language: Language,
    /// The tools of a tab, those of its frames too.
    pub tools: Vec<InspectedTool>,
    /// How the tools came to be, as far as the relays of their documents told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<ToldFacts>,
    /// What the service of the model in use accepts; absent if no model is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileName>,
    /// The rules of [`LintNote::OFF_AT_FIRST`] that are on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// If there is one, what it came to is looked at, and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<InspectedRun>,
}

/// A run to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InspectedRun {
    /// The run.
    pub run: ToolRun,
    /// The tool's schema at that time (JSON text); absent if there was none, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// A tool to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InspectedTool {
    /// Origin of its document.
    pub origin: String,
    /// Frame of its document.
    pub frame: FrameId,
    /// As the page registered it.
    pub description: ToolDescription,
    /// Address of another page of its origin that defines a tool of this name otherwise; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs_on: Option<String>,
}

/// How the tools of a document came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToldFacts {
    /// Origin of the document.
    pub origin: String,
    /// Frame of the document.
    pub frame: FrameId,
    /// What its relay told: JSON text of a [`DocumentFacts`](crate::registration::DocumentFacts), which nobody has read yet.
    pub text: String,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LintNote {
    /// Id of the rule, as in `docs/lint.md`.
    pub rule: String,
    /// What it means.
    pub weight: NoteWeight,
    /// The tool's name, invisible characters written out; empty if it is about the page.
    pub tool: String,
    /// JSON Pointer (RFC 6901) into the tool's definition; empty for the whole.
    pub pointer: String,
    /// What is wrong: a sentence.
    pub message: String,
    /// What to do about it: a sentence.
    pub way_out: String,
    /// The page's own text that it is about, invisible characters written out; may be empty.
    pub excerpt: String,
}

/// Tools whose contract is to be kept, or compared with an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractQuestion {
    /// The language of the answer.
    pub language: Language,
    /// The tools of a tab, those of its frames too.
    pub tools: Vec<InspectedTool>,
    /// The time (RFC 3339).
    pub taken: String,
    /// Text of an earlier snapshot; absent if there is none to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// The contract of a site's tools as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    /// Text of the snapshot, for a file.
    pub snapshot: String,
    /// What has changed since the earlier one, the worst first, or why that one cannot be read: a sentence. Absent if there
    /// was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Result<Vec<ContractNote>, String>>,
}

impl ContractView {
    /// Maximum bytes of an earlier snapshot.
    pub const MOST_BYTES: usize = 4 << 20;
}

/// A change of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractNote {
    /// What it means.
    pub weight: ContractWeight,
    /// What changed: a sentence.
    pub text: String,
}

/// What a change of a contract means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContractWeight {
    /// Calls that worked fail now, or nobody can tell.
    Breaking,
    /// What a call may do is to be judged again.
    Safety,
    /// Models may call it otherwise.
    Behavioural,
    /// Calls that worked still do.
    Compatible,
}

/// How much something matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NoteWeight {
    /// The tool does not work as it should, or is not safe.
    Error,
    /// Models or people will have trouble with it.
    Warning,
    /// Good to know.
    Info,
}

impl LintNote {
    /// Maximum number of notes that are shown.
    pub const MOST: usize = 300;
    /// The rules that are off on a site until the user switches them on.
    pub const OFF_AT_FIRST: [&'static str; 3] =
        ["tool-title-missing", "description-when-to-use", "annotations-explicit"];
}
