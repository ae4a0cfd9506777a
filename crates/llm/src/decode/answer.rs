//! What a model answered.

use sidecar_protocol::thread::Usage;

use crate::conversation::message::CallRecord;
use crate::conversation::provider_state::ProviderState;
use crate::decode::event::FinishReason;
use crate::inline_calls::markup::InlineCalls;

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words.
    pub text: String,
    /// The words with which it declined to answer; they come instead of text.
    pub refusal: String,
    /// The calls that are whole, in the order in which they began. Run tools when there are any, whatever `finish`
    /// says.
    pub calls: Vec<CallRecord>,
    /// Tokens, when the provider said.
    pub usage: Option<Usage>,
    /// Why the model stopped; never `Filter` or `Unavailable`, which are errors.
    pub finish: FinishReason,
    /// Calls that were cut by the token limit, or had no name, and are not in `calls`.
    pub dropped_calls: usize,
    /// Pieces of the stream that could not be read and were left out.
    pub skipped_chunks: usize,
    /// What was taken out of the text, where calls stood in it; only if the decoder was told which tools were offered.
    pub inline_calls: Option<InlineCalls>,
    /// What the service wants back with this answer; absent when the decoder was not told whom it reads.
    pub provider_state: Option<ProviderState>,
}

/// What came of an answer so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partial {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words, or those with which it declined.
    pub text: String,
}
