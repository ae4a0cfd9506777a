//! The open thread, and the pending approvals of all threads.

use js_sys::Array;
use leptos::prelude::*;
use sidecar_protocol::link::{
    ChatAnswer, ChatCommand, ContextUsage, Control, PageCommand, PendingApproval, ThreadsAnswer,
    ThreadsCommand, TurnControl,
};
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{Activity, ItemKind, Omission, ThreadSummary, ToolState};
use sidecar_protocol::{CallId, ItemId, ThreadId};
use sidecar_ui::dom::download::download;
use sidecar_ui::words::Words;

use super::connection::ConnectionStore;
use super::item_cell::{ItemCell, ItemEntry, words_of_user};
use super::library_state::file_name;
use super::settings::PanelSettingsStore;
use super::timeline::{PendingGrowth, Timeline, TimelineChange};
use crate::announce::{Announcer, News};
use crate::phrases::{self, model_error};
use crate::word;
use sidecar_link::LinkResponse;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct ConversationStore {
    /// The open thread.
    pub thread: RwSignal<Option<ThreadSummary>>,
    /// The items of the thread. Notifies only when the list changes; each item notifies for itself.
    pub timeline: RwSignal<Timeline<ItemCell>>,
    /// What the agent is doing in the thread.
    pub activity: RwSignal<Activity>,
    /// How much of the model's context window the thread takes.
    pub usage: RwSignal<ContextUsage>,
    /// The calls that wait for a decision, in all threads.
    pub approvals: RwSignal<Vec<PendingApproval>>,
    /// Whether a request for older items is pending.
    pub loading_older: RwSignal<bool>,
    /// Growth of answers since the last frame.
    growth: StoredValue<PendingGrowth>,
    connection: ConnectionStore,
    settings: PanelSettingsStore,
    announcer: Announcer,
    words: Words,
}

impl ConversationStore {
    /// Creates an empty store.
    pub fn new(
        connection: ConnectionStore,
        settings: PanelSettingsStore,
        announcer: Announcer,
        words: Words,
    ) -> Self {
        Self {
            thread: RwSignal::new(None),
            timeline: RwSignal::new(Timeline::default()),
            activity: RwSignal::new(Activity::Resting),
            usage: RwSignal::new(ContextUsage::default()),
            approvals: RwSignal::new(Vec::new()),
            loading_older: RwSignal::new(false),
            growth: StoredValue::new(PendingGrowth::default()),
            connection,
            settings,
            announcer,
            words,
        }
    }

    /// Adds to an answer; shown with the next frame.
    pub fn grow_soon(self, id: ItemId, reasoning: &str, text: &str) {
        let first = self.growth.try_update_value(|growth| growth.add(id, reasoning, text));
        if first == Some(true) {
            request_animation_frame(move || untrack(|| self.grow()));
        }
    }

    /// Sends a command to the turn of the open thread. Returns whether it could be sent.
    pub fn control(self, control: Control) -> bool {
        let thread_id = self.open_thread();
        thread_id.is_some() && self.connection.send(TurnControl { thread_id, control })
    }

    /// Brings the page of a call in the open thread to the front.
    pub fn show_call(self, call_id: CallId) {
        if let Some(thread_id) = self.open_thread() {
            self.connection.send(PageCommand::ShowCall { thread_id, call_id });
        }
    }

    /// Saves the turn that this item ends as a case of an eval, and tells what was left out, or why there is none.
    pub fn save_case(self, item: ItemId, told: RwSignal<String>) {
        let Some(thread_id) = self.open_thread() else { return };
        told.set(String::new());
        self.connection.ask(ThreadsCommand::RecordCase { thread_id, item }, move |response| match response {
            LinkResponse::Answer(ThreadsAnswer::Recorded { case: Some(case) }) => {
                if let Some(suite) = case.suite {
                    let name = format!("{}.evals.json", file_name(&case.name));
                    download(&Array::of1(&suite.into()), &name, "application/json");
                }
                told.set(case.notes.join(" "));
            }
            LinkResponse::Answer(_) => told.set(self.words.get(word::REST_NO_CASE).to_owned()),
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    fn open_thread(self) -> Option<ThreadId> {
        self.thread.with_untracked(|thread| thread.as_ref().map(|thread| thread.id.clone()))
    }

    /// Requests the page of items before the oldest one here.
    pub fn load_older(self) {
        let oldest = self.timeline.with_untracked(|timeline| {
            timeline.more().then(|| timeline.entries().first().map(|entry| entry.seq)).flatten()
        });
        if let Some(before) = oldest
            && !self.loading_older.get_untracked()
            && self
                .connection
                .ask(ChatCommand::LoadOlder { before }, move |response| self.take_older(response))
        {
            self.loading_older.set(true);
        }
    }

    fn take_older(self, response: LinkResponse<ChatAnswer>) {
        self.loading_older.set(false);
        let (items, more) = match response {
            LinkResponse::Answer(ChatAnswer::Older { items, more }) => (items, more),
            LinkResponse::Refused(why) => return self.connection.refused(why),
            LinkResponse::Answer(ChatAnswer::Unqueued { .. } | ChatAnswer::Picture { .. })
            | LinkResponse::Done
            | LinkResponse::Lost => return,
        };
        for item in &items {
            // Old items are not news.
            self.announcer.skip(&item.id, &item.kind);
        }
        let mut added = 0;
        self.timeline.update(|timeline| added = timeline.prepend(items, more));
        let count = u64::try_from(added).unwrap_or_default();
        self.announcer.say(self.words.count((word::SAY_LOADED_ONE, word::SAY_LOADED_OTHER), count, &[]));
    }

    /// Whether the conversation ends with this item.
    pub fn is_last(self, id: &ItemId) -> bool {
        self.timeline.with(|timeline| timeline.entries().last().is_some_and(|entry| entry.id == *id))
    }

    /// Whether the thread has anything of this kind that can be left out of the model's input.
    pub fn has_to_leave_out(self, what: Omission) -> bool {
        self.timeline.with(|timeline| {
            let (mut requests, mut results, mut more) = (0, 0, timeline.more());
            let mut attachments = 0;
            for entry in timeline.entries() {
                entry.cell.0.with_untracked(|kind| match kind {
                    ItemKind::User { attached, .. } => {
                        requests += 1;
                        attachments += attached.len();
                    }
                    ItemKind::Tool(_) => results += 1,
                    // Earlier items are left out already, except what the omission keeps.
                    ItemKind::LeftOut { what: Omission::History } => {
                        (requests, results, more) = (1, 1, false)
                    }
                    ItemKind::LeftOut { what: Omission::PageContent } => {
                        (results, attachments, more) = (0, 0, false);
                    }
                    ItemKind::Assistant { .. }
                    | ItemKind::Retry { .. }
                    | ItemKind::Guard { .. }
                    | ItemKind::Versions { .. }
                    | ItemKind::Compacted { .. }
                    | ItemKind::TurnEnd { .. } => {}
                });
            }
            match what {
                Omission::History => more || requests > 1 || results > 1,
                Omission::PageContent => more || results + attachments > 0,
            }
        })
    }

    /// Address of the provider that an item's request went to; empty if unknown. Only the current address is known, so
    /// it is returned only if that provider is in use. A provider without a name may have changed its address since, so
    /// for it the item must also be the last one and the model the same.
    pub fn address_asked(self, id: &ItemId, asked: Option<&ModelChoice>) -> String {
        let is_known = asked.is_some_and(|asked| {
            self.settings.is_in_use(&asked.provider)
                && (!self.settings.name_of(&asked.provider).is_empty()
                    || asked.model == self.settings.model() && self.is_last(id))
        });
        if is_known { self.settings.base_url() } else { String::new() }
    }

    /// Text of the user's last message in this thread.
    pub fn last_words(self) -> Option<String> {
        self.last_said().map(|(_, text)| text)
    }

    /// Id and text of the user's last message.
    pub fn last_said(self) -> Option<(ItemId, String)> {
        self.timeline.with_untracked(|timeline| {
            let said =
                |entry: &ItemEntry| Some((entry.id.clone(), entry.cell.0.with_untracked(words_of_user)?));
            timeline.entries().iter().rev().find_map(said)
        })
    }

    /// Whether the open thread is temporary.
    pub fn is_temporary(self) -> bool {
        self.thread.with_untracked(|open| open.as_ref().is_some_and(|open| open.temporary))
    }

    /// Applies the pending growth of answers.
    pub fn grow(self) {
        let waiting = self.growth.try_update_value(PendingGrowth::take).unwrap_or_default();
        self.timeline.with_untracked(|timeline| {
            for (id, reasoning, text) in &waiting {
                timeline.grow(id, reasoning, text);
                if let Some(cell) = timeline.cell(id) {
                    cell.0.with_untracked(|kind| self.announce(id, kind));
                }
            }
        });
    }

    /// Changes the items; notifies only if the list itself changed.
    pub fn change_list(self, change: impl FnOnce(&mut Timeline<ItemCell>) -> TimelineChange) {
        let mut changed = TimelineChange::Content;
        self.timeline.update_untracked(|timeline| changed = change(timeline));
        if changed == TimelineChange::List {
            self.timeline.notify();
        }
    }

    /// Announces what is new in an item.
    pub fn announce(self, id: &ItemId, kind: &ItemKind) {
        let provider = |asked: &Option<ModelChoice>| {
            let asked = asked.as_ref();
            untrack(|| self.settings.provider_asked(asked, &self.address_asked(id, asked)))
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
                let state = self.words.get(sidecar_ui::text::tool_call::state_word(&state));
                self.words.fill(word::SAY_TOOL, &[("tool", &name), ("state", state)])
            }
            Some(News::Whole(kind)) => match &*kind {
                ItemKind::Retry { error, asked, .. } => {
                    model_error::what(self.words, &provider(asked), error)
                }
                ItemKind::TurnEnd { end, asked, .. } => {
                    phrases::item::turn_end(self.words, &provider(asked), end)
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
}
