//! Threads as a JSON file that holds everything, so that reading it gives the same threads again.
//!
//! A file may come from anybody. It is checked and bounded, and nothing in it can act: a call that had not
//! been made at the export is never made later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::attachment::{Attachment, is_sound};
use sidecar_protocol::history::{ImportProblem, TITLE_LIMIT};
use sidecar_protocol::picture::Picture;
use sidecar_protocol::thread::{ThreadSummary, ToolOutcome};
use sidecar_protocol::{ThreadId, Timestamp};

use crate::log::{Call, Entry, Event};
use crate::turn::resume::{after_death, unfinished_calls};

mod reader;

pub use reader::Reader;

/// Marks a file as ours.
const FORMAT: &str = "webmcp-sidecar-threads";

/// The file format that is written, and the latest that is read.
const VERSION: u32 = 1;

/// Maximum number of threads in a file.
const MOST_THREADS: usize = 5_000;

/// Maximum number of entries in a file, in all threads together.
const MOST_ENTRIES: usize = 500_000;

/// Longest id of a thread, in characters.
const ID_LIMIT: usize = 100;

/// Longest name of a site, in characters.
const SITE_LIMIT: usize = 300;

/// The latest time that a JavaScript `Date` can represent, in milliseconds since the Unix epoch.
const LAST_MOMENT: Timestamp = 8_640_000_000_000_000;

/// A whole thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Archived {
    /// Its line in the list of threads.
    #[serde(flatten)]
    pub summary: ThreadSummary,
    /// Its log.
    pub log: Vec<Entry>,
    /// The data of its pictures in base64, by digest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pictures: BTreeMap<String, String>,
}

/// The beginning of a file.
#[must_use]
pub fn opening() -> String {
    format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"threads\":[\n")
}

/// Separates two threads.
pub const BETWEEN: &str = ",\n";

/// The end of a file.
pub const CLOSING: &str = "\n]}\n";

/// One thread as it stands in a file.
#[must_use]
pub fn written(thread: &Archived) -> String {
    serde_json::to_string(thread).unwrap_or_default()
}

/// Reads a file. Its threads have no unfinished turn.
///
/// # Errors
/// If it is not such a file, was written by a later version, is damaged, or is too large.
pub fn read(text: &str) -> Result<Vec<Archived>, ImportProblem> {
    let mut reader = Reader::default();
    reader.push(text);
    reader.end()
}

/// Checks a thread of a file and makes it safe: it has no unfinished turn, and allows nothing.
fn sound(mut thread: Archived) -> Result<Archived, ImportProblem> {
    check(&thread)?;
    keep(&mut thread.summary.id);
    thread.log.iter_mut().for_each(allow_nothing);
    settle(&mut thread.log);
    // Calls can remain, for example if two have the same id.
    match unfinished_calls(&thread.log).is_empty() {
        true => Ok(thread),
        false => Err(damaged(format!("thread {:?}: its calls", thread.summary.id.0))),
    }
}

fn check(Archived { summary, log, pictures: _ }: &Archived) -> Result<(), ImportProblem> {
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
        ("its pictures", log.iter().all(|entry| Picture::are_sound(pictures(entry)))),
        ("the document of a tool", log.iter().flat_map(calls).all(has_document)),
        ("its first entry", matches!(log.first(), Some(Entry { event: Event::TurnStarted { .. }, .. }))),
    ];
    match checks.into_iter().find(|(_, is_sound)| !is_sound) {
        Some((what, _)) => Err(damaged(format!("thread {:?}: {what}", cut(id)))),
        None => Ok(()),
    }
}

/// An imported thread is never temporary, whatever its id says.
fn keep(ThreadId(id): &mut ThreadId) {
    while let Some(rest) = id.strip_prefix(ThreadId::TEMPORARY) {
        *id = if rest.is_empty() { "imported".to_owned() } else { rest.to_owned() };
    }
}

/// Removes what an entry would allow: a file cannot allow anything.
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

/// The pictures that an entry names.
#[must_use]
pub fn pictures(entry: &Entry) -> Vec<&Picture> {
    match &entry.event {
        Event::TurnStarted { pictures, .. } => pictures.iter().collect(),
        Event::ToolFinished { outcome, .. } => outcome.pictures().collect(),
        _ => Vec::new(),
    }
}

fn calls(entry: &Entry) -> &[Call] {
    match &entry.event {
        Event::ModelAnswered { calls, .. } => calls,
        _ => &[],
    }
}

/// Whether the call's tool names its document: without one, the browser would send the call to all
/// documents of the tab.
fn has_document(call: &Call) -> bool {
    let document = call.target.as_ref().and_then(|target| target.tool.document());
    document.is_none_or(|document| !document.0.is_empty())
}

/// Ends the unfinished turn of a log. Calls without an outcome are cancelled, before the turn end that left
/// them over.
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
