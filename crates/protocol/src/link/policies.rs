//! What the user decided of tools and sites, once and for all.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::policy::{Grant, HiddenSite, Policy, PolicyKey};

/// A decision of the user. What holds after it goes to all panels ([`PoliciesEvent::Changed`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoliciesCommand {
    /// Say what is to hold for a tool of the page that is shown, or, without a policy, that the mode decides; the latter
    /// for any tool.
    Set {
        /// What it is kept under.
        key: PolicyKey,
        /// The decision.
        policy: Option<Policy>,
        /// The definition of the tool that the user saw ([`crate::page_view::ToolSummary::digest`]). What is allowed is this
        /// one; where it is another by now, nothing is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// Take back every policy, of tools and of sites on which every call asks; the mode decides again. Hidden sites stay
    /// hidden.
    TakeBackAll,
    /// Give a policy again that was taken back less than a minute ago.
    Restore {
        /// What it was kept under.
        key: PolicyKey,
    },
    /// Hide a site from the agent, or do not: its tools are not offered, and its text is not read.
    HideSite {
        /// Origin of its documents.
        origin: String,
        /// Whether to.
        hidden: bool,
    },
}

/// What the user decided changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoliciesEvent {
    /// It is this now. Also sent after [`super::Welcome`].
    Changed {
        /// The last said first.
        grants: Vec<Grant>,
        /// The sites that the agent does not see, the last hidden first.
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
