//! Phrases for a tool call's state and failure, its icon and its name in the document.

use std::borrow::Cow;

use sidecar_protocol::ActionOutcome;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome, ToolState};
use sidecar_protocol::tool_run::ToolRun;

use crate::icons::Icon;
use crate::words::{Word, Words, word};

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

/// The text of the outcome, as the tool returned it.
pub fn result_text(state: &ToolState) -> Option<Cow<'_, str>> {
    match state {
        ToolState::Queued | ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => None,
        ToolState::Finished { outcome, .. } => outcome.text(),
    }
}

/// A sentence that explains the state of the call.
pub fn explanation(words: Words, state: &ToolState) -> Option<String> {
    let word = match state {
        ToolState::Queued => word::TOOL_QUEUED_TEXT,
        ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => word::TOOL_RUNNING_TEXT,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { page: PageEffect::Opened { site, .. }, .. } => {
                return Some(words.fill(word::TOOL_PAGE_READ, &[("site", site)]));
            }
            ToolOutcome::Ok { page: PageEffect::Left { unread }, .. } => match unread {
                None => word::TOOL_NAVIGATED,
                Some(Unread::Hidden) => word::TOOL_PAGE_HIDDEN,
                Some(Unread::Insecure) => word::TOOL_PAGE_INSECURE,
                Some(Unread::Restricted) => word::TOOL_PAGE_RESTRICTED,
                Some(Unread::Missing) => word::TOOL_PAGE_MISSING,
            },
            ToolOutcome::Ok { content, page: PageEffect::Stayed } => {
                return Content::texts(content).is_empty().then(|| words.get(word::TOOL_EMPTY).to_owned());
            }
            ToolOutcome::Failed { code, .. } => failure_word(*code),
            ToolOutcome::Declined => word::TOOL_DECLINED_TEXT,
            ToolOutcome::Interrupted => word::TOOL_INTERRUPTED_TEXT,
            ToolOutcome::TimedOut { limit_ms } => {
                let limit = words.duration(*limit_ms);
                return Some(words.fill(word::TOOL_TIMED_OUT_TEXT, &[("duration", &limit)]));
            }
            ToolOutcome::Cancelled => word::TOOL_CANCELLED_TEXT,
            ToolOutcome::Repeated { .. } => word::TOOL_REPEATED_TEXT,
        },
    };
    Some(words.get(word).to_owned())
}

/// The name of a state in the document.
pub fn state_name(state: &ToolState) -> &'static str {
    match state {
        ToolState::Queued => "queued",
        ToolState::Asking => "asking",
        ToolState::Running { .. } => "running",
        ToolState::Waiting { .. } => "waiting",
        ToolState::Finished { outcome, .. } => outcome.name(),
    }
}

/// The icon of a state.
pub fn state_icon(state: &ToolState) -> Icon {
    match state {
        ToolState::Queued => Icon::Clock,
        ToolState::Asking | ToolState::Waiting { .. } => Icon::Question,
        ToolState::Running { .. } => Icon::Spinner,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { .. } | ToolOutcome::Repeated { .. } => Icon::Check,
            ToolOutcome::Failed { .. } => Icon::Cross,
            ToolOutcome::Declined | ToolOutcome::Cancelled => Icon::Barred,
            ToolOutcome::Interrupted => Icon::Warning,
            ToolOutcome::TimedOut { .. } => Icon::Clock,
        },
    }
}

/// The state of the call that a run was.
pub fn state_of(run: &ToolRun) -> ToolState {
    ToolState::Finished { outcome: run.outcome.clone(), duration_ms: run.duration_ms, raw: None }
}

/// How a run ended, its time, and the size of its result: one line.
pub fn run_line(words: Words, run: &ToolRun) -> String {
    let state = words.get(state_word(&state_of(run)));
    let size = u64::try_from(run.result_bytes).unwrap_or_default();
    let (time, size) = (words.duration(run.duration_ms), words.size(size));
    words.fill(word::RUN_LINE, &[("state", state), ("time", &time), ("size", &size)])
}

/// What is said of a run by hand that was refused: no model made the call.
pub fn told(words: Words, outcome: &ToolOutcome) -> Option<String> {
    let word = match outcome {
        ToolOutcome::Failed { code: ToolFailure::BadArguments, .. } => word::RUN_REFUSED,
        ToolOutcome::Failed { code: ToolFailure::Changed, .. } => word::RUN_ANOTHER,
        ToolOutcome::Failed { code: ToolFailure::Off, .. } => word::RUN_OFF,
        ToolOutcome::Declined => word::RUN_DECLINED,
        _ => return None,
    };
    Some(words.get(word).to_owned())
}
