//! The queue: messages that wait for the end of a turn.

use sidecar_agent::PageRef;
use sidecar_protocol::link::{QueuedMessage, Refusal};
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::thread::TurnEnd;
use sidecar_protocol::{ThreadId, Timestamp, TurnId};

use super::{Chat, Effect, OpenTabs, TurnStart, UserPlace};
use crate::key_value::KeyValue;
use crate::queue::{NotQueued, WaitingMessage};
use crate::refusals;
use crate::saved::NotSaved;
use crate::threads::{LogStore, UserMessage};
use crate::unfinished::Alarm;

impl<K: KeyValue, A: Alarm, L: LogStore + Clone> Chat<K, A, L> {
    /// Queues a message. `turn` is the id of the turn that it will start; until then no entry of the log has
    /// it.
    pub(super) async fn enqueue(
        &mut self,
        thread: &ThreadId,
        turn: TurnId,
        UserMessage { text, attached, pictures }: UserMessage,
        UserPlace { page, language, .. }: UserPlace,
    ) -> Result<(), Refusal> {
        let waiting = WaitingMessage { turn, text, attached, pictures, page, language };
        let added = self.queue.add(thread, waiting).await;
        self.effects.push(Effect::ShowQueue(thread.clone()));
        added.map_err(|error| match error {
            NotQueued::Full => Refusal::Busy,
            NotQueued::Unsaved(error) => refusals::not_saved(error, SavedName::Queue),
        })
    }

    /// Sends the first queued message on the page where the user is now.
    ///
    /// # Errors
    /// If the thread cannot be read.
    pub async fn send_queued_now(
        &mut self,
        from: UserPlace,
        tabs: &impl OpenTabs,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if let Some(thread) = self.resting(from.thread, now).await? {
            self.send_queued(&thread, Some(from.page), tabs, now).await;
        }
        Ok(())
    }

    /// Sends the first queued message: on the page `here`, or else on the page where the user was when
    /// queueing it.
    async fn send_queued(
        &mut self,
        thread: &ThreadId,
        here: Option<PageRef>,
        tabs: &impl OpenTabs,
        now: Timestamp,
    ) {
        while let Some(waiting) = self.queue.first(thread) {
            let WaitingMessage { turn, text, attached, pictures, page, language } = waiting;
            // A previous worker may have died between sending it and removing it from the queue.
            let is_new = !self.threads.has_turn(thread, &turn);
            if is_new {
                let page = match &here {
                    Some(here) => here.clone(),
                    None => as_it_is(page, tabs).await,
                };
                let start = TurnStart { thread: thread.clone(), page, language: Some(language) };
                let message = UserMessage { text, attached, pictures };
                if let Err(why) = self.begin(turn.clone(), message, start, now).await {
                    return self.effects.push(Effect::Trouble(thread.clone(), why));
                }
            }
            let removed = self.queue.remove(thread, &turn).await;
            self.effects.push(Effect::ShowQueue(thread.clone()));
            let is_removed = removed.is_ok();
            if let Err(NotSaved::Refused(error)) = removed {
                self.effects.push(Effect::Trouble(thread.clone(), refusals::storage(error)));
            }
            if is_new || !is_removed {
                return;
            }
        }
    }

    /// A turn ended. If it ended as done, the next queued message is sent.
    pub async fn turn_ended(&mut self, thread: &ThreadId, tabs: &impl OpenTabs, now: Timestamp) {
        self.threads.turn_ended(thread, now).await;
        self.effects.push(Effect::ShowNews(thread.clone()));
        self.after_turn(thread, tabs, now).await;
    }

    pub(super) async fn after_turn(&mut self, thread: &ThreadId, tabs: &impl OpenTabs, now: Timestamp) {
        let begun = self.effects.len();
        if self.threads.end(thread) == Some(TurnEnd::Done) {
            self.send_queued(thread, None, tabs, now).await;
        }
        // Removed only now, so that a worker's death before this point is noticed.
        let runs = self.effects[begun..].iter().any(|effect| matches!(effect, Effect::Run(_)));
        if !runs && !self.turns.is_running(thread) {
            self.unfinished.remove(thread).await;
        }
    }

    /// Removes a message from the queue; `None` if it is no longer there.
    ///
    /// # Errors
    /// If the change cannot be saved.
    pub async fn unqueue(
        &mut self,
        thread: Option<ThreadId>,
        turn: &TurnId,
    ) -> Result<Option<QueuedMessage>, Refusal> {
        let Some(thread) = thread else { return Ok(None) };
        let removed = self.queue.remove(&thread, turn).await;
        self.effects.push(Effect::ShowQueue(thread));
        match removed {
            Ok(message) => Ok(message),
            // A queue that cannot be read counts as empty.
            Err(NotSaved::Unread) => Ok(None),
            Err(NotSaved::Refused(error)) => Err(refusals::storage(error)),
        }
    }
}

/// The page, without its tab if that was closed meanwhile.
async fn as_it_is(page: PageRef, tabs: &impl OpenTabs) -> PageRef {
    match page.tab {
        Some(tab) if !tabs.has(tab).await => PageRef { tab: None, ..page },
        _ => page,
    }
}
