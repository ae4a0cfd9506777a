//! The turn end: why the agent rests.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// The turn end: why the agent rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TurnEnd {
    /// The model's answer was complete and had no calls.
    Done,
    /// The model's answer reached its token limit.
    Length,
    /// The user stopped it.
    Stopped,
    /// It reached the limit of tool calls; Continue goes on.
    CallLimit {
        /// The limit.
        limit: u32,
    },
    /// Its tools reached their time limit; Continue goes on.
    TimeLimit {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The model failed; Continue tries again.
    Failed {
        /// What went wrong.
        error: ModelError,
    },
    /// The model makes no progress; Continue asks it again.
    Stuck {
        /// In which way it makes no progress.
        how: Stuck,
    },
    /// The worker died during the turn; Continue goes on.
    Interrupted,
}

/// How a model makes no progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stuck {
    /// It gave no usable answer, twice.
    Silent,
    /// It makes the same call again and again.
    Repeating,
    /// Its calls stay invalid although it was told what is wrong.
    Mistaken,
}

impl TurnEnd {
    /// Whether the turn can be continued.
    #[must_use]
    pub fn can_continue(&self) -> bool {
        match self {
            Self::Done => false,
            Self::Length
            | Self::Stopped
            | Self::CallLimit { .. }
            | Self::TimeLimit { .. }
            | Self::Failed { .. }
            | Self::Stuck { .. }
            | Self::Interrupted => true,
        }
    }
}
