//! The log of calls.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::call_log::{CallFilter, CallPage};

/// Commands for the log of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallsCommand {
    /// Send a page of the log; answered by [`CallsAnswer::Page`].
    List {
        /// Which calls to list.
        filter: CallFilter,
        /// Only calls before this position; from the newest on when absent.
        before: Option<u64>,
    },
    /// Export the log as JSON Lines; answered by [`CallsAnswer::Piece`]s.
    Export {
        /// Which calls to export.
        filter: CallFilter,
    },
    /// Delete the whole log.
    Clear,
}

/// Answers a [`CallsCommand`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallsAnswer {
    /// A page of the log.
    Page {
        /// Newest call first.
        page: CallPage,
    },
    /// The next piece of a file.
    Piece {
        /// Its text.
        text: String,
    },
}

/// The log of calls changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallsEvent {
    /// The log's content is out of date: list it again.
    Changed,
}

impl Domain for CallsCommand {
    type Answer = CallsAnswer;

    fn command(self) -> Command {
        Command::Calls(self)
    }

    fn answer(answer: Answer) -> Option<CallsAnswer> {
        if let Answer::Calls(answer) = answer { Some(answer) } else { None }
    }
}
