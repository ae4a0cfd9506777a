//! Applies messages from the worker to the stores.

use leptos::prelude::*;
use sidecar_protocol::link::{
    CallsEvent, ChatEvent, ContextUsage, PageEvent, PanelEvent, PoliciesEvent, Refusal, SettingsEvent,
    SkillsEvent, ThreadView, ThreadsEvent, Welcome,
};
use sidecar_protocol::thread::{Activity, ThreadSummary};
use sidecar_protocol::{ItemId, PROTOCOL_VERSION};

use super::item_cell::words_of_user;
use super::{Alert, PanelState};
use sidecar_link::Incoming;

impl PanelState {
    pub(super) fn hear(self, incoming: Incoming) {
        match incoming {
            Incoming::Lost => {
                self.library.state.break_off();
                self.connection.lose();
            }
            Incoming::Welcome(welcome) => self.take_welcome(*welcome),
            Incoming::Refused(why) => {
                if why == Refusal::Version {
                    self.connection.end_loss();
                }
                self.connection.refused(why);
            }
            Incoming::Event(event) => self.apply(*event),
        }
    }

    fn apply(self, event: PanelEvent) {
        match event {
            PanelEvent::Chat(ChatEvent::Grew { id, reasoning, text }) => {
                self.conversation.grow_soon(id, &reasoning, &text);
            }
            PanelEvent::Chat(event) => {
                // Growth that arrived before this event is shown before it.
                self.conversation.grow();
                self.apply_chat(event);
            }
            PanelEvent::Page(PageEvent::Changed { page }) => self.page.show_soon(page),
            PanelEvent::Threads(ThreadsEvent::Listed { threads }) => self.library.take_threads(threads),
            PanelEvent::Policies(PoliciesEvent::Changed { grants, hidden }) => {
                self.policies.grants.set(grants);
                self.policies.hidden.set(hidden);
            }
            PanelEvent::Settings(SettingsEvent::Changed { settings }) => self.settings.take(*settings),
            PanelEvent::Settings(SettingsEvent::Unread { values }) => self.policies.take_unread(values),
            PanelEvent::Calls(CallsEvent::Changed) => self.log.list_calls(),
            PanelEvent::Skills(SkillsEvent::Changed) => self.skills.note_change(),
            // Only workbenches are told of them.
            PanelEvent::Evals(_) => {}
            PanelEvent::Approvals(approvals) => self.conversation.approvals.set(approvals),
            PanelEvent::Trouble(why) => self.connection.refused(why),
        }
    }

    fn take_welcome(self, Welcome { version, settings, page, thread }: Welcome) {
        self.connection.end_loss();
        if version != PROTOCOL_VERSION {
            return self.connection.refused(Refusal::Version);
        }
        self.conversation.grow();
        self.connection.disconnected.set(false);
        self.connection.count.update(|count| *count += 1);
        self.settings.take(settings);
        self.page.show(page);
        if self.conversation.is_temporary() && thread.as_ref().is_none_or(|thread| !thread.summary.temporary)
        {
            // A message written in a temporary chat must not be sent in one that is saved.
            self.composer.drop_unsent();
        }
        self.take_thread(thread);
        self.composer.take_back_unsure();
        self.composer.say_unsent();
        self.connection.welcomed.set(true);
        if self.navigation.threads_open.get_untracked() {
            self.library.list_threads();
            self.library.search();
        }
        self.log.list_calls();
    }

    fn apply_chat(self, event: ChatEvent) {
        match event {
            // Handled in `apply`.
            ChatEvent::Grew { .. } => {}
            ChatEvent::Opened { thread } => {
                self.take_thread(thread);
                self.connection.alert.set(None);
                self.composer.arrived_if_last();
            }
            ChatEvent::Item { item } => {
                if words_of_user(&item.kind).is_some() {
                    self.composer.arrived();
                }
                self.conversation.announce(&item.id, &item.kind);
                self.conversation.change_list(|timeline| timeline.put(item));
            }
            ChatEvent::ItemGone { id } => self.conversation.change_list(|timeline| timeline.remove(&id)),
            ChatEvent::Queue { messages } => self.composer.take_queue(messages),
            ChatEvent::Usage { usage } => self.conversation.usage.set(usage),
            ChatEvent::Activity { activity } => {
                self.conversation.activity.set(activity);
                let is_busy = |alert: &Option<Alert>| matches!(alert, Some(Alert::Refused(Refusal::Busy)));
                if activity == Activity::Resting && self.connection.alert.with_untracked(is_busy) {
                    self.connection.alert.set(None);
                }
            }
        }
    }

    fn take_thread(self, thread: Option<ThreadView>) {
        let (summary, items, more, activity, queue, usage) = match thread {
            Some(ThreadView { summary, items, more, activity, queue, usage }) => {
                (Some(summary), items, more, activity, queue, usage)
            }
            None => (None, Vec::new(), false, Activity::Resting, Vec::new(), ContextUsage::default()),
        };
        self.announcer.start_over(items.iter().map(|item| (&item.id, &item.kind)));
        self.conversation.timeline.update(|timeline| timeline.reset(items, more));
        self.conversation.loading_older.set(false);
        self.conversation.activity.set(activity);
        self.conversation.usage.set(usage);
        self.composer.take_queue(queue);
        let id = |summary: &Option<ThreadSummary>| summary.as_ref().map(|summary| summary.id.clone());
        // In the same thread, the edited message may be older than the items that arrived, or belong to another
        // version.
        let edited = ItemId(self.composer.editing.get_untracked());
        let is_gone = self
            .conversation
            .timeline
            .with_untracked(|timeline| !timeline.more() && timeline.cell(&edited).is_none());
        if is_gone || self.conversation.thread.with_untracked(id) != id(&summary) {
            self.composer.stop_editing();
        }
        if self.conversation.thread.with_untracked(|open| *open != summary) {
            self.conversation.thread.set(summary);
        }
    }
}
