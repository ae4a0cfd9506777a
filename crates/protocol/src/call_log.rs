//! The log of calls: one line for each call of a tool, whoever made it.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::ids::CallId;
use crate::policy::AllowedBy;
use crate::thread::{ToolFailure, ToolOutcome};
use crate::tool::Caller;

/// Lines in a page of the log.
pub const CALLS_PAGE: usize = 100;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedCall {
    /// When it began; for a call that did not run, when that was decided.
    pub at: Timestamp,
    /// The caller.
    pub caller: Caller,
    /// Its id, the same as in its thread.
    pub call_id: CallId,
    /// The page's own name of the tool (or the caller's, when no tool has it).
    pub tool: String,
    /// Host (with port) of the page that has the tool; empty when no tool has that name.
    pub site: String,
    /// Origin of the document that has it (`https://flights.example`); empty when `site` is, and in lines
    /// written before this field existed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// What allowed it; absent for a call that did not run.
    #[serde(default, rename = "passed", skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<AllowedBy>,
    /// JSON text of the arguments it ran with, secrets masked, cut to [`LoggedCall::MOST_ARGUMENTS`]
    /// characters.
    pub arguments: String,
    /// Whether secrets were masked in the arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// How it ended.
    pub outcome: CallOutcome,
    /// How long the tool ran, in milliseconds; 0 when it did not.
    pub duration_ms: u64,
}

impl LoggedCall {
    /// Maximum characters of the arguments.
    pub const MOST_ARGUMENTS: usize = 4_000;
    /// Maximum characters of a failure's message.
    pub const MOST_MESSAGE: usize = 500;
}

/// How a call ended. The tool's result is not in the log of calls; it is in the call's thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallOutcome {
    /// The tool succeeded.
    Ok,
    /// The tool failed, or could not be run.
    Failed {
        /// The kind of failure.
        code: ToolFailure,
        /// The page's own message, or a technical detail; secrets masked.
        message: String,
    },
    /// The user said no.
    Declined,
    /// Nobody heard how it ended: its effect is unknown.
    Interrupted,
    /// It took longer than allowed: its effect is unknown.
    TimedOut,
    /// The user stopped it.
    Cancelled,
    /// It did not run, because the same call had succeeded before.
    Repeated,
}

impl CallOutcome {
    /// The outcome as it is logged. `message` turns a failure's message into the one to keep.
    #[must_use]
    pub fn of(outcome: &ToolOutcome, message: impl FnOnce(&str) -> String) -> Self {
        match outcome {
            ToolOutcome::Ok { .. } => Self::Ok,
            ToolOutcome::Failed { code, message: said } => {
                Self::Failed { code: *code, message: message(said) }
            }
            ToolOutcome::Declined => Self::Declined,
            ToolOutcome::Interrupted => Self::Interrupted,
            ToolOutcome::TimedOut { .. } => Self::TimedOut,
            ToolOutcome::Cancelled => Self::Cancelled,
            ToolOutcome::Repeated { .. } => Self::Repeated,
        }
    }

    /// The outcome without its details.
    #[must_use]
    pub fn kind(&self) -> OutcomeKind {
        match self {
            Self::Ok => OutcomeKind::Ok,
            Self::Failed { .. } => OutcomeKind::Failed,
            Self::Declined => OutcomeKind::Declined,
            Self::Interrupted => OutcomeKind::Interrupted,
            Self::TimedOut => OutcomeKind::TimedOut,
            Self::Cancelled => OutcomeKind::Cancelled,
            Self::Repeated => OutcomeKind::Repeated,
        }
    }
}

/// A [`CallOutcome`] without its details, to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OutcomeKind {
    /// See [`CallOutcome::Ok`].
    Ok,
    /// See [`CallOutcome::Failed`].
    Failed,
    /// See [`CallOutcome::Declined`].
    Declined,
    /// See [`CallOutcome::Interrupted`].
    Interrupted,
    /// See [`CallOutcome::TimedOut`].
    TimedOut,
    /// See [`CallOutcome::Cancelled`].
    Cancelled,
    /// See [`CallOutcome::Repeated`].
    Repeated,
}

impl OutcomeKind {
    /// Every kind, for lists of choices.
    pub const ALL: [Self; 7] = [
        Self::Ok,
        Self::Failed,
        Self::Declined,
        Self::Interrupted,
        Self::TimedOut,
        Self::Cancelled,
        Self::Repeated,
    ];
}

/// Which calls of the log to show. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallFilter {
    /// Words that all have to occur, in any case, in tool, site, arguments or message.
    pub text: String,
    /// Only of this site.
    pub site: Option<String>,
    /// Only of the tool with this name.
    pub tool: Option<String>,
    /// Only calls with this outcome.
    pub outcome: Option<OutcomeKind>,
}

impl CallFilter {
    /// Whether it matches every call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.site.is_none() && self.tool.is_none() && self.outcome.is_none()
    }

    /// Whether it matches this call.
    #[must_use]
    pub fn lets(&self, call: &LoggedCall) -> bool {
        let fits = |wanted: &Option<String>, own: &str| wanted.as_deref().is_none_or(|wanted| wanted == own);
        fits(&self.site, &call.site)
            && fits(&self.tool, &call.tool)
            && self.outcome.is_none_or(|kind| kind == call.outcome.kind())
            && self.has_words(call)
    }

    fn has_words(&self, call: &LoggedCall) -> bool {
        let wanted = self.text.to_lowercase();
        let message = match &call.outcome {
            CallOutcome::Failed { message, .. } => message.as_str(),
            CallOutcome::Ok
            | CallOutcome::Declined
            | CallOutcome::Interrupted
            | CallOutcome::TimedOut
            | CallOutcome::Cancelled
            | CallOutcome::Repeated => "",
        };
        let texts = [&call.tool, &call.site, &call.arguments, message].map(str::to_lowercase);
        wanted.split_whitespace().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// A line of the log with its place in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// Its position; positions grow and are never reused.
    pub place: u64,
    /// The line.
    pub call: LoggedCall,
}

/// A page of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallPage {
    /// Newest first, at most [`CALLS_PAGE`].
    pub rows: Vec<CallRow>,
    /// Whether there are older matching ones.
    pub more: bool,
    /// Number of lines in the whole log, whether they match or not.
    pub total: u64,
    /// The sites in it, in order.
    pub sites: Vec<String>,
    /// The tools in it, in order.
    pub tools: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::FailureCode;

    fn call() -> LoggedCall {
        LoggedCall {
            at: 1,
            caller: Caller::Agent,
            call_id: CallId::from("t.1.0"),
            tool: "searchFlights".to_owned(),
            site: "flights.example".to_owned(),
            origin: "https://flights.example".to_owned(),
            allowed_by: None,
            arguments: r#"{"to":"上海"}"#.to_owned(),
            masked: false,
            outcome: CallOutcome::Failed {
                code: ToolFailure::Page(FailureCode::Threw),
                message: "No Seats".to_owned(),
            },
            duration_ms: 400,
        }
    }

    #[test]
    fn call_filter_matches_calls_that_match_all_its_fields() {
        let text = |text: &str| CallFilter { text: text.to_owned(), ..CallFilter::default() };
        let site = |site: &str| CallFilter { site: Some(site.to_owned()), ..CallFilter::default() };
        let tool = |tool: &str| CallFilter { tool: Some(tool.to_owned()), ..CallFilter::default() };
        let ended = |kind| CallFilter { outcome: Some(kind), ..CallFilter::default() };
        for (filter, lets) in [
            (text(""), true),
            (text(" SEARCH  上海 "), true),
            (text("seats flights.example"), true),
            (text("search 北京"), false),
            (site("flights.example"), true),
            (site("flights"), false),
            (tool("searchFlights"), true),
            (tool("search"), false),
            (ended(OutcomeKind::Failed), true),
            (ended(OutcomeKind::Ok), false),
            (CallFilter { tool: Some("searchFlights".to_owned()), ..text("nothing") }, false),
        ] {
            assert_eq!(filter.lets(&call()), lets, "{filter:?}");
        }
    }

    #[test]
    fn logged_call_is_compact_json_that_is_read_back() {
        let line = serde_json::to_string(&call()).unwrap();
        assert!(!line.contains('\n') && !line.contains("masked"), "{line}");
        assert_eq!(serde_json::from_str::<LoggedCall>(&line).unwrap(), call());
    }
}
