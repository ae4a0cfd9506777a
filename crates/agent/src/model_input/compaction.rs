//! Room in the model's window: what the model is told less of, and when. First it is not told any more what tools gave
//! earlier; then it sums up what came before, and is told that in its place. Both are entries of the log, so what the model
//! reads changes only where they stand, and stays the same, byte for byte, from one to the next.

use sidecar_llm::ChatRequest;
use sidecar_protocol::ErrorClass;

use crate::connection::Connection;
use crate::log::branch;
use crate::log::{Entry, Event};
use crate::model_input::context::ContextEstimate;
use crate::model_input::messages::CompactionState;
use crate::turn::rules::Rules;

/// From this share of the window on, in percent, room is made.
const NEARLY_FULL: u64 = 80;

/// What is left may take this share of it, so that room is not made again at once.
const ENOUGH: u64 = 60;

/// What to write before this request is sent, so that there is room for it: results that are not told any more, or the
/// question for a summary. `None` where there is room, or none can be made.
#[must_use]
pub fn plan(
    log: &[Entry],
    context: &mut ContextEstimate,
    connection: &Connection,
    rules: &Rules,
    request: &ChatRequest,
) -> Option<Event> {
    let window = connection.window.map(u64::from);
    let taken = context.taken_with(log, rules, &request.tools);
    if !was_refused(log) && window.is_none_or(|window| taken <= share(window, NEARLY_FULL)) {
        return None;
    }
    make_room(log, context, connection, rules, request)
}

/// As [`plan`], for a request that the service says is longer than the window.
#[must_use]
pub fn make_room(
    log: &[Entry],
    context: &mut ContextEstimate,
    connection: &Connection,
    rules: &Rules,
    request: &ChatRequest,
) -> Option<Event> {
    let branch = branch::entries(log);
    if branch.iter().any(|(_, entry)| matches!(entry.event, Event::CompactionUndone)) {
        return None;
    }
    let compaction = CompactionState::of(&branch);
    let exchange = last_exchange(&branch);
    let answers = |from: usize, until: usize, with_calls: bool| {
        branch.iter().any(|(position, entry)| match &entry.event {
            Event::ModelAnswered { calls, .. } => {
                (from..until).contains(position) && !(with_calls && calls.is_empty())
            }
            _ => false,
        })
    };
    let earlier = compaction.from.max(compaction.results_from);
    if let Some(until) = exchange.filter(|until| answers(earlier, *until, true)) {
        // A service that refused may take less than is thought.
        let taken = context.taken_with(log, rules, &request.tools);
        let enough = share(connection.window.map_or(taken, u64::from).min(taken), ENOUGH);
        if context.taken_without_results(log, until, rules, &request.tools) <= enough {
            return Some(Event::Compacted { until, summary: None, usage: None, cost: None });
        }
    }
    let turn = branch.iter().rev().find(|(_, entry)| matches!(entry.event, Event::TurnStarted { .. }));
    let until = [turn.map(|(position, _)| *position), exchange].into_iter().flatten();
    let until = until.into_iter().find(|until| answers(compaction.from, *until, false))?;
    Some(Event::SummaryAsked {
        provider: connection.endpoint.provider.clone(),
        model: connection.model.clone(),
        until,
    })
}

/// Where the model was asked for the last answer with calls: what came of them is always told.
fn last_exchange(branch: &[(usize, &Entry)]) -> Option<usize> {
    let answer = branch.iter().rposition(
        |(_, entry)| matches!(&entry.event, Event::ModelAnswered { calls, .. } if !calls.is_empty()),
    )?;
    let asked = branch[..answer].iter().rfind(|(_, entry)| matches!(entry.event, Event::ModelAsked { .. }));
    asked.map(|(position, _)| *position)
}

/// Whether the service said of the last request that it is longer than the window.
fn was_refused(log: &[Entry]) -> bool {
    let last = branch::backwards(log)
        .map(|position| &log[position].event)
        .find(|event| !matches!(event, Event::ModelAsked { .. }));
    matches!(last, Some(Event::ModelFailed { error, .. }) if error.class == ErrorClass::Context)
}

fn share(of: u64, percent: u64) -> u64 {
    of.saturating_mul(percent) / 100
}
