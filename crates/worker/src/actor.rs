//! The one task that owns all state. It reads its queue; tasks that it starts post what they found there.
//!
//! Here is its loop, which routes: events of the browser and of turns to the rooms they concern, requests of panels by
//! domain to the modules below, each of which answers its own. Work on disk that may be long runs in tasks of its own
//! ([`Actor::later`]), so that nothing waits behind it.

use futures::channel::mpsc::UnboundedReceiver;
use futures::{StreamExt, join};
use sidecar_agent::{Connection, PageRef, Rules, UserCommand};
use sidecar_chrome::extension::is_private;
use sidecar_chrome::runtime::AcceptedPort;
use sidecar_chrome::{language_model, link, side_panel, storage};
use sidecar_protocol::link::{
    Answer, CallsEvent, ChatEvent, Command, ContextUsage, PageEvent, PanelEvent, Refusal, Reply, Request,
    SettingsEvent, ThreadView, ThreadsEvent,
};
use sidecar_protocol::page_view::PageView;
use sidecar_protocol::settings::{Language, ModelChoice, Settings, SettingsView};
use sidecar_protocol::{TabId, ThreadId, WindowId};
use sidecar_session::panels::LinkId;
use sidecar_session::panels::PanelPort;
use sidecar_session::refusals;
use sidecar_session::tabs::RelayNews;
use sidecar_session::threads::{ReadError, ThreadNews};
use sidecar_session::{
    Attention, Chat, GrantStore, Panels, Pins, Queue, SettingsStore, Tabs, Threads, Turns, UnfinishedThreads,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use crate::alarm::BrowserAlarm;
use crate::attention;
use crate::clock::{self, Awake};
use crate::database::Database;
use crate::event::{Asker, Mailbox, RelaySender, WorkerEvent};
use crate::history::History;
use crate::replies::{Answered, Replies};
use crate::storage::StorageArea;
use crate::tabs::{self, BrowserTabs};

mod calls;
mod chat;
mod models;
mod page;
mod policies;
mod settings;
mod threads;
mod turn;
mod welcome;

/// Reads the queue until the worker dies.
pub async fn run(mailbox: Mailbox, turns: Turns, mut events: UnboundedReceiver<WorkerEvent>) {
    let database = Database::new(mailbox.clone());
    // All at once: a panel that opens waits for it. The first goes out before any page could ask for anything.
    let (trusted, on_click, settings, grants, panels, pins, queue, unfinished) = join!(
        storage::keep_local_to_trusted_contexts(),
        side_panel::open_on_action_click(),
        SettingsStore::load(StorageArea::Choices),
        GrantStore::load(StorageArea::Choices),
        Panels::load(StorageArea::Session),
        Pins::load(StorageArea::Session),
        Queue::load(StorageArea::Conversations),
        UnfinishedThreads::load(StorageArea::Session, BrowserAlarm),
    );
    report(trusted);
    report(on_click);
    database.kept_calls(settings.settings().calls_kept);
    let mut actor = Actor {
        settings,
        panels,
        pins,
        tabs: Tabs::new(BrowserTabs(mailbox.clone()), grants),
        history: History::new(mailbox.clone(), database.clone()),
        chat: Chat::new(
            Threads::new(database, turns.clone()),
            queue,
            turns.clone(),
            unfinished,
            is_private(),
        ),
        turns,
        attention: Attention::default(),
        awake: Awake::default(),
        mailbox,
    };
    actor.find_pinned().await;
    if !is_private() {
        // A worker before this one may have left the icon as it was.
        attention::paint(false);
    }
    // Before anybody is heard who could begin the same turn once more.
    actor.revive_turns().await;
    while let Some(event) = events.next().await {
        actor.handle(event).await;
        actor.show_approvals();
        // Of a temporary thread the worker is the only place.
        actor.awake.keep(actor.chat.threads.has_temporary());
    }
}

struct Actor {
    /// Into its own queue, for tasks that it starts.
    mailbox: Mailbox,
    settings: SettingsStore<StorageArea>,
    panels: Panels<StorageArea, PortToPanel>,
    pins: Pins<StorageArea>,
    tabs: Tabs<StorageArea, BrowserTabs>,
    history: History,
    chat: Chat<StorageArea, BrowserAlarm, Database>,
    turns: Turns,
    attention: Attention,
    awake: Awake,
}

/// To a panel.
struct PortToPanel(AcceptedPort);

impl PanelPort for PortToPanel {
    fn post(&self, text: &str) {
        let _ = self.0.post(text);
    }
}

impl Actor {
    async fn handle(&mut self, event: WorkerEvent) {
        match event {
            // Into every page that was open before the extension.
            WorkerEvent::Installed => tabs::all().await.iter().for_each(|tab| self.tabs.found(tab)),
            WorkerEvent::Woken => {
                self.revive_turns().await;
                self.chat.let_sleep().await;
            }
            WorkerEvent::RelaySaid { text, sender, respond } => {
                // The answer tells the browser that the worker was at work until now.
                let done = move || drop(respond.call1(&JsValue::NULL, &JsValue::from_str("")));
                self.relay_said(&text, sender, done);
            }
            WorkerEvent::TabActivated { tab, window } => {
                self.look_at(window).await;
                self.show_page_of(tab);
            }
            WorkerEvent::TabUpdated { tab } => {
                let id = tab.id.map(TabId);
                self.tabs.updated(tabs::info(tab));
                if let Some(id) = id {
                    self.show_page_of(id);
                }
            }
            WorkerEvent::TabRemoved { tab } => {
                self.tabs.removed(tab);
                self.show_page_of(tab);
                self.pins.closed(tab).await;
            }
            WorkerEvent::TabUnreachable { tab } => {
                self.tabs.is_unreachable(tab);
                self.show_page_of(tab);
            }
            WorkerEvent::TabsAwaited { thread, tab, reply } => {
                self.tabs.wait_for(&self.pins.of_turn(&thread, tab), reply);
            }
            WorkerEvent::ToolsWanted { thread, tab, reply } => {
                let _ = reply.send(self.tabs.offers(&self.pins.of_turn(&thread, tab)));
            }
            WorkerEvent::CurrentToolWanted { tool, reply } => {
                let _ = reply.send(self.tabs.current_tool(&tool));
            }
            WorkerEvent::SeenWanted { tab, reply } => drop(reply.send(self.tabs.seen(tab))),
            WorkerEvent::HiddenSitesWanted { reply } => drop(reply.send(self.tabs.grants.hidden().clone())),
            WorkerEvent::NotificationClicked { tab } => tabs::show(tab),
            WorkerEvent::DocumentLost { tab, document } => {
                if self.tabs.lost(tab, &document) {
                    self.show_page_of(tab);
                }
            }
            WorkerEvent::PanelConnected { link, port } => self.panels.connected(link, PortToPanel(port)),
            WorkerEvent::PanelAsked { link, request, is_told } => self.answer(link, request, is_told).await,
            WorkerEvent::PanelMisread { link } => self.trouble(link, Refusal::Version),
            WorkerEvent::PanelGone { link } => {
                self.panels.gone(link);
                self.history.gone(link);
                self.forget_threads().await;
            }
            WorkerEvent::Answered { link, reply } => self.panels.reply(link, &reply),
            WorkerEvent::Greeting { asker, recent } => self.welcome(asker, recent).await,
            WorkerEvent::ThreadGrew { thread } => self.show_news(&thread).await,
            WorkerEvent::ToolsKnown { endpoint, model, takes_tools } => {
                if self.settings.remember_tools(&endpoint, &model, takes_tools).await {
                    self.show_settings();
                }
            }
            WorkerEvent::WindowKnown { endpoint, model, window } => {
                if self.settings.remember_window(&endpoint, &model, window).await {
                    self.show_usages();
                }
            }
            WorkerEvent::CallsChanged => self.panels.send_to_all(&PanelEvent::Calls(CallsEvent::Changed)),
            WorkerEvent::ThreadsChanged { change } => self.threads_changed(change).await,
            WorkerEvent::ThreadsListed { number, threads } => {
                if self.history.is_latest_list(number) {
                    self.panels.send_to_all(&PanelEvent::Threads(ThreadsEvent::Listed { threads }));
                }
            }
            WorkerEvent::Trouble { why } => self.panels.send_to_all(&PanelEvent::Trouble(why)),
            // What cannot be removed now is removed when the list is next read.
            WorkerEvent::PurgeDue => self.history.purge(),
            WorkerEvent::Purged { gone } => self.forget_purged(&gone).await,
            WorkerEvent::TurnEnded { thread, result } => {
                if let Err(error) = result {
                    self.trouble_in(&thread, refusals::storage(error));
                }
                self.turn_ended(&thread).await;
                self.forget_threads().await;
            }
        }
    }

    /// Has the room of its domain answer a request. `is_told`: the turn that it is meant for has it already.
    async fn answer(&mut self, link: LinkId, Request { id, body }: Request, is_told: bool) {
        let asker = Asker { link, request: id };
        let answered = match body {
            Command::Hello(hello) => self.hello(asker, hello),
            Command::Chat(command) => self.chat(asker, command).await,
            Command::Turn(control) => self.turn(control, is_told).await,
            Command::Threads(command) => self.answer_threads(asker, command).await,
            Command::Page(command) => self.page(asker, command).await,
            Command::Policies(command) => self.policies(asker, command).await,
            Command::Settings(command) => self.answer_settings(asker, command).await,
            Command::Calls(command) => self.calls(asker, command),
        };
        if let Some(result) = answered.transpose() {
            self.panels.reply(link, &Reply { id, result, more: false });
        }
    }

    /// Does work in a task of its own, and replies with what comes of it.
    fn later(&self, asker: Asker, work: impl Future<Output = Result<Answer, Refusal>> + 'static) -> Answered {
        let replies = self.replies(asker);
        spawn_local(async move { replies.end(clock::awake(work).await) });
        Ok(None)
    }

    /// The way back to who asked, for a task of its own.
    fn replies(&self, asker: Asker) -> Replies {
        Replies::new(self.mailbox.clone(), asker)
    }

    /// Tells a panel of what it did not ask for.
    fn trouble(&self, link: LinkId, why: Refusal) {
        self.panels.send(link, &PanelEvent::Trouble(why));
    }

    /// Tells the panels of a thread that something of it could not be done.
    fn trouble_in(&self, thread: &ThreadId, why: Refusal) {
        self.panels.tell_thread(thread, &PanelEvent::Trouble(why));
    }

    /// Shows every panel which calls ask, and calls the user where no panel shows one, if these are others than before.
    ///
    /// Nothing of a private window is told outside its panel, and the icon is one for all windows.
    fn show_approvals(&mut self) {
        let notices = self.attention.take(self.chat.threads.asking(), &self.panels.shown_threads());
        let Some(notices) = notices else { return };
        self.panels.send_to_all(&PanelEvent::Approvals(self.attention.approvals()));
        if is_private() {
            return;
        }
        notices.shown.iter().for_each(attention::notify);
        attention::take_away(&notices.taken_away);
        if notices.has_turned {
            self.tabs.call_user(self.attention.is_wanted());
            attention::paint(self.attention.is_wanted());
        }
    }

    /// Forgets threads that nobody shows and nothing runs in.
    async fn forget_threads(&mut self) {
        self.chat.forget_all_but(&self.panels.shown_threads());
        self.pins.keep_only(|thread| self.chat.is_kept(thread)).await;
    }

    /// The thread as panels show it first, with what waits in it and the room that it takes.
    async fn thread_view(&mut self, thread: &ThreadId) -> Result<Option<ThreadView>, ReadError> {
        self.chat.threads.load(thread, clock::now()).await?;
        let refused = self.tell_news(thread);
        // At once: what is told from now on is told to who has this view.
        let (queue, usage) = (self.chat.queue.view(thread), self.usage(thread));
        let view = self.chat.threads.view(thread).map(|view| ThreadView { queue, usage, ..view });
        self.remember_refused(refused).await;
        Ok(view)
    }

    /// Shows what is new in a thread to the panels that have it open.
    async fn show_news(&mut self, thread: &ThreadId) {
        let refused = self.tell_news(thread);
        self.remember_refused(refused).await;
    }

    /// Tells panels what is new in a thread. Returns what services refused in it, which is to be remembered.
    fn tell_news(&mut self, thread: &ThreadId) -> Vec<(ModelChoice, String)> {
        let ThreadNews { changes, refused, has_other_usage } = self.chat.threads.news(thread);
        self.panels.send_to_thread(thread, changes);
        if has_other_usage && self.panels.shown_threads().contains(thread) {
            self.show_usage(thread);
        }
        refused
    }

    async fn remember_refused(&mut self, refused: Vec<(ModelChoice, String)>) {
        for (model, field) in refused {
            self.settings.remember_refused(&model, &field).await;
        }
    }

    /// How much of the model's context window the thread takes.
    fn usage(&self, thread: &ThreadId) -> ContextUsage {
        let rules = self.rules(self.settings.settings().language.resolve(&link::ui_language()));
        ContextUsage { tokens: self.chat.threads.tokens(thread, &rules), of: self.connection().window }
    }

    fn show_usage(&self, thread: &ThreadId) {
        self.panels.send_to_thread(thread, [ChatEvent::Usage { usage: self.usage(thread) }]);
    }

    /// The model in use is another, or more is known of it.
    fn show_usages(&self) {
        for thread in self.panels.shown_threads() {
            self.show_usage(&thread);
        }
    }

    /// What a turn goes by from now on.
    fn rules(&self, language: Language) -> Rules {
        let Settings { mode, limits, .. } = *self.settings.settings();
        Rules { mode, limits, language, today: clock::today(language) }
    }

    /// To the model that the user chose.
    fn connection(&self) -> Connection {
        self.settings.connection(&self.settings.chosen())
    }

    fn settings_view(&self) -> SettingsView {
        self.settings.view(language_model::is_known())
    }

    fn show_settings(&self) {
        let settings = Box::new(self.settings_view());
        self.panels.send_to_all(&PanelEvent::Settings(SettingsEvent::Changed { settings }));
    }

    /// The language that a panel speaks.
    fn language(&self, link: LinkId) -> Language {
        self.panels.language(link, self.settings.settings())
    }

    fn relay_said(&mut self, text: &str, sender: RelaySender, done: impl FnOnce() + 'static) {
        let (tab, is_active) = (sender.tab(), sender.is_active());
        match self.tabs.relay_said(text, sender.into(), is_active) {
            RelayNews::BridgeMissing(place) => return tabs::put_bridge_into(place, done),
            RelayNews::Nothing => {}
            RelayNews::Tools => self.show_page_of(tab),
            RelayNews::Interaction(interaction) => {
                self.turns.tell_all(&UserCommand::Interaction(interaction));
            }
        }
        done();
    }

    /// Finds out which tab a window shows.
    async fn look_at(&mut self, window: WindowId) {
        if let Some(tab) = tabs::active_in(window).await {
            self.tabs.shows(window, tab);
        }
    }

    /// Finds out about a tab that no window shows. Says whether it is there.
    async fn look_for(&mut self, tab: TabId) -> bool {
        let found = tabs::get(tab).await;
        found.iter().for_each(|tab| self.tabs.found(tab));
        found.is_some()
    }

    async fn page_ref(&mut self, link: LinkId) -> PageRef {
        let window = self.panels.window(link);
        if let Some(window) = window {
            self.look_at(window).await;
        }
        self.tabs.page_ref(window)
    }

    fn show_page(&self, window: WindowId) {
        let page = self.page_view(window);
        self.panels.send_to_window(window, &PanelEvent::Page(PageEvent::Changed { page }));
    }

    fn show_pages(&self) {
        self.tabs.windows().into_iter().for_each(|window| self.show_page(window));
    }

    /// Shows the windows' pages anew that show this tab, or have it pinned.
    fn show_page_of(&self, tab: TabId) {
        for window in self.tabs.windows() {
            if self.tabs.shown_in(window) == Some(tab) || self.pinned_in(window).contains(&tab) {
                self.show_page(window);
            }
        }
    }

    fn page_view(&self, window: WindowId) -> PageView {
        PageView { pinned: self.tabs.pinned(self.pinned_in(window)), ..self.tabs.view(window) }
    }

    /// The tabs that stay with the thread that a window has open.
    fn pinned_in(&self, window: WindowId) -> &[TabId] {
        self.pins.of(self.panels.thread_in(window), window)
    }

    /// Finds out about the tabs that a worker before this one had pinned. Some may be gone.
    async fn find_pinned(&mut self) {
        for tab in self.pins.all() {
            if !self.look_for(tab).await {
                self.pins.closed(tab).await;
            }
        }
    }
}

/// What Chrome refuses at start is not the user's business, but must not vanish either.
fn report(result: Result<(), sidecar_chrome::ChromeError>) {
    if let Err(error) = result {
        web_sys::console::warn_1(&error.0.into());
    }
}
