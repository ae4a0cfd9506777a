//! Managing earlier threads: search, export, import.

use serde::{Deserialize, Serialize};

use crate::thread::ThreadSummary;

/// Longest text that is searched for, in characters.
pub const QUERY_LIMIT: usize = 200;

/// Longest title of a thread, in characters.
pub const TITLE_LIMIT: usize = 80;

/// How long a deleted thread can be restored, in milliseconds.
pub const UNDO_MS: u64 = 8_000;

/// Largest file of threads that is read, in bytes of UTF-8.
pub const IMPORT_LIMIT: usize = 256 * 1024 * 1024;

/// Maximum size of a text in one message, in characters. The browser refuses messages of more than 64 MiB.
pub const PIECE_LIMIT: usize = 2_000_000;

/// Length of one piece of an imported file, in characters: the worker parses it in one go, in about 10 ms.
pub const IMPORT_PIECE: usize = 250_000;

/// A thread that matches a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadMatch {
    /// Its line in the list.
    pub summary: ThreadSummary,
    /// The first matching text of the user or the model; absent if the title matches.
    pub excerpt: Option<Excerpt>,
}

/// The match and the text around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    /// Text before the match.
    pub before: String,
    /// The match, in its original case.
    pub matched: String,
    /// Text after the match.
    pub after: String,
}

/// The format of exported threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExportForm {
    /// Everything; can be imported again.
    Json,
    /// For people to read: what was said and done.
    Markdown,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ImportOutcome {
    /// The file was imported.
    Imported {
        /// Threads that are new here.
        added: u64,
        /// Threads that exist here already with the same content.
        known: u64,
    },
    /// The file was not imported, and nothing was changed.
    Refused {
        /// What is wrong with it.
        problem: ImportProblem,
    },
}

/// Why a file was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ImportProblem {
    /// It is not an export of threads.
    NotOurs,
    /// A later version wrote it.
    Newer,
    /// It is an export, but incomplete or invalid.
    Damaged {
        /// What is wrong and where, for people who inspect the file; in English.
        detail: String,
    },
    /// It is larger than [`IMPORT_LIMIT`], or has too many threads or entries.
    TooLarge,
}
