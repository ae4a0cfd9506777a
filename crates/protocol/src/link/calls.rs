//! The log of calls.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::call_log::{CallFilter, CallPage};

/// About the log of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallsCommand {
    /// Send a page of it; answered by [`CallsAnswer::Page`].
    List {
        /// Which calls.
        filter: CallFilter,
        /// Only those before this place; the newest when absent.
        before: Option<u64>,
    },
    /// Write it out as JSON Lines; answered by [`CallsAnswer::Piece`], piece by piece.
    Export {
        /// Which calls.
        filter: CallFilter,
    },
    /// Forget it.
    Clear,
}

/// Answers a [`CallsCommand`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallsAnswer {
    /// A page.
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
    /// It is another now.
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
