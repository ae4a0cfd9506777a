//! What the panel shows of a thread: the log as items.

use sidecar_protocol::history::TITLE_LIMIT;
use sidecar_protocol::thread::{Item, ItemKind, ThreadSummary};
use sidecar_protocol::{ItemId, ThreadId, Timestamp, TurnId};

use crate::log::branch::{self};
use crate::log::{Entry, Event};

mod projection;

use projection::{ItemProjection, answer_id};

/// What is known of an answer that still grows, or of a call that runs; not in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// Thoughts so far.
    pub reasoning: String,
    /// Words so far.
    pub text: String,
    /// When the call that runs is given up, if that is soon.
    pub until: Option<Timestamp>,
}

/// The items of a whole log, oldest first. `live` belongs to an answer that is coming; `None` when nothing runs.
#[must_use]
pub fn items(log: &[Entry], live: Option<&Live>) -> Vec<Item> {
    items_from(log, 0, live)
}

/// Where the last turn begins: items of entries before it do not change any more.
#[must_use]
pub fn last_turn(log: &[Entry]) -> usize {
    branch::last_turn(log).first().map_or(0, |(position, _)| *position)
}

/// The items of the last turn only; `start` is [`last_turn`].
#[must_use]
pub fn items_from(log: &[Entry], start: usize, live: Option<&Live>) -> Vec<Item> {
    let mut view = ItemProjection::of(log);
    for (position, entry) in branch::entries(log).into_iter().filter(|(position, _)| *position >= start) {
        view.read(position, entry);
    }
    view.finish(live)
}

/// The items of a whole log that tell of its guard: one that is called off changes those of earlier turns, too.
#[must_use]
pub fn guards(log: &[Entry]) -> Vec<Item> {
    let mut items = items(log, None);
    items.retain(|item| matches!(item.kind, ItemKind::Guard { .. }));
    items
}

/// The thread's line in the list of threads; `None` for an empty log.
#[must_use]
pub fn summary(id: &ThreadId, log: &[Entry]) -> Option<ThreadSummary> {
    let first = log.first()?;
    let Event::TurnStarted { text, page, .. } = &first.event else { return None };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = cut(&line, TITLE_LIMIT);
    Some(ThreadSummary {
        id: id.clone(),
        title,
        site: page.site.clone(),
        created: first.at,
        updated: log.last()?.at,
        pinned: false,
        temporary: false,
    })
}

/// The id of the item that grows while the model answers, if the log ends with a question to it.
#[must_use]
pub fn growing_item(log: &[Entry]) -> Option<ItemId> {
    let last = log.len().checked_sub(1)?;
    let Event::TurnStarted { turn, .. } = &log[last_turn(log)].event else { return None };
    matches!(log[last].event, Event::ModelAsked { .. }).then(|| answer_id(turn, last))
}

/// The text if it has at most that many characters, else its beginning and an ellipsis within them.
fn cut(text: &str, limit: usize) -> String {
    if text.char_indices().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// The item of a turn's first words.
#[must_use]
pub fn user_id(turn: &TurnId) -> ItemId {
    ItemId(format!("{turn}.user"))
}
