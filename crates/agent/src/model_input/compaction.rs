//! Compaction: makes room in the model's context window. First the results of earlier tool calls are left
//! out. If that is not enough, a summary replaces the conversation so far. Both are entries of the log.
//! Between two of them the beginning of the model's input stays the same, byte for byte, so that providers
//! can cache it.

use sidecar_llm::ChatRequest;
use sidecar_protocol::ErrorClass;

use crate::connection::Connection;
use crate::log::branch;
use crate::log::{Entry, Event};
use crate::model_input::context::ContextEstimate;
use crate::model_input::messages::CompactionState;
use crate::turn::rules::Rules;

/// Percentage of the context window from which on room is made.
const NEARLY_FULL: u64 = 80;

/// Percentage of the context window that may remain in use afterwards, so that room is not needed again at
/// once.
const ENOUGH: u64 = 60;

/// The entry to write before this request is sent, so that there is room for it: one that leaves out
/// results, or one that asks for a summary. `None` if there is room, or none can be made.
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

/// As [`plan`], for a request that the service refused as longer than its context window.
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
        // The service refused, so its window may be smaller than assumed.
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

/// Position of the request whose answer has the last calls. The results of those calls are always told.
fn last_exchange(branch: &[(usize, &Entry)]) -> Option<usize> {
    let answer = branch.iter().rposition(
        |(_, entry)| matches!(&entry.event, Event::ModelAnswered { calls, .. } if !calls.is_empty()),
    )?;
    let asked = branch[..answer].iter().rfind(|(_, entry)| matches!(entry.event, Event::ModelAsked { .. }));
    asked.map(|(position, _)| *position)
}

/// Whether the service refused the last request as longer than its context window.
fn was_refused(log: &[Entry]) -> bool {
    let last = branch::backwards(log)
        .map(|position| &log[position].event)
        .find(|event| !matches!(event, Event::ModelAsked { .. }));
    matches!(last, Some(Event::ModelFailed { error, .. }) if error.class == ErrorClass::Context)
}

fn share(of: u64, percent: u64) -> u64 {
    of.saturating_mul(percent) / 100
}
