//! From the bytes of an answer to what the model said.

use sidecar_protocol::error::ModelError;
use sidecar_protocol::thread::Usage;

use crate::event::{FinishReason, ModelEvent};
use crate::message::CallRecord;

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words.
    pub text: String,
    /// The words with which it declined to answer; they come instead of text.
    pub refusal: String,
    /// The calls that are whole, in the order in which they began. Run tools when there are any, whatever `finish` says.
    pub calls: Vec<CallRecord>,
    /// Tokens, when the provider said.
    pub usage: Option<Usage>,
    /// Why the model stopped; never `Filter` or `Unavailable`, which are errors.
    pub finish: FinishReason,
    /// Calls that were cut by the token limit, or had no name, and are not in `calls`.
    pub dropped_calls: usize,
    /// Pieces of the stream that could not be read and were left out.
    pub skipped_frames: usize,
}

/// What came of an answer so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partial {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words (or those with which it declined).
    pub text: String,
}

/// Reads one answer. Bytes may come in any pieces.
#[derive(Debug, Default)]
pub struct Decoder {}

impl Decoder {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the ids of calls that the model left without one with `prefix`, so that they are unique in a thread.
    #[must_use]
    pub fn with_call_prefix(self, _prefix: impl Into<String>) -> Self {
        unimplemented!()
    }

    /// Takes the next bytes and says what they mean.
    pub fn feed(&mut self, _bytes: &[u8]) -> Vec<ModelEvent> {
        unimplemented!()
    }

    /// An error that the stream itself carried. Nothing after it is read: the transport can hang up.
    #[must_use]
    pub fn failure(&self) -> Option<&ModelError> {
        unimplemented!()
    }

    /// Whether the service said that nothing more will come: the transport can hang up and call [`Decoder::end`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        unimplemented!()
    }

    /// What came so far, for a stream that was cut or stopped.
    #[must_use]
    pub fn partial(&self) -> Partial {
        unimplemented!()
    }

    /// The stream is over: gives the answer, which holds also what no event told because the last line had no end.
    ///
    /// # Errors
    /// The error that the stream carried, `Filter` or `Overload` when the model's finish reason says so, or
    /// `StreamCut` when it ended too early. Then no call of it may run.
    pub fn end(self) -> Result<Answer, ModelError> {
        unimplemented!()
    }
}
