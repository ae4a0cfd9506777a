//! What is written of a call.

use sidecar_protocol::guard::InjectionSignal;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::{ResultCut, ToolOutcome};

/// Something that happened to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEvent {
    /// The user is asked about it.
    Asked {
        /// Why; empty for a question, which is asked by its nature.
        why: Vec<AskReason>,
    },
    /// The user would have it run with other arguments, which do not fit its tool. The question stays.
    Mistaken {
        /// All arguments, with what the user changed (JSON text).
        arguments: String,
        /// What is wrong with them.
        mistake: String,
    },
    /// The user allows that data goes from one origin to another. Stands before the decision.
    FlowAllowed {
        /// The origin on which it was read.
        from: String,
        /// The origin to which it goes.
        to: String,
    },
    /// The user decided.
    Decided {
        /// Whether it runs.
        decision: Decision,
        /// All arguments as the user changed them (JSON text of an object); absent where they are the caller's.
        arguments: Option<String>,
        /// Where those hold secrets, as JSON Pointers.
        secrets: Vec<String>,
        /// Whether those do not fit a `pattern` or `format` of the tool's schema, and nothing else is wrong with them.
        off_pattern: bool,
        /// The user's words with it.
        words: String,
    },
    /// Its tool is about to run: from here on it may have had an effect.
    Started {
        /// What let it pass.
        allowed_by: AllowedBy,
    },
    /// The tool's page waits for the user; the tool's time stands still from here on.
    WaitStarted {
        /// For what.
        kind: InteractionKind,
    },
    /// The page goes on; so does the tool's time.
    WaitEnded,
    /// A model is given only the beginning of its result, or more of it than is given where nothing is said.
    Cut {
        /// How much, of how much.
        cut: ResultCut,
    },
    /// Its result seems to instruct a model.
    Suspected {
        /// What made it suspicious.
        signals: Vec<InjectionSignal>,
    },
    /// It has its outcome, whether or not the tool ran.
    Finished {
        /// How it ended.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, waits for the user left out; 0 when it did not.
        duration_ms: u64,
    },
}
