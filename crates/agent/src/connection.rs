//! A connection to a model.

use sidecar_llm::Endpoint;
use sidecar_protocol::settings::{Effort, Price};

/// One model of one provider: everything that a request needs besides the conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Connection {
    /// The provider's endpoint.
    pub endpoint: Endpoint,
    /// The provider's name for the model.
    pub model: String,
    /// Sampling temperature; sent only if set.
    pub temperature: Option<f64>,
    /// Maximum tokens of an answer; sent only if set.
    pub max_tokens: Option<u32>,
    /// Reasoning effort; the provider's default when absent.
    pub effort: Option<Effort>,
    /// The price, if the user set one.
    pub price: Option<Price>,
    /// Size of the context window in tokens, if known.
    pub window: Option<u32>,
    /// Request fields that the endpoint is known to refuse.
    pub leave_out: Vec<String>,
    /// Whether the model supports tool calls; if unknown, its server is asked.
    pub takes_tools: Option<bool>,
    /// Whether the model sees pictures; `None` if that is not known.
    pub sees: Option<bool>,
}
