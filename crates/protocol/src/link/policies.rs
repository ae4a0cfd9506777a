//! The user's lasting decisions about tools and sites.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::action::PageAccess;
use crate::policy::{Grant, HiddenSite, Policy, PolicyKey};

/// Changes a decision of the user. All panels are then sent what holds ([`PoliciesEvent::Changed`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoliciesCommand {
    /// Set the policy of a tool on the page that is shown. Without a policy, remove it, for any tool: the
    /// mode decides again.
    Set {
        /// The key under which the policy is kept.
        key: PolicyKey,
        /// The decision.
        policy: Option<Policy>,
        /// Digest of the definition that the user saw ([`crate::page_view::ToolSummary::digest`]). Only
        /// this definition is allowed; if the tool has changed since, nothing is saved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// Remove every policy, of tools and of sites; the mode decides again. Hidden sites stay hidden.
    TakeBackAll,
    /// Restore a policy that was removed less than a minute ago.
    Restore {
        /// The key of the policy.
        key: PolicyKey,
    },
    /// Let the agent use the pages of the site that is shown, in every chat.
    AllowPages {
        /// How far.
        access: PageAccess,
    },
    /// Hide a site from the agent, or show it again. The tools of a hidden site are not offered, and its
    /// text is not read.
    HideSite {
        /// Origin of its documents.
        origin: String,
        /// Whether to hide it.
        hidden: bool,
    },
}

/// The user's decisions changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoliciesEvent {
    /// All decisions. Also sent after [`super::Welcome`].
    Changed {
        /// The newest first.
        grants: Vec<Grant>,
        /// The hidden sites, the newest first.
        hidden: Vec<HiddenSite>,
    },
}

impl Domain for PoliciesCommand {
    type Answer = ();

    fn command(self) -> Command {
        Command::Policies(self)
    }

    fn answer(_: Answer) -> Option<()> {
        None
    }
}
