//! What panels show of a thread, and the changes to send them when it grows.

use sidecar_agent::view::{self, Live};
use sidecar_agent::{Entry, Event, resume};
use sidecar_protocol::Timestamp;
use sidecar_protocol::link::ChatEvent;
use sidecar_protocol::thread::{Activity, Item, ToolStep};

/// What panels show of a thread. Only items of the last turn can change, so only those are kept.
#[derive(Debug, Default)]
pub struct Projection {
    /// Number of log entries that panels have been sent.
    read: usize,
    /// Position in the log of the turn whose items are kept.
    turn: usize,
    shown: Vec<Item>,
    activity: Activity,
    /// Number of bytes of reasoning and text that panels have of the answer that is arriving.
    grown: (usize, usize),
    until: Option<Timestamp>,
    step: Option<ToolStep>,
}

impl Projection {
    /// Number of log entries that panels have been sent.
    pub fn read(&self) -> usize {
        self.read
    }

    /// Panels are shown the whole thread as it is now.
    pub fn restart(&mut self, log: &[Entry], live: &Live) {
        self.turn = view::last_turn(log);
        self.shown = view::items_from(log, self.turn, Some(live));
        self.read_to(log, live);
    }

    /// The changes that bring panels up to date. New entries are compared all at once; text that an answer
    /// grew by is sent as it is.
    pub fn changes(&mut self, log: &[Entry], live: &Live, is_running: bool) -> Vec<ChatEvent> {
        let mut changes = Vec::new();
        if self.read != log.len() || self.has_other_items(live) {
            self.project(log, live, &mut changes);
        } else if let Some(grew) = self.growth(log, live) {
            changes.push(grew);
        }
        self.read_to(log, live);
        let activity = activity(log, is_running);
        if activity != self.activity {
            self.activity = activity;
            changes.push(ChatEvent::Activity { activity });
        }
        changes
    }

    /// Compares the turn's items with those that panels have.
    fn project(&mut self, log: &[Entry], live: &Live, changes: &mut Vec<ChatEvent>) {
        let mut items = view::items_from(log, self.turn, Some(live));
        let gone = self.shown.iter().filter(|old| items.iter().all(|item| item.id != old.id));
        changes.extend(gone.map(|old| ChatEvent::ItemGone { id: old.id.clone() }));
        let changed = items.iter().filter(|item| !self.shown.contains(item));
        changes.extend(changed.map(|item| ChatEvent::Item { item: item.clone() }));
        let new = &log[self.read.min(log.len())..];
        if new.iter().any(|entry| matches!(entry.event, Event::GuardLifted)) {
            // This also changes items of earlier turns.
            changes.extend(view::guards(log).into_iter().map(|item| ChatEvent::Item { item }));
        }
        if new.iter().any(|entry| matches!(entry.event, Event::TurnStarted { .. })) {
            self.turn = view::last_turn(log);
            let turn = items.last().map(|item| item.turn.clone());
            items.retain(|item| Some(&item.turn) == turn.as_ref());
        }
        self.shown = items;
    }

    /// Whether the live state changed items in more than the text of the answer.
    fn has_other_items(&self, live: &Live) -> bool {
        let begins = self.grown == (0, 0) && (!live.reasoning.is_empty() || !live.text.is_empty());
        begins || (self.until, self.step) != (live.until, live.step)
    }

    fn growth(&self, log: &[Entry], live: &Live) -> Option<ChatEvent> {
        let new = |text: &str, told: usize| text.get(told..).unwrap_or_default().to_owned();
        let (reasoning, text) = (new(&live.reasoning, self.grown.0), new(&live.text, self.grown.1));
        let id = view::growing_item(log).filter(|_| !reasoning.is_empty() || !text.is_empty())?;
        Some(ChatEvent::Grew { id, reasoning, text })
    }

    fn read_to(&mut self, log: &[Entry], live: &Live) {
        self.read = log.len();
        self.grown = (live.reasoning.len(), live.text.len());
        (self.until, self.step) = (live.until, live.step);
    }
}

/// The agent's activity.
pub(super) fn activity(log: &[Entry], is_running: bool) -> Activity {
    if is_running { resume::activity(log) } else { Activity::Resting }
}

#[cfg(test)]
mod tests;
