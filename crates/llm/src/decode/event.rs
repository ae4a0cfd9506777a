//! What is heard from a model while it answers.

use serde::{Deserialize, Serialize};
use sidecar_protocol::error::ErrorClass;
use sidecar_protocol::thread::Usage;

use crate::conversation::message::CallRecord;
use crate::inline_calls::markup::InlineCalls;

/// One thing that happened in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// The answer grew by this much.
    Text(String),
    /// The model's thoughts grew by this much.
    Reasoning(String),
    /// The model declines to answer, in these words. They come instead of text.
    Refusal(String),
    /// A call began. `index` counts the calls of this answer from 0, in the order in which they began.
    CallOpened {
        /// Names the call within this answer.
        index: usize,
        /// As in [`crate::CallRecord::id`].
        id: String,
        /// As in [`crate::CallRecord::name`].
        name: String,
    },
    /// The arguments of a call grew by this much.
    CallGrew {
        /// As in [`ModelEvent::CallOpened`].
        index: usize,
        /// A piece of JSON text.
        arguments: String,
    },
    /// A call is whole: it may run. Told for every call once the service has said that its answer is whole, and for
    /// none of an answer that failed, broke off or was cut before the call's end. Where a service says nothing and
    /// just closes the stream, only [`crate::ModelAnswer::calls`] has them.
    CallCompleted {
        /// As in [`ModelEvent::CallOpened`].
        index: usize,
        /// The call with all its arguments.
        call: CallRecord,
    },
    /// The service says that it is still there: comments or empty lines, told once until something else comes. It may say
    /// nothing else for minutes while a request waits in its queue.
    Alive,
    /// Tokens so far; replaces what was said before.
    Usage(Usage),
    /// Something that the user may want to know and that changes nothing.
    Notice(Notice),
    /// Why the model stopped. Usage and even text may still follow; only the end of the stream is the end.
    Finish(FinishReason),
}

/// What a service, or the model, does on its own account in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Another model answers than the one that was asked; its name (untrusted, at most 200 characters).
    OtherModel(String),
    /// A piece of the stream could not be read and was left out.
    Unreadable,
    /// Tool calls stood in the text as markup.
    InlineCalls(InlineCalls),
}

/// Why a model stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FinishReason {
    /// It had no more to say.
    #[default]
    Stop,
    /// The token limit, or the window, was reached: calls that were cut are gone.
    Length,
    /// It wants tools to run. Whether there are calls is not to be read from this but from the calls: some services
    /// end such answers with "stop".
    Tools,
    /// The provider's filter stepped in. [`crate::Decoder::end`] makes an error of it.
    Filter,
    /// The service could not go on. [`crate::Decoder::end`] makes an error of it.
    Unavailable,
    /// Something else, in the service's own word; counts as [`FinishReason::Stop`].
    Other(String),
}

impl FinishReason {
    /// The class of the error that it is; `None` for those that end an answer well.
    #[must_use]
    pub fn class(&self) -> Option<ErrorClass> {
        match self {
            Self::Filter => Some(ErrorClass::Filter),
            Self::Unavailable => Some(ErrorClass::Overload),
            Self::Stop | Self::Length | Self::Tools | Self::Other(_) => None,
        }
    }
}
