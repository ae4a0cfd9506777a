//! Reads a file as its pieces arrive: no step takes longer than the piece that arrived and the thread that
//! ends in it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use sidecar_protocol::history::{IMPORT_LIMIT, ImportProblem};

use super::{Archived, FORMAT, MOST_ENTRIES, MOST_THREADS, VERSION, damaged, opening, sound};

/// Depth of nesting at which a file's threads stand.
const THREAD_DEPTH: usize = 3;

/// What identifies a file and its version, whatever a later version adds.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
    #[serde(rename = "threads")]
    _threads: IgnoredAny,
}

/// A file with each of its threads replaced by `null`.
#[derive(Deserialize)]
struct ArchiveFrame {
    threads: Vec<()>,
}

/// Reads a file that arrives in pieces.
#[derive(Debug, Default)]
pub struct Reader {
    frame: String,
    /// The incomplete thread.
    thread: String,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    length: usize,
    entries: usize,
    threads: Vec<Archived>,
    /// What is wrong with a thread. No further thread is read; the rest of the file decides whether it is
    /// ours at all.
    problem: Option<ImportProblem>,
}

impl Reader {
    /// Reads the next piece.
    pub fn push(&mut self, piece: &str) {
        self.length = self.length.saturating_add(piece.len());
        if self.length > IMPORT_LIMIT {
            *self = Self { length: self.length, ..Self::default() };
            return;
        }
        // Start of the part that was not consumed yet.
        let mut start = 0;
        for (at, byte) in piece.bytes().enumerate() {
            let before = self.depth;
            self.step(byte);
            if before < THREAD_DEPTH && self.depth == THREAD_DEPTH {
                self.frame.push_str(&piece[start..at]);
                start = at;
            } else if before == THREAD_DEPTH && self.depth < THREAD_DEPTH {
                self.thread.push_str(&piece[start..=at]);
                self.end_thread();
                start = at + 1;
            }
        }
        let rest = if self.depth < THREAD_DEPTH { &mut self.frame } else { &mut self.thread };
        rest.push_str(&piece[start..]);
    }

    /// The threads of the file, without unfinished turns.
    ///
    /// # Errors
    /// If it is not such a file, was written by a later version, is damaged, or is too large.
    pub fn end(self) -> Result<Vec<Archived>, ImportProblem> {
        if self.length > IMPORT_LIMIT {
            return Err(ImportProblem::TooLarge);
        }
        let head: Head = match serde_json::from_str(&self.frame) {
            Ok(head) => head,
            // A file of ours that was cut.
            Err(error) if self.frame.trim_start().starts_with(opening().trim_end()) => {
                return Err(self.problem.unwrap_or_else(|| damaged(error.to_string())));
            }
            Err(_) => return Err(ImportProblem::NotOurs),
        };
        if head.format != FORMAT {
            return Err(ImportProblem::NotOurs);
        }
        if head.version > VERSION {
            return Err(ImportProblem::Newer);
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        match serde_json::from_str::<ArchiveFrame>(&self.frame) {
            Ok(frame) if frame.threads.len() == self.threads.len() => Ok(self.threads),
            Ok(_) => Err(damaged("not all that is in it is a thread".to_owned())),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    fn end_thread(&mut self) {
        self.frame.push_str("null");
        let text = std::mem::take(&mut self.thread);
        if self.problem.is_some() {
            return;
        }
        let read = serde_json::from_str::<Archived>(&text).map_err(|error| damaged(error.to_string()));
        let problem = match read.and_then(sound) {
            Ok(thread) => {
                self.entries += thread.log.len();
                self.threads.push(thread);
                let is_too_much = self.threads.len() > MOST_THREADS || self.entries > MOST_ENTRIES;
                is_too_much.then_some(ImportProblem::TooLarge)
            }
            Err(problem) => Some(problem),
        };
        if problem.is_some() {
            (self.problem, self.threads) = (problem, Vec::new());
        }
    }

    /// Reads a byte. Bytes of characters beyond ASCII do not affect the structure of JSON.
    fn step(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}
