//! The list of threads: open, rename, search, export, import; turns as cases of evals.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::history::{ExportForm, ImportOutcome, ThreadMatch};
use crate::ids::{ItemId, ThreadId};
use crate::recording::TurnCase;
use crate::thread::ThreadSummary;

/// Commands for threads on disk, and for which of them is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadsCommand {
    /// Close the open thread and show an empty one.
    New,
    /// Close the open thread and start a temporary one, which is not saved.
    NewTemporary,
    /// Open a thread.
    Open {
        /// The thread.
        thread_id: ThreadId,
    },
    /// Send the list; answered by [`ThreadsAnswer::Listed`].
    List,
    /// Search threads for a text; answered by [`ThreadsAnswer::Found`]s. A later search cancels this one.
    Search {
        /// At most [`crate::history::QUERY_LIMIT`] characters; an empty text only cancels the previous
        /// search.
        text: String,
    },
    /// Rename a thread.
    Rename {
        /// The thread.
        thread_id: ThreadId,
        /// At most [`crate::history::TITLE_LIMIT`] characters. A blank title changes nothing.
        title: String,
    },
    /// Pin a thread to the top of the list, or unpin it.
    Pin {
        /// The thread.
        thread_id: ThreadId,
        /// Whether to pin it.
        pinned: bool,
    },
    /// Delete a thread. It can be restored for [`crate::history::UNDO_MS`].
    Delete {
        /// The thread.
        thread_id: ThreadId,
    },
    /// Restore a thread that was just deleted.
    Restore {
        /// The thread.
        thread_id: ThreadId,
    },
    /// Export a thread or all of them; answered by [`ThreadsAnswer::Piece`]s.
    Export {
        /// The thread; all of them when absent.
        thread_id: Option<ThreadId>,
        /// The file format.
        form: ExportForm,
    },
    /// Import threads from an exported JSON file, sent in pieces. The answer to the last one is
    /// [`ThreadsAnswer::Imported`].
    Import {
        /// The next piece, of [`crate::history::IMPORT_PIECE`] characters. Send the next one when this one
        /// has been answered.
        text: String,
        /// Whether there are further pieces.
        more: bool,
    },
    /// Make a turn a case of an eval; answered by [`ThreadsAnswer::Recorded`].
    RecordCase {
        /// The thread.
        thread_id: ThreadId,
        /// The item that ends the turn.
        item: ItemId,
    },
}

/// Answers a [`ThreadsCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadsAnswer {
    /// All threads.
    Listed {
        /// Newest first.
        threads: Vec<ThreadSummary>,
    },
    /// Further threads that match.
    Found {
        /// In the order of the list.
        threads: Vec<ThreadMatch>,
    },
    /// The next piece of a file.
    Piece {
        /// Its text.
        text: String,
    },
    /// The result of an import.
    Imported {
        /// The result.
        outcome: ImportOutcome,
    },
    /// What a turn came to as a case.
    Recorded {
        /// Absent if the turn is gone, or if the inspector does not answer.
        case: Option<TurnCase>,
    },
}

/// The list of threads changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadsEvent {
    /// The list changed.
    Listed {
        /// Newest first.
        threads: Vec<ThreadSummary>,
    },
}

impl Domain for ThreadsCommand {
    type Answer = ThreadsAnswer;

    fn command(self) -> Command {
        Command::Threads(self)
    }

    fn answer(answer: Answer) -> Option<ThreadsAnswer> {
        if let Answer::Threads(answer) = answer { Some(answer) } else { None }
    }
}
