//! Going back in a thread: edit a message, answer again, take another version, undo compaction.

use sidecar_protocol::link::Refusal;
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::thread::TurnEnd;
use sidecar_protocol::{ItemId, ThreadId, Timestamp};

use super::{Chat, Effect, Moment, TurnStart, UserPlace, check};
use crate::key_value::KeyValue;
use crate::refusals;
use crate::threads::{LogStore, UserMessage, pictures};
use crate::unfinished::Alarm;

impl<K: KeyValue, A: Alarm, L: LogStore + Clone> Chat<K, A, L> {
    /// Replaces an earlier message.
    ///
    /// # Errors
    /// If the message is invalid, the earlier one does not exist, a turn runs, or something cannot be read or
    /// written.
    pub async fn edit(
        &mut self,
        from: UserPlace,
        item: &ItemId,
        mut message: UserMessage,
        pictures: Vec<NewPicture>,
        moment: &Moment,
    ) -> Result<(), Refusal> {
        check(&message)?;
        message.pictures = pictures::named(&pictures).ok_or(Refusal::BadMessage)?;
        let thread = from.thread.ok_or(Refusal::NoThread)?;
        match self.load(&thread, moment.now).await? {
            true if self.turns.is_running(&thread) => return Err(Refusal::Busy),
            true => {}
            false => return Err(Refusal::NoThread),
        }
        self.keep_pictures(&thread, &message.pictures, pictures).await?;
        if !self.threads.take_back(&thread, item, moment.now).await.map_err(refusals::storage)? {
            return Err(Refusal::NoThread);
        }
        let start = TurnStart { thread: thread.clone(), page: from.page, language: Some(from.language) };
        let begun = self.effects.len();
        let result = self.begin(moment.turn_id(&thread), message, start, moment.now).await;
        // Even if the new message could not be written, the earlier one is gone.
        self.effects.insert(begun, Effect::ShowWhole(thread));
        result
    }

    /// Has the model answer the last message again. Does nothing unless the last turn ended as done.
    ///
    /// # Errors
    /// If the thread cannot be read or written.
    pub async fn answer_again(&mut self, from: UserPlace, now: Timestamp) -> Result<(), Refusal> {
        let Some(thread) = self.resting(from.thread, now).await? else { return Ok(()) };
        if self.threads.end(&thread) != Some(TurnEnd::Done) {
            return Ok(());
        }
        self.unfinished.add(&thread).await;
        let written = self.threads.take_back_answer(&thread, from.page.clone(), now).await;
        // On an error, too: the thread may have gone back without continuing.
        if written != Ok(false) {
            self.effects.push(Effect::ShowWhole(thread.clone()));
        }
        let start = TurnStart { thread, page: from.page, language: Some(from.language) };
        self.written(start, written).await
    }

    /// Switches to another version of the thread, if `version` is the end of one.
    ///
    /// # Errors
    /// If the thread cannot be read or written.
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

    /// Undoes compaction: the model gets the full history again.
    ///
    /// # Errors
    /// If the thread cannot be read or written.
    pub async fn undo_compaction(&mut self, thread: Option<ThreadId>, now: Timestamp) -> Result<(), Refusal> {
        let Some(thread) = self.resting(thread, now).await? else { return Ok(()) };
        self.threads.undo_compaction(&thread, now).await.map_err(refusals::storage)?;
        self.effects.push(Effect::ShowWhole(thread));
        Ok(())
    }
}
