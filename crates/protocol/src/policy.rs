//! Which tools may run, and why: what the user said of a tool, why a call asks, what let it pass.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::guard::Flow;

/// What the user wants of a tool, whatever the mode; a stricter one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
pub enum AllowedBy {
    /// Its tool counts as read-only.
    ReadOnly,
    /// Automatic mode, and nothing that would have it ask.
    Mode,
    /// The user allowed its tool ([`Policy::Allow`]).
    Grant,
    /// The user said so when asked about this very call.
    User,
    /// It carries data of another origin, which the user allowed in this thread.
    Flow,
}

/// Why a call asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AskReason {
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
        changes: Vec<DefinitionChange>,
    },
    /// The model makes it again although it was told that the same call had succeeded before.
    Repeated,
    /// The conversation is on guard: a text of a page seemed to instruct the model.
    Guard,
    /// It would take data of another origin to its own.
    Flow {
        /// The data, by argument.
        flows: Vec<Flow>,
    },
}

impl AskReason {
    /// The one other site of which data would go, where that can be allowed for a thread.
    #[must_use]
    pub fn flow_from(why: &[Self]) -> Option<&str> {
        let mut flows = why.iter().flat_map(|why| match why {
            Self::Flow { flows } => flows.as_slice(),
            Self::Mode
            | Self::Consequential
            | Self::Policy
            | Self::Repaired
            | Self::Changed { .. }
            | Self::Repeated
            | Self::Guard => &[],
        });
        let first = flows.next().filter(|flow| !flow.origin.is_empty())?;
        flows.all(|flow| flow.origin == first.origin).then_some(&first.site)
    }

    /// Whether a standing word for the tool would have kept the call from asking for this.
    #[must_use]
    pub fn ends_with_grant(&self) -> bool {
        match self {
            Self::Mode | Self::Consequential | Self::Policy | Self::Changed { .. } => true,
            Self::Repaired | Self::Repeated | Self::Guard | Self::Flow { .. } => false,
        }
    }
}

/// One part of a tool's definition that is not what it was. Texts of a page, with what nobody would see written out, each
/// cut to [`DefinitionChange::MOST`] characters around what differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionChange {
    /// Which part.
    pub part: DefinitionPart,
    /// What it was; empty when there was none.
    pub before: String,
    /// What it is; empty when there is none.
    pub after: String,
}

impl DefinitionChange {
    /// Most characters of a text.
    pub const MOST: usize = 400;
}

/// A part of a tool's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DefinitionPart {
    /// Its title for people.
    Title,
    /// Its description for models.
    Description,
    /// The schema of its input.
    Schema,
    /// Its hints, by name.
    Hints,
}

/// What a user's decision is kept for: where a tool is and its name, never how it is reached. A call is judged under every
/// key that fits its tool, and the strictest decision holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StoredKey")]
pub enum PolicyKey {
    /// Every tool of a site, whatever their names: a page can rename them.
    Site {
        /// Origin of its documents (`https://flights.example`).
        origin: String,
    },
    /// The tools of one name on a site, of its pages and of SKILLs. Two of one name on one origin are the same here.
    Tool {
        /// Origin of the documents that have it.
        origin: String,
        /// As it was registered.
        name: String,
    },
    /// A tool of a SKILL, on whatever site.
    Skill {
        /// The SKILL's id.
        skill: String,
        /// As the SKILL registered it.
        name: String,
    },
    /// A kind of action of the extension itself on a site.
    Action {
        /// Origin of the page it acts on.
        origin: String,
        /// The action's name.
        action: String,
    },
    /// A tool of an MCP server.
    Server {
        /// The server's name.
        server: String,
        /// As the server lists it.
        name: String,
    },
}

impl PolicyKey {
    /// The origin it is for; absent for one that holds on every site.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::Site { origin } | Self::Tool { origin, .. } | Self::Action { origin, .. } => Some(origin),
            Self::Skill { .. } | Self::Server { .. } => None,
        }
    }

    /// The name of the tool it is for; absent for all tools of a site.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Site { .. } => None,
            Self::Tool { name, .. } | Self::Skill { name, .. } | Self::Server { name, .. } => Some(name),
            Self::Action { action, .. } => Some(action),
        }
    }

    /// Whether something can be kept under it: it can unless its origin is none ([`is_lasting`]).
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.origin().is_none_or(is_lasting)
    }
}

/// The forms in which keys lie on disk: until version 0.1 the way in which a tool was reached was a part of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredKey {
    ByBackend { origin: String, name: String },
    Any(AnyKey),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum AnyKey {
    Site { origin: String },
    Tool { origin: String, name: String },
    Skill { skill: String, name: String },
    Action { origin: String, action: String },
    Server { server: String, name: String },
}

impl From<StoredKey> for PolicyKey {
    fn from(stored: StoredKey) -> Self {
        match stored {
            StoredKey::ByBackend { origin, name } | StoredKey::Any(AnyKey::Tool { origin, name }) => {
                Self::Tool { origin, name }
            }
            StoredKey::Any(AnyKey::Site { origin }) => Self::Site { origin },
            StoredKey::Any(AnyKey::Skill { skill, name }) => Self::Skill { skill, name },
            StoredKey::Any(AnyKey::Action { origin, action }) => Self::Action { origin, action },
            StoredKey::Any(AnyKey::Server { server, name }) => Self::Server { server, name },
        }
    }
}

/// A policy that the user set, as the panel lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// What it is kept under.
    pub key: PolicyKey,
    /// The policy.
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
    pub why: Vec<AskReason>,
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
    /// Whether the user allowed, with it, that data goes from the other origin to its own in this thread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flow_allowed: bool,
    /// What let it pass, once it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<AllowedBy>,
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

/// What the user decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Run it.
    Run,
    /// Do not; the model is told.
    Decline,
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
    fn policy_keys_are_read_from_before_and_as_they_are_written() {
        let before = r#"{"origin":"https://a.example","name":"n","source":"native"}"#;
        let now = r#"{"tool":{"origin":"https://a.example","name":"n"}}"#;
        let key: PolicyKey = serde_json::from_str(before).unwrap();
        assert_eq!(serde_json::to_string(&key).unwrap(), now);
        for key in [
            key,
            PolicyKey::Site { origin: "o".to_owned() },
            PolicyKey::Skill { skill: "s".to_owned(), name: "n".to_owned() },
            PolicyKey::Action { origin: "o".to_owned(), action: "click".to_owned() },
            PolicyKey::Server { server: "s".to_owned(), name: "n".to_owned() },
        ] {
            let text = serde_json::to_string(&key).unwrap();
            assert_eq!(serde_json::from_str::<PolicyKey>(&text).unwrap(), key, "{text}");
        }
    }

    #[test]
    fn a_stricter_policy_is_greater() {
        assert!(Policy::Allow < Policy::Ask && Policy::Ask < Policy::Off);
    }

    #[test]
    fn what_has_no_approval_says_nothing() {
        assert_eq!(serde_json::to_string(&Approval::default()).unwrap(), "{}");
        let asked = Approval { why: vec![AskReason::Mode], can_allow: true, ..Approval::default() };
        assert!(!asked.is_empty());
        let text = r#"{"why":["mode",{"changed":{"changes":[]}}],"later":1}"#;
        let read: Approval = serde_json::from_str(text).unwrap();
        assert_eq!(read.why, [AskReason::Mode, AskReason::Changed { changes: Vec::new() }]);
    }
}
