//! A test of the connection to a model: one small conversation that shows what works.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// What is looked at, in this order: where one fails, nothing is known of those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConnectionCheck {
    /// Something answers at the address.
    Reach,
    /// It takes the key, and the account may use it.
    Key,
    /// It has the model, which answers.
    Model,
    /// The answer comes as it is written, and to its end.
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
    /// Why, where that is an error of the service or of the way to it.
    pub error: Option<ModelError>,
    /// Whether tools had to be described to the model in its prompt.
    #[serde(rename = "inWords")]
    pub prompted: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}
