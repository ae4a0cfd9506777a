//! Going back in a thread: editing a message, answering again, switching versions. Nothing is removed from
//! the log ([`sidecar_agent::branch`]). Panels must then be shown the whole thread.

use sidecar_agent::view;
use sidecar_agent::{Entry, Event, PageRef, StoreError, branch, resume};
use sidecar_protocol::{ItemId, Timestamp};

use super::open::OpenThread;
use super::store::LogStore;

impl<S: LogStore> OpenThread<S> {
    /// Goes back to before the message of this item. Returns whether the message exists.
    pub(super) async fn take_back(&mut self, item: &ItemId, now: Timestamp) -> Result<bool, StoreError> {
        let log = self.log.entries();
        let is_it = |entry: &Entry| matches!(&entry.event, Event::TurnStarted { turn, .. } if view::user_id(turn) == *item);
        let position = branch::backwards(&log).find(|position| is_it(&log[*position]));
        let Some(position) = position else { return Ok(false) };
        let behind = branch::before(&log, position);
        drop(log);
        self.rewind(behind, now).await?;
        Ok(true)
    }

    /// Goes back to before the last request to the model, so that the model answers again. Returns whether
    /// there was a request in this turn.
    pub(super) async fn take_back_answer(
        &mut self,
        page: PageRef,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let log = self.log.entries();
        let turn = branch::last_turn(&log);
        let asked = turn.iter().rev().find(|(_, entry)| matches!(entry.event, Event::ModelAsked { .. }));
        let Some(position) = asked.map(|(position, _)| *position) else { return Ok(false) };
        let behind = branch::before(&log, position);
        drop(turn);
        drop(log);
        self.rewind(behind, now).await?;
        let continued = self.append(now, Event::TurnContinued { page, without: None }).await;
        if continued.is_err() {
            // The turn can then be continued, or left for the previous version.
            self.end_turn(now, None).await;
        }
        self.restart();
        continued.map(|()| true)
    }

    /// Switches to another version of the thread. Returns whether `version` is the end of one.
    pub(super) async fn take_version(&mut self, version: u64, now: Timestamp) -> Result<bool, StoreError> {
        let is_end = |fork: &branch::Fork| {
            [fork.earlier, fork.later].iter().flatten().any(|end| *end as u64 == version)
        };
        let is_version = branch::forks(&self.log.entries()).values().any(is_end);
        let Some(behind) = usize::try_from(version).ok().filter(|_| is_version) else { return Ok(false) };
        self.rewind(Some(behind), now).await?;
        // No worker runs a turn that was left unfinished there, and approvals given then no longer hold.
        if resume::is_unfinished(&self.log.entries()) {
            let events = resume::before_new_turn(&self.log.entries());
            self.log.append_or_remember(now, events).await;
            self.end_turn(now, None).await;
            self.restart();
        }
        Ok(true)
    }

    /// Makes this entry the end of the active branch.
    async fn rewind(&mut self, behind: Option<usize>, now: Timestamp) -> Result<(), StoreError> {
        self.append(now, Event::Rewound { behind }).await?;
        self.restart();
        Ok(())
    }
}
