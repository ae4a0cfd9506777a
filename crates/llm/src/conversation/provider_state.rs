//! What a service wants back with its earlier answers, as it came.
//!
//! Signatures of thoughts, encrypted reasoning and ids of items mean nothing to us and everything to the service that
//! made them: some refuse a conversation in which they are missing or changed, and all refuse those of others.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::WireProtocol;

/// Who made an answer. What is opaque goes back to the same source and to nobody else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerSource {
    /// The protocol in which it came.
    pub protocol: WireProtocol,
    /// Scheme, host and port of the service. Two regions of one service are two sources: keys, and what is encrypted
    /// for their owner, differ.
    pub origin: String,
}

/// What goes back with an answer. Nothing outside of this crate looks into it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderState {
    /// Who made the answer.
    pub source: AnswerSource,
    /// The pieces of the answer in the order in which they came, in the form of their protocol; empty where words,
    /// thoughts and calls are all there is. Words and calls that are kept elsewhere may stand here by their id alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Value>,
}
