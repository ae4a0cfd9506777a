//! Policies and approvals: what the user decided about tools, why a call asks, what allowed it.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::action::{ActionCard, PageAccess, SensitiveSite};
use crate::guard::Flow;

/// The user's policy for a tool, in every mode; a stricter one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    /// It runs without asking, as long as its definition is the one that the user allowed.
    Allow,
    /// It asks each time.
    Ask,
    /// It is not offered to models, and does not run.
    Off,
}

/// What allowed a call to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AllowedBy {
    /// Its tool counts as read-only.
    ReadOnly,
    /// Automatic mode, and no reason to ask.
    Mode,
    /// The user allowed its tool ([`Policy::Allow`]).
    Grant,
    /// The user approved this very call.
    User,
    /// It carries data of another origin, which the user allowed in this thread.
    Flow,
}

/// Why a call needs the user's approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AskReason {
    /// Confirm mode, and its tool does not count as read-only.
    Mode,
    /// What its tool does is serious or hard to take back.
    Consequential,
    /// The user's policy for its tool is to ask.
    Policy,
    /// Something in it was repaired.
    Repaired,
    /// The user allowed its tool, but the tool's definition has changed since.
    Changed {
        /// The differences.
        changes: Vec<DefinitionChange>,
    },
    /// The model repeats a call although it was told that the same call had succeeded.
    Repeated,
    /// The conversation is on guard: a text of a page seemed to instruct the model.
    Guard,
    /// It would send data of another origin to its own.
    Flow {
        /// The data.
        flows: Vec<Flow>,
    },
    /// The agent wants to use the pages of its origin.
    PageAccess {
        /// How far.
        access: PageAccess,
    },
    /// What a page action would do. Never the only reason.
    Action {
        /// The action.
        card: Box<ActionCard>,
    },
    /// It acts in a frame of another origin than its page.
    OtherFrame {
        /// Host of the frame.
        site: String,
    },
    /// Every action asks on a site of this kind.
    SensitiveSite {
        /// The kind.
        kind: SensitiveSite,
    },
    /// A script of its page made it, not the user's own agent.
    FromPage,
    /// The user has switched its tool off, and runs it by hand.
    SwitchedOff,
}

impl AskReason {
    /// The page action that is asked about, if it is one.
    #[must_use]
    pub fn card_in(why: &[Self]) -> Option<&ActionCard> {
        why.iter().find_map(|why| if let Self::Action { card } = why { Some(&**card) } else { None })
    }

    /// The one other site whose data would flow, if that flow can be allowed for a thread.
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
            | Self::Guard
            | Self::PageAccess { .. }
            | Self::Action { .. }
            | Self::OtherFrame { .. }
            | Self::SensitiveSite { .. }
            | Self::FromPage
            | Self::SwitchedOff => &[],
        });
        let first = flows.next().filter(|flow| !flow.origin.is_empty())?;
        flows.all(|flow| flow.origin == first.origin).then_some(&first.site)
    }

    /// Whether a policy that allows the tool would have ended one of these reasons and may be kept: never for
    /// an action with consequences, or one that is the user's own.
    #[must_use]
    pub fn can_end(why: &[Self]) -> bool {
        let is_lasting = |why: &Self| match why {
            Self::Action { card } => card.consequence.is_none() && card.by_user.is_none(),
            Self::Mode
            | Self::Consequential
            | Self::Policy
            | Self::Repaired
            | Self::Changed { .. }
            | Self::Repeated
            | Self::Guard
            | Self::Flow { .. }
            | Self::PageAccess { .. }
            | Self::OtherFrame { .. }
            | Self::SensitiveSite { .. }
            | Self::FromPage
            | Self::SwitchedOff => true,
        };
        why.iter().all(is_lasting)
    }

    /// Whether a policy that allows the tool would have prevented this reason.
    #[must_use]
    pub fn ends_with_grant(&self) -> bool {
        match self {
            Self::Mode
            | Self::Consequential
            | Self::Policy
            | Self::Changed { .. }
            | Self::PageAccess { .. }
            | Self::SensitiveSite { .. } => true,
            Self::Repaired
            | Self::Repeated
            | Self::Guard
            | Self::Flow { .. }
            | Self::Action { .. }
            | Self::OtherFrame { .. }
            | Self::FromPage
            | Self::SwitchedOff => false,
        }
    }
}

/// A part of a tool's definition that has changed. Both texts are the page's, invisible characters written
/// out, cut to [`DefinitionChange::MOST`] characters around the difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionChange {
    /// The changed part.
    pub part: DefinitionPart,
    /// The old text; empty if there was none.
    pub before: String,
    /// The new text; empty if there is none.
    pub after: String,
}

impl DefinitionChange {
    /// Maximum characters of a text.
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
    /// The schema of its arguments.
    Schema,
    /// Its hints, by name.
    Hints,
}

/// The key under which a policy is kept: where a tool is and its name, never how it is reached. A call is
/// judged by the policies of every key that fits its tool, and the strictest holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StoredKey")]
pub enum PolicyKey {
    /// All tools of a site, whatever their names: a page can rename them.
    Site {
        /// Origin of its documents (`https://flights.example`).
        origin: String,
    },
    /// The tools with this name on a site, of its pages and of SKILLs alike.
    Tool {
        /// Origin of the documents that have it.
        origin: String,
        /// As it was registered.
        name: String,
    },
    /// A tool of a SKILL, on any site.
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
    /// The test bridge in the documents of an origin, which is there where it is allowed. It concerns no call.
    TestBridge {
        /// Origin of the documents ([`takes_test_bridge`]).
        origin: String,
    },
}

impl PolicyKey {
    /// The origin it is for; absent for one that holds on every site.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::Site { origin }
            | Self::Tool { origin, .. }
            | Self::Action { origin, .. }
            | Self::TestBridge { origin } => Some(origin),
            Self::Skill { .. } | Self::Server { .. } => None,
        }
    }

    /// The name of the tool or action it is for; absent for all tools of a site and for the test bridge.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Site { .. } | Self::TestBridge { .. } => None,
            Self::Tool { name, .. } | Self::Skill { name, .. } | Self::Server { name, .. } => Some(name),
            Self::Action { action, .. } => Some(action),
        }
    }

    /// Whether a policy can be kept under it: not if its origin is opaque ([`is_lasting`]).
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.origin().is_none_or(is_lasting)
    }
}

/// The stored forms of a key. Until version 0.1 it contained the way in which the tool was reached.
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
    TestBridge { origin: String },
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
            StoredKey::Any(AnyKey::TestBridge { origin }) => Self::TestBridge { origin },
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
    /// When it was set.
    pub at: Timestamp,
}

/// A site that is hidden from the agent, as the panel lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HiddenSite {
    /// Origin of its documents.
    pub origin: String,
    /// When it was hidden.
    pub at: Timestamp,
}

/// The approval of a call: why it asks or asked, and the user's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Approval {
    /// The reasons; empty for a call that did not ask, and in threads written before this field existed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<AskReason>,
    /// What is wrong with the arguments as the user last changed them, in English for people who know the
    /// tool; empty if nothing is. The call still asks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mistake: String,
    /// How often the user's changes did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub mistakes: u32,
    /// Whether the user changed the arguments.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The user's message to the model with a refusal; often empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Whether the user also allowed that data goes from the other origin to the call's own in this thread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flow_allowed: bool,
    /// What allowed it to run, once it has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<AllowedBy>,
    /// Whether a policy to allow the tool can be kept: not if its page has an opaque origin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub can_allow: bool,
}

impl Approval {
    /// Maximum length of the user's message, in characters.
    pub const MOST_WORDS: usize = 2_000;

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Whether something can be kept for an origin. Opaque origins, as of sandboxed frames, are all spelt
/// `null`, so nothing is kept for them.
#[must_use]
pub fn is_lasting(origin: &str) -> bool {
    !origin.is_empty() && origin != "null"
}

/// Whether the test bridge can be offered to an origin: the browser's match patterns have to name it exactly.
#[must_use]
pub fn takes_test_bridge(origin: &str) -> bool {
    origin.starts_with("https://") || origin.starts_with("http://")
}

/// The user's decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Run it.
    Run,
    /// Do not run it; the model is told.
    Decline,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_cannot_be_kept_for_an_opaque_origin() {
        assert!(is_lasting("https://flights.example"));
        assert!(!is_lasting("null") && !is_lasting(""));
    }

    #[test]
    fn test_bridge_is_for_origins_of_web_pages() {
        assert!(takes_test_bridge("https://flights.example") && takes_test_bridge("http://localhost:8123"));
        for origin in ["", "null", "file://", "chrome-extension://abc"] {
            assert!(!takes_test_bridge(origin), "{origin}");
        }
    }

    #[test]
    fn policy_keys_are_read_in_the_current_and_the_former_format() {
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
            PolicyKey::TestBridge { origin: "o".to_owned() },
        ] {
            let text = serde_json::to_string(&key).unwrap();
            assert_eq!(serde_json::from_str::<PolicyKey>(&text).unwrap(), key, "{text}");
        }
    }

    #[test]
    fn policy_is_greater_when_stricter() {
        assert!(Policy::Allow < Policy::Ask && Policy::Ask < Policy::Off);
    }

    #[test]
    fn approval_is_written_without_empty_fields() {
        assert_eq!(serde_json::to_string(&Approval::default()).unwrap(), "{}");
        let asked = Approval { why: vec![AskReason::Mode], can_allow: true, ..Approval::default() };
        assert!(!asked.is_empty());
        let text = r#"{"why":["mode",{"changed":{"changes":[]}}],"later":1}"#;
        let read: Approval = serde_json::from_str(text).unwrap();
        assert_eq!(read.why, [AskReason::Mode, AskReason::Changed { changes: Vec::new() }]);
    }
}
