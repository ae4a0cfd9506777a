//! Going back: other words, another answer, another version, everything told again.

use sidecar_protocol::link::Refusal;
use sidecar_protocol::thread::TurnEnd;
use sidecar_protocol::{ItemId, ThreadId, Timestamp};

use super::{Chat, Effect, Moment, TurnStart, UserPlace, check};
use crate::key_value::KeyValue;
use crate::refusals;
use crate::threads::{LogStore, UserMessage};
use crate::unfinished::Alarm;

impl<K: KeyValue, A: Alarm, L: LogStore + Clone> Chat<K, A, L> {
    /// Puts other words in the place of earlier ones.
    ///
    /// # Errors
    /// When they are no message, the earlier ones are not there, a turn runs, or it cannot be written.
    pub async fn edit(
        &mut self,
        from: UserPlace,
        item: &ItemId,
        message: UserMessage,
        moment: &Moment,
    ) -> Result<(), Refusal> {
        check(&message)?;
        let thread = from.thread.ok_or(Refusal::NoThread)?;
        match self.load(&thread, moment.now).await? {
            true if self.turns.is_running(&thread) => return Err(Refusal::Busy),
            true => {}
            false => return Err(Refusal::NoThread),
        }
        if !self.threads.take_back(&thread, item, moment.now).await.map_err(refusals::storage)? {
            return Err(Refusal::NoThread);
        }
        let start = TurnStart { thread: thread.clone(), page: from.page, language: Some(from.language) };
        let begun = self.effects.len();
        let result = self.begin(moment.turn_id(&thread), message, start, moment.now).await;
        // Whether or not the other words could be written, the earlier ones are gone.
        self.effects.insert(begun, Effect::ShowWhole(thread));
        result
    }

    /// Has the model answer the last question once more.
    ///
    /// # Errors
    /// When the thread cannot be read, or that cannot be written.
    pub async fn answer_again(&mut self, from: UserPlace, now: Timestamp) -> Result<(), Refusal> {
        let Some(thread) = self.resting(from.thread, now).await? else { return Ok(()) };
        if self.threads.end(&thread) != Some(TurnEnd::Done) {
            return Ok(());
        }
        self.unfinished.add(&thread).await;
        let written = self.threads.take_back_answer(&thread, from.page.clone(), now).await;
        // On an error, too: it may have gone back, and no further.
        if written != Ok(false) {
            self.effects.push(Effect::ShowWhole(thread.clone()));
        }
        let start = TurnStart { thread, page: from.page, language: Some(from.language) };
        self.written(start, written).await
    }

    /// Goes on from another version of the thread, if there is one that ends there.
    ///
    /// # Errors
    /// When the thread cannot be read, or that cannot be written.
    pub async fn take_version(
        &mut self,
        thread: Option<ThreadId>,
        version: u64,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let Some(thread) = self.resting(thread, now).await? else { return Ok(()) };
        if self.threads.take_version(&thread, version, now).await.map_err(refusals::storage)? {
            self.effects.push(Effect::ShowWhole(thread));
        }
        Ok(())
    }

    /// Has the model told everything again.
    ///
    /// # Errors
    /// When the thread cannot be read, or that cannot be written.
    pub async fn undo_compaction(&mut self, thread: Option<ThreadId>, now: Timestamp) -> Result<(), Refusal> {
        let Some(thread) = self.resting(thread, now).await? else { return Ok(()) };
        self.threads.undo_compaction(&thread, now).await.map_err(refusals::storage)?;
        self.effects.push(Effect::ShowWhole(thread));
        Ok(())
    }
}
