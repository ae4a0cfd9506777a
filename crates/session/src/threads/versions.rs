//! Going back in a thread: other words, another answer, another version. Each is written, none is lost
//! ([`sidecar_agent::branch`]). Panels are shown the whole thread after it.

use sidecar_agent::view;
use sidecar_agent::{Entry, Event, PageRef, StoreError, branch, resume};
use sidecar_protocol::{ItemId, Timestamp};

use super::open::OpenThread;
use super::store::LogStore;

impl<S: LogStore> OpenThread<S> {
    /// Goes back behind the words of this item, so that others can be said in their place. Says whether they are there.
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

    /// Goes back to where the model was last asked, so that it answers again. Says whether it ever was in this turn.
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
            // From here on the turn can be taken up, or left for the version before.
            self.end_turn(now, None).await;
        }
        self.restart();
        continued.map(|()| true)
    }

    /// Goes on from another version of the thread. Says whether there is one that ends there.
    pub(super) async fn take_version(&mut self, version: u64, now: Timestamp) -> Result<bool, StoreError> {
        let is_end = |fork: &branch::Fork| {
            [fork.earlier, fork.later].iter().flatten().any(|end| *end as u64 == version)
        };
        let is_version = branch::forks(&self.log.entries()).values().any(is_end);
        let Some(behind) = usize::try_from(version).ok().filter(|_| is_version) else { return Ok(false) };
        self.rewind(Some(behind), now).await?;
        // Nobody runs a turn that was left in the middle there, and what was agreed to then is not agreed to now.
        if resume::is_unfinished(&self.log.entries()) {
            let events = resume::before_new_turn(&self.log.entries());
            self.log.append_or_remember(now, events).await;
            self.end_turn(now, None).await;
            self.restart();
        }
        Ok(true)
    }

    /// Goes back to this entry.
    async fn rewind(&mut self, behind: Option<usize>, now: Timestamp) -> Result<(), StoreError> {
        self.append(now, Event::Rewound { behind }).await?;
        self.restart();
        Ok(())
    }
}
