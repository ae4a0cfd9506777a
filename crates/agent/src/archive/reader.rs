//! Reading a file as it comes, thread by thread: nothing is read twice, and no step of it is long.

use serde::Deserialize;
use serde::de::IgnoredAny;
use sidecar_protocol::history::{IMPORT_LIMIT, ImportProblem};

use super::{Archived, FORMAT, MOST_ENTRIES, MOST_THREADS, VERSION, damaged, opening, sound};

/// How deep in objects and lists of a file its threads stand.
const THREAD_DEPTH: usize = 3;

/// What tells whether a file is for us, whatever a later version puts into it.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
    #[serde(rename = "threads")]
    _threads: IgnoredAny,
}

/// A file without its threads: each of them is `null` here.
#[derive(Deserialize)]
struct Frame {
    #[serde(rename = "threads")]
    _threads: Vec<()>,
}

impl Head {
    fn check(&self) -> Result<(), ImportProblem> {
        match self.format == FORMAT {
            false => Err(ImportProblem::NotOurs),
            true if self.version > VERSION => Err(ImportProblem::Newer),
            true => Ok(()),
        }
    }
}

/// Reads a file that comes in pieces.
#[derive(Debug, Default)]
pub struct Reader {
    frame: String,
    /// The thread that is not whole yet.
    thread: String,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    length: usize,
    entries: usize,
    threads: Vec<Archived>,
    problem: Option<ImportProblem>,
}

impl Reader {
    /// Reads the next piece. After a problem nothing more is read.
    pub fn push(&mut self, piece: &str) {
        self.length += piece.len();
        if self.length > IMPORT_LIMIT {
            self.problem = Some(ImportProblem::TooLarge);
        }
        if self.problem.is_none()
            && let Err(problem) = self.read(piece)
        {
            *self = Self { problem: Some(problem), length: self.length, ..Self::default() };
        }
    }

    /// Its threads, at rest.
    ///
    /// # Errors
    /// When it is no such file, a later version wrote it, it is damaged, or it is too large.
    pub fn end(self) -> Result<Vec<Archived>, ImportProblem> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        match serde_json::from_str::<Head>(&self.frame) {
            Ok(head) => {
                head.check()?;
                let frame = serde_json::from_str::<Frame>(&self.frame);
                frame.map(|_| self.threads).map_err(|error| damaged(error.to_string()))
            }
            // One that was cut is still ours.
            Err(error) if self.frame.trim_start().starts_with(opening().trim_end()) => {
                Err(damaged(error.to_string()))
            }
            Err(_) => Err(ImportProblem::NotOurs),
        }
    }

    fn read(&mut self, piece: &str) -> Result<(), ImportProblem> {
        // Where what was not taken yet begins.
        let mut start = 0;
        for (at, byte) in piece.bytes().enumerate() {
            let before = self.depth;
            self.step(byte);
            if before < THREAD_DEPTH && self.depth == THREAD_DEPTH {
                self.frame.push_str(&piece[start..at]);
                self.begin_thread()?;
                start = at;
            } else if before == THREAD_DEPTH && self.depth < THREAD_DEPTH {
                self.thread.push_str(&piece[start..=at]);
                self.end_thread()?;
                start = at + 1;
            }
        }
        let unread = if self.depth < THREAD_DEPTH { &mut self.frame } else { &mut self.thread };
        unread.push_str(&piece[start..]);
        Ok(())
    }

    /// Before the first thread is read: is it a file of ours?
    fn begin_thread(&self) -> Result<(), ImportProblem> {
        if !self.threads.is_empty() {
            return Ok(());
        }
        let head = |end| serde_json::from_str::<Head>(&format!("{}{end}", self.frame));
        head("]}").or_else(|_| head("}}")).map_err(|_| ImportProblem::NotOurs)?.check()
    }

    fn end_thread(&mut self) -> Result<(), ImportProblem> {
        self.frame.push_str("null");
        let text = std::mem::take(&mut self.thread);
        let thread = serde_json::from_str::<Archived>(&text).map_err(|error| damaged(error.to_string()))?;
        let thread = sound(thread)?;
        self.entries += thread.log.len();
        self.threads.push(thread);
        match self.threads.len() > MOST_THREADS || self.entries > MOST_ENTRIES {
            true => Err(ImportProblem::TooLarge),
            false => Ok(()),
        }
    }

    /// Takes note of a byte. Those of characters beyond ASCII mean nothing to the structure of JSON.
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
