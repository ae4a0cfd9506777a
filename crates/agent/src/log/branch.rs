//! The active branch of a log. A log only ever grows. If the user goes back, or wants another answer, a new
//! branch continues from an earlier entry ([`Event::Rewound`]), and the branch that was left stays in the
//! log as another version.

use std::collections::BTreeMap;

use crate::log::{Entry, Event};

/// The position of the entry before this one in its branch; `None` for the first.
#[must_use]
pub fn before(log: &[Entry], position: usize) -> Option<usize> {
    match log.get(position)?.event {
        Event::Rewound { behind: None } => None,
        // A log that was tampered with may point at itself or ahead: ignore that, or reading would not end.
        Event::Rewound { behind: Some(behind) } if behind < position => Some(behind),
        _ => position.checked_sub(1),
    }
}

/// The positions of the entries of the active branch, the newest first.
pub fn backwards(log: &[Entry]) -> impl Iterator<Item = usize> {
    std::iter::successors(log.len().checked_sub(1), |position| before(log, *position))
}

/// The entries of the active branch with their positions, oldest first.
#[must_use]
pub fn entries(log: &[Entry]) -> Vec<(usize, &Entry)> {
    entries_from(log, |_| false)
}

/// The active branch from the start of its last turn; all of it if there is no turn.
#[must_use]
pub fn last_turn(log: &[Entry]) -> Vec<(usize, &Entry)> {
    entries_from(log, |event| matches!(event, Event::TurnStarted { .. }))
}

/// The last entry of the active branch that determines the state of the thread.
#[must_use]
pub fn last(log: &[Entry]) -> Option<&Entry> {
    let is_mark =
        |event: &Event| matches!(event, Event::Rewound { .. } | Event::CompactionUndone | Event::GuardLifted);
    backwards(log).map(|position| &log[position]).find(|entry| !is_mark(&entry.event))
}

/// Whether the conversation is on guard.
#[must_use]
pub fn is_on_guard(log: &[Entry]) -> bool {
    let last = backwards(log).find_map(|position| match &log[position].event {
        Event::Suspected { .. } => Some(true),
        Event::GuardLifted => Some(false),
        _ => None,
    });
    last == Some(true)
}

fn entries_from(log: &[Entry], is_start: impl Fn(&Event) -> bool) -> Vec<(usize, &Entry)> {
    let mut entries = Vec::new();
    for position in backwards(log) {
        entries.push((position, &log[position]));
        if is_start(&log[position].event) {
            break;
        }
    }
    entries.reverse();
    entries
}

/// The position itself, or the nearest earlier one in its branch that is not an [`Event::Rewound`].
fn told(log: &[Entry], mut position: Option<usize>) -> Option<usize> {
    while let Some(at) = position.filter(|at| matches!(log[*at].event, Event::Rewound { .. })) {
        position = before(log, at);
    }
    position
}

/// A point at which the active branch has alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fork {
    /// The number of the active version, from 1, by time.
    pub version: u32,
    /// Number of versions.
    pub of: u32,
    /// The last entry of the previous version.
    pub earlier: Option<usize>,
    /// The last entry of the next version.
    pub later: Option<usize>,
}

/// The forks of a log, by the first entry after each.
#[must_use]
pub fn forks(log: &[Entry]) -> BTreeMap<usize, Fork> {
    if !log.iter().any(|entry| matches!(entry.event, Event::Rewound { .. })) {
        return BTreeMap::new();
    }
    let mut ways: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for position in (0..log.len()).filter(|at| !matches!(log[*at].event, Event::Rewound { .. })) {
        ways.entry(told(log, before(log, position))).or_default().push(position);
    }
    let mut forks = BTreeMap::new();
    for ways in ways.into_values().filter(|ways| ways.len() > 1) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for (at, way) in ways.iter().enumerate() {
            let end_of = |at: Option<usize>| at.and_then(|at| ways.get(at)).map(|way| end(log, *way));
            let (earlier, later) = (end_of(at.checked_sub(1)), end_of(Some(at + 1)));
            let fork = Fork { version: number(at + 1), of: number(ways.len()), earlier, later };
            forks.insert(*way, fork);
        }
    }
    forks
}

/// The last entry of the branches that contain this one.
fn end(log: &[Entry], position: usize) -> usize {
    let mut goes_through = vec![false; log.len()];
    let mut end = position;
    for at in position..log.len() {
        goes_through[at] = at == position || before(log, at).is_some_and(|before| goes_through[before]);
        if goes_through[at] && !matches!(log[at].event, Event::Rewound { .. }) {
            end = at;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::thread::TurnEnd;

    use super::*;
    use crate::log::PageRef;

    fn said(text: &str) -> Event {
        Event::TurnStarted {
            turn: text.into(),
            text: text.to_owned(),
            attached: Vec::new(),
            pictures: Vec::new(),
            page: PageRef::default(),
        }
    }

    fn rested() -> Event {
        Event::TurnEnded { end: TurnEnd::Done }
    }

    fn rewound(behind: impl Into<Option<usize>>) -> Event {
        Event::Rewound { behind: behind.into() }
    }

    fn log(events: Vec<Event>) -> Vec<Entry> {
        events.into_iter().map(|event| Entry { at: 0, event }).collect()
    }

    fn positions(log: &[Entry]) -> Vec<usize> {
        entries(log).into_iter().map(|(position, _)| position).collect()
    }

    #[test]
    fn branch_is_the_whole_log_when_it_only_grew() {
        let log = log(vec![said("a"), rested(), said("b"), rested()]);
        assert_eq!(positions(&log), [0, 1, 2, 3]);
        assert_eq!(last_turn(&log).len(), 2);
        assert!(forks(&log).is_empty());
        assert_eq!(positions(&[]), [0; 0]);
        assert_eq!(last(&[]), None);
    }

    #[test]
    fn branch_that_was_left_becomes_a_version_and_can_be_taken_again() {
        let mut log = log(vec![said("a"), rested(), said("b"), rested(), rewound(1), said("c"), rested()]);
        assert_eq!(positions(&log), [0, 1, 4, 5, 6]);
        let fork = |version, earlier, later| Fork { version, of: 2, earlier, later };
        let both = BTreeMap::from([(2, fork(1, None, Some(6))), (5, fork(2, Some(3), None))]);
        assert_eq!(forks(&log), both);

        log.push(Entry { at: 0, event: rewound(3) });
        assert_eq!(positions(&log), [0, 1, 2, 3, 7]);
        assert_eq!(last(&log).map(|entry| &entry.event), Some(&rested()));
        assert_eq!(forks(&log), both, "going back makes no version");

        log.extend([said("d"), rested()].map(|event| Entry { at: 0, event }));
        assert_eq!(positions(&log), [0, 1, 2, 3, 7, 8, 9]);
        assert_eq!(forks(&log)[&5].earlier, Some(9), "a version is taken up where it was left");
    }

    #[test]
    fn branch_can_replace_the_first_message() {
        let log = log(vec![said("a"), rested(), rewound(None), said("b")]);
        assert_eq!(positions(&log), [2, 3]);
        assert_eq!(forks(&log).keys().copied().collect::<Vec<_>>(), [0, 3]);
    }

    #[test]
    fn branch_without_entries_is_no_version() {
        let log = log(vec![said("a"), rewound(1), rewound(9), said("b")]);
        assert_eq!(positions(&log), [0, 1, 2, 3]);
        assert_eq!(last_turn(&log).len(), 1);
    }
}
