//! The list of threads: opening, naming, finding, writing out and taking in.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::history::{ExportForm, ImportOutcome, ThreadMatch};
use crate::ids::ThreadId;
use crate::thread::ThreadSummary;

/// About threads on disk, and which of them is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadsCommand {
    /// Leave the open thread and show an empty one.
    New,
    /// Leave the open thread and begin one that is kept nowhere.
    NewTemporary,
    /// Open a thread of the list.
    Open {
        /// Its id.
        thread_id: ThreadId,
    },
    /// Send the list; answered by [`ThreadsAnswer::Listed`].
    List,
    /// Look for threads in which a text stands; answered by [`ThreadsAnswer::Found`], piece by piece. A later one calls
    /// off the one before.
    Search {
        /// At most [`crate::history::QUERY_LIMIT`] characters; empty calls off the one before.
        text: String,
    },
    /// Give a thread a name.
    Rename {
        /// Its id.
        thread_id: ThreadId,
        /// At most [`crate::history::TITLE_LIMIT`] characters; not empty.
        title: String,
    },
    /// Keep a thread at the top of the list, or do not.
    Pin {
        /// Its id.
        thread_id: ThreadId,
        /// Whether to.
        pinned: bool,
    },
    /// Delete a thread. It can be brought back for [`crate::history::UNDO_MS`].
    Delete {
        /// Its id.
        thread_id: ThreadId,
    },
    /// Bring back a thread that was just deleted.
    Restore {
        /// Its id.
        thread_id: ThreadId,
    },
    /// Write out a thread, or all of them; answered by [`ThreadsAnswer::Piece`], piece by piece.
    Export {
        /// Its id; all when absent.
        thread_id: Option<ThreadId>,
        /// As what.
        form: ExportForm,
    },
    /// Take in threads that were written out as JSON; the last piece is answered by [`ThreadsAnswer::Imported`].
    Import {
        /// The next piece of the text, of [`crate::history::IMPORT_PIECE`] characters; the next one is sent when
        /// this one is answered.
        text: String,
        /// Whether there are further pieces.
        more: bool,
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
    /// Further threads in which the text stands.
    Found {
        /// In the order of the list.
        threads: Vec<ThreadMatch>,
    },
    /// The next piece of a file.
    Piece {
        /// Its text.
        text: String,
    },
    /// A file was taken in, or not.
    Imported {
        /// What came of it.
        outcome: ImportOutcome,
    },
}

/// The list of threads changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadsEvent {
    /// It is this now.
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
