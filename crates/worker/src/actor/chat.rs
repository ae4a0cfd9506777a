//! What the user says in a thread, and the turns that come of it.

use sidecar_agent::PageRef;
use sidecar_chrome::extension::is_private;
use sidecar_chrome::{ChromeError, link, tabs};
use sidecar_protocol::attachment::is_sound;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::link::{Answer, ChatAnswer, ChatCommand, ChatEvent, Refusal};
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Rest, Without};
use sidecar_protocol::{ItemId, ThreadId, TurnId};
use sidecar_session::queue::{NotQueued, WaitingMessage};
use sidecar_session::saved::NotSaved;
use sidecar_session::threads::{ReadError, UserMessage};

use super::{Actor, report};
use crate::clock;
use crate::event::{Asker, LinkId};
use crate::refusals;
use crate::replies::Answered;
use crate::transport::Transport;
use crate::turn_task::TurnTask;

/// Nothing more is to be said of a request than that it was done.
const DONE: Answered = Ok(Some(Answer::Done));

impl Actor {
    pub(super) async fn chat(&mut self, asker: Asker, command: ChatCommand) -> Answered {
        let link = asker.link;
        match command {
            ChatCommand::Send { text, attached } => self.send(link, UserMessage { text, attached }).await,
            ChatCommand::SendQueued => {
                if let Some(thread) = self.resting_thread(link).await? {
                    let page = self.page_ref(link).await;
                    self.send_queued(&thread, Some(page)).await;
                }
                DONE
            }
            ChatCommand::Unqueue { id } => self.unqueue(link, &id).await,
            ChatCommand::Edit { item, text, attached } => {
                self.edit(link, &item, UserMessage { text, attached }).await
            }
            ChatCommand::AnswerAgain => self.answer_again(link).await,
            ChatCommand::UndoCompaction => {
                let Some(thread) = self.resting_thread(link).await? else { return DONE };
                self.threads.undo_compaction(&thread, clock::now()).await.map_err(refusals::storage)?;
                self.show_whole(&thread).await;
                DONE
            }
            ChatCommand::TakeVersion { version } => {
                let Some(thread) = self.resting_thread(link).await? else { return DONE };
                if self
                    .threads
                    .take_version(&thread, version, clock::now())
                    .await
                    .map_err(refusals::storage)?
                {
                    self.show_whole(&thread).await;
                }
                DONE
            }
            ChatCommand::Continue { without } => self.take_up(link, without).await,
            ChatCommand::LoadOlder { before } => {
                let Some(thread) = self.panels.thread(link) else { return DONE };
                // A worker before this one may have had it in memory.
                self.threads.load(&thread, clock::now()).await.map_err(refusals::unread)?;
                let (items, more) = self.threads.older(&thread, before).ok_or(Refusal::NoThread)?;
                Ok(Some(Answer::Chat(ChatAnswer::Older { items, more })))
            }
        }
    }

    /// Begins a turn, or has its words wait until the one that runs has come to its end.
    async fn send(&mut self, link: LinkId, said: UserMessage) -> Answered {
        if !is_message(&said) {
            return Err(Refusal::BadMessage);
        }
        let mut open = self.panels.thread(link);
        if let Some(id) = &open {
            // A worker before this one may have had it in memory, or its log may be gone from the disk.
            match self.threads.load(id, clock::now()).await.map_err(refusals::unread)? {
                true if self.turns.is_running(id) => {
                    let id = id.clone();
                    return self.enqueue(link, id, said).await;
                }
                true => {}
                false => open = None,
            }
        }
        let page = self.page_ref(link).await;
        let is_new = open.is_none();
        let thread = match open {
            Some(thread) => thread,
            None if is_private() => self.threads.begin_temporary(clock::new_thread_id(), clock::now()),
            None => clock::new_thread_id(),
        };
        let turn = new_turn_id(&thread);
        self.unfinished.add(&thread).await;
        match self.threads.say(&thread, turn, said, page.clone(), clock::now()).await {
            Ok(()) => {
                if is_new {
                    self.show_new(link, &thread).await;
                }
                self.run(self.language(link), &thread, &page).await;
                DONE
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                Err(refusals::storage(error))
            }
        }
    }

    /// Shows a thread that just began in the window where it did.
    async fn show_new(&mut self, link: LinkId, thread: &ThreadId) {
        self.panels.open_thread(link, Some(thread.clone())).await;
        let Some(window) = self.panels.window(link) else { return };
        self.pins.begin(window, thread).await;
        if let Ok(view) = self.thread_view(thread).await {
            self.show_thread(window, view);
        }
    }

    /// Has a message wait until the thread's turn has come to its end.
    async fn enqueue(
        &mut self,
        link: LinkId,
        thread: ThreadId,
        UserMessage { text, attached }: UserMessage,
    ) -> Answered {
        // It begins a turn some time; until then no entry of the log names it.
        let turn = new_turn_id(&thread);
        let (page, language) = (self.page_ref(link).await, self.language(link));
        let waiting = WaitingMessage { turn, text, attached, page, language };
        let added = self.queue.add(&thread, waiting).await;
        self.show_queue(&thread);
        match added {
            Ok(()) => DONE,
            Err(NotQueued::Full) => Err(Refusal::Busy),
            Err(NotQueued::Unsaved(error)) => Err(refusals::not_saved(error, SavedName::Queue)),
        }
    }

    /// Says the message that waited longest: on the page where the user is now, or else on the one where the user was.
    async fn send_queued(&mut self, thread: &ThreadId, here: Option<PageRef>) {
        while let Some(WaitingMessage { turn, text, attached, page, language }) = self.queue.first(thread) {
            let page = match &here {
                Some(here) => here.clone(),
                None => as_it_is(page).await,
            };
            // A worker before this one may have died between saying it and taking it out.
            let is_new = !self.threads.has_turn(thread, &turn);
            if is_new {
                self.unfinished.add(thread).await;
                let said = UserMessage { text, attached };
                if let Err(error) =
                    self.threads.say(thread, turn.clone(), said, page.clone(), clock::now()).await
                {
                    self.unfinished.remove(thread).await;
                    return self.trouble_in(thread, refusals::storage(error));
                }
                self.show_news(thread).await;
            }
            let removed = self.queue.remove(thread, &turn).await;
            self.show_queue(thread);
            let is_removed = removed.is_ok();
            if let Err(NotSaved::Refused(error)) = removed {
                self.trouble_in(thread, refusals::storage(error));
            }
            if is_new {
                return self.run(language, thread, &page).await;
            }
            if !is_removed {
                return;
            }
        }
    }

    /// A turn came to its end: what waits is said, if it came there by itself.
    pub(super) async fn after_turn(&mut self, thread: &ThreadId) {
        if self.threads.rest(thread) == Some(Rest::Done) {
            self.send_queued(thread, None).await;
        }
        // The thread stays on the list until then, so that a death in between is noticed.
        if !self.turns.is_running(thread) {
            self.unfinished.remove(thread).await;
        }
    }

    /// Takes a message back that waits.
    async fn unqueue(&mut self, link: LinkId, turn: &TurnId) -> Answered {
        let Some(thread) = self.panels.thread(link) else { return DONE };
        let removed = self.queue.remove(&thread, turn).await;
        self.show_queue(&thread);
        match removed {
            Ok(Some(message)) => Ok(Some(Answer::Chat(ChatAnswer::Unqueued { message }))),
            // It was said already, or taken back. Where nothing can be read, nothing waits.
            Ok(None) | Err(NotSaved::Unread) => DONE,
            Err(NotSaved::Refused(error)) => Err(refusals::storage(error)),
        }
    }

    fn show_queue(&self, thread: &ThreadId) {
        let messages = self.queue.view(thread);
        self.panels.send_to_thread(thread, [ChatEvent::Queue { messages }]);
    }

    /// Puts other words in the place of earlier ones.
    async fn edit(&mut self, link: LinkId, item: &ItemId, said: UserMessage) -> Answered {
        if !is_message(&said) {
            return Err(Refusal::BadMessage);
        }
        let thread = self.panels.thread(link).ok_or(Refusal::NoThread)?;
        match self.threads.load(&thread, clock::now()).await.map_err(refusals::unread)? {
            true if self.turns.is_running(&thread) => return Err(Refusal::Busy),
            true => {}
            false => return Err(Refusal::NoThread),
        }
        let page = self.page_ref(link).await;
        if !self.threads.take_back(&thread, item, clock::now()).await.map_err(refusals::storage)? {
            return Err(Refusal::NoThread);
        }
        let turn = new_turn_id(&thread);
        self.unfinished.add(&thread).await;
        let written = self.threads.say(&thread, turn, said, page.clone(), clock::now()).await;
        self.show_whole(&thread).await;
        match written {
            Ok(()) => {
                self.run(self.language(link), &thread, &page).await;
                DONE
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                Err(refusals::storage(error))
            }
        }
    }

    /// Has the model answer the last question once more.
    async fn answer_again(&mut self, link: LinkId) -> Answered {
        let Some(thread) = self.resting_thread(link).await? else { return DONE };
        if self.threads.rest(&thread) != Some(Rest::Done) {
            return DONE;
        }
        let page = self.page_ref(link).await;
        self.unfinished.add(&thread).await;
        match self.threads.take_back_answer(&thread, page.clone(), clock::now()).await {
            Ok(true) => {
                self.show_whole(&thread).await;
                self.run(self.language(link), &thread, &page).await;
                DONE
            }
            Ok(false) => {
                self.unfinished.remove(&thread).await;
                DONE
            }
            Err(error) => {
                // It may have gone back, and no further.
                self.show_whole(&thread).await;
                self.unfinished.remove(&thread).await;
                Err(refusals::storage(error))
            }
        }
    }

    /// Takes up a turn that rests.
    async fn take_up(&mut self, link: LinkId, without: Option<Without>) -> Answered {
        let Some(thread) = self.resting_thread(link).await? else { return DONE };
        if !self.threads.rest(&thread).is_some_and(|rest| rest.can_continue()) {
            return DONE;
        }
        let page = self.page_ref(link).await;
        self.unfinished.add(&thread).await;
        match self.threads.take_up(&thread, page.clone(), without, clock::now()).await {
            Ok(()) => {
                self.run(self.language(link), &thread, &page).await;
                DONE
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                Err(refusals::storage(error))
            }
        }
    }

    /// Carries on the turns of workers that died.
    pub(super) async fn revive_turns(&mut self) {
        for thread in self.unfinished.all() {
            if self.turns.is_running(&thread) {
                continue;
            }
            match self.threads.revive(&thread, clock::now()).await {
                Ok(Some(page)) => {
                    let language = self.settings.settings().language.resolve(&link::ui_language());
                    self.run(language, &thread, &page).await;
                }
                Ok(None) => {
                    if self.queue.first(&thread).is_some() {
                        let _ = self.threads.load(&thread, clock::now()).await;
                    }
                    self.after_turn(&thread).await;
                }
                // The next alarm tries again.
                Err(ReadError::Store(error)) => report(Err(ChromeError(error.0))),
                Err(ReadError::Log(_)) => self.unfinished.remove(&thread).await,
            }
        }
    }

    async fn run(&mut self, language: Language, thread: &ThreadId, page: &PageRef) {
        let chosen = self.settings.chosen();
        let (connection, access) =
            (self.settings.connection(&chosen), self.settings.access(&chosen.provider));
        if self.settings.remember_used(chosen).await {
            self.show_settings();
        }
        let Some((log, inbox)) = self.threads.begin_turn(thread) else { return };
        let task = TurnTask {
            thread: thread.clone(),
            log,
            inbox,
            connection,
            rules: self.rules(language),
            transport: Transport::to(access),
            tab: page.tab,
            mailbox: self.mailbox.clone(),
        };
        task.spawn();
        self.show_news(thread).await;
    }

    /// The panel's open thread, if no turn runs in it.
    async fn resting_thread(&mut self, link: LinkId) -> Result<Option<ThreadId>, Refusal> {
        let Some(thread) = self.panels.thread(link) else { return Ok(None) };
        let is_there = self.threads.load(&thread, clock::now()).await.map_err(refusals::unread)?;
        Ok((is_there && !self.turns.is_running(&thread)).then_some(thread))
    }

    /// Shows a thread to its panels as if they had just opened it: what they have of it may not be told any more.
    async fn show_whole(&mut self, thread: &ThreadId) {
        let _ = self.threads.news(thread);
        if let Ok(Some(view)) = self.thread_view(thread).await {
            self.panels.send_to_thread(thread, [ChatEvent::Opened { thread: Some(view) }]);
        }
    }
}

/// A name for a new turn, which no other ever had: its calls are named after it, and pages keep results by those names.
fn new_turn_id(thread: &ThreadId) -> TurnId {
    TurnId(format!("{thread}.{}", clock::random_uuid()))
}

/// A page of a while ago, without its tab where that is closed.
async fn as_it_is(page: PageRef) -> PageRef {
    match page.tab {
        Some(tab) if tabs::get(tab.0).await.is_err() => PageRef { tab: None, ..page },
        _ => page,
    }
}

/// Whether this can be a message.
fn is_message(UserMessage { text, attached }: &UserMessage) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MESSAGE_LIMIT && is_sound(attached)
}
