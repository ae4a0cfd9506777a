//! What a turn goes by.

use sidecar_llm::Endpoint;
use sidecar_protocol::settings::{Effort, Language, Limits, Mode, Price};

/// What holds while a turn runs: settings, and what the day is.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
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
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// The safety valves.
    pub limits: Limits,
    /// Language of the system prompt.
    pub language: Language,
    /// The user's date with its weekday: `2026-11-21 (Saturday)`.
    pub today: String,
}
