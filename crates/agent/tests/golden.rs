//! Golden files of the agent's disk formats (docs/decisions/0024-disk-formats.md).

use std::collections::BTreeSet;

use sidecar_agent::archive::{self, Archived};
use sidecar_agent::{Entry, Event, saved};
use sidecar_golden::{current, migrates};
use sidecar_protocol::call_log::LoggedCall;

/// As the current version writes it.
const LOG: &str = include_str!("../fixtures/log.jsonl");

/// As commit a91f95e wrote it, before sources and content blocks; the last two lines by 83e0149.
const LOG_1: &str = include_str!("../fixtures/log-1.jsonl");

#[test]
fn log_is_written_as_it_is_on_disk() {
    let kinds: BTreeSet<_> = current::<Entry>(LOG).iter().map(|entry| kind(&entry.event)).collect();
    assert_eq!(kinds.len(), KINDS, "every kind of event stands in the file");
}

#[test]
fn log_of_format_1_is_read() {
    migrates::<Entry>(LOG_1, &lines_of(LOG, LOG_1.lines().count()));
    assert!(saved::read(LOG_1.lines().enumerate()).is_ok());
}

#[test]
fn calls_are_written_as_they_are_on_disk() {
    let _ = current::<LoggedCall>(include_str!("../fixtures/calls.jsonl"));
}

#[test]
fn archive_is_written_as_it_is_exported() {
    let file = include_str!("../fixtures/archive.json");
    let threads = archive::read(file).unwrap();
    let texts: Vec<_> = threads.iter().map(archive::written).collect();
    let written = format!("{}{}{}", archive::opening(), texts.join(archive::BETWEEN), archive::CLOSING);
    assert_eq!(written, file);
}

#[test]
fn archive_of_format_1_is_read() {
    let before: Vec<Archived> = archive::read(include_str!("../fixtures/archive-1.json")).unwrap();
    assert_eq!(before, archive::read(include_str!("../fixtures/archive.json")).unwrap());
}

/// The first lines of a file: later formats only append.
fn lines_of(file: &str, count: usize) -> String {
    file.lines().take(count).map(|line| format!("{line}\n")).collect()
}

/// Number of event kinds.
const KINDS: usize = 22;

/// A name for each kind. Add a new kind to the golden file as well.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::TurnStarted { .. } => "turnStarted",
        Event::TurnContinued { .. } => "turnContinued",
        Event::TurnRevived { .. } => "turnRevived",
        Event::Rewound { .. } => "rewound",
        Event::SummaryAsked { .. } => "summaryAsked",
        Event::Compacted { .. } => "compacted",
        Event::CompactionUndone => "compactionUndone",
        Event::ModelAsked { .. } => "modelAsked",
        Event::ModelAnswered { .. } => "modelAnswered",
        Event::ModelFailed { .. } => "modelFailed",
        Event::ApprovalAsked { .. } => "approvalAsked",
        Event::ApprovalMistaken { .. } => "approvalMistaken",
        Event::ApprovalGiven { .. } => "approvalGiven",
        Event::ToolStarted { .. } => "toolStarted",
        Event::WaitStarted { .. } => "waitStarted",
        Event::WaitEnded { .. } => "waitEnded",
        Event::ResultCut { .. } => "resultCut",
        Event::Suspected { .. } => "suspected",
        Event::GuardLifted => "guardLifted",
        Event::FlowAllowed { .. } => "flowAllowed",
        Event::ToolFinished { .. } => "toolFinished",
        Event::TurnEnded { .. } => "turnRested",
    }
}
