//! Threads as a file: JSON that holds everything, so that reading it gives the same threads again.
//!
//! A file may come from anybody. What is read is checked and bounded, and nothing in it can act: a call that had not
//! been made when the thread was written out is never made afterwards.

use serde::{Deserialize, Serialize};
use sidecar_protocol::attachment::{Attachment, is_sound};
use sidecar_protocol::history::{ImportProblem, TITLE_LIMIT};
use sidecar_protocol::thread::{ThreadSummary, ToolOutcome};
use sidecar_protocol::{ThreadId, Timestamp};

use crate::log::{Call, Entry, Event};
use crate::turn::resume::{after_death, unfinished_calls};

mod reader;

pub use reader::Reader;

/// How a file says that it is ours.
const FORMAT: &str = "webmcp-sidecar-threads";

/// The version of the format that is written, and the latest that is read.
const VERSION: u32 = 1;

/// Most threads of a file.
const MOST_THREADS: usize = 5_000;

/// Most entries of a file, in all its threads.
const MOST_ENTRIES: usize = 500_000;

/// Longest id of a thread, in characters.
const ID_LIMIT: usize = 100;

/// Longest name of a site, in characters.
const SITE_LIMIT: usize = 300;

/// The last moment that a date can be, in milliseconds since the Unix epoch.
const LAST_MOMENT: Timestamp = 8_640_000_000_000_000;

/// One thread, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Archived {
    /// Its line in the list.
    #[serde(flatten)]
    pub summary: ThreadSummary,
    /// What happened in it.
    pub log: Vec<Entry>,
}

/// What a file begins with.
#[must_use]
pub fn opening() -> String {
    format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"threads\":[\n")
}

/// What stands between two threads.
pub const BETWEEN: &str = ",\n";

/// What a file ends with.
pub const CLOSING: &str = "\n]}\n";

/// One thread of a file.
#[must_use]
pub fn written(thread: &Archived) -> String {
    serde_json::to_string(thread).unwrap_or_default()
}

/// Reads a file. Its threads rest.
///
/// # Errors
/// When it is no such file, a later version wrote it, it is damaged, or it is too large.
pub fn read(text: &str) -> Result<Vec<Archived>, ImportProblem> {
    let mut reader = Reader::default();
    reader.push(text);
    reader.end()
}

/// A thread of a file as it is taken in: at rest, and without what it would allow.
fn sound(mut thread: Archived) -> Result<Archived, ImportProblem> {
    check(&thread)?;
    keep(&mut thread.summary.id);
    thread.log.iter_mut().for_each(allow_nothing);
    settle(&mut thread.log);
    // As when two calls go by one name.
    match unfinished_calls(&thread.log).is_empty() {
        true => Ok(thread),
        false => Err(damaged(format!("thread {:?}: its calls", thread.summary.id.0))),
    }
}

fn check(Archived { summary, log }: &Archived) -> Result<(), ImportProblem> {
    let ThreadSummary { id: ThreadId(id), title, site, created, updated, pinned: _, temporary } = summary;
    let fits = |text: &str, limit: usize| text.chars().nth(limit).is_none();
    let moments = [created, updated].into_iter().chain(log.iter().map(|entry| &entry.at));
    let checks = [
        ("its id", !id.is_empty() && fits(id, ID_LIMIT)),
        ("its title", fits(title, TITLE_LIMIT)),
        ("its site", fits(site, SITE_LIMIT)),
        ("temporary", !temporary),
        ("a date", moments.into_iter().all(|moment| *moment <= LAST_MOMENT)),
        ("what is attached", log.iter().all(|entry| is_sound(attached(entry)))),
        ("the document of a tool", log.iter().flat_map(calls).all(has_document)),
        ("its first entry", matches!(log.first(), Some(Entry { event: Event::TurnStarted { .. }, .. }))),
    ];
    match checks.into_iter().find(|(_, is_sound)| !is_sound) {
        Some((what, _)) => Err(damaged(format!("thread {:?}: {what}", cut(id)))),
        None => Ok(()),
    }
}

/// A thread of a file is kept: its id does not say otherwise.
fn keep(ThreadId(id): &mut ThreadId) {
    while let Some(rest) = id.strip_prefix(ThreadId::TEMPORARY) {
        *id = if rest.is_empty() { "imported".to_owned() } else { rest.to_owned() };
    }
}

/// What the user allowed is not allowed by a file.
fn allow_nothing(entry: &mut Entry) {
    if let Event::FlowAllowed { from, to, .. } = &mut entry.event {
        from.clear();
        to.clear();
    }
}

fn attached(entry: &Entry) -> &[Attachment] {
    match &entry.event {
        Event::TurnStarted { attached, .. } => attached,
        _ => &[],
    }
}

fn calls(entry: &Entry) -> &[Call] {
    match &entry.event {
        Event::ModelAnswered { calls, .. } => calls,
        _ => &[],
    }
}

/// Whether it is said in which document the tool is: a browser takes a call to none as one to all.
fn has_document(call: &Call) -> bool {
    let document = call.target.as_ref().and_then(|target| target.tool.document());
    document.is_none_or(|document| !document.0.is_empty())
}

/// Brings a log to rest. Calls that have no outcome are called off, before the rest that left them over.
fn settle(log: &mut Vec<Entry>) {
    let Some(at) = log.last().map(|entry| entry.at) else { return };
    log.extend(after_death(log, None).into_iter().map(|event| Entry { at, event }));
    let calls: Vec<_> = unfinished_calls(log).into_iter().map(|call| call.id.clone()).collect();
    let rest = log.pop_if(|entry| matches!(entry.event, Event::TurnEnded { .. }));
    log.extend(calls.into_iter().map(|call| {
        let event = Event::ToolFinished { call, outcome: ToolOutcome::Cancelled, duration_ms: 0 };
        Entry { at, event }
    }));
    log.extend(rest);
}

fn damaged(detail: String) -> ImportProblem {
    ImportProblem::Damaged { detail }
}

fn cut(id: &str) -> String {
    id.chars().take(ID_LIMIT).collect()
}

#[cfg(test)]
mod tests;
