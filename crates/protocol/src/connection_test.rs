//! A test of the connection to a model: one small conversation that shows what works.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// The checks, in order. When one fails, nothing is known of the later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConnectionCheck {
    /// Something answers at the address.
    Reach,
    /// The key is accepted, and the account may use the service.
    Key,
    /// It has the model, which answers.
    Model,
    /// The answer is streamed, and complete.
    Streaming,
    /// The model calls a tool when it is asked to.
    Tools,
}

impl ConnectionCheck {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Reach, Self::Key, Self::Model, Self::Streaming, Self::Tools];
}

/// How a connection test ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTest {
    /// The first check that failed; absent when all passed.
    pub failed: Option<ConnectionCheck>,
    /// The error of the service or the network, if that is why it failed.
    pub error: Option<ModelError>,
    /// Whether tools had to be described in the prompt (prompted tool calling).
    #[serde(rename = "inWords")]
    pub prompted: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}
