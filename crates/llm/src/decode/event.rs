//! The events of a stream.

use serde::{Deserialize, Serialize};
use sidecar_protocol::error::ErrorClass;
use sidecar_protocol::thread::Usage;

use crate::conversation::message::CallRecord;
use crate::inline_calls::markup::InlineCalls;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// More text.
    Text(String),
    /// More reasoning.
    Reasoning(String),
    /// More text of a refusal, which replaces the answer's text.
    Refusal(String),
    /// A call began. `index` numbers the calls of this answer from 0, in the order in which they began.
    CallOpened {
        /// Identifies the call within this answer.
        index: usize,
        /// As in [`crate::CallRecord::id`].
        id: String,
        /// As in [`crate::CallRecord::name`].
        name: String,
    },
    /// More arguments of a call.
    CallGrew {
        /// As in [`ModelEvent::CallOpened`].
        index: usize,
        /// A piece of JSON text.
        arguments: String,
    },
    /// A call is complete and may run. Emitted for every call once the service has said that its answer is
    /// complete; never for an answer that failed, broke off or was cut before the call's end. If a service
    /// just closes the stream, only [`crate::ModelAnswer::calls`] has them.
    CallCompleted {
        /// As in [`ModelEvent::CallOpened`].
        index: usize,
        /// The call with all its arguments.
        call: CallRecord,
    },
    /// A keep-alive of the service: comments or empty lines, reported once until something else arrives. It
    /// may send nothing else for minutes while a request is queued.
    Alive,
    /// Tokens so far; replaces the previous event.
    Usage(Usage),
    /// Information that does not change the answer.
    Notice(Notice),
    /// Why the model stopped. Usage and even text may still follow; only the end of the stream is the end.
    Finish(FinishReason),
}

/// Something unexpected that does not change an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A model other than the requested one answers; its name (untrusted, at most 200 characters).
    OtherModel(String),
    /// A chunk of the stream could not be read and was skipped.
    Unreadable,
    /// The text contained inline tool calls.
    InlineCalls(InlineCalls),
}

/// Why a model stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FinishReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The token limit or the context window was reached: calls that were cut are dropped.
    Length,
    /// The model wants tools to run. Rely on the calls instead: some services end such answers with "stop".
    Tools,
    /// The provider's content filter intervened. [`crate::Decoder::end`] returns it as an error.
    Filter,
    /// The service could not continue. [`crate::Decoder::end`] returns it as an error.
    Unavailable,
    /// Any other reason, in the service's own word; counts as [`FinishReason::Stop`].
    Other(String),
}

impl FinishReason {
    /// The class of the error that it stands for; `None` if the answer ended well.
    #[must_use]
    pub fn class(&self) -> Option<ErrorClass> {
        match self {
            Self::Filter => Some(ErrorClass::Filter),
            Self::Unavailable => Some(ErrorClass::Overload),
            Self::Stop | Self::Length | Self::Tools | Self::Other(_) => None,
        }
    }
}
