//! The events of a call.

use sidecar_protocol::guard::InjectionSignal;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::{ResultCut, ToolOutcome};

/// Something that happened to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEvent {
    /// The user is asked to approve it.
    Asked {
        /// The reasons; empty for a question, which always asks.
        why: Vec<AskReason>,
    },
    /// The user's edits do not fit the tool. The call still asks.
    Mistaken {
        /// All arguments with the user's edits (JSON text).
        arguments: String,
        /// What is wrong with them.
        mistake: String,
    },
    /// The user allows that data goes from one origin to another. Written before the decision.
    FlowAllowed {
        /// The origin on which the data was read.
        from: String,
        /// The origin to which it goes.
        to: String,
    },
    /// The user decided.
    Decided {
        /// The decision.
        decision: Decision,
        /// All arguments with the user's edits (JSON text of an object); absent if the caller's are
        /// unchanged.
        arguments: Option<String>,
        /// Where these arguments contain secrets, as JSON Pointers.
        secrets: Vec<String>,
        /// Whether the only mistake is that these arguments do not match a `pattern` or `format` of the
        /// tool's schema.
        off_pattern: bool,
        /// The user's message with the decision.
        words: String,
    },
    /// Its tool is about to run: from here on it may have had an effect.
    Started {
        /// What allowed it.
        allowed_by: AllowedBy,
    },
    /// The tool's page waits for the user; the time limit is paused from here on.
    WaitStarted {
        /// What the page asks for.
        kind: InteractionKind,
    },
    /// The page goes on, and the time limit with it.
    WaitEnded,
    /// How much of its result a model is given, if that is not the default length.
    Cut {
        /// The length given, and the whole length.
        cut: ResultCut,
    },
    /// Its result contains injection signals.
    Suspected {
        /// Its injection signals.
        signals: Vec<InjectionSignal>,
    },
    /// It has its outcome, whether or not the tool ran.
    Finished {
        /// How it ended.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, without waits for the user; 0 if it did not.
        duration_ms: u64,
    },
}
