//! What a turn goes by, whichever model it asks.

use sidecar_protocol::settings::{Language, Limits, Mode};

/// What holds while a turn runs: settings, and what the day is.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// The safety valves.
    pub limits: Limits,
    /// Language of the system prompt.
    pub language: Language,
    /// The user's date with its weekday: `2026-11-21 (Saturday)`.
    pub today: String,
}
