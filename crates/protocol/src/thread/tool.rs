//! A tool call as the panel shows it.

use serde::{Deserialize, Serialize};

use super::outcome::ToolOutcome;
use crate::Timestamp;
use crate::guard::InjectionSignal;
use crate::ids::CallId;
use crate::page::InteractionKind;
use crate::policy::Approval;
use crate::skill::SkillRelease;

/// One tool call as the panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolItem {
    /// Identifies the call in [`crate::link::Control::Decide`].
    pub call_id: CallId,
    /// The page's own name of the tool (or the model's, when no tool has it).
    pub name: String,
    /// Host of the page that has the tool; empty when no tool has that name.
    pub site: String,
    /// Whether its document is in a frame of the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_frame: bool,
    /// The SKILL that the tool is of, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<Box<SkillRelease>>,
    /// JSON text of the arguments for the tool; may be invalid JSON if the call was refused for that.
    pub arguments: String,
    /// Whether it counts as read-only.
    pub read_only: bool,
    /// What was repaired in the model's call; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
    /// Whether the only mistake in its arguments is that they do not match a `pattern` or `format`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_pattern: bool,
    /// Injection signals in its result; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<InjectionSignal>,
    /// How much of its result the model was given, if not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<ResultCut>,
    /// Why it asks or asked, and what allowed it.
    #[serde(default, skip_serializing_if = "Approval::is_empty")]
    pub approval: Approval,
    /// The question, if the call is one of the agent to the user. Its result is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// Its progress.
    pub state: ToolState,
}

/// A question of the agent to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Written by the model.
    pub text: String,
    /// Suggested answers; the user may give another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl Question {
    /// Maximum characters of a question.
    pub const MOST_TEXT: usize = 1_000;

    /// Maximum number of choices.
    pub const MOST_CHOICES: usize = 8;

    /// Maximum characters of a choice.
    pub const MOST_CHOICE: usize = 200;
}

/// How much the model was given of a long result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultCut {
    /// Number of characters given, from the beginning.
    pub given: usize,
    /// Number of characters of the whole result.
    pub whole: usize,
}

/// The step that a tool of a SKILL does, of its outermost steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStep {
    /// 1 for the first.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// The progress of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolState {
    /// An earlier call of the same answer has to end first.
    Queued,
    /// It waits for the user's decision.
    Asking,
    /// It runs.
    Running {
        /// When it started, moved forward by the time in which the page waited for the user.
        since: Timestamp,
        /// When it times out, if that is soon and the user does not send
        /// [`crate::link::Control::WaitLonger`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
        /// The step that a SKILL's tool does now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<ToolStep>,
    },
    /// Its page waits for the user. Its time limit is paused.
    Waiting {
        /// What the page asks for.
        kind: InteractionKind,
        /// How long the tool ran before, in milliseconds.
        ran_ms: u64,
    },
    /// It ended.
    Finished {
        /// How the call ended.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, without the time in which its page waited for the user;
        /// 0 if it did not run.
        duration_ms: u64,
        /// The original result, if the outcome was read from the result shape of the Model Context
        /// Protocol.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
}

/// What was repaired in a call before it could run. Unless its tool is read-only, such a call asks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Repair {
    /// It was an inline tool call: it stood in the model's text.
    Leaked,
    /// Its name did not match exactly.
    Name,
    /// Its arguments were not quite valid JSON.
    Syntax,
    /// Its arguments were several objects, of which one was used.
    Surplus,
    /// Values were coerced to the types of the tool's schema.
    Types,
}
