//! Getting the user's attention: which calls wait for a decision, and which of them get a system
//! notification.

use sidecar_protocol::link::PendingApproval;
use sidecar_protocol::{CallId, DocumentId, TabId, ThreadId};

/// A call that waits for the user's decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// The call as panels show it.
    pub approval: PendingApproval,
    /// The tab of its tool, or else of its turn.
    pub tab: Option<TabId>,
    /// The document that made the call, if it is one of no turn.
    pub document: Option<DocumentId>,
}

/// The calls that wait for a decision.
#[derive(Debug, Default)]
pub struct Attention {
    asking: Vec<Asking>,
    /// Those among them that are of no turn.
    direct: Vec<Asking>,
}

/// What to do after the waiting calls changed.
#[derive(Debug, Default, PartialEq)]
pub struct Notices {
    /// Calls to show a notification for.
    pub shown: Vec<Asking>,
    /// Ids of notifications to clear.
    pub taken_away: Vec<String>,
    /// Whether the first call started waiting or the last one stopped.
    pub has_toggled: bool,
}

impl Attention {
    /// Whether any call waits.
    pub fn is_wanted(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The waiting calls.
    pub fn approvals(&self) -> Vec<PendingApproval> {
        self.asking.iter().map(|one| one.approval.clone()).collect()
    }

    /// A call of no turn waits, perhaps for another reason than before.
    pub fn asks(&mut self, asking: Asking) {
        self.asks_no_more(&asking.approval.call_id);
        self.direct.push(asking);
    }

    /// A call of no turn waits no more.
    pub fn asks_no_more(&mut self, call: &CallId) {
        self.direct.retain(|one| one.approval.call_id != *call);
    }

    /// The calls of no turn that wait.
    pub fn direct(&self) -> impl Iterator<Item = &Asking> {
        self.direct.iter()
    }

    /// Replaces the waiting calls of threads; `None` if all that wait are the same as before. A call gets a
    /// notification if it is new, belongs to a tab, and is in none of the threads that panels show.
    pub fn take(&mut self, mut asking: Vec<Asking>, shown: &[ThreadId]) -> Option<Notices> {
        asking.extend(self.direct.iter().cloned());
        if asking == self.asking {
            return None;
        }
        let has = |all: &[Asking], one: &Asking| {
            all.iter().any(|other| other.approval.call_id == one.approval.call_id)
        };
        let is_shown =
            |one: &Asking| one.approval.thread_id.as_ref().is_some_and(|thread| shown.contains(thread));
        let is_new = |one: &&Asking| !has(&self.asking, one) && !is_shown(one);
        let notices = Notices {
            shown: asking.iter().filter(is_new).filter(|one| one.tab.is_some()).cloned().collect(),
            taken_away: self
                .asking
                .iter()
                .filter(|one| !has(&asking, one))
                .filter_map(Asking::notification)
                .collect(),
            has_toggled: asking.is_empty() != self.asking.is_empty(),
        };
        self.asking = asking;
        Some(notices)
    }

    /// The ids of the notifications of a thread, to be cleared because a panel shows the thread.
    pub fn seen(&self, thread: &ThreadId) -> Vec<String> {
        self.asking
            .iter()
            .filter(|one| one.approval.thread_id.as_ref() == Some(thread))
            .filter_map(Asking::notification)
            .collect()
    }
}

impl Asking {
    /// The id of its notification. It starts with the tab, so that any worker can handle a click without
    /// remembering the notification.
    pub fn notification(&self) -> Option<String> {
        Some(format!("{} {}", self.tab?.0, self.approval.call_id))
    }
}

/// The tab in the id of a notification; `None` if the id is not one of these.
pub fn tab_of(notification: &str) -> Option<TabId> {
    notification.split(' ').next()?.parse().ok().map(TabId)
}

#[cfg(test)]
mod tests;
