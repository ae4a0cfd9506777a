//! Chat commands, and running the turns that follow from them ([`crate::chat`]).

use sidecar_protocol::ThreadId;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_protocol::link::{Answer, ChatAnswer, ChatCommand, ChatEvent, ContextUsage, Refusal, ThreadView};
use sidecar_protocol::settings::ModelChoice;

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use super::turn_task::TurnTask;
use crate::chat::{Effect, TurnStart, UserPlace};
use crate::event::Asker;
use crate::panels::LinkId;
use crate::threads::{ReadError, ThreadNews, UserMessage};

impl<B: CodeParts> Actor<B> {
    pub(super) async fn chat(&mut self, asker: Asker, command: ChatCommand) -> Answered {
        let answer = self.said(asker.link, command).await;
        self.do_effects().await;
        answer.map(Some)
    }

    async fn said(&mut self, link: LinkId, command: ChatCommand) -> Result<Answer, Refusal> {
        let (thread, moment) = (self.panels.thread(link), self.browser.moment());
        let now = moment.now;
        match command {
            ChatCommand::Send { text, mut attached, pictures } => {
                self.drop_hidden(&mut attached);
                let from = self.place(link).await;
                let message = UserMessage { text, attached, pictures: Vec::new() };
                if let Some(new) = self.chat.send(from, message, pictures, &moment).await? {
                    self.show_new(link, &new).await;
                }
            }
            ChatCommand::SendQueued => {
                let from = self.place(link).await;
                self.chat.send_queued_now(from, &self.browser, now).await?;
            }
            ChatCommand::Unqueue { id } => {
                if let Some(message) = self.chat.unqueue(thread, &id).await? {
                    return Ok(Answer::Chat(ChatAnswer::Unqueued { message }));
                }
            }
            ChatCommand::Edit { item, text, mut attached, pictures } => {
                self.drop_hidden(&mut attached);
                let from = self.place(link).await;
                let message = UserMessage { text, attached, pictures: Vec::new() };
                self.chat.edit(from, &item, message, pictures, &moment).await?;
            }
            ChatCommand::AnswerAgain => {
                let from = self.place(link).await;
                self.chat.answer_again(from, now).await?;
            }
            ChatCommand::Continue { without } => {
                let from = self.place(link).await;
                self.chat.continue_turn(from, without, now).await?;
            }
            ChatCommand::UndoCompaction => self.chat.undo_compaction(thread, now).await?,
            ChatCommand::TakeVersion { version } => self.chat.take_version(thread, version, now).await?,
            ChatCommand::LoadOlder { before } => {
                if let Some((items, more)) = self.chat.older(thread, before, now).await? {
                    return Ok(Answer::Chat(ChatAnswer::Older { items, more }));
                }
            }
            ChatCommand::Picture { digest } => {
                let data = self.chat.picture(thread, &digest).await;
                return Ok(Answer::Chat(ChatAnswer::Picture { data }));
            }
        }
        Ok(Answer::Done)
    }

    /// Drops the addresses of pages that were hidden after the panel was sent them.
    fn drop_hidden(&self, attached: &mut Vec<Attachment>) {
        let hidden = self.tabs.grants.hidden();
        attached.retain(|one| one.what != Extract::Address || !hidden.hides(&one.origin));
    }

    /// The thread, page and language of a panel.
    async fn place(&mut self, link: LinkId) -> UserPlace {
        let page = self.page_ref(link).await;
        UserPlace { thread: self.panels.thread(link), page, language: self.language(link) }
    }

    /// Shows a new thread in the window in which it was started.
    async fn show_new(&mut self, link: LinkId, thread: &ThreadId) {
        self.panels.open_thread(link, Some(thread.clone())).await;
        let Some(window) = self.panels.window(link) else { return };
        self.pins.begin(window, thread).await;
        if let Ok(view) = self.thread_view(thread).await {
            self.show_thread(window, view);
        }
    }

    /// A turn ended.
    pub(super) async fn turn_ended(&mut self, thread: &ThreadId) {
        self.chat.turn_ended(thread, &self.browser, self.browser.now()).await;
        self.do_effects().await;
    }

    /// Revives the turns and the eval of workers that died.
    pub async fn revive_turns(&mut self) {
        for error in self.chat.revive(&self.browser, self.browser.now()).await {
            self.browser.warn(&match error {
                ReadError::Store(error) => error.detail,
                ReadError::Log(why) => {
                    format!("a turn was not continued, because its log cannot be used: {why}")
                }
            });
        }
        self.do_effects().await;
        self.revive_eval().await;
    }

    pub(super) async fn do_effects(&mut self) {
        for effect in self.chat.take_effects() {
            match effect {
                Effect::Run(start) => self.run_turn(start).await,
                Effect::ShowNews(thread) => self.show_news(&thread).await,
                Effect::ShowWhole(thread) => {
                    let _ = self.chat.threads.news(&thread);
                    if let Ok(Some(view)) = self.thread_view(&thread).await {
                        self.panels.send_to_thread(&thread, [ChatEvent::Opened { thread: Some(view) }]);
                    }
                }
                Effect::ShowQueue(thread) => {
                    let messages = self.chat.queue.view(&thread);
                    self.panels.send_to_thread(&thread, [ChatEvent::Queue { messages }]);
                }
                Effect::Trouble(thread, why) => self.trouble_in(&thread, why),
            }
        }
    }

    async fn run_turn(&mut self, TurnStart { thread, page, language }: TurnStart) {
        let chosen = self.settings.chosen();
        let (connection, access) =
            (self.settings.connection(&chosen), self.settings.access(&chosen.provider));
        if self.settings.remember_used(chosen).await {
            self.show_settings();
        }
        let language = language
            .unwrap_or_else(|| self.settings.settings().language.resolve(&self.browser.ui_language()));
        let Some((log, inbox)) = self.chat.threads.begin_turn(&thread) else { return };
        let task = TurnTask {
            thread: thread.clone(),
            log,
            inbox,
            connection,
            rules: self.rules(language),
            transport: self.browser.transport(access),
            tab: page.tab,
            browser: self.browser.clone(),
        };
        self.browser.spawn_awake(B::run_turn(task));
        self.show_news(&thread).await;
    }

    /// The thread as panels show it first, with its queue and context usage.
    pub async fn thread_view(&mut self, thread: &ThreadId) -> Result<Option<ThreadView>, ReadError> {
        self.chat.threads.load(thread, self.browser.now()).await?;
        let refused = self.send_changes(thread);
        // No `await` in between: later changes are relative to exactly this view.
        let (queue, usage) = (self.chat.queue.view(thread), self.usage(thread));
        let view = self.chat.threads.view(thread).map(|view| ThreadView { queue, usage, ..view });
        self.remember_refused(refused).await;
        Ok(view)
    }

    /// Sends what is new in a thread to the panels that show it.
    pub(super) async fn show_news(&mut self, thread: &ThreadId) {
        let refused = self.send_changes(thread);
        self.remember_refused(refused).await;
    }

    /// Sends what is new in a thread to the panels that show it. Returns the request fields that services
    /// refused, to be remembered.
    pub(super) fn send_changes(&mut self, thread: &ThreadId) -> Vec<(ModelChoice, String)> {
        let ThreadNews { changes, refused, has_other_usage } = self.chat.threads.news(thread);
        self.panels.send_to_thread(thread, changes);
        if has_other_usage && self.panels.shown_threads().contains(thread) {
            self.show_usage(thread);
        }
        refused
    }

    pub(super) async fn remember_refused(&mut self, refused: Vec<(ModelChoice, String)>) {
        if refused.is_empty() {
            return;
        }
        for (model, field) in refused {
            self.settings.remember_refused(&model, &field).await;
        }
        // What the model can do is known better now.
        self.show_settings();
    }

    /// The thread's context usage.
    pub(super) fn usage(&self, thread: &ThreadId) -> ContextUsage {
        let rules = self.rules(self.settings.settings().language.resolve(&self.browser.ui_language()));
        ContextUsage { tokens: self.chat.threads.tokens(thread, &rules), of: self.connection().window }
    }

    pub(super) fn show_usage(&self, thread: &ThreadId) {
        self.panels.send_to_thread(thread, [ChatEvent::Usage { usage: self.usage(thread) }]);
    }

    /// The chosen model changed, or more is known about it.
    pub(super) fn show_usages(&self) {
        for thread in self.panels.shown_threads() {
            self.show_usage(&thread);
        }
    }
}
