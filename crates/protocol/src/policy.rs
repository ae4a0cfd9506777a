//! Which tools may run, and why: what the user said of a tool, why a call asks, what let it pass.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::guard::Flow;
use crate::page::Backend;

/// What the user wants of a tool, whatever the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    /// It runs without asking, as long as it is defined as it was when the user said so.
    Allow,
    /// It asks each time.
    Ask,
    /// It is not offered to models, and does not run.
    Off,
}

/// What let a call pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Passed {
    /// Its tool counts as read-only.
    ReadOnly,
    /// Automatic mode, and nothing that would have it ask.
    Mode,
    /// The user allowed its tool ([`Policy::Allow`]).
    Grant,
    /// The user said so when asked about this very call.
    User,
}

/// Why a call asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Why {
    /// Confirm mode, and its tool does not count as read-only.
    Mode,
    /// What its tool does is serious or hard to take back.
    Consequential,
    /// The user wants to be asked about its tool.
    Policy,
    /// Something was put right in it.
    Repaired,
    /// The user allowed its tool, which was defined otherwise then.
    Changed {
        /// In what it differs.
        changes: Vec<Change>,
    },
    /// The conversation is on guard: a text of a page seemed to instruct the model.
    Guard,
    /// It would take data of another origin to its own.
    Flow {
        /// Which.
        flows: Vec<Flow>,
    },
}

impl Why {
    /// Whether a standing word for the tool would have kept the call from asking for this.
    #[must_use]
    pub fn ends_with_grant(&self) -> bool {
        match self {
            Self::Mode | Self::Consequential | Self::Policy | Self::Changed { .. } => true,
            Self::Repaired | Self::Guard | Self::Flow { .. } => false,
        }
    }
}

/// One part of a tool's definition that is not what it was. Texts of a page, with what nobody would see written out, each
/// cut to [`Change::MOST`] characters around what differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Which part.
    pub part: Part,
    /// What it was; empty when there was none.
    pub before: String,
    /// What it is; empty when there is none.
    pub after: String,
}

impl Change {
    /// Most characters of a text.
    pub const MOST: usize = 400;
}

/// A part of a tool's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// Its title for people.
    Title,
    /// Its description for models.
    Description,
    /// The schema of its input.
    Schema,
    /// Its hints, by name.
    Hints,
}

/// What a policy is kept for: a tool by where it comes from. Of the tools of one origin, two of the same name are the
/// same here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolKey {
    /// Origin of the document that has it (`https://flights.example`).
    pub origin: String,
    /// As the page registered it.
    pub name: String,
    /// How it is reached.
    pub source: Backend,
}

/// A policy that the user set, as the panel lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// For which tool.
    pub key: ToolKey,
    /// What.
    pub policy: Policy,
    /// When.
    pub at: Timestamp,
}

/// A site that the user hides from the agent, as the panel lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HiddenSite {
    /// Origin of its documents.
    pub origin: String,
    /// Since when.
    pub at: Timestamp,
}

/// What is to be known of a call's approval: why it asks or asked, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Approval {
    /// Why; empty for a call that did not ask, and in threads of before this was kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Why>,
    /// What is wrong with the arguments as the user last changed them, in English for who knows the tool; empty when
    /// nothing is. The question stays.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mistake: String,
    /// How often the user changed them so that they did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub mistakes: u32,
    /// Whether the user changed the arguments.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The user's words to the model with a refusal; often empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// What let it pass, once it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<Passed>,
    /// Whether the tool can be allowed once and for all: it can where its page has an origin to keep that for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub can_allow: bool,
}

impl Approval {
    /// Longest words of the user with a refusal, in characters.
    pub const MOST_WORDS: usize = 2_000;

    /// Whether there is nothing to be known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Whether an origin is one to remember things for: opaque ones, as of sandboxed frames, are all called the same.
#[must_use]
pub fn is_lasting(origin: &str) -> bool {
    !origin.is_empty() && origin != "null"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_word_cannot_be_given_for_what_has_no_origin() {
        assert!(is_lasting("https://flights.example"));
        assert!(!is_lasting("null") && !is_lasting(""));
    }

    #[test]
    fn what_has_no_approval_says_nothing() {
        assert_eq!(serde_json::to_string(&Approval::default()).unwrap(), "{}");
        let asked = Approval { why: vec![Why::Mode], can_allow: true, ..Approval::default() };
        assert!(!asked.is_empty());
        let text = r#"{"why":["mode",{"changed":{"changes":[]}}],"later":1}"#;
        let read: Approval = serde_json::from_str(text).unwrap();
        assert_eq!(read.why, [Why::Mode, Why::Changed { changes: Vec::new() }]);
    }
}
