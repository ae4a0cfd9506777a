//! What the panel shows: signals that are fed by the worker's events and hold nothing the worker does not know, but
//! for what the user is about to say and which view is open.

use leptos::prelude::*;
use sidecar_protocol::attachment::{Attachment, NotRead};
use sidecar_protocol::link::{
    ChatAnswer, ChatCommand, ContextUsage, Control, Domain, PageCommand, PendingApproval, QueuedMessage,
    Refusal, TurnControl,
};
use sidecar_protocol::page_view::PageView;
use sidecar_protocol::policy::{Grant, HiddenSite};
use sidecar_protocol::saved::UnreadValue;
use sidecar_protocol::settings::{ModelInfo, SettingsView};
use sidecar_protocol::thread::{Activity, ItemKind, ThreadSummary, Without};
use sidecar_protocol::trial::Trial;
use sidecar_protocol::{CallId, ItemId, ModelError, ThreadId, Timestamp};
use sidecar_ui::words::Words;

use crate::announce::Announcer;
use crate::link::{Link, Response};
use crate::state::call_log::Calls;
use crate::state::history::History;
use crate::state::timeline::{Cell, Entry, Growth, Timeline};
use crate::word;

pub mod call_log;
pub mod history;
mod incoming;
mod library;
mod log;
mod policies;
mod saying;
mod settings;
pub mod timeline;

/// The panel's views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The conversation.
    Chat,
    /// The page's tools.
    Tools,
    /// The log of calls.
    Log,
    /// Settings.
    Settings,
}

/// Something the user must know that belongs to no item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alert {
    /// The worker did not carry out a command.
    Refused(Refusal),
    /// The connection broke after a message was sent, and the worker does not have it.
    Unsure,
    /// There is no text of the page to attach.
    NotRead(NotRead),
    /// As many texts are attached as go with one message.
    TooManyAttached,
    /// Something of what the user saved cannot be read.
    Unread,
}

/// Holds one item as a signal.
#[derive(Debug, Clone)]
pub struct ItemCell(pub ArcRwSignal<ItemKind>);

impl Cell for ItemCell {
    fn hold(kind: ItemKind) -> Self {
        Self(ArcRwSignal::new(kind))
    }

    fn replace(&self, kind: ItemKind) {
        if self.0.with_untracked(|old| *old != kind) {
            self.0.set(kind);
        }
    }

    fn grow(&self, more_reasoning: &str, more_text: &str) {
        self.0.update(|kind| {
            if let ItemKind::Assistant { reasoning, text, .. } = kind {
                reasoning.push_str(more_reasoning);
                text.push_str(more_text);
            }
        });
    }
}

/// All of it. A handle: copies show the same.
#[derive(Clone, Copy)]
pub struct State {
    /// Whether the first snapshot has come.
    pub welcomed: RwSignal<bool>,
    /// Whether there has been no connection for so long that it is worth a word.
    pub disconnected: RwSignal<bool>,
    /// How often the panel got a worker: what was on its way to the one before may be lost.
    pub connection: RwSignal<u32>,
    /// As the user sees them: what was just changed here, or else as the worker last said.
    pub settings: RwSignal<SettingsView>,
    /// Counts settings that were saved from here.
    pub saves: RwSignal<u32>,
    /// The active tab.
    pub page: RwSignal<PageView>,
    /// The open thread.
    pub thread: RwSignal<Option<ThreadSummary>>,
    /// Its items. Notifies only when the list changes; each item notifies for itself.
    pub timeline: RwSignal<Timeline<ItemCell>>,
    /// What the agent does in it.
    pub activity: RwSignal<Activity>,
    /// How much of the model's context window it takes.
    pub usage: RwSignal<ContextUsage>,
    /// The calls that wait for a decision, in all threads.
    pub approvals: RwSignal<Vec<PendingApproval>>,
    /// What waits in it until the agent rests, the next one first.
    pub queue: RwSignal<Vec<QueuedMessage>>,
    /// Whether older items were asked for and have not come.
    pub loading_older: RwSignal<bool>,
    /// Earlier threads, newest first.
    pub threads: RwSignal<Vec<ThreadSummary>>,
    /// Whether their list is open.
    pub threads_open: RwSignal<bool>,
    /// Models that the provider in use lists; empty until it has.
    pub models: RwSignal<Vec<ModelInfo>>,
    /// Why the provider in use gave none.
    pub no_models: RwSignal<Option<ModelError>>,
    /// What the user said of tools, the last said first.
    pub grants: RwSignal<Vec<Grant>>,
    /// The sites that the agent does not see, the last hidden first.
    pub hidden: RwSignal<Vec<HiddenSite>>,
    /// Saved values of which something cannot be read.
    pub unread: RwSignal<Vec<UnreadValue>>,
    /// Whether the connection is being tried.
    pub trying: RwSignal<bool>,
    /// What the last trial of the connection found.
    pub trial: RwSignal<Option<Trial>>,
    /// What the user must know.
    pub alert: RwSignal<Option<Alert>>,
    /// What the user is about to say.
    pub draft: RwSignal<String>,
    /// Texts of pages that go with it.
    pub attached: RwSignal<Vec<Attachment>>,
    /// The item whose words the draft is to replace; empty when it is a new message.
    pub editing: RwSignal<String>,
    /// The open view.
    pub view: RwSignal<View>,
    /// Whether the key's input takes the focus when Settings open.
    pub wants_key: RwSignal<bool>,
    /// Counts wishes to write: the composer takes the focus with each.
    pub compose: RwSignal<u32>,
    /// Earlier threads that are searched, deleted, written out and taken in.
    pub history: History,
    /// The log of calls.
    pub calls: Calls,
    /// Says things to screen readers.
    pub announcer: Announcer,
    words: Words,
    link: StoredValue<Option<Link>, LocalStorage>,
    growth: StoredValue<Growth>,
    /// The page as it is shown with the next frame.
    next_page: StoredValue<Option<PageView>>,
    /// When the connection was lost, while it is.
    lost: StoredValue<Option<Timestamp>>,
    saved: StoredValue<SettingsView>,
    /// How many times settings were sent from here without an answer yet.
    unsaved: StoredValue<u32>,
    sent: StoredValue<Option<String>>,
    /// What the user sent while the panel had no worker: it goes out when there is one.
    unsent: StoredValue<Option<String>>,
    /// What was attached to what was sent.
    sent_with: StoredValue<Vec<Attachment>>,
    /// What the user was about to say before the words of an item were taken up, with what was attached.
    laid_by: StoredValue<(String, Vec<Attachment>)>,
}

impl State {
    /// An empty state that is connected to nothing yet.
    pub fn new(settings: RwSignal<SettingsView>, words: Words) -> Self {
        Self {
            welcomed: RwSignal::new(false),
            disconnected: RwSignal::new(false),
            connection: RwSignal::new(0),
            settings,
            saves: RwSignal::new(0),
            page: RwSignal::new(PageView::default()),
            thread: RwSignal::new(None),
            timeline: RwSignal::new(Timeline::default()),
            activity: RwSignal::new(Activity::Resting),
            usage: RwSignal::new(ContextUsage::default()),
            approvals: RwSignal::new(Vec::new()),
            queue: RwSignal::new(Vec::new()),
            loading_older: RwSignal::new(false),
            threads: RwSignal::new(Vec::new()),
            models: RwSignal::new(Vec::new()),
            no_models: RwSignal::new(None),
            grants: RwSignal::new(Vec::new()),
            hidden: RwSignal::new(Vec::new()),
            unread: RwSignal::new(Vec::new()),
            trying: RwSignal::new(false),
            trial: RwSignal::new(None),
            threads_open: RwSignal::new(false),
            alert: RwSignal::new(None),
            draft: RwSignal::new(String::new()),
            attached: RwSignal::new(Vec::new()),
            editing: RwSignal::new(String::new()),
            view: RwSignal::new(View::Chat),
            wants_key: RwSignal::new(false),
            compose: RwSignal::new(0),
            history: History::new(),
            calls: Calls::new(),
            announcer: Announcer::new(),
            words,
            link: StoredValue::new_local(None),
            growth: StoredValue::new(Growth::default()),
            next_page: StoredValue::new(None),
            lost: StoredValue::new(None),
            saved: StoredValue::new(SettingsView::default()),
            unsaved: StoredValue::new(0),
            sent: StoredValue::new(None),
            unsent: StoredValue::new(None),
            sent_with: StoredValue::new(Vec::new()),
            laid_by: StoredValue::new((String::new(), Vec::new())),
        }
    }

    /// Connects to the worker.
    pub fn connect(self) {
        self.lose();
        let link = Link::open(move |heard| untrack(|| self.hear(heard)));
        self.link.set_value(Some(link));
    }

    /// Sends a command. Says whether it could be sent; when not, the panel is connecting again and gets a fresh
    /// snapshot, so nothing has to be kept. A refusal is shown.
    pub fn send(self, command: impl Domain) -> bool {
        self.link.get_value().is_some_and(|link| link.send(command))
    }

    /// Sends a command, and hands over what comes of it. Says whether it could be sent.
    pub fn ask<D: Domain>(self, command: D, mut then: impl FnMut(Response<D::Answer>) + 'static) -> bool {
        let then = move |response| untrack(|| then(response));
        self.link.get_value().is_some_and(|link| link.ask(command, then))
    }

    /// Tells the turn of the open thread something. Says whether it could be sent.
    pub fn control(self, control: Control) -> bool {
        self.open_thread().is_some_and(|thread_id| self.send(TurnControl { thread_id, control }))
    }

    /// Brings the page of a call in the open thread to the front.
    pub fn show_call(self, call_id: CallId) {
        if let Some(thread_id) = self.open_thread() {
            self.send(PageCommand::ShowCall { thread_id, call_id });
        }
    }

    fn open_thread(self) -> Option<ThreadId> {
        self.thread.with_untracked(|thread| thread.as_ref().map(|thread| thread.id.clone()))
    }

    /// Shows that something was not done.
    pub fn refused(self, why: Refusal) {
        self.alert.set(Some(Alert::Refused(why)));
    }

    /// Asks for the page of items before the oldest one here.
    pub fn load_older(self) {
        let oldest = self.timeline.with_untracked(|timeline| {
            timeline.more().then(|| timeline.entries().first().map(|entry| entry.seq)).flatten()
        });
        if let Some(before) = oldest
            && !self.loading_older.get_untracked()
            && self.ask(ChatCommand::LoadOlder { before }, move |response| self.take_older(response))
        {
            self.loading_older.set(true);
        }
    }

    fn take_older(self, response: Response<ChatAnswer>) {
        self.loading_older.set(false);
        let (items, more) = match response {
            Response::Answer(ChatAnswer::Older { items, more }) => (items, more),
            Response::Refused(why) => return self.refused(why),
            Response::Answer(ChatAnswer::Unqueued { .. }) | Response::Done | Response::Lost => return,
        };
        for item in &items {
            // Old words.
            self.announcer.skip(&item.id, &item.kind);
        }
        let mut added = 0;
        self.timeline.update(|timeline| added = timeline.prepend(items, more));
        let count = u64::try_from(added).unwrap_or_default();
        self.announcer.say(self.words.count((word::SAY_LOADED_ONE, word::SAY_LOADED_OTHER), count, &[]));
    }

    /// Opens a view. The list of earlier threads, which would cover it, closes.
    pub fn open(self, view: View) {
        self.threads_open.set(false);
        self.view.set(view);
    }

    /// Opens the conversation and puts the focus into the composer.
    pub fn write(self) {
        self.open(View::Chat);
        self.focus_composer();
    }

    /// Opens Settings where the key is entered.
    pub fn open_settings(self) {
        self.wants_key.set(true);
        self.open(View::Settings);
    }

    /// Whether the conversation ends with this item.
    pub fn is_last(self, id: &ItemId) -> bool {
        self.timeline.with(|timeline| timeline.entries().last().is_some_and(|entry| entry.id == *id))
    }

    /// Whether there is anything of this kind in the thread that the model could be spared.
    pub fn has_to_leave_out(self, what: Without) -> bool {
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
                    // What came before was left out already, but for what is kept.
                    ItemKind::LeftOut { what: Without::History } => (requests, results, more) = (1, 1, false),
                    ItemKind::LeftOut { what: Without::PageContent } => {
                        (results, attachments, more) = (0, 0, false);
                    }
                    ItemKind::Assistant { .. }
                    | ItemKind::Retry { .. }
                    | ItemKind::Guard { .. }
                    | ItemKind::Versions { .. }
                    | ItemKind::Compacted { .. }
                    | ItemKind::Rest { .. } => {}
                });
            }
            match what {
                Without::History => more || requests > 1 || results > 1,
                Without::PageContent => more || results + attachments > 0,
            }
        })
    }
}

/// The state of this panel, from the context.
pub fn use_state() -> State {
    expect_context()
}

/// Host and port of an address.
pub fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
}

/// One item's place in the panel's thread.
pub type ItemEntry = Entry<ItemCell>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_read_from_an_address() {
        assert_eq!(host("https://api.deepseek.com/v1"), Some("api.deepseek.com"));
        assert_eq!(host("http://localhost:8080"), Some("localhost:8080"));
        assert_eq!(host("https://user@a.example?x"), Some("a.example"));
        assert_eq!(host("nothing"), None);
        assert_eq!(host("https://"), None);
    }
}
