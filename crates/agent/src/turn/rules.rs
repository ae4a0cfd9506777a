//! The rules of a turn, whichever model it uses.

use sidecar_protocol::settings::{Language, Limits, Mode};

/// The rules of a turn: settings, and the date.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// The limits.
    pub limits: Limits,
    /// Language of the system prompt.
    pub language: Language,
    /// The user's date with its weekday: `2026-11-21 (Saturday)`.
    pub today: String,
}
