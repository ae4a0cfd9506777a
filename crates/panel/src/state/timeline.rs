//! The items of the open thread in order, as a fold over the worker's events. It knows nothing of views: a [`Cell`]
//! holds each item, so that one item can change without notifying the whole list.

use sidecar_protocol::ItemId;
use sidecar_protocol::thread::{Item, ItemKind};

/// Holds the content of one item.
pub trait Cell: Clone {
    /// Holds a new item.
    fn hold(kind: ItemKind) -> Self;
    /// Takes an item's new content.
    fn replace(&self, kind: ItemKind);
    /// Appends to an answer.
    fn grow(&self, reasoning: &str, text: &str);
}

/// An item in the list.
#[derive(Debug, Clone)]
pub struct TimelineEntry<C> {
    /// Id of the item.
    pub id: ItemId,
    /// Position of the item in the thread.
    pub seq: u64,
    /// Holds the item's content.
    pub cell: C,
}

/// The loaded part of the open thread.
#[derive(Debug, Clone)]
pub struct Timeline<C> {
    entries: Vec<TimelineEntry<C>>,
    more: bool,
}

impl<C> Default for Timeline<C> {
    fn default() -> Self {
        Self { entries: Vec::new(), more: false }
    }
}

/// Whether the list changed, or only the content of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimelineChange {
    /// An item was added or removed.
    List,
    /// At most the content of an item.
    Content,
}

impl<C: Cell> Timeline<C> {
    /// The entries, oldest first.
    pub fn entries(&self) -> &[TimelineEntry<C>] {
        &self.entries
    }

    /// Whether the worker has older items.
    pub fn more(&self) -> bool {
        self.more
    }

    /// The cell of an item.
    pub fn cell(&self, id: &ItemId) -> Option<&C> {
        // Changes are nearly always at the end.
        self.entries.iter().rev().find(|entry| entry.id == *id).map(|entry| &entry.cell)
    }

    /// Replaces the items by a snapshot. Items in both keep their cells, and so their views keep what the user
    /// expanded.
    pub fn reset(&mut self, items: Vec<Item>, more: bool) {
        let mut known = std::mem::take(&mut self.entries);
        self.more = more;
        for item in items {
            let entry = match known.iter().position(|entry| entry.id == item.id) {
                Some(at) => {
                    let entry = known.swap_remove(at);
                    entry.cell.replace(item.kind);
                    entry
                }
                None => entry(item),
            };
            self.insert(entry);
        }
    }

    /// Inserts an item, or updates the cell of a known one.
    pub fn put(&mut self, item: Item) -> TimelineChange {
        match self.cell(&item.id) {
            Some(cell) => {
                cell.replace(item.kind);
                TimelineChange::Content
            }
            None => {
                self.insert(entry(item));
                TimelineChange::List
            }
        }
    }

    /// Removes an item.
    pub fn remove(&mut self, id: &ItemId) -> TimelineChange {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.id != *id);
        if self.entries.len() == before { TimelineChange::Content } else { TimelineChange::List }
    }

    /// Appends to an answer. An unknown id is ignored: its thread is no longer open.
    pub fn grow(&self, id: &ItemId, reasoning: &str, text: &str) {
        if let Some(cell) = self.cell(id) {
            cell.grow(reasoning, text);
        }
    }

    /// Adds a page of older items. Returns how many were new.
    pub fn prepend(&mut self, items: Vec<Item>, more: bool) -> usize {
        self.more = more;
        items.into_iter().filter(|item| self.put(item.clone()) == TimelineChange::List).count()
    }

    fn insert(&mut self, entry: TimelineEntry<C>) {
        let at = self.entries.iter().rposition(|other| other.seq < entry.seq).map_or(0, |before| before + 1);
        self.entries.insert(at, entry);
    }
}

fn entry<C: Cell>(item: Item) -> TimelineEntry<C> {
    TimelineEntry { id: item.id, seq: item.seq, cell: C::hold(item.kind) }
}

/// Growth of answers that waits for the next frame, merged for each answer.
#[derive(Debug, Default)]
pub struct PendingGrowth {
    waiting: Vec<(ItemId, String, String)>,
}

impl PendingGrowth {
    /// Adds growth. Returns whether nothing was pending, so that a frame has to be requested.
    pub fn add(&mut self, id: ItemId, reasoning: &str, text: &str) -> bool {
        let first = self.waiting.is_empty();
        match self.waiting.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, all_reasoning, all_text)) => {
                all_reasoning.push_str(reasoning);
                all_text.push_str(text);
            }
            None => self.waiting.push((id, reasoning.to_owned(), text.to_owned())),
        }
        first
    }

    /// Takes the pending growth: the answer's id, its reasoning, its text.
    pub fn take(&mut self) -> Vec<(ItemId, String, String)> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use sidecar_protocol::TurnId;
    use sidecar_protocol::thread::AnswerState;

    use super::*;

    type Plain = Rc<RefCell<ItemKind>>;

    impl Cell for Plain {
        fn hold(kind: ItemKind) -> Self {
            Rc::new(RefCell::new(kind))
        }
        fn replace(&self, kind: ItemKind) {
            *self.borrow_mut() = kind;
        }
        fn grow(&self, more_reasoning: &str, more_text: &str) {
            if let ItemKind::Assistant { reasoning, text, .. } = &mut *self.borrow_mut() {
                reasoning.push_str(more_reasoning);
                text.push_str(more_text);
            }
        }
    }

    fn user(id: &str, seq: u64) -> Item {
        Item {
            id: ItemId::from(id),
            turn: TurnId::from("t"),
            seq,
            at: 0,
            kind: ItemKind::User { text: id.to_owned(), attached: Vec::new(), pictures: Vec::new() },
        }
    }

    fn answer(id: &str, seq: u64, text: &str) -> Item {
        let kind = ItemKind::Assistant {
            reasoning: String::new(),
            reasoning_ms: None,
            text: text.to_owned(),
            state: AnswerState::Streaming,
        };
        Item { kind, ..user(id, seq) }
    }

    fn shown(timeline: &Timeline<Plain>) -> Vec<(String, String)> {
        let text = |kind: &ItemKind| match kind {
            ItemKind::User { text, .. } | ItemKind::Assistant { text, .. } => text.clone(),
            ItemKind::Tool(_)
            | ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. }
            | ItemKind::TurnEnd { .. } => String::new(),
        };
        timeline.entries().iter().map(|entry| (entry.id.0.clone(), text(&entry.cell.borrow()))).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn timeline_orders_items_when_they_arrive_in_any_order() {
        let mut timeline = Timeline::<Plain>::default();
        assert_eq!(timeline.put(user("b", 5)), TimelineChange::List);
        assert_eq!(timeline.put(user("c", 9)), TimelineChange::List);
        assert_eq!(timeline.put(user("a", 2)), TimelineChange::List);
        assert_eq!(timeline.put(user("b2", 6)), TimelineChange::List);
        assert_eq!(shown(&timeline), pairs(&[("a", "a"), ("b", "b"), ("b2", "b2"), ("c", "c")]));
    }

    #[test]
    fn timeline_reports_content_only_when_an_item_changes() {
        let mut timeline = Timeline::<Plain>::default();
        timeline.put(answer("a", 1, "Hel"));
        let cell = timeline.entries()[0].cell.clone();
        assert_eq!(timeline.put(answer("a", 1, "Hello")), TimelineChange::Content);
        timeline.grow(&ItemId::from("a"), "", " there");
        timeline.grow(&ItemId::from("gone"), "", "lost");
        assert_eq!(shown(&timeline), pairs(&[("a", "Hello there")]));
        assert!(Rc::ptr_eq(&cell, &timeline.entries()[0].cell));
    }

    #[test]
    fn timeline_removes_an_item() {
        let mut timeline = Timeline::<Plain>::default();
        timeline.put(user("a", 1));
        timeline.put(user("b", 2));
        assert_eq!(timeline.remove(&ItemId::from("a")), TimelineChange::List);
        assert_eq!(timeline.remove(&ItemId::from("a")), TimelineChange::Content);
        assert_eq!(shown(&timeline), pairs(&[("b", "b")]));
    }

    #[test]
    fn timeline_keeps_known_cells_when_a_snapshot_arrives() {
        let mut timeline = Timeline::<Plain>::default();
        timeline.put(user("old", 1));
        timeline.put(answer("a", 2, "Hel"));
        let cell = timeline.entries()[1].cell.clone();
        timeline.reset(vec![answer("a", 2, "Hello"), user("b", 3)], true);
        assert_eq!(shown(&timeline), pairs(&[("a", "Hello"), ("b", "b")]));
        assert!(Rc::ptr_eq(&cell, &timeline.entries()[0].cell));
        assert!(timeline.more());
    }

    #[test]
    fn timeline_prepends_older_items() {
        let mut timeline = Timeline::<Plain>::default();
        timeline.reset(vec![user("c", 3)], true);
        assert_eq!(timeline.prepend(vec![user("a", 1), user("b", 2), user("c", 3)], false), 2);
        assert_eq!(shown(&timeline), pairs(&[("a", "a"), ("b", "b"), ("c", "c")]));
        assert!(!timeline.more());
    }

    #[test]
    fn growth_is_merged_for_each_answer() {
        let mut growth = PendingGrowth::default();
        assert!(growth.add(ItemId::from("a"), "th", ""));
        assert!(!growth.add(ItemId::from("a"), "ink", "He"));
        assert!(!growth.add(ItemId::from("b"), "", "x"));
        assert!(!growth.add(ItemId::from("a"), "", "llo"));
        let owned =
            |id: &str, reasoning: &str, text: &str| (ItemId::from(id), reasoning.to_owned(), text.to_owned());
        assert_eq!(growth.take(), vec![owned("a", "think", "Hello"), owned("b", "", "x")]);
        assert_eq!(growth.take(), vec![]);
    }
}
