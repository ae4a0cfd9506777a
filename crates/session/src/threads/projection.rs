//! What panels have of a thread, and what they are told when it grows.

use sidecar_agent::view::{self, Live};
use sidecar_agent::{Entry, Event, resume};
use sidecar_protocol::Timestamp;
use sidecar_protocol::link::ChatEvent;
use sidecar_protocol::thread::{Activity, Item};

/// What panels have of a thread. Only items of its last turn change, so only those are kept.
#[derive(Debug, Default)]
pub struct Projection {
    /// How many entries of the log they were told.
    read: usize,
    /// Where in the log the turn begins of which items are kept.
    turn: usize,
    shown: Vec<Item>,
    activity: Activity,
    /// How much they were told of the answer that grows: bytes of thoughts and of words.
    grown: (usize, usize),
    until: Option<Timestamp>,
}

impl Projection {
    /// How many entries of the log panels were told.
    pub fn read(&self) -> usize {
        self.read
    }

    /// Panels are shown the whole thread as it is now.
    pub fn restart(&mut self, log: &[Entry], live: &Live) {
        self.turn = view::last_turn(log);
        self.shown = view::items_from(log, self.turn, Some(live));
        self.read_to(log, live);
    }

    /// What panels are to be told to have the thread as it is now. Entries that came in one go are looked at in one go, and
    /// words that an answer grew by are told as they are.
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

    /// Compares the turn's items with what panels have.
    fn project(&mut self, log: &[Entry], live: &Live, changes: &mut Vec<ChatEvent>) {
        let mut items = view::items_from(log, self.turn, Some(live));
        let gone = self.shown.iter().filter(|old| items.iter().all(|item| item.id != old.id));
        changes.extend(gone.map(|old| ChatEvent::ItemGone { id: old.id.clone() }));
        let changed = items.iter().filter(|item| !self.shown.contains(item));
        changes.extend(changed.map(|item| ChatEvent::Item { item: item.clone() }));
        let new = &log[self.read.min(log.len())..];
        if new.iter().any(|entry| matches!(entry.event, Event::GuardLifted)) {
            // Items of earlier turns change with it.
            changes.extend(view::guards(log).into_iter().map(|item| ChatEvent::Item { item }));
        }
        if new.iter().any(|entry| matches!(entry.event, Event::TurnStarted { .. })) {
            self.turn = view::last_turn(log);
            let turn = items.last().map(|item| item.turn.clone());
            items.retain(|item| Some(&item.turn) == turn.as_ref());
        }
        self.shown = items;
    }

    /// Whether something beyond the log makes items others, and not only their words more.
    fn has_other_items(&self, live: &Live) -> bool {
        let begins = self.grown == (0, 0) && (!live.reasoning.is_empty() || !live.text.is_empty());
        begins || self.until != live.until
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
        self.until = live.until;
    }
}

/// What the agent is doing.
pub(super) fn activity(log: &[Entry], is_running: bool) -> Activity {
    if is_running { resume::activity(log) } else { Activity::Resting }
}

#[cfg(test)]
mod tests;
