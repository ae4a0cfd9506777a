//! What the user says to a turn that runs. It reaches the turn at once: it stands in no queue behind other work.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::ids::{CallId, ThreadId};
use crate::policy::Decision;

/// To the turn of a thread, which need not be the one that the panel has open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnControl {
    /// The thread. Where no turn runs in it, only [`Control::LiftGuard`] and `allow` of [`Control::Decide`] do anything.
    pub thread_id: ThreadId,
    /// What is to be done.
    pub control: Control,
}

/// What a turn is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Control {
    /// Stop.
    Stop,
    /// A decision about a call that asks.
    Decide {
        /// The call.
        call_id: CallId,
        /// What the user said.
        decision: Decision,
        /// The arguments that the user changed, by name (JSON text of an object). The others stay as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edits: Option<String>,
        /// What the model is told with a refusal, or the answer to a question; at most
        /// [`crate::policy::Approval::MOST_WORDS`] characters count.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
        /// Whether the tool is allowed from now on, too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow: bool,
        /// Whether data may go from the other site to the call's own from now on in this thread, too
        /// ([`crate::policy::Why::Flow`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow_flow: bool,
    },
    /// Give a call that runs as much time again as a tool has ([`crate::thread::ToolState::Running`]).
    WaitLonger {
        /// The call.
        call_id: CallId,
    },
    /// Call off the guard of the thread ([`crate::thread::ItemKind::Guard`]).
    LiftGuard,
}

/// A call that waits for the user's decision, in whatever thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    /// Names it in [`Control::Decide`].
    pub call_id: CallId,
    /// The thread of its turn.
    pub thread_id: ThreadId,
    /// The title of that thread; may be empty.
    pub title: String,
    /// The tool's name.
    pub tool: String,
    /// Host (with port) of its page; empty where it is on none.
    pub site: String,
    /// What the user is asked, where it is the agent's own question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
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
