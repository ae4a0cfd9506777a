//! Looking after earlier threads: finding, exporting and importing them.

use serde::{Deserialize, Serialize};

use crate::thread::ThreadSummary;

/// Longest text that is searched for, in characters.
pub const QUERY_LIMIT: usize = 200;

/// Longest title of a thread, in characters.
pub const TITLE_LIMIT: usize = 80;

/// How long a deleted thread can be brought back, in milliseconds.
pub const UNDO_MS: u64 = 8_000;

/// Largest file of threads that is read, in bytes of UTF-8.
pub const IMPORT_LIMIT: usize = 64 * 1024 * 1024;

/// Most of a text that travels in one message, in characters. The browser refuses messages of more than 64 MiB.
pub const PIECE_LIMIT: usize = 2_000_000;

/// Length of a piece of a file on its way in, in characters: the worker reads it in one go, in some 10 ms.
pub const IMPORT_PIECE: usize = 250_000;

/// A thread in which something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadMatch {
    /// Its line in the list.
    pub summary: ThreadSummary,
    /// The first words of user or model that match; absent when it is the title.
    pub excerpt: Option<Excerpt>,
}

/// What matches, and the text around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    /// What stands before it.
    pub before: String,
    /// What matches, as it is written there.
    pub matched: String,
    /// What stands behind it.
    pub after: String,
}

/// What threads are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExportForm {
    /// Everything, so that it can be imported again.
    Json,
    /// What was said and done, to be read.
    Markdown,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ImportOutcome {
    /// It was read.
    Imported {
        /// Threads that are new here.
        added: u64,
        /// Threads that were here already, just so.
        known: u64,
    },
    /// It was not, and nothing was changed.
    Refused {
        /// What is wrong with it.
        problem: ImportProblem,
    },
}

/// Why a file was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ImportProblem {
    /// It is no export of threads.
    NotOurs,
    /// A later version wrote it.
    Newer,
    /// It is one, but not whole or not sound.
    Damaged {
        /// Where and what, for who looks into the file; in English.
        detail: String,
    },
    /// It is larger than [`IMPORT_LIMIT`], or has more threads or entries than are read at once.
    TooLarge,
}
