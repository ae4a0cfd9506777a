//! What waits for the end of a turn: the user's next messages.

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
    /// Has a message wait. It begins a turn some time; until then no entry of the log names that.
    pub(super) async fn enqueue(
        &mut self,
        thread: &ThreadId,
        turn: TurnId,
        UserMessage { text, attached }: UserMessage,
        UserPlace { page, language, .. }: UserPlace,
    ) -> Result<(), Refusal> {
        let waiting = WaitingMessage { turn, text, attached, page, language };
        let added = self.queue.add(thread, waiting).await;
        self.effects.push(Effect::ShowQueue(thread.clone()));
        added.map_err(|error| match error {
            NotQueued::Full => Refusal::Busy,
            NotQueued::Unsaved(error) => refusals::not_saved(error, SavedName::Queue),
        })
    }

    /// Says the first message that waits, on the page where the user is now.
    ///
    /// # Errors
    /// When the thread cannot be read.
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

    /// Says the message that waited longest: on the page where the user is now, or else on the one where the user was.
    async fn send_queued(
        &mut self,
        thread: &ThreadId,
        here: Option<PageRef>,
        tabs: &impl OpenTabs,
        now: Timestamp,
    ) {
        while let Some(waiting) = self.queue.first(thread) {
            let WaitingMessage { turn, text, attached, page, language } = waiting;
            // A worker before this one may have died between saying it and taking it out.
            let is_new = !self.threads.has_turn(thread, &turn);
            if is_new {
                let page = match &here {
                    Some(here) => here.clone(),
                    None => as_it_is(page, tabs).await,
                };
                let start = TurnStart { thread: thread.clone(), page, language: Some(language) };
                if let Err(why) = self.begin(turn.clone(), UserMessage { text, attached }, start, now).await {
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

    /// A turn came to its end: what waits is said, if it came there by itself.
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
        // The thread stays on the list until then, so that a death in between is noticed.
        let runs = self.effects[begun..].iter().any(|effect| matches!(effect, Effect::Run(_)));
        if !runs && !self.turns.is_running(thread) {
            self.unfinished.remove(thread).await;
        }
    }

    /// Takes a message back that waits; `None` when it was said already, or taken back.
    ///
    /// # Errors
    /// When that cannot be saved.
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
            // Where nothing can be read, nothing waits.
            Err(NotSaved::Unread) => Ok(None),
            Err(NotSaved::Refused(error)) => Err(refusals::storage(error)),
        }
    }
}

/// A page of a while ago, without its tab where that is closed.
async fn as_it_is(page: PageRef, tabs: &impl OpenTabs) -> PageRef {
    match page.tab {
        Some(tab) if !tabs.has(tab).await => PageRef { tab: None, ..page },
        _ => page,
    }
}
