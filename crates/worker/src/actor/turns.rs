//! What the user says in a thread, and the turns that come of it.

use sidecar_agent::{PageRef, StoreError};
use sidecar_chrome::extension::is_private;
use sidecar_chrome::{ChromeError, link, tabs};
use sidecar_protocol::attachment::is_sound;
use sidecar_protocol::link::{MESSAGE_LIMIT, Refusal, WorkerEvent};
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Rest, Without};
use sidecar_protocol::{ItemId, ThreadId, TurnId};
use sidecar_session::queue::{NotQueued, WaitingMessage};
use sidecar_session::saved::NotSaved;

use super::{Actor, new_thread_id, refused_for_storage, report};
use crate::clock;
use crate::database::ReadError;
use crate::event::LinkId;
use crate::threads::Said;
use crate::transport::Transport;

impl Actor {
    /// Begins a turn, or has its words wait until the one that runs has come to its end.
    pub(super) async fn send(&mut self, link: LinkId, said: Said) {
        let text = said.text.clone();
        if !is_message(&said) {
            return self.refuse(link, Refusal::BadMessage { text });
        }
        let mut open = self.panels.thread(link);
        if let Some(id) = &open {
            // A worker before this one may have had it in memory, or its log may be gone from the disk.
            match self.threads.view(id).await {
                Ok(Some(_)) if self.threads.is_running(id) => {
                    let id = id.clone();
                    return self.enqueue(link, id, said).await;
                }
                Ok(Some(_)) => {}
                Ok(None) => open = None,
                Err(error) => return self.refuse_unread(link, error, text),
            }
        }
        let page = self.page_ref(link).await;
        let is_new = open.is_none();
        let thread = match open {
            Some(thread) => thread,
            None if is_private() => self.threads.begin_temporary(new_thread_id()),
            None => new_thread_id(),
        };
        let turn = new_turn_id(&thread);
        self.unfinished.add(&thread).await;
        match self.threads.say(&thread, turn, said, page.clone()).await {
            Ok(told) => {
                self.panels.send_to_thread(&thread, &told);
                if is_new {
                    self.panels.open_thread(link, Some(thread.clone())).await;
                    if let Some(window) = self.panels.window(link) {
                        self.pins.begin(window, &thread).await;
                    }
                    if let Ok(view) = self.thread_view(&thread).await {
                        self.show_thread(link, view);
                    }
                }
                self.run(self.language(link), &thread, &page).await;
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                self.refuse_for_storage(link, error, text);
            }
        }
    }

    /// Has a message wait until the thread's turn has come to its end.
    async fn enqueue(&mut self, link: LinkId, thread: ThreadId, Said { text, attached }: Said) {
        // It begins a turn some time; until then no entry of the log names it.
        let turn = new_turn_id(&thread);
        let (page, language) = (self.page_ref(link).await, self.language(link));
        let waiting = WaitingMessage { turn, text: text.clone(), attached, page, language };
        let added = self.queue.add(&thread, waiting).await;
        self.show_queue(&thread);
        match added {
            Ok(()) => {}
            Err(NotQueued::Full) => self.refuse(link, Refusal::Busy { text }),
            Err(NotQueued::Unsaved(NotSaved::Unread)) => self.refuse_unsaved(link, SavedName::Queue, text),
            Err(NotQueued::Unsaved(NotSaved::Refused(error))) => self.refuse_for_storage(link, error, text),
        }
    }

    /// Says the message that waited longest: on the page where the user is now, or else on the one where the user was.
    pub(super) async fn send_queued(&mut self, thread: &ThreadId, here: Option<PageRef>) {
        while let Some(WaitingMessage { turn, text, attached, page, language }) = self.queue.first(thread) {
            let page = match &here {
                Some(here) => here.clone(),
                None => as_it_is(page).await,
            };
            // A worker before this one may have died between saying it and taking it out.
            let is_new = !self.threads.has_turn(thread, &turn);
            if is_new {
                self.unfinished.add(thread).await;
                let said = Said { text, attached };
                match self.threads.say(thread, turn.clone(), said, page.clone()).await {
                    Ok(told) => self.panels.send_to_thread(thread, &told),
                    Err(error) => {
                        self.unfinished.remove(thread).await;
                        return self.refuse_thread(thread, error);
                    }
                }
            }
            let removed = self.queue.remove(thread, &turn).await;
            self.show_queue(thread);
            let is_removed = removed.is_ok();
            if let Err(NotSaved::Refused(error)) = removed {
                self.refuse_thread(thread, error);
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
        if self.threads.rest(thread) == Some(&Rest::Done) {
            self.send_queued(thread, None).await;
        }
        // The thread stays on the list until then, so that a death in between is noticed.
        if !self.threads.is_running(thread) {
            self.unfinished.remove(thread).await;
        }
    }

    /// Takes a message back that waits.
    pub(super) async fn unqueue(&mut self, link: LinkId, turn: &TurnId) {
        let Some(thread) = self.panels.thread(link) else { return };
        let removed = self.queue.remove(&thread, turn).await;
        self.show_queue(&thread);
        match removed {
            Ok(Some(message)) => self.panels.send(link, &WorkerEvent::Unqueued { message }),
            // It was said already, or taken back. Where nothing can be read, nothing waits.
            Ok(None) | Err(NotSaved::Unread) => {}
            Err(NotSaved::Refused(error)) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    fn show_queue(&self, thread: &ThreadId) {
        let messages = self.queue.view(thread);
        self.panels.send_to_thread(thread, &[WorkerEvent::Queue { messages }]);
    }

    /// Puts other words in the place of earlier ones.
    pub(super) async fn edit(&mut self, link: LinkId, item: &ItemId, said: Said) {
        let text = said.text.clone();
        if !is_message(&said) {
            return self.refuse(link, Refusal::BadMessage { text });
        }
        let Some(thread) = self.panels.thread(link) else { return self.refuse(link, Refusal::NoThread) };
        match self.threads.view(&thread).await {
            Ok(Some(_)) if self.threads.is_running(&thread) => {
                return self.refuse(link, Refusal::Busy { text });
            }
            Ok(Some(_)) => {}
            Ok(None) => return self.refuse(link, Refusal::NoThread),
            Err(error) => return self.refuse_unread(link, error, text),
        }
        let page = self.page_ref(link).await;
        match self.threads.take_back(&thread, item).await {
            Ok(true) => {}
            Ok(false) => return self.refuse(link, Refusal::NoThread),
            Err(error) => return self.refuse_for_storage(link, error, text),
        }
        let turn = new_turn_id(&thread);
        self.unfinished.add(&thread).await;
        let written = self.threads.say(&thread, turn, said, page.clone()).await;
        self.show_whole(&thread).await;
        match written {
            Ok(_) => self.run(self.language(link), &thread, &page).await,
            Err(error) => {
                self.unfinished.remove(&thread).await;
                self.refuse_for_storage(link, error, text);
            }
        }
    }

    /// Has the model answer the last question once more.
    pub(super) async fn answer_again(&mut self, link: LinkId) {
        let Some(thread) = self.resting_thread(link).await else { return };
        if self.threads.rest(&thread) != Some(&Rest::Done) {
            return;
        }
        let page = self.page_ref(link).await;
        self.unfinished.add(&thread).await;
        match self.threads.take_back_answer(&thread, page.clone()).await {
            Ok(true) => {
                self.show_whole(&thread).await;
                return self.run(self.language(link), &thread, &page).await;
            }
            Ok(false) => {}
            Err(error) => {
                // It may have gone back, and no further.
                self.show_whole(&thread).await;
                self.refuse_for_storage(link, error, String::new());
            }
        }
        self.unfinished.remove(&thread).await;
    }

    /// Goes on from another version of the thread.
    pub(super) async fn take_version(&mut self, link: LinkId, version: u64) {
        let Some(thread) = self.resting_thread(link).await else { return };
        match self.threads.take_version(&thread, version).await {
            Ok(true) => self.show_whole(&thread).await,
            Ok(false) => {}
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    /// Has the model told everything again.
    pub(super) async fn undo_compaction(&mut self, link: LinkId) {
        let Some(thread) = self.resting_thread(link).await else { return };
        match self.threads.undo_compaction(&thread).await {
            Ok(()) => self.show_whole(&thread).await,
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    /// Takes up a turn that rests.
    pub(super) async fn take_up(&mut self, link: LinkId, without: Option<Without>) {
        let Some(thread) = self.resting_thread(link).await else { return };
        if !self.threads.can_continue(&thread) {
            return;
        }
        let page = self.page_ref(link).await;
        self.unfinished.add(&thread).await;
        match self.threads.take_up(&thread, page.clone(), without).await {
            Ok(told) => {
                self.panels.send_to_thread(&thread, &told);
                self.run(self.language(link), &thread, &page).await;
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                self.refuse_for_storage(link, error, String::new());
            }
        }
    }

    /// Carries on the turns of workers that died.
    pub(super) async fn revive_turns(&mut self) {
        for thread in self.unfinished.all() {
            if self.threads.is_running(&thread) {
                continue;
            }
            match self.threads.revive(&thread).await {
                Ok(Some(page)) => {
                    let language = self.settings.settings().language.resolve(&link::ui_language());
                    self.run(language, &thread, &page).await;
                }
                Ok(None) => {
                    if self.queue.first(&thread).is_some() {
                        let _ = self.threads.view(&thread).await;
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
            self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings_view() });
        }
        let told = self.threads.run(thread, connection, self.rules(language), Transport::to(access), page);
        self.panels.send_to_thread(thread, &told);
    }

    /// The panel's open thread, if it can be read and no turn runs in it.
    pub(super) async fn resting_thread(&mut self, link: LinkId) -> Option<ThreadId> {
        let thread = self.panels.thread(link)?;
        match self.threads.view(&thread).await {
            Ok(Some(_)) if !self.threads.is_running(&thread) => Some(thread),
            Ok(_) => None,
            Err(error) => {
                self.refuse_unread(link, error, String::new());
                None
            }
        }
    }

    /// Shows a thread to its panels as if they had just opened it: what they have of it may not be told any more.
    async fn show_whole(&mut self, thread: &ThreadId) {
        if let Ok(Some(view)) = self.thread_view(thread).await {
            self.panels.send_to_thread(thread, &[WorkerEvent::Thread { thread: Some(view) }]);
        }
    }

    /// Tells the panels of a thread that something of it could not be saved.
    pub(super) fn refuse_thread(&self, thread: &ThreadId, error: StoreError) {
        self.panels.send_to_thread(thread, &[refused_for_storage(error, String::new())]);
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
fn is_message(Said { text, attached }: &Said) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MESSAGE_LIMIT && is_sound(attached)
}
