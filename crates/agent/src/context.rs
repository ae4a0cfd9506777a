//! How much of the model's window the conversation takes.

use sidecar_llm::{ToolDefinition, tokens};

use crate::connection::Connection;
use crate::log::{Entry, Event};
use crate::prompt;
use crate::rules::Rules;
use crate::story;

/// About how many tokens the next request takes: what the service counted last, and an estimate of what came since.
/// Tools count as far as the service counted them.
#[must_use]
pub fn taken(log: &[Entry], connection: &Connection, rules: &Rules) -> u64 {
    taken_with(log, connection, rules, &[])
}

/// The same for a request with these tools.
#[must_use]
pub fn taken_with(log: &[Entry], connection: &Connection, rules: &Rules, tools: &[ToolDefinition]) -> u64 {
    let tools = tokens::of_tools(tools);
    let estimate = |log: &[Entry]| tools + tokens::of_request(&prompt::request(log, connection, rules, &[]));
    let now = estimate(log);
    let Some((asked, counted)) = last_count(log) else { return now };
    // What the request was then, as it is estimated now: the difference is what came and went since.
    counted.saturating_add(now).saturating_sub(estimate(&log[..asked]))
}

/// Whether this makes what is said of the window another.
#[must_use]
pub fn counts(event: &Event) -> bool {
    match event {
        Event::TurnStarted { .. }
        | Event::TurnContinued { .. }
        | Event::Rewound { .. }
        | Event::ModelAnswered { .. }
        | Event::Compacted { .. }
        | Event::CompactionUndone
        | Event::ToolFinished { .. } => true,
        Event::ModelAsked { .. }
        | Event::ModelFailed { .. }
        | Event::SummaryAsked { .. }
        | Event::TurnRevived { .. }
        | Event::ApprovalAsked { .. }
        | Event::ApprovalMistaken { .. }
        | Event::ApprovalGiven { .. }
        | Event::ResultCut { .. }
        | Event::Suspected { .. }
        | Event::GuardLifted
        | Event::FlowAllowed { .. }
        | Event::ToolStarted { .. }
        | Event::WaitStarted { .. }
        | Event::WaitEnded { .. }
        | Event::TurnRested { .. } => false,
    }
}

/// The last request of which the service said how many tokens it took: its position, and that number.
fn last_count(log: &[Entry]) -> Option<(usize, u64)> {
    let mut counted = None;
    for position in story::backwards(log) {
        match &log[position].event {
            Event::ModelAnswered { usage: Some(usage), .. } if counted.is_none() => {
                counted = Some(usage.input)
            }
            Event::ModelAsked { .. } => {
                if let Some(counted) = counted.filter(|counted| *counted > 0) {
                    return Some((position, counted));
                }
                counted = None;
            }
            _ => {}
        }
    }
    None
}
