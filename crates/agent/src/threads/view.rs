//! What the panel shows of a thread: its log as items.

use sidecar_protocol::history::TITLE_LIMIT;
use sidecar_protocol::thread::{Item, ItemKind, ThreadSummary, ToolStep};
use sidecar_protocol::{ItemId, ThreadId, Timestamp, TurnId};

use crate::log::branch::{self};
use crate::log::{Entry, Event};

mod projection;

use projection::{ItemProjection, answer_id};
pub(crate) use projection::{new_item, note_asked, note_mistake};

/// State of an answer that is arriving or a call that is running; not in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// Reasoning so far.
    pub reasoning: String,
    /// Text so far.
    pub text: String,
    /// When the running call times out, if that is soon.
    pub until: Option<Timestamp>,
    /// Which step the running tool of a SKILL does.
    pub step: Option<ToolStep>,
}

/// The items of a whole log, oldest first. `live` belongs to the answer that is arriving; `None` if no turn
/// runs.
#[must_use]
pub fn items(log: &[Entry], live: Option<&Live>) -> Vec<Item> {
    items_from(log, 0, live)
}

/// Position at which the last turn begins: items of earlier entries do not change any more.
#[must_use]
pub fn last_turn(log: &[Entry]) -> usize {
    branch::last_turn(log).first().map_or(0, |(position, _)| *position)
}

/// The items of the last turn; `start` is [`last_turn`].
#[must_use]
pub fn items_from(log: &[Entry], start: usize, live: Option<&Live>) -> Vec<Item> {
    let mut view = ItemProjection::of(log);
    for (position, entry) in branch::entries(log).into_iter().filter(|(position, _)| *position >= start) {
        view.read(position, entry);
    }
    view.finish(live)
}

/// All items of a log that report the guard: when it is lifted, those of earlier turns change too.
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

/// The id of the item that grows while the model answers, if the log ends with a request.
#[must_use]
pub fn growing_item(log: &[Entry]) -> Option<ItemId> {
    let last = log.len().checked_sub(1)?;
    let Event::TurnStarted { turn, .. } = &log[last_turn(log)].event else { return None };
    matches!(log[last].event, Event::ModelAsked { .. }).then(|| answer_id(turn, last))
}

/// The text if it has at most `limit` characters, otherwise its beginning and an ellipsis, together of that
/// length.
fn cut(text: &str, limit: usize) -> String {
    if text.char_indices().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// The item id of the message that began a turn.
#[must_use]
pub fn user_id(turn: &TurnId) -> ItemId {
    ItemId(format!("{turn}.user"))
}

/// The item id of the end of a turn, or of a pause in it, at this position of the log.
#[must_use]
pub fn end_id(turn: &TurnId, position: usize) -> ItemId {
    ItemId(format!("{turn}.{position}.rest"))
}
