//! Calling the user: which calls ask, and of which of them a notification of the system tells.

use sidecar_protocol::link::PendingApproval;
use sidecar_protocol::{TabId, ThreadId};

/// A call that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// As panels show it.
    pub approval: PendingApproval,
    /// The tab it is about, if any.
    pub tab: Option<TabId>,
}

/// What the user's attention is called to.
#[derive(Debug, Default)]
pub struct Attention {
    asking: Vec<Asking>,
}

/// What follows from other calls asking than before.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// Calls of which a notification is to be shown.
    pub shown: Vec<Asking>,
    /// Notifications that are to be taken away, by id.
    pub taken_away: Vec<String>,
    /// Whether something asks and nothing did before, or the other way round.
    pub has_turned: bool,
}

impl Attention {
    /// Whether something asks.
    pub fn is_wanted(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The calls that ask.
    pub fn approvals(&self) -> Vec<PendingApproval> {
        self.asking.iter().map(|one| one.approval.clone()).collect()
    }

    /// Takes note of the calls that ask now; `None` when they are those that did before. The user gets a notification of
    /// each that is new and that no open panel shows.
    pub fn take(&mut self, asking: Vec<Asking>, shown: &[ThreadId]) -> Option<Notices> {
        if asking == self.asking {
            return None;
        }
        let has = |all: &[Asking], one: &Asking| {
            all.iter().any(|other| other.approval.call_id == one.approval.call_id)
        };
        let is_new = |one: &&Asking| !has(&self.asking, one) && !shown.contains(&one.approval.thread_id);
        let notices = Notices {
            shown: asking.iter().filter(is_new).filter(|one| one.tab.is_some()).cloned().collect(),
            taken_away: self
                .asking
                .iter()
                .filter(|one| !has(&asking, one))
                .filter_map(Asking::notification)
                .collect(),
            has_turned: asking.is_empty() != self.asking.is_empty(),
        };
        self.asking = asking;
        Some(notices)
    }

    /// A panel shows this conversation, and says itself what asks there: the notifications that are to be taken away.
    pub fn seen(&self, thread: &ThreadId) -> Vec<String> {
        self.asking
            .iter()
            .filter(|one| one.approval.thread_id == *thread)
            .filter_map(Asking::notification)
            .collect()
    }
}

impl Asking {
    /// The id of its notification. The tab stands in front, so that a click needs no memory: the worker that hears it may
    /// be another one.
    pub fn notification(&self) -> Option<String> {
        Some(format!("{} {}", self.tab?.0, self.approval.call_id))
    }
}

/// The tab of a notification that was clicked.
pub fn tab_of(notification: &str) -> Option<TabId> {
    notification.split(' ').next()?.parse().ok().map(TabId)
}

#[cfg(test)]
mod tests;
