//! A model at an address.

use sidecar_llm::Endpoint;
use sidecar_protocol::settings::{Effort, Price};

/// One model of one provider, with what is set and known of it: all that a request to it takes besides the conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Connection {
    /// Where the model is.
    pub endpoint: Endpoint,
    /// Which model.
    pub model: String,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; the provider's own when absent.
    pub effort: Option<Effort>,
    /// What the user pays for the model, where that is set.
    pub price: Option<Price>,
    /// Tokens of the model's window, where that is known.
    pub window: Option<u32>,
    /// Fields that the endpoint is known to refuse.
    pub leave_out: Vec<String>,
    /// Whether the model takes tools, where that is known; where it is not, its server is asked.
    pub takes_tools: Option<bool>,
}
