//! A tool call as the panel shows it.

use serde::{Deserialize, Serialize};

use super::outcome::ToolOutcome;
use crate::Timestamp;
use crate::guard::InjectionSignal;
use crate::ids::CallId;
use crate::page::InteractionKind;
use crate::policy::Approval;

/// One tool call as the panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolItem {
    /// Names the call in [`crate::link::Control::Decide`].
    pub call_id: CallId,
    /// The page's own name of the tool (or the model's, when no tool has it).
    pub name: String,
    /// Host of the page that has the tool; empty when no tool has that name.
    pub site: String,
    /// Whether it stands in a frame of the page, not in the page itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_frame: bool,
    /// JSON text of the arguments, as the tool gets them; may be broken JSON when the call was refused for it.
    pub arguments: String,
    /// Whether it counts as read-only.
    pub read_only: bool,
    /// What was put right in the model's call; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
    /// Whether its arguments do not fit a pattern or format of the page, and nothing else is wrong with them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_pattern: bool,
    /// Signs that its result wants to instruct the model; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<InjectionSignal>,
    /// How much of its result the model was given, where that was not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<ResultCut>,
    /// Why it asks or asked, and what let it pass.
    #[serde(default, skip_serializing_if = "Approval::is_empty")]
    pub approval: Approval,
    /// What the user is asked, where that is all it does. Its result is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// How far it is.
    pub state: ToolState,
}

/// What the agent asks the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// In the model's words.
    pub text: String,
    /// Answers to choose from; the user may give another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl Question {
    /// Most characters of a question.
    pub const MOST_TEXT: usize = 1_000;

    /// Most choices.
    pub const MOST_CHOICES: usize = 8;

    /// Most characters of a choice.
    pub const MOST_CHOICE: usize = 200;
}

/// What a model was given of a result that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultCut {
    /// Its first characters: so many.
    pub given: usize,
    /// Of so many.
    pub whole: usize,
}

/// How far a tool call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolState {
    /// An earlier call of the same answer goes first.
    Queued,
    /// It waits for the user's decision.
    Asking,
    /// It runs.
    Running {
        /// Since when. Time in which the page waited for the user is left out, as if it had begun so much later.
        since: Timestamp,
        /// When it is given up, if that is soon and the user does not say [`crate::link::Control::WaitLonger`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Its page waits for the user. Meanwhile its time stands still.
    Waiting {
        /// What for.
        kind: InteractionKind,
        /// How long the tool had run before, in milliseconds.
        ran_ms: u64,
    },
    /// It ended, one way or another.
    Finished {
        /// How the call ended.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, without the time in which its page waited for the user; 0 when it
        /// did not run.
        duration_ms: u64,
        /// The result as it came, where the outcome is what it says in the shape of the Model Context Protocol.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
}

/// What was put right in a call before it could run. A call with any of these asks first, unless its tool is read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Repair {
    /// It stood in the model's text, not where calls stand.
    Leaked,
    /// Its name was not quite that of the tool.
    Name,
    /// Its arguments were not quite JSON.
    Syntax,
    /// Its arguments were several objects, of which one was taken.
    Surplus,
    /// Values were of another type than the tool's schema says, and were read as that.
    Types,
}
