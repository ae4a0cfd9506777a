//! Why a run did not pass.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidecar_protocol::error::ErrorClass;
use sidecar_protocol::settings::Language;

use crate::judged::RunOutcome;
use crate::matcher::Difference;
use crate::wording::{Sentence, word};

/// A reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum RunReason {
    /// Calls were expected, and the model made none.
    NoCall,
    /// Another tool was called.
    WrongTool {
        /// The expected one.
        expected: String,
        /// The one that was called.
        made: String,
    },
    /// The arguments are not as expected.
    WrongArguments {
        /// Name of the tool.
        tool: String,
        /// Where and how.
        #[serde(flatten)]
        difference: Box<Difference>,
    },
    /// The arguments are as expected, and the result is not.
    WrongResult {
        /// Name of the tool.
        tool: String,
        /// Where and how.
        #[serde(flatten)]
        difference: Box<Difference>,
    },
    /// An expected call was not made.
    MissingCall {
        /// Name of the tool.
        tool: String,
    },
    /// A call was made that was not expected.
    ExtraCall {
        /// Name of the tool.
        tool: String,
    },
    /// The right tools were called in another order.
    WrongOrder,
    /// There is no such tool.
    UnknownTool {
        /// The name that the model wrote.
        tool: String,
    },
    /// The tool's schema does not allow the arguments.
    InvalidArguments {
        /// Name of the tool.
        tool: String,
        /// What is wrong with them.
        why: String,
    },
    /// The tool failed, or its result says so.
    ToolError {
        /// Name of the tool.
        tool: String,
        /// What it said.
        text: String,
    },
    /// The page is not as it should be in the end.
    Assertion {
        /// Which element was looked at.
        selector: String,
        /// What of it, and how.
        #[serde(flatten)]
        difference: Box<Difference>,
    },
    /// The model was still calling tools when its answers were used up.
    StepLimit {
        /// How many it had.
        steps: u32,
    },
    /// Nobody can say: a pattern of the case, or a group that is too large.
    NotJudged {
        /// Why.
        why: String,
    },
    /// The case does not say what it expects.
    Incomplete,
    /// Calls prepare a page for the case, and no page has the tools.
    NeedsPage,
    /// The page could not be opened, or is gone.
    PageGone {
        /// Why.
        why: String,
    },
    /// The page has no tools.
    NoTools,
    /// The run took too long.
    TimeLimit {
        /// How many seconds it had.
        seconds: u64,
    },
    /// The case expects calls of a consequential tool, has no answer for them, and nobody allowed them.
    Consequential {
        /// Name of the tool.
        tool: String,
    },
    /// The model did not answer.
    Model {
        /// What kind of failure.
        class: ErrorClass,
        /// The service's own words; may be empty.
        message: String,
    },
    /// What the runs may cost is used up.
    CostLimit,
    /// It did not come to its end: the user stopped it, or the extension ended.
    Stopped,
}

impl RunReason {
    /// How a run ends that is not judged for this reason.
    pub(crate) fn unjudged(&self) -> RunOutcome {
        match self {
            Self::Incomplete
            | Self::NeedsPage
            | Self::CostLimit
            | Self::Stopped
            | Self::Consequential { .. } => RunOutcome::Skipped,
            Self::NoCall
            | Self::WrongTool { .. }
            | Self::WrongArguments { .. }
            | Self::WrongResult { .. }
            | Self::MissingCall { .. }
            | Self::ExtraCall { .. }
            | Self::WrongOrder
            | Self::UnknownTool { .. }
            | Self::InvalidArguments { .. }
            | Self::ToolError { .. }
            | Self::Assertion { .. }
            | Self::StepLimit { .. }
            | Self::NotJudged { .. }
            | Self::PageGone { .. }
            | Self::NoTools
            | Self::TimeLimit { .. }
            | Self::Model { .. } => RunOutcome::Error,
        }
    }

    /// The reason: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let told = |word, values: &[(&'static str, &str)]| Sentence::new(word, values).text(language);
        let differing = |word, tool: &str, difference: &Difference| {
            let place = if difference.pointer.is_empty() { "/" } else { &difference.pointer };
            let operator = difference.operator.as_ref().map(|operator| format!("{operator} "));
            let expected = operator.unwrap_or_default() + &difference.expected.to_string();
            let actual = difference.actual.as_ref().map(Value::to_string);
            let actual = actual.unwrap_or_else(|| word::REASON_NOTHING.text(language).to_owned());
            told(word, &[("tool", tool), ("place", place), ("expected", &expected), ("actual", &actual)])
        };
        match self {
            Self::NoCall => told(word::REASON_NO_CALL, &[]),
            Self::WrongTool { expected, made } => {
                told(word::REASON_WRONG_TOOL, &[("expected", expected), ("made", made)])
            }
            Self::WrongArguments { tool, difference } => {
                differing(word::REASON_WRONG_ARGUMENTS, tool, difference)
            }
            Self::WrongResult { tool, difference } => differing(word::REASON_WRONG_RESULT, tool, difference),
            Self::MissingCall { tool } => told(word::REASON_MISSING_CALL, &[("tool", tool)]),
            Self::ExtraCall { tool } => told(word::REASON_EXTRA_CALL, &[("tool", tool)]),
            Self::WrongOrder => told(word::REASON_WRONG_ORDER, &[]),
            Self::UnknownTool { tool } => told(word::REASON_UNKNOWN_TOOL, &[("tool", tool)]),
            Self::InvalidArguments { tool, why } => {
                told(word::REASON_INVALID_ARGUMENTS, &[("tool", tool), ("why", why)])
            }
            Self::ToolError { tool, text } => {
                told(word::REASON_TOOL_ERROR, &[("tool", tool), ("text", text)])
            }
            Self::Assertion { selector, difference } => {
                differing(word::REASON_ASSERTION, selector, difference)
            }
            Self::StepLimit { steps } => told(word::REASON_STEP_LIMIT, &[("steps", &steps.to_string())]),
            Self::NotJudged { why } => told(word::REASON_NOT_JUDGED, &[("why", why)]),
            Self::PageGone { why } => told(word::REASON_PAGE_GONE, &[("why", why)]),
            Self::NoTools => told(word::REASON_NO_TOOLS, &[]),
            Self::TimeLimit { seconds } => {
                told(word::REASON_TIME_LIMIT, &[("seconds", &seconds.to_string())])
            }
            Self::Consequential { tool } => told(word::REASON_CONSEQUENTIAL, &[("tool", tool)]),
            Self::Incomplete => told(word::REASON_INCOMPLETE, &[]),
            Self::NeedsPage => told(word::REASON_NEEDS_PAGE, &[]),
            Self::Model { class, message } => {
                told(word::REASON_MODEL, &[("class", class.code()), ("message", message)])
            }
            Self::CostLimit => told(word::REASON_COST_LIMIT, &[]),
            Self::Stopped => told(word::REASON_STOPPED, &[]),
        }
    }
}
