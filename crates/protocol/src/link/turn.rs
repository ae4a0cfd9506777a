//! What the user tells a running turn. It reaches the turn at once and never waits behind other work.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::ids::{CallId, ThreadId};
use crate::policy::Decision;
use crate::thread::ToolItem;

/// Addressed to the turn of a thread, which need not be the one that the panel has open, or to a call of no turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnControl {
    /// The thread. If no turn runs in it, only [`Control::LiftGuard`] and `allow` of [`Control::Decide`]
    /// have an effect. Absent for a call of no turn, which takes only what names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The control.
    pub control: Control,
}

/// A control of a running turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Control {
    /// Stop.
    Stop,
    /// Decide a call that waits for approval.
    Decide {
        /// The call.
        call_id: CallId,
        /// The user's decision.
        decision: Decision,
        /// The arguments that the user changed, by name (JSON text of an object). Others stay as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edits: Option<String>,
        /// What the model is told when the call is declined, or the answer to a question; cut to
        /// [`crate::policy::Approval::MOST_WORDS`] characters.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
        /// Whether to allow the tool from now on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow: bool,
        /// Whether to allow, for the rest of this thread, that data goes from the other site to the call's
        /// own ([`crate::policy::AskReason::Flow`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow_flow: bool,
    },
    /// Extend the time of a running call by the limit for one tool ([`crate::thread::ToolState::Running`]).
    WaitLonger {
        /// The call.
        call_id: CallId,
    },
    /// Lift the guard of the thread ([`crate::thread::ItemKind::Guard`]).
    LiftGuard,
}

/// A call, in any thread or in none, that waits for the user's decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    /// Identifies it in [`Control::Decide`].
    pub call_id: CallId,
    /// The thread of its turn; absent for a call of no turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The title of that thread; may be empty.
    pub title: String,
    /// The tool's name.
    pub tool: String,
    /// Host (with port) of its page; empty if it has none.
    pub site: String,
    /// The question, if the call is one of the agent to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The call itself, if it is one of no turn: no thread shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<ToolItem>>,
}

impl Domain for TurnControl {
    type Answer = ();

    fn command(self) -> Command {
        Command::Turn(self)
    }

    fn answer(_: Answer) -> Option<()> {
        None
    }
}
