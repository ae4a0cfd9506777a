//! What comes from the worker, and what the panel makes of it.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::link::{
    CallsEvent, ChatEvent, ContextUsage, Event, PageEvent, PoliciesEvent, QueuedMessage, Refusal,
    SettingsEvent, ThreadView, ThreadsEvent, Welcome,
};
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{Activity, ItemKind, ThreadSummary, ToolState};
use sidecar_protocol::{ItemId, PROTOCOL_VERSION};
use sidecar_ui::clock::now;

use super::saying::words_of_user;
use super::{Alert, ItemCell, State};
use crate::announce::News;
use crate::link::Incoming;
use crate::phrases;
use crate::phrases::model_error;
use crate::state::timeline::{Change, Growth, Timeline};
use crate::word;

/// How long a lost connection is not worth a word.
const PATIENCE: Duration = Duration::from_secs(1);

impl State {
    pub(super) fn hear(self, incoming: Incoming) {
        match incoming {
            Incoming::Lost => {
                self.history.break_off();
                self.lose();
            }
            Incoming::Welcome(welcome) => self.take_welcome(*welcome),
            Incoming::Refused(why) => {
                if why == Refusal::Version {
                    self.lost.set_value(None);
                }
                self.refused(why);
            }
            Incoming::Event(event) => self.apply(*event),
        }
    }

    pub(super) fn apply(self, event: Event) {
        match event {
            Event::Chat(ChatEvent::Grew { id, reasoning, text }) => {
                let first = self.growth.try_update_value(|growth| growth.add(id, &reasoning, &text));
                if first == Some(true) {
                    request_animation_frame(move || untrack(|| self.grow()));
                }
            }
            Event::Chat(event) => {
                // Growth that came before an event is shown before it.
                self.grow();
                self.apply_chat(event);
            }
            Event::Page(PageEvent::Changed { page }) => {
                // A page may change its tools faster than they can be shown.
                let before = self.next_page.try_update_value(|next| next.replace(page)).flatten();
                if before.is_none() {
                    request_animation_frame(move || untrack(|| self.show_next_page()));
                }
            }
            Event::Threads(ThreadsEvent::Listed { threads }) => self.take_threads(threads),
            Event::Policies(PoliciesEvent::Changed { grants, hidden }) => {
                self.grants.set(grants);
                self.hidden.set(hidden);
            }
            Event::Settings(SettingsEvent::Changed { settings }) => self.take_settings(*settings),
            Event::Settings(SettingsEvent::Unread { values }) => self.take_unread(values),
            Event::Calls(CallsEvent::Changed) => self.list_calls(),
            Event::Approvals(approvals) => self.approvals.set(approvals),
            Event::Trouble(why) => self.refused(why),
        }
    }

    pub(super) fn show_next_page(self) {
        if let Some(page) = self.next_page.try_update_value(Option::take).flatten() {
            self.page.set(page);
        }
    }

    pub(super) fn take_welcome(self, Welcome { version, settings, page, thread, recent }: Welcome) {
        self.lost.set_value(None);
        if version != PROTOCOL_VERSION {
            return self.refused(Refusal::Version);
        }
        self.grow();
        self.disconnected.set(false);
        self.connection.update(|count| *count += 1);
        self.take_settings(settings);
        self.next_page.set_value(None);
        self.page.set(page);
        if !self.threads_open.get_untracked() {
            self.threads.set(recent);
        }
        if self.is_temporary() && thread.as_ref().is_none_or(|thread| !thread.summary.temporary) {
            // What was meant for a conversation that is kept nowhere is not said in one that is kept.
            self.unsent.set_value(None);
        }
        self.take_thread(thread);
        self.take_back_unsure();
        self.say_unsent();
        self.welcomed.set(true);
        if self.threads_open.get_untracked() {
            self.list_threads();
            self.search();
        }
        self.list_calls();
    }

    pub(super) fn apply_chat(self, event: ChatEvent) {
        match event {
            // Taken before.
            ChatEvent::Grew { .. } => {}
            ChatEvent::Opened { thread } => {
                self.take_thread(thread);
                self.alert.set(None);
                if self.last_words() == self.sent.get_value() {
                    self.sent.set_value(None);
                }
            }
            ChatEvent::Item { item } => {
                if words_of_user(&item.kind).is_some() {
                    self.sent.set_value(None);
                }
                self.announce(&item.id, &item.kind);
                self.change_list(|timeline| timeline.put(item));
            }
            ChatEvent::ItemGone { id } => self.change_list(|timeline| timeline.remove(&id)),
            ChatEvent::Queue { messages } => self.take_queue(messages),
            ChatEvent::Usage { usage } => self.usage.set(usage),
            ChatEvent::Activity { activity } => {
                self.activity.set(activity);
                let is_busy = |alert: &Option<Alert>| matches!(alert, Some(Alert::Refused(Refusal::Busy)));
                if activity == Activity::Resting && self.alert.with_untracked(is_busy) {
                    self.alert.set(None);
                }
            }
        }
    }

    pub(super) fn is_temporary(self) -> bool {
        self.thread.with_untracked(|open| open.as_ref().is_some_and(|open| open.temporary))
    }

    pub(super) fn take_thread(self, thread: Option<ThreadView>) {
        let (summary, items, more, activity, queue, usage) = match thread {
            Some(ThreadView { summary, items, more, activity, queue, usage }) => {
                (Some(summary), items, more, activity, queue, usage)
            }
            None => (None, Vec::new(), false, Activity::Resting, Vec::new(), ContextUsage::default()),
        };
        self.announcer.start_over(items.iter().map(|item| (&item.id, &item.kind)));
        self.timeline.update(|timeline| timeline.reset(items, more));
        self.loading_older.set(false);
        self.activity.set(activity);
        self.usage.set(usage);
        self.take_queue(queue);
        let id = |summary: &Option<ThreadSummary>| summary.as_ref().map(|summary| summary.id.clone());
        // In the same thread, what is edited may stand further back than what came, or in another version.
        let edited = ItemId(self.editing.get_untracked());
        let is_gone =
            self.timeline.with_untracked(|timeline| !timeline.more() && timeline.cell(&edited).is_none());
        if is_gone || self.thread.with_untracked(id) != id(&summary) {
            self.stop_editing();
        }
        if self.thread.with_untracked(|open| *open != summary) {
            self.thread.set(summary);
        }
    }

    pub(super) fn take_queue(self, messages: Vec<QueuedMessage>) {
        let sent = self.sent.get_value();
        if messages.iter().any(|waiting| Some(&waiting.text) == sent.as_ref()) {
            self.sent.set_value(None);
        }
        if self.queue.with_untracked(|queue| *queue != messages) {
            self.queue.set(messages);
        }
    }

    pub(super) fn grow(self) {
        let waiting = self.growth.try_update_value(Growth::take).unwrap_or_default();
        self.timeline.with_untracked(|timeline| {
            for (id, reasoning, text) in &waiting {
                timeline.grow(id, reasoning, text);
                if let Some(cell) = timeline.cell(id) {
                    cell.0.with_untracked(|kind| self.announce(id, kind));
                }
            }
        });
    }

    pub(super) fn change_list(self, change: impl FnOnce(&mut Timeline<ItemCell>) -> Change) {
        let mut changed = Change::Content;
        self.timeline.update_untracked(|timeline| changed = change(timeline));
        if changed == Change::List {
            self.timeline.notify();
        }
    }

    pub(super) fn announce(self, id: &ItemId, kind: &ItemKind) {
        let provider = |asked: &Option<ModelChoice>| {
            let asked = asked.as_ref();
            untrack(|| self.provider_asked(asked, &self.address_asked(id, asked)))
        };
        let line = match self.announcer.news(id, kind) {
            None => return,
            Some(News::Sentences(text)) => text,
            Some(News::Tool { name, state: ToolState::Asking }) => {
                self.words.fill(word::SAY_ASKING, &[("tool", &name)])
            }
            Some(News::Tool { name, state: ToolState::Waiting { .. } }) => {
                self.words.fill(word::SAY_WAITING, &[("tool", &name)])
            }
            Some(News::Tool { name, state: ToolState::Running { until: Some(_), .. } }) => {
                self.words.fill(word::SAY_GIVEN_UP, &[("tool", &name)])
            }
            Some(News::Tool { name, state }) => {
                let state = self.words.get(phrases::tool_call::state_word(&state));
                self.words.fill(word::SAY_TOOL, &[("tool", &name), ("state", state)])
            }
            Some(News::Whole(kind)) => match &*kind {
                ItemKind::Retry { error, asked, .. } => {
                    model_error::what(self.words, &provider(asked), error)
                }
                ItemKind::Rest { rest, asked, .. } => {
                    phrases::item::turn_end(self.words, &provider(asked), rest)
                }
                ItemKind::Guard { .. } => self.words.get(word::GUARD_TITLE).to_owned(),
                ItemKind::LeftOut { what } => self.words.get(phrases::item::left_out(*what)).to_owned(),
                ItemKind::Compacted { how, .. } => self.words.get(phrases::item::compaction(how)).to_owned(),
                ItemKind::Versions { version, of, .. } => phrases::item::version(self.words, *version, *of),
                ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Tool(_) => return,
            },
        };
        self.announcer.say(line);
    }

    pub(super) fn lose(self) {
        if self.lost.get_value().is_some() {
            return;
        }
        let moment = now();
        self.lost.set_value(Some(moment));
        set_timeout(
            move || {
                // Another loss, after a connection in between, has a patience of its own.
                if self.lost.get_value() == Some(moment) {
                    self.disconnected.set(true);
                }
            },
            PATIENCE,
        );
    }
}
