//! Decides when a page has settled after a call, so that its tools can be told to the model: a single-page
//! application registers the tools of its next view shortly after the call ended.
//!
//! Pure: observations of the page come in with their times, and the time to wait comes out. Tools that
//! appear later still are found when the model names them.

use sidecar_protocol::Timestamp;
use sidecar_protocol::content::PageEffect;
use sidecar_protocol::thread::ToolOutcome;

/// How long to wait for new tools if nothing changes, in milliseconds: those that are registered within 50
/// ms have reached the worker by then.
const LEAST_MS: u64 = 80;

/// How long the list of tools must stay unchanged to count as complete, in milliseconds.
const QUIET_MS: u64 = 150;

/// The same if the next view is still to come: the list became empty, or the address changed and the list
/// did not.
const LONG_QUIET_MS: u64 = 1_200;

/// Longest wait for a page, in milliseconds.
pub const MOST_MS: u64 = 2_000;

/// How often the page is observed, in milliseconds.
const INTERVAL_MS: u64 = 40;

/// An observation of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The address of its tab.
    pub address: String,
    /// Increases whenever the tab's tools change.
    pub revision: u64,
    /// Number of tools.
    pub tools: usize,
}

/// A page that is settling.
#[derive(Debug)]
pub struct Settling {
    ended: Timestamp,
    /// The page before the call.
    before: Seen,
    last: Seen,
    /// When its tools or its address last changed.
    changed: Option<Timestamp>,
    acts: bool,
}

impl Settling {
    /// After a call that ended now. A read-only call waits for nothing, unless the page changed all the
    /// same.
    #[must_use]
    pub fn after(before: Seen, acts: bool, now: Timestamp) -> Self {
        Self { ended: now, last: before.clone(), before, changed: None, acts }
    }

    /// After another call of the same answer, which ended now.
    #[must_use]
    pub fn and_then(self, acts: bool, now: Timestamp) -> Self {
        Self { ended: now, acts: self.acts || acts, ..self }
    }

    /// How long to wait until the page is observed again, in milliseconds; `None` when it has settled.
    pub fn look(&mut self, seen: &Seen, now: Timestamp) -> Option<u64> {
        if *seen != self.last {
            self.last = seen.clone();
            self.changed = Some(now);
        }
        let since_end = now.saturating_sub(self.ended);
        let (since, quiet) = match self.changed {
            None if !self.acts => return None,
            None => (since_end, LEAST_MS),
            Some(changed) => {
                (now.saturating_sub(changed), if self.awaits_more() { LONG_QUIET_MS } else { QUIET_MS })
            }
        };
        let left = quiet.saturating_sub(since).min(MOST_MS.saturating_sub(since_end));
        (left > 0).then(|| left.min(INTERVAL_MS))
    }

    /// Whether the page shows signs that more tools are to come.
    fn awaits_more(&self) -> bool {
        let went_empty = self.last.tools == 0 && self.before.tools > 0;
        let only_moved =
            self.last.address != self.before.address && self.last.revision == self.before.revision;
        went_empty || only_moved
    }
}

/// Whether the page stays after a call with this outcome. A page that was left is awaited like any page
/// that loads.
#[must_use]
pub fn stays(outcome: &ToolOutcome) -> bool {
    match outcome {
        ToolOutcome::Ok { page, .. } => *page == PageEffect::Stayed,
        ToolOutcome::Failed { .. } | ToolOutcome::TimedOut { .. } => true,
        ToolOutcome::Declined
        | ToolOutcome::Interrupted
        | ToolOutcome::Cancelled
        | ToolOutcome::Repeated { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(address: &str, revision: u64, tools: usize) -> Seen {
        Seen { address: address.to_owned(), revision, tools }
    }

    /// How long the page is awaited that changes like this at these times.
    fn waited(acts: bool, changes: &[(u64, Seen)]) -> u64 {
        let before = seen("/a", 1, 2);
        let mut settling = Settling::after(before.clone(), acts, 10_000);
        let mut now = 10_000;
        loop {
            let at = |(from, _): &&(u64, Seen)| 10_000 + from <= now;
            let current = changes.iter().rev().find(at).map_or(&before, |(_, seen)| seen);
            match settling.look(current, now) {
                None => return now - 10_000,
                Some(wait) => now += wait,
            }
        }
    }

    #[test]
    fn settling_waits_after_a_read_only_call_only_if_the_page_changed() {
        assert_eq!(waited(false, &[]), 0);
        assert_eq!(waited(false, &[(0, seen("/a", 2, 3))]), QUIET_MS);
    }

    #[test]
    fn settling_waits_a_moment_after_an_acting_call() {
        assert_eq!(waited(true, &[]), LEAST_MS);
        for late in [0, 20, 50] {
            let waited = waited(true, &[(late, seen("/a", 2, 3))]);
            assert!((late + QUIET_MS..late + QUIET_MS + INTERVAL_MS).contains(&waited), "{late}: {waited}");
        }
    }

    #[test]
    fn settling_waits_until_tools_are_quiet_or_the_time_is_up() {
        let thrice = [(40, seen("/a", 2, 3)), (160, seen("/a", 3, 4)), (280, seen("/a", 4, 5))];
        assert!((280 + QUIET_MS..280 + QUIET_MS + INTERVAL_MS).contains(&waited(true, &thrice)));
        let endless: Vec<_> = (0..100).map(|n| (n * 40, seen("/a", n, 3))).collect();
        assert_eq!(waited(true, &endless), MOST_MS);
    }

    #[test]
    fn settling_waits_longer_after_a_new_address_or_an_empty_list() {
        let moved_then_tools = [(0, seen("/b", 1, 2)), (1_000, seen("/b", 2, 3))];
        assert!(
            (1_000 + QUIET_MS..=1_000 + QUIET_MS + INTERVAL_MS).contains(&waited(true, &moved_then_tools))
        );
        let empty_then_tools = [(0, seen("/a", 2, 0)), (900, seen("/a", 3, 1))];
        assert!((900 + QUIET_MS..=900 + QUIET_MS + INTERVAL_MS).contains(&waited(true, &empty_then_tools)));
        assert!(
            (LONG_QUIET_MS..LONG_QUIET_MS + INTERVAL_MS).contains(&waited(true, &[(0, seen("/b", 1, 2))]))
        );
    }

    #[test]
    fn settling_counts_from_the_last_call_of_an_answer() {
        let settling = Settling::after(seen("/a", 1, 2), false, 1_000);
        let mut settling = settling.and_then(true, 5_000);
        assert_eq!(settling.look(&seen("/a", 1, 2), 5_000), Some(INTERVAL_MS));
        assert_eq!(settling.look(&seen("/a", 1, 2), 5_000 + LEAST_MS), None);
    }
}
