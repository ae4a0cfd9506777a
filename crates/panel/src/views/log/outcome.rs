//! The name, label and icon of a call's outcome.

use sidecar_protocol::call_log::OutcomeKind;
use sidecar_ui::icons::Icon;
use sidecar_ui::words::Word;

use crate::word;

/// The name of an outcome in the document.
pub fn kind_name(kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Ok => "ok",
        OutcomeKind::Failed => "failed",
        OutcomeKind::Declined => "declined",
        OutcomeKind::Interrupted => "interrupted",
        OutcomeKind::TimedOut => "timedOut",
        OutcomeKind::Cancelled => "cancelled",
        OutcomeKind::Repeated => "repeated",
    }
}

/// The label of an outcome.
pub fn kind_word(kind: OutcomeKind) -> Word {
    match kind {
        OutcomeKind::Ok => word::TOOL_OK,
        OutcomeKind::Failed => word::TOOL_FAILED,
        OutcomeKind::Declined => word::TOOL_DECLINED,
        OutcomeKind::Interrupted => word::TOOL_INTERRUPTED,
        OutcomeKind::TimedOut => word::TOOL_TIMED_OUT,
        OutcomeKind::Cancelled => word::TOOL_CANCELLED,
        OutcomeKind::Repeated => word::TOOL_REPEATED,
    }
}

/// The icon of an outcome.
pub fn kind_icon(kind: OutcomeKind) -> Icon {
    match kind {
        OutcomeKind::Ok | OutcomeKind::Repeated => Icon::Check,
        OutcomeKind::Failed => Icon::Cross,
        OutcomeKind::Declined | OutcomeKind::Cancelled => Icon::Barred,
        OutcomeKind::Interrupted => Icon::Warning,
        OutcomeKind::TimedOut => Icon::Clock,
    }
}
