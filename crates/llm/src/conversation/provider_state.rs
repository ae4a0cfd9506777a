//! What a service wants back unchanged with its earlier answers.
//!
//! Signatures of reasoning, encrypted reasoning and item ids are opaque to us. Some services refuse a
//! conversation in which they are missing or changed, and all refuse those of another service.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::WireProtocol;

/// The source of an answer. Opaque data goes back only to the source it came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerSource {
    /// The protocol of the answer.
    pub protocol: WireProtocol,
    /// Scheme, host and port of the service. Two regions of one service are two sources: keys, and data
    /// encrypted for their owner, differ.
    pub origin: String,
}

/// What is sent back with an answer. Opaque outside this crate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderState {
    /// The source of the answer.
    pub source: AnswerSource,
    /// The parts of the answer in order, in the format of their protocol; empty if text, reasoning and
    /// calls are everything. Text and calls that are kept elsewhere may stand here by id alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Value>,
}
