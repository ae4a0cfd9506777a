//! Which texts set the guard of a conversation, and for which tools.

pub mod fence;
pub mod flow;
pub(crate) mod json_leaves;
pub mod signals;

use std::collections::HashMap;

use crate::call::policy::Guard;
use crate::guard::flow::FlowSource;
use crate::log::branch;
use crate::log::{Entry, Event, Suspect, Target};

/// How the conversation's guard applies to this tool.
#[must_use]
pub fn guard(log: &[Entry], target: &Target) -> Guard {
    let target_of = crate::guard::flow::targets(log);
    let mut outcomes = HashMap::new();
    let mut guard = Guard::Off;
    for position in branch::backwards(log) {
        let source = match &log[position].event {
            Event::GuardLifted => break,
            // In the log it comes after the event that suspects it.
            Event::ToolFinished { call, outcome, .. } => {
                outcomes.insert(call, outcome);
                continue;
            }
            Event::Suspected { what, .. } => match what {
                Suspect::Result { call } => target_of(call).map(|source| match outcomes.get(call) {
                    Some(outcome) => FlowSource::of_result(source, outcome),
                    None => FlowSource::of_tool(source),
                }),
                Suspect::Description { tool, site, origin, .. } => {
                    Some(FlowSource::of_description(tool, site, origin))
                }
                Suspect::Attached { place, site } => Some(attached(log, position, *place, site)),
            },
            _ => continue,
        };
        // Nobody knows whether the page or a frame in it wrote what is suspicious.
        let has_frames = matches!(&log[position].event, Event::Suspected { what: Suspect::Result { call }, .. }
        if outcomes.get(call).zip(target_of(call)).is_some_and(|(outcome, source)| {
            FlowSource::of_frames(source, outcome).any(|frame| !frame.is_of(target))
        }));
        guard = match source {
            Some(_) if has_frames => return Guard::OtherOrigin,
            Some(source) if source.is_of(target) => Guard::SameOrigin,
            Some(_) | None => return Guard::OtherOrigin,
        };
    }
    guard
}

/// Source of a text that the user attached to the message of an entry's turn.
fn attached<'a>(log: &'a [Entry], position: usize, place: usize, site: &'a str) -> FlowSource<'a> {
    let found = branch::backwards(&log[..=position]).find_map(|position| match &log[position].event {
        Event::TurnStarted { attached, .. } => Some(attached.get(place)),
        _ => None,
    });
    found.flatten().map_or(FlowSource::of_description("", site, ""), FlowSource::of_attached)
}
