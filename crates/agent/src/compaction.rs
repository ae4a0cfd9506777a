//! Room in the model's window: what the model is told less of, and when. First it is not told any more what tools gave
//! earlier; then it sums up what came before, and is told that in its place. Both are entries of the log, so what the model
//! reads changes only where they stand, and stays the same, byte for byte, from one to the next.

use sidecar_llm::ChatRequest;
use sidecar_protocol::ErrorClass;

use crate::connection::Connection;
use crate::context;
use crate::log::{Entry, Event};
use crate::rules::Rules;
use crate::story;

/// From this share of the window on, in percent, room is made.
const NEARLY_FULL: u64 = 80;

/// What is left may take this share of it, so that room is not made again at once.
const ENOUGH: u64 = 60;

/// What the model is told less of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told<'a> {
    /// Nothing of entries before this position: a summary stands for them.
    pub from: usize,
    /// That summary.
    pub summary: Option<&'a str>,
    /// No results of calls that were made before this position.
    pub results_from: usize,
}

impl<'a> Told<'a> {
    /// What holds at the end of a story; all of it is told again once the user has said so.
    #[must_use]
    pub fn of(story: &[(usize, &'a Entry)]) -> Self {
        let mut told = Self::default();
        for (_, entry) in story {
            match &entry.event {
                Event::Compacted { until, summary: Some(summary), .. } => {
                    (told.from, told.summary) = (*until, Some(summary.as_str()));
                }
                Event::Compacted { until, summary: None, .. } => told.results_from = *until,
                Event::CompactionUndone => told = Self::default(),
                _ => {}
            }
        }
        told
    }
}

/// What to write before this request is sent, so that there is room for it: results that are not told any more, or the
/// question for a summary. `None` where there is room, or none can be made.
#[must_use]
pub fn plan(log: &[Entry], connection: &Connection, rules: &Rules, request: &ChatRequest) -> Option<Event> {
    let story = story::story(log);
    if story.iter().any(|(_, entry)| matches!(entry.event, Event::CompactionUndone)) {
        return None;
    }
    let window = connection.window.map(u64::from);
    let taken = context::taken_with(log, connection, rules, &request.tools);
    if !was_refused(&story) && window.is_none_or(|window| taken <= share(window, NEARLY_FULL)) {
        return None;
    }
    let told = Told::of(&story);
    let exchange = last_exchange(&story);
    let answers = |from: usize, until: usize, with_calls: bool| {
        story.iter().any(|(position, entry)| match &entry.event {
            Event::ModelAnswered { calls, .. } => {
                (from..until).contains(position) && !(with_calls && calls.is_empty())
            }
            _ => false,
        })
    };
    if let Some(until) = exchange.filter(|until| answers(told.from.max(told.results_from), *until, true)) {
        let leaner = Event::Compacted { until, summary: None, usage: None, cost: None };
        let at = log.last().map_or(0, |entry| entry.at);
        let lean: Vec<Entry> = log.iter().cloned().chain([Entry { at, event: leaner.clone() }]).collect();
        // A service that refused may take less than is thought.
        let enough = share(window.unwrap_or(taken).min(taken), ENOUGH);
        if context::taken_with(&lean, connection, rules, &request.tools) <= enough {
            return Some(leaner);
        }
    }
    let turn = story.iter().rev().find(|(_, entry)| matches!(entry.event, Event::TurnStarted { .. }));
    let until = [turn.map(|(position, _)| *position), exchange].into_iter().flatten();
    let until = until.into_iter().find(|until| answers(told.from, *until, false))?;
    Some(Event::SummaryAsked {
        provider: connection.endpoint.provider.clone(),
        model: connection.model.clone(),
        until,
    })
}

/// Where the model was asked for the last answer with calls: what came of them is always told.
fn last_exchange(story: &[(usize, &Entry)]) -> Option<usize> {
    let answer = story.iter().rposition(
        |(_, entry)| matches!(&entry.event, Event::ModelAnswered { calls, .. } if !calls.is_empty()),
    )?;
    let asked = story[..answer].iter().rfind(|(_, entry)| matches!(entry.event, Event::ModelAsked { .. }));
    asked.map(|(position, _)| *position)
}

/// Whether the service said of the last request that it is longer than the window.
fn was_refused(story: &[(usize, &Entry)]) -> bool {
    let last = story.iter().rev().find(|(_, entry)| !matches!(entry.event, Event::ModelAsked { .. }));
    matches!(
        last,
        Some((_, Entry { event: Event::ModelFailed { error, .. }, .. })) if error.class == ErrorClass::Context
    )
}

fn share(of: u64, percent: u64) -> u64 {
    of.saturating_mul(percent) / 100
}
