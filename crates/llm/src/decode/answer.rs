//! The answer of a model.

use sidecar_protocol::thread::Usage;

use crate::conversation::message::CallRecord;
use crate::conversation::provider_state::ProviderState;
use crate::decode::event::FinishReason;
use crate::inline_calls::markup::InlineCalls;

/// A complete answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The model's reasoning.
    pub reasoning: String,
    /// Its text.
    pub text: String,
    /// The text with which the model refused to answer; then `text` is empty.
    pub refusal: String,
    /// The complete calls, in the order in which they began. Run them if there are any, whatever `finish`
    /// says.
    pub calls: Vec<CallRecord>,
    /// Tokens, if the provider reported them.
    pub usage: Option<Usage>,
    /// Why the model stopped; never `Filter` or `Unavailable`, which are errors.
    pub finish: FinishReason,
    /// Number of calls that the token limit cut, or that had no name; they are not in `calls`.
    pub dropped_calls: usize,
    /// Number of chunks of the stream that could not be read and were skipped.
    pub skipped_chunks: usize,
    /// What was taken out of the text because it was a call; only if the decoder knows which tools were
    /// offered.
    pub inline_calls: Option<InlineCalls>,
    /// What the service wants back with this answer; absent if the decoder does not know the source.
    pub provider_state: Option<ProviderState>,
}

/// An incomplete answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partial {
    /// The model's reasoning.
    pub reasoning: String,
    /// Its text, or the text of its refusal.
    pub text: String,
}
