//! Phrases for a tool call's state and failure.

use sidecar_protocol::ActionOutcome;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome, ToolState};
use sidecar_ui::words::Word;

use crate::word;

/// The label of a state, as shown in the call's line.
pub fn state_word(state: &ToolState) -> Word {
    match state {
        ToolState::Queued => word::TOOL_QUEUED,
        ToolState::Asking => word::TOOL_ASKING,
        ToolState::Running { .. } => word::TOOL_RUNNING,
        ToolState::Waiting { .. } => word::TOOL_WAITING,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { .. } => word::TOOL_OK,
            ToolOutcome::Failed {
                code:
                    ToolFailure::UnknownTool | ToolFailure::BadArguments | ToolFailure::Changed | ToolFailure::Off,
                ..
            } => word::TOOL_REFUSED,
            ToolOutcome::Failed {
                code: ToolFailure::Page(_) | ToolFailure::Unreachable | ToolFailure::Action(_),
                ..
            } => word::TOOL_FAILED,
            ToolOutcome::Declined => word::TOOL_DECLINED,
            ToolOutcome::Interrupted => word::TOOL_INTERRUPTED,
            ToolOutcome::TimedOut { .. } => word::TOOL_TIMED_OUT,
            ToolOutcome::Cancelled => word::TOOL_CANCELLED,
            ToolOutcome::Repeated { .. } => word::TOOL_REPEATED,
        },
    }
}

/// The sentence for the outcome of a page action.
pub fn outcome_word(outcome: ActionOutcome) -> Word {
    match outcome {
        ActionOutcome::Ok => word::OUTCOME_OK,
        ActionOutcome::Empty => word::OUTCOME_EMPTY,
        ActionOutcome::NotFound => word::OUTCOME_NOT_FOUND,
        ActionOutcome::SignIn => word::OUTCOME_SIGN_IN,
        ActionOutcome::Challenge => word::OUTCOME_CHALLENGE,
        ActionOutcome::Changed => word::OUTCOME_CHANGED,
        ActionOutcome::Blocked => word::OUTCOME_BLOCKED,
        ActionOutcome::Refused => word::OUTCOME_REFUSED,
        ActionOutcome::BadInput => word::OUTCOME_BAD_INPUT,
        ActionOutcome::TooLarge => word::OUTCOME_TOO_LARGE,
        ActionOutcome::Timeout => word::OUTCOME_TIMEOUT,
        ActionOutcome::Left => word::OUTCOME_LEFT,
        ActionOutcome::Interrupted => word::OUTCOME_INTERRUPTED,
        ActionOutcome::Stale => word::OUTCOME_STALE,
        ActionOutcome::Covered => word::OUTCOME_COVERED,
        ActionOutcome::Disabled => word::OUTCOME_DISABLED,
        ActionOutcome::Navigated => word::OUTCOME_NAVIGATED,
    }
}

/// The sentence that explains a failure.
pub fn failure_word(code: ToolFailure) -> Word {
    match code {
        ToolFailure::Page(code) => match code {
            FailureCode::Threw => word::FAILURE_THREW,
            FailureCode::NotFound => word::FAILURE_NOT_FOUND,
            FailureCode::BadArguments => word::FAILURE_BAD_ARGUMENTS,
            FailureCode::TooLarge => word::FAILURE_TOO_LARGE,
            FailureCode::Cancelled => word::FAILURE_CANCELLED,
            FailureCode::Navigated => word::FAILURE_NAVIGATED,
            FailureCode::Blocked => word::FAILURE_BLOCKED,
        },
        ToolFailure::UnknownTool => word::FAILURE_UNKNOWN_TOOL,
        ToolFailure::BadArguments => word::FAILURE_MODEL_ARGUMENTS,
        ToolFailure::Changed => word::FAILURE_CHANGED,
        ToolFailure::Off => word::FAILURE_OFF,
        ToolFailure::Unreachable => word::FAILURE_UNREACHABLE,
        ToolFailure::Action(outcome) => outcome_word(outcome),
    }
}
