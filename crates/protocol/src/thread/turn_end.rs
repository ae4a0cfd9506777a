//! Why the agent rests.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// Why the agent rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TurnEnd {
    /// It said all it had to say.
    Done,
    /// The model's answer was cut at its token limit.
    Length,
    /// The user stopped it.
    Stopped,
    /// It made as many tool calls as allowed; Continue goes on.
    CallLimit {
        /// The limit.
        limit: u32,
    },
    /// Its tools took as long as allowed; Continue goes on.
    TimeLimit {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The model failed; Continue tries again.
    Failed {
        /// What went wrong.
        error: ModelError,
    },
    /// The model does not get any further; Continue asks it again.
    Stuck {
        /// In which way.
        how: Stuck,
    },
    /// The browser ended the worker in mid-turn; Continue goes on.
    Interrupted,
}

/// How a model does not get any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stuck {
    /// It said nothing that could be used, twice.
    Silent,
    /// It makes the same call again and again.
    Repeating,
    /// Its calls stay wrong although it was told what is wrong with them.
    Mistaken,
}

impl TurnEnd {
    /// Whether the turn can be taken up again where it is.
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
