//! The part of a long thread that is in the document. Items far from where the user reads are left out, so that neither
//! reading back nor a long turn makes the document grow without bound.

use std::ops::Range;

use crate::state::timeline::TimelineEntry;

/// Most items in the document.
const LIMIT: usize = 400;

/// Number of items added at once.
const PAGE: usize = 100;

/// A range of items by sequence number, both ends inclusive. `None` means the first or the last item that the panel
/// has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RenderWindow {
    first: Option<u64>,
    last: Option<u64>,
}

impl RenderWindow {
    /// The positions of the window's items in `all`: all positions if none of its items is left.
    pub fn places<C>(self, all: &[TimelineEntry<C>]) -> Range<usize> {
        let start = self.first.map_or(0, |first| all.partition_point(|entry| entry.seq < first));
        let end = self.last.map_or(all.len(), |last| all.partition_point(|entry| entry.seq <= last));
        if start < end { start..end } else { 0..all.len() }
    }

    /// Adds a page of earlier items and drops later ones beyond the limit.
    pub fn earlier<C>(self, all: &[TimelineEntry<C>]) -> Self {
        let Range { start, end } = self.places(all);
        let start = start.saturating_sub(PAGE);
        Self::between(all, start..end.min(start + LIMIT))
    }

    /// Adds a page of later items and drops earlier ones beyond the limit.
    pub fn later<C>(self, all: &[TimelineEntry<C>]) -> Self {
        let Range { start, end } = self.places(all);
        let end = (end + PAGE).min(all.len());
        Self::between(all, start.max(end.saturating_sub(LIMIT))..end)
    }

    /// Drops items beyond the limit: the first ones if the user is at the end, else the last ones.
    pub fn bounded<C>(self, all: &[TimelineEntry<C>], at_end: bool) -> Self {
        let Range { start, end } = self.places(all);
        match end - start {
            0..=LIMIT => self,
            _ if at_end => Self::between(all, end - LIMIT..end),
            _ => Self::between(all, start..start + LIMIT),
        }
    }

    /// The smallest window that holds both.
    pub fn and<C>(self, other: Self, all: &[TimelineEntry<C>]) -> Self {
        let (one, other) = (self.places(all), other.places(all));
        Self::between(all, one.start.min(other.start)..one.end.max(other.end))
    }

    /// The last page of the thread.
    pub fn end<C>(all: &[TimelineEntry<C>]) -> Self {
        Self::between(all, all.len().saturating_sub(PAGE)..all.len())
    }

    fn between<C>(all: &[TimelineEntry<C>], places: Range<usize>) -> Self {
        let is_inside = |place: &usize| (1..all.len()).contains(place);
        Self {
            first: Some(places.start).filter(is_inside).map(|start| all[start].seq),
            last: Some(places.end).filter(is_inside).map(|end| all[end - 1].seq),
        }
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::ItemId;

    use super::*;

    fn thread(seqs: Range<u64>) -> Vec<TimelineEntry<()>> {
        seqs.map(|seq| TimelineEntry { id: ItemId(seq.to_string()), seq: seq * 10, cell: () }).collect()
    }

    #[test]
    fn render_window_holds_a_short_thread_whole_as_it_grows() {
        let part = RenderWindow::default().bounded(&thread(100..300), true);
        assert_eq!(part, RenderWindow::default());
        assert_eq!(part.places(&thread(0..301)), 0..301);
    }

    #[test]
    fn render_window_drops_the_beginning_when_the_user_reads_the_end() {
        let part = RenderWindow::default().bounded(&thread(0..450), true);
        assert_eq!(part.places(&thread(0..450)), 50..450);
        assert_eq!(part.places(&thread(0..451)), 50..451, "new items are in it");
    }

    #[test]
    fn render_window_keeps_items_in_use_when_more_come() {
        let all = thread(0..600);
        let part = RenderWindow::default().bounded(&all, true);
        assert_eq!(part.and(part.earlier(&all), &all).places(&all), 100..600);
        assert_eq!(part.and(part, &all), part);
    }

    #[test]
    fn render_window_drops_the_end_when_the_user_reads_back_and_restores_it() {
        let mut part = RenderWindow::default();
        for first in (0..400).rev().step_by(100) {
            part = part.bounded(&thread(first..500), false);
        }
        let all = thread(0..500);
        assert_eq!(part.bounded(&all, false).places(&all), 0..400);
        let later = part.bounded(&all, false).later(&all);
        assert_eq!(later.places(&all), 100..500);
        assert_eq!(later.places(&thread(0..501)), 100..501, "the end is in it again");
        assert_eq!(later.earlier(&all).places(&all), 0..400);
        assert_eq!(RenderWindow::end(&all).places(&all), 400..500);
    }

    #[test]
    fn render_window_resets_when_another_thread_opens() {
        let part = RenderWindow::default().bounded(&thread(0..500), false);
        assert_eq!(part.places(&thread(900..1000)), 0..100);
        assert_eq!(part.places(&thread(0..0)), 0..0);
    }
}
