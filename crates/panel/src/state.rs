//! What the panel shows: signals that are fed by the worker's events and hold nothing the worker does not know, but
//! for what the user is about to say and which view is open.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::attachment::{Attachment, NotRead};
use sidecar_protocol::link::{
    CallsEvent, ChatAnswer, ChatCommand, ChatEvent, ContextUsage, Control, Domain, Event, PageCommand,
    PageEvent, PendingApproval, PoliciesEvent, QueuedMessage, Refusal, SettingsAnswer, SettingsCommand,
    SettingsEvent, ThreadView, ThreadsEvent, TurnControl, Welcome,
};
use sidecar_protocol::page_view::PageView;
use sidecar_protocol::policy::{Grant, HiddenSite, Policy, PolicyKey};
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_protocol::settings::{ModelChoice, ModelInfo, ProviderPreset, Settings, SettingsView};
use sidecar_protocol::thread::{Activity, ItemKind, ThreadSummary, ToolState, Without};
use sidecar_protocol::trial::Trial;
use sidecar_protocol::{CallId, ItemId, ModelError, PROTOCOL_VERSION, ThreadId, Timestamp};

use crate::announce::{Announcer, News};
use crate::calls::Calls;
use crate::clock::now;
use crate::failure;
use crate::history::History;
use crate::item::{compacted, rest, tool, versions};
use crate::link::{Incoming, Link, Response};
use crate::timeline::{Cell, Change, Entry, Growth, Timeline};
use crate::words::{Word, Words};

use saying::words_of_user;

mod saying;

/// How long a lost connection is not worth a word.
const PATIENCE: Duration = Duration::from_secs(1);

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

    /// Changes settings: shown at once, saved by the worker.
    pub fn change(self, change: impl FnOnce(&mut Settings)) {
        self.settings.update(|view| change(&mut view.settings));
        let settings = Box::new(self.settings.with_untracked(|view| view.settings.clone()));
        self.ask(SettingsCommand::Save { settings }, move |response| self.settings_saved(response));
    }

    /// Saves a key (or, empty, forgets it) for the provider in use.
    pub fn save_key(self, key: String) {
        let provider = self.settings.with_untracked(|view| view.settings.provider.clone());
        self.ask(SettingsCommand::SaveKey { provider, key }, move |response| self.settings_saved(response));
    }

    fn settings_saved(self, response: Response<SettingsAnswer>) {
        match response {
            Response::Done => self.saves.update(|saves| *saves += 1),
            Response::Refused(why) => {
                if let Refusal::BadSetting { .. } = why {
                    self.settings.set(self.saved.get_value());
                }
                self.refused(why);
            }
            Response::Answer(_) | Response::Lost => {}
        }
    }

    /// Asks the provider in use for its models.
    pub fn list_models(self) {
        self.ask(SettingsCommand::ListModels, move |response| match response {
            Response::Answer(SettingsAnswer::Models { provider, models, error })
                if self.is_in_use(&provider) =>
            {
                self.models.set(models);
                self.no_models.set(error);
            }
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Done | Response::Lost => {}
        });
    }

    /// Tries the connection to the model in use. Says whether that could be asked for.
    pub fn try_connection(self) -> bool {
        self.ask(SettingsCommand::TryConnection, move |response| match response {
            Response::Answer(SettingsAnswer::Tried { provider, trial }) if self.is_in_use(&provider) => {
                self.trial.set(Some(trial));
            }
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Done | Response::Lost => {}
        })
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
        self.announcer.say(self.words.count((Word::SayLoadedOne, Word::SayLoadedOther), count, &[]));
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

    /// The user's decision under a key.
    pub fn policy(self, key: &PolicyKey) -> Option<Policy> {
        self.grants.with(|grants| grants.iter().find(|grant| grant.key == *key).map(|grant| grant.policy))
    }

    /// Whether every call on a site asks, whatever is decided about its tools.
    pub fn site_asks(self, origin: &str) -> bool {
        self.policy(&PolicyKey::Site { origin: origin.to_owned() }) == Some(Policy::Ask)
    }

    /// Whether the agent does not see documents of this origin.
    pub fn is_hidden(self, origin: &str) -> bool {
        self.hidden.with(|hidden| hidden.iter().any(|site| site.origin == origin))
    }

    /// Whether it does not see the page that is shown.
    pub fn is_page_hidden(self) -> bool {
        self.page.with(|page| self.is_hidden(&page.origin))
    }

    /// The preset of the provider in use.
    pub fn preset(self) -> Option<ProviderPreset> {
        self.settings
            .with(|view| view.presets.iter().find(|preset| preset.id == view.settings.provider).cloned())
    }

    fn is_in_use(self, provider: &str) -> bool {
        self.settings.with(|view| view.settings.provider == provider)
    }

    /// The address of the provider in use; may be empty.
    pub fn base_url(self) -> String {
        let own = self.settings.with(|view| {
            view.settings.providers.get(&view.settings.provider).map(|own| own.base_url.clone())
        });
        own.filter(|url| !url.is_empty())
            .or_else(|| self.preset().map(|preset| preset.base_url().to_owned()))
            .unwrap_or_default()
    }

    /// The model in use; may be empty.
    pub fn model(self) -> String {
        let own = self
            .settings
            .with(|view| view.settings.providers.get(&view.settings.provider).map(|own| own.model.clone()));
        own.filter(|model| !model.is_empty())
            .or_else(|| self.preset().and_then(|preset| Some(preset.models.into_iter().next()?.id)))
            .unwrap_or_default()
    }

    /// What the provider in use is called in a sentence: its name, else its host.
    pub fn provider(self) -> String {
        let name = self.preset().map(|preset| preset.name).filter(|name| !name.is_empty());
        self.called(name, &self.base_url())
    }

    /// Whether the conversation ends with this item.
    pub fn is_last(self, id: &ItemId) -> bool {
        self.timeline.with(|timeline| timeline.entries().last().is_some_and(|entry| entry.id == *id))
    }

    /// The address of the provider that was asked then; may be empty. It is that of today: where that may be another one's,
    /// which it may of a provider without a name as soon as the conversation has gone on, none is given.
    pub fn address_asked(self, id: &ItemId, asked: Option<&ModelChoice>) -> String {
        let is_known = asked.is_some_and(|asked| {
            self.is_in_use(&asked.provider)
                && (!self.name_of(&asked.provider).is_empty()
                    || asked.model == self.model() && self.is_last(id))
        });
        if is_known { self.base_url() } else { String::new() }
    }

    /// What the provider that was asked then is called: its name, else the host of its address, where that is known.
    pub fn provider_asked(self, asked: Option<&ModelChoice>, address: &str) -> String {
        let name = asked.map(|asked| self.name_of(&asked.provider)).filter(|name| !name.is_empty());
        self.called(name, address)
    }

    fn called(self, name: Option<String>, address: &str) -> String {
        name.or_else(|| host(address).map(str::to_owned))
            .unwrap_or_else(|| self.words.get(Word::ProviderUnnamed).to_owned())
    }

    /// The provider's own name; may be empty.
    pub fn name_of(self, provider: &str) -> String {
        self.settings.with(|view| {
            let preset = view.presets.iter().find(|preset| preset.id == provider);
            preset.map(|preset| preset.name.clone()).unwrap_or_default()
        })
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

    /// Has the next message go to this model.
    pub fn use_model(self, choice: ModelChoice) {
        self.change(|settings| {
            settings.providers.entry(choice.provider.clone()).or_default().model = choice.model;
            settings.provider = choice.provider;
        });
    }

    /// Whether the provider in use has a key, or needs none.
    pub fn has_key(self) -> bool {
        self.settings.with(|view| view.keys.contains(&view.settings.provider))
            || self.preset().is_some_and(|preset| preset.key_optional)
    }

    fn hear(self, incoming: Incoming) {
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

    fn apply(self, event: Event) {
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

    fn show_next_page(self) {
        if let Some(page) = self.next_page.try_update_value(Option::take).flatten() {
            self.page.set(page);
        }
    }

    fn take_welcome(self, Welcome { version, settings, page, thread, recent }: Welcome) {
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

    fn apply_chat(self, event: ChatEvent) {
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

    fn is_temporary(self) -> bool {
        self.thread.with_untracked(|open| open.as_ref().is_some_and(|open| open.temporary))
    }

    /// Tells the user once of each value.
    fn take_unread(self, values: Vec<UnreadValue>) {
        let is_news = |value: &UnreadValue| {
            self.unread.with_untracked(|known| known.iter().all(|known| known.name != value.name))
        };
        if values.iter().any(is_news) {
            self.alert.set(Some(Alert::Unread));
        }
        if self.unread.with_untracked(|known| *known != values) {
            self.unread.set(values);
        }
    }

    /// Whether something of a saved value cannot be read.
    pub fn is_unread(self, name: SavedName) -> bool {
        self.unread.with(|values| values.iter().any(|value| value.name == name))
    }

    fn take_settings(self, settings: SettingsView) {
        self.saved.set_value(settings.clone());
        self.settings.set(settings);
    }

    fn take_thread(self, thread: Option<ThreadView>) {
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

    fn take_queue(self, messages: Vec<QueuedMessage>) {
        let sent = self.sent.get_value();
        if messages.iter().any(|waiting| Some(&waiting.text) == sent.as_ref()) {
            self.sent.set_value(None);
        }
        if self.queue.with_untracked(|queue| *queue != messages) {
            self.queue.set(messages);
        }
    }

    fn grow(self) {
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

    fn change_list(self, change: impl FnOnce(&mut Timeline<ItemCell>) -> Change) {
        let mut changed = Change::Content;
        self.timeline.update_untracked(|timeline| changed = change(timeline));
        if changed == Change::List {
            self.timeline.notify();
        }
    }

    fn announce(self, id: &ItemId, kind: &ItemKind) {
        let provider = |asked: &Option<ModelChoice>| {
            let asked = asked.as_ref();
            untrack(|| self.provider_asked(asked, &self.address_asked(id, asked)))
        };
        let line = match self.announcer.news(id, kind) {
            None => return,
            Some(News::Sentences(text)) => text,
            Some(News::Tool { name, state: ToolState::Asking }) => {
                self.words.fill(Word::SayAsking, &[("tool", &name)])
            }
            Some(News::Tool { name, state: ToolState::Waiting { .. } }) => {
                self.words.fill(Word::SayWaiting, &[("tool", &name)])
            }
            Some(News::Tool { name, state: ToolState::Running { until: Some(_), .. } }) => {
                self.words.fill(Word::SayGivenUp, &[("tool", &name)])
            }
            Some(News::Tool { name, state }) => {
                let state = self.words.get(tool::state_word(&state));
                self.words.fill(Word::SayTool, &[("tool", &name), ("state", state)])
            }
            Some(News::Whole(kind)) => match &*kind {
                ItemKind::Retry { error, asked, .. } => failure::what(self.words, &provider(asked), error),
                ItemKind::Rest { rest, asked, .. } => rest::sentence(self.words, &provider(asked), rest),
                ItemKind::Guard { .. } => self.words.get(Word::GuardTitle).to_owned(),
                ItemKind::LeftOut { what } => self.words.get(rest::left_out(*what)).to_owned(),
                ItemKind::Compacted { how, .. } => self.words.get(compacted::sentence(how)).to_owned(),
                ItemKind::Versions { version, of, .. } => versions::line(self.words, *version, *of),
                ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Tool(_) => return,
            },
        };
        self.announcer.say(line);
    }

    fn lose(self) {
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
    fn the_host_of_an_address_is_found() {
        assert_eq!(host("https://api.deepseek.com/v1"), Some("api.deepseek.com"));
        assert_eq!(host("http://localhost:8080"), Some("localhost:8080"));
        assert_eq!(host("https://user@a.example?x"), Some("a.example"));
        assert_eq!(host("nothing"), None);
        assert_eq!(host("https://"), None);
    }
}
