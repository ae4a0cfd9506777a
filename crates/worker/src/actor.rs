//! The one task that owns all state. It reads its queue, and nothing else changes anything.

use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::saved::Unreadable;
use sidecar_agent::{
    Connection, Decided, Event as LogEvent, LlmTransport, PageRef, Rules, StoreError, TurnCommand, context,
    trial,
};
use sidecar_chrome::extension::is_private;
use sidecar_chrome::{language_model, link, side_panel, storage};
use sidecar_llm::in_words;
use sidecar_protocol::link::{
    Decision, PageView, PanelCommand, Refusal, ThreadView, WindowTaken, WorkerEvent,
};
use sidecar_protocol::settings::{Language, ModelChoice, Settings, SettingsView};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{CallId, PROTOCOL_VERSION, TabId, ThreadId, WindowId};
use sidecar_session::grants::NotKept;
use sidecar_session::settings::SaveError;
use sidecar_session::{GrantStore, Pins, Queue, SettingsStore};
use wasm_bindgen::JsValue;

use crate::attention::Attention;
use crate::clock::{self, BrowserClock};
use crate::database::{Database, ReadError};
use crate::event::{Event, LinkId, Mailbox};
use crate::history::History;
use crate::panels::Panels;
use crate::storage::Store;
use crate::tabs::{self, Heard, Tabs};
use crate::threads::{Said, Threads};
use crate::transport::Transport;
use crate::unfinished::Unfinished;

mod reading;
mod turns;
mod unread;

/// Earlier threads shown to begin with.
const RECENT: usize = 5;

/// Reads the queue until the worker dies.
pub async fn run(mailbox: Mailbox, mut events: UnboundedReceiver<Event>) {
    // Before anything can write to it, and before any page could ask.
    report(storage::keep_local_to_trusted_contexts().await);
    wasm_bindgen_futures::spawn_local(async {
        report(side_panel::open_on_action_click().await);
    });
    let settings = SettingsStore::load(Store::Choices).await;
    let database = Database::new(mailbox.clone(), settings.settings().calls_kept);
    let mut actor = Actor {
        settings,
        panels: Panels::load().await,
        pins: Pins::load(Store::Session).await,
        queue: Queue::load(Store::Conversations).await,
        tabs: Tabs::new(mailbox.clone(), GrantStore::load(Store::Choices).await),
        history: History::new(mailbox.clone(), database.clone()),
        threads: Threads::new(mailbox.clone(), database),
        unfinished: Unfinished::load().await,
        attention: Attention::default(),
        mailbox,
    };
    actor.find_pinned().await;
    if !is_private() {
        // A worker before this one may have left the icon as it was.
        actor.attention.paint();
    }
    // Before anybody is heard who could begin the same turn once more.
    actor.revive_turns().await;
    while let Some(event) = events.next().await {
        actor.handle(event).await;
        actor.call_user();
    }
}

struct Actor {
    /// Into its own queue, for tasks that it starts.
    mailbox: Mailbox,
    settings: SettingsStore<Store>,
    panels: Panels,
    pins: Pins<Store>,
    queue: Queue<Store>,
    tabs: Tabs,
    history: History,
    threads: Threads,
    unfinished: Unfinished,
    attention: Attention,
}

impl Actor {
    async fn handle(&mut self, event: Event) {
        match event {
            Event::Installed => self.tabs.reach_open_tabs().await,
            Event::Woken => {
                self.revive_turns().await;
                self.unfinished.let_sleep().await;
            }
            Event::RelaySaid { text, sender, respond } => {
                let tab = sender.tab();
                // The answer tells the browser that the worker was at work until now.
                let done = move || drop(respond.call1(&JsValue::NULL, &JsValue::from_str("")));
                match self.tabs.relay_said(&text, sender, done) {
                    Heard::Nothing => {}
                    Heard::Tools => self.show_page_of(tab),
                    Heard::Interaction(interaction) => {
                        self.threads.command_all(&TurnCommand::Interaction(interaction));
                    }
                }
            }
            Event::TabActivated { tab, window } => {
                self.tabs.look_at(window).await;
                self.show_page_of(tab);
            }
            Event::TabUpdated { tab } => {
                let id = tab.id.map(TabId);
                self.tabs.updated(tab);
                if let Some(id) = id {
                    self.show_page_of(id);
                }
            }
            Event::TabRemoved { tab } => {
                self.tabs.removed(tab);
                self.show_page_of(tab);
                self.pins.closed(tab).await;
            }
            Event::TabUnreachable { tab } => {
                self.tabs.is_unreachable(tab);
                self.show_page_of(tab);
            }
            Event::ToolsWanted { thread, tab, waits, reply } => {
                let mut tabs = self.pins.of_thread(&thread).to_vec();
                tabs.extend(tab.filter(|tab| !tabs.contains(tab)));
                self.tabs.tools_wanted(tabs, waits, reply);
            }
            Event::StandingWanted { tool, reply } => {
                let _ = reply.send(self.tabs.standing(&tool));
            }
            Event::SeenWanted { tab, reply } => drop(reply.send(self.tabs.seen(tab))),
            Event::HiddenSitesWanted { reply } => drop(reply.send(self.tabs.grants.hidden().clone())),
            Event::NotificationClicked { tab } => tabs::show(tab),
            Event::DocumentLost { tab, document } => {
                if self.tabs.lost(tab, &document) {
                    self.show_page_of(tab);
                }
            }
            Event::PanelConnected { link, port } => self.panels.connected(link, port),
            Event::PanelSaid { link, text } => match serde_json::from_str(&text) {
                Ok(command) => self.obey(link, command).await,
                Err(_) => self.refuse(link, Refusal::Version),
            },
            Event::PanelGone { link } => {
                self.panels.gone(link);
                self.history.gone(link);
                self.forget_threads().await;
            }
            Event::Answered { link, told } => self.panels.send(link, &told),
            Event::Appended { thread, entry } => {
                if let LogEvent::ModelFailed { error, .. } = &entry.event
                    && let (Some(field), Some((provider, model))) =
                        (error.refused_field(), self.threads.model_asked(&thread))
                {
                    self.settings.remember_refused(&ModelChoice { provider, model }, field).await;
                }
                let is_said = context::counts(&entry.event);
                let told = self.threads.appended(&thread, entry);
                self.panels.send_to_thread(&thread, &told);
                if is_said && self.panels.shown_threads().contains(&thread) {
                    self.show_window(&thread);
                }
            }
            Event::Grew { thread, reasoning, text } => {
                let told = self.threads.grew(&thread, reasoning, text);
                self.panels.send_to_thread(&thread, &told);
            }
            Event::TimeRunsOut { thread, until } => {
                let told = self.threads.time_runs_out(&thread, until);
                self.panels.send_to_thread(&thread, &told);
            }
            Event::ToolsKnown { endpoint, model, takes_tools } => {
                if self.settings.remember_tools(&endpoint, &model, takes_tools).await {
                    self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings_view() });
                }
            }
            Event::WindowKnown { endpoint, model, window } => {
                if self.settings.remember_window(&endpoint, &model, window).await {
                    self.show_windows();
                }
            }
            Event::CallsChanged => self.panels.send_to_all(&WorkerEvent::CallsChanged),
            // What cannot be removed now is removed when the list is next read.
            Event::Purge => self.purge().await,
            Event::TurnEnded { thread, result } => {
                if let Err(error) = result {
                    self.refuse_thread(&thread, error);
                }
                let told = self.threads.turn_ended(&thread).await;
                self.panels.send_to_thread(&thread, &told);
                self.after_turn(&thread).await;
                self.forget_threads().await;
            }
        }
    }

    async fn obey(&mut self, link: LinkId, command: PanelCommand) {
        match command {
            PanelCommand::Hello { version, window_id, browser_language } => {
                if version != PROTOCOL_VERSION {
                    return self.refuse(link, Refusal::Version);
                }
                self.panels.said_hello(link, window_id, browser_language);
                self.welcome(link, window_id).await;
            }
            PanelCommand::Send { text, attached } => self.send(link, Said { text, attached }).await,
            PanelCommand::ReadPage { what } => self.read_page(link, what).await,
            PanelCommand::SendQueued => {
                if let Some(thread) = self.resting_thread(link).await {
                    let page = self.page_ref(link).await;
                    self.send_queued(&thread, Some(page)).await;
                }
            }
            PanelCommand::Unqueue { id } => self.unqueue(link, &id).await,
            PanelCommand::Edit { item, text, attached } => {
                self.edit(link, &item, Said { text, attached }).await;
            }
            PanelCommand::AnswerAgain => self.answer_again(link).await,
            PanelCommand::UndoCompaction => self.undo_compaction(link).await,
            PanelCommand::TakeVersion { version } => self.take_version(link, version).await,
            PanelCommand::Stop => self.tell_turn(link, TurnCommand::Stop),
            PanelCommand::Decide { call_id, decision, edits, words, allow, allow_flow } => {
                if allow && decision == Decision::Run {
                    self.allow(link, &call_id).await;
                }
                self.tell_turn(
                    link,
                    TurnCommand::Decide(call_id, Decided { decision, edits, words, allow_flow }),
                );
            }
            PanelCommand::SetPolicy { key, policy } => {
                if let Some(window) = self.panels.window(link) {
                    let kept = self.tabs.set_policy(window, &key, policy).await;
                    self.show_grants(link, kept);
                }
            }
            PanelCommand::LiftGuard => self.lift_guard(link).await,
            PanelCommand::HideSite { origin, hidden } => {
                let kept = self.tabs.grants.hide(&origin, hidden, clock::now()).await;
                self.show_grants(link, kept);
            }
            PanelCommand::RestorePolicy { key } => {
                let kept = self.tabs.grants.restore(&key, clock::now()).await;
                self.show_grants(link, kept);
            }
            PanelCommand::GiveUpUnread { value } => self.give_up_unread(link, value).await,
            PanelCommand::Continue { without } => self.take_up(link, without).await,
            PanelCommand::NewThread => {
                self.panels.open_thread(link, None).await;
                if let Some(window) = self.panels.window(link) {
                    self.pins.clear(window).await;
                }
                self.show_thread(link, None);
                self.forget_threads().await;
            }
            PanelCommand::NewTemporary => {
                let thread = self.threads.begin_temporary(new_thread_id());
                self.panels.open_thread(link, Some(thread.clone())).await;
                if let Ok(view) = self.thread_view(&thread).await {
                    self.show_thread(link, view);
                }
                self.forget_threads().await;
            }
            PanelCommand::OpenThread { thread_id } => match self.thread_view(&thread_id).await {
                Ok(Some(view)) => {
                    self.panels.open_thread(link, Some(thread_id)).await;
                    self.show_thread(link, Some(view));
                    self.forget_threads().await;
                }
                Ok(None) => self.refuse(link, Refusal::NoThread),
                Err(error) => self.refuse_unread(link, error, String::new()),
            },
            PanelCommand::LoadOlder { before } => {
                let thread = self.panels.thread(link);
                let older = thread.and_then(|thread| self.threads.older(&thread, before));
                if let Some((items, more)) = older {
                    self.panels.send(link, &WorkerEvent::Older { items, more });
                }
            }
            PanelCommand::ListThreads => {
                // Of a worker that died before it could.
                self.purge().await;
                match self.history.list().await {
                    Ok(threads) => self.panels.send(link, &WorkerEvent::Threads { threads }),
                    Err(error) => self.refuse_for_storage(link, error, String::new()),
                }
            }
            PanelCommand::Search { number, text } => self.history.search(link, number, &text),
            PanelCommand::RenameThread { thread_id, title } => {
                let renamed = self.history.rename(&thread_id, &title).await;
                self.thread_changed(link, renamed).await;
            }
            PanelCommand::PinThread { thread_id, pinned } => {
                let pinned = self.history.pin(&thread_id, pinned).await;
                self.thread_changed(link, pinned).await;
            }
            PanelCommand::DeleteThread { thread_id } => {
                self.threads.command(&thread_id, TurnCommand::Stop);
                self.delete(link, &thread_id).await;
            }
            PanelCommand::RestoreThread { thread_id } => match self.history.restore(&thread_id).await {
                Ok(true) => self.show_list(link).await,
                Ok(false) => self.refuse(link, Refusal::NoThread),
                Err(error) => self.refuse_for_storage(link, error, String::new()),
            },
            PanelCommand::ExportThreads { thread_id, form } => {
                self.history.export(link, thread_id, form, self.language(link));
            }
            PanelCommand::ImportThreads { text, more } => {
                match self.history.import(link, &text, more, new_thread_id).await {
                    Ok(None) => {}
                    Ok(Some(outcome)) => {
                        self.panels.send(link, &WorkerEvent::Imported { outcome });
                        self.show_list(link).await;
                    }
                    Err(error) => self.refuse_for_storage(link, error, String::new()),
                }
            }
            PanelCommand::ListCalls { filter, before } => match self.history.calls(&filter, before).await {
                Ok(page) => {
                    self.panels.send(link, &WorkerEvent::Calls { older: before.is_some(), page });
                }
                Err(error) => self.refuse_for_storage(link, error, String::new()),
            },
            PanelCommand::ExportCalls { filter } => self.history.export_calls(link, filter),
            PanelCommand::ClearCalls => match self.history.clear_calls().await {
                Ok(()) => self.panels.send_to_all(&WorkerEvent::CallsChanged),
                Err(error) => self.refuse_for_storage(link, error, String::new()),
            },
            PanelCommand::SaveSettings { settings } => {
                let saved = self.settings.save(*settings).await;
                self.settings_saved(link, saved);
                match self.history.keep_calls(self.settings.settings().calls_kept).await {
                    Ok(true) => self.panels.send_to_all(&WorkerEvent::CallsChanged),
                    Ok(false) => {}
                    Err(error) => self.refuse_for_storage(link, error, String::new()),
                }
            }
            PanelCommand::SaveKey { provider, key } => {
                let saved = self.settings.save_key(&provider, &key).await;
                self.settings_saved(link, saved);
            }
            PanelCommand::RefreshTools => {
                if let Some(window) = self.panels.window(link) {
                    self.tabs.look_at(window).await;
                    self.tabs.refresh(window);
                    self.show_page(window);
                }
            }
            PanelCommand::PinTab { tab_id, pinned } => self.pin(link, tab_id, pinned).await,
            PanelCommand::ShowTab { tab_id } => tabs::show(tab_id),
            PanelCommand::ListModels => self.list_models(link),
            PanelCommand::TryConnection => self.try_connection(link),
            PanelCommand::WaitLonger { call_id } => self.tell_turn(link, TurnCommand::WaitLonger(call_id)),
            PanelCommand::ShowPage { call_id } => {
                let thread = self.panels.thread(link);
                if let Some(tab) = thread.and_then(|thread| self.threads.tab_of_call(&thread, &call_id)) {
                    tabs::show(tab);
                }
            }
        }
    }

    async fn welcome(&mut self, link: LinkId, window: WindowId) {
        self.tabs.look_at(window).await;
        let mut trouble = None;
        let thread = match self.panels.thread(link) {
            Some(id) => self.thread_view(&id).await.unwrap_or_else(|error| {
                trouble = Some(error);
                None
            }),
            None => None,
        };
        let open = self.panels.thread(link).filter(|_| thread.is_none());
        let is_over = open.as_ref().is_some_and(ThreadId::is_temporary);
        if is_over {
            self.panels.open_thread(link, None).await;
        }
        let recent = self.history.list().await.unwrap_or_else(|error| {
            trouble = Some(error.into());
            Vec::new()
        });
        self.panels.send(
            link,
            &WorkerEvent::Welcome {
                version: PROTOCOL_VERSION,
                settings: self.settings_view(),
                page: self.page_view(window),
                thread,
                recent: recent.into_iter().take(RECENT).collect(),
            },
        );
        self.panels.send(link, &self.tabs.grants.told());
        self.panels.send(link, &WorkerEvent::Unread { values: self.unread() });
        if let Some(thread) = self.panels.thread(link) {
            self.attention.is_seen(&thread);
        }
        if is_over {
            self.refuse(link, Refusal::TemporaryOver);
        }
        if let Some(error) = trouble {
            self.refuse_unread(link, error, String::new());
        }
    }

    /// A turn that runs calls the guard off itself: nobody else writes to its log.
    async fn lift_guard(&mut self, link: LinkId) {
        let Some(thread) = self.panels.thread(link) else { return };
        if self.threads.is_running(&thread) {
            return self.threads.command(&thread, TurnCommand::LiftGuard);
        }
        match self.threads.lift_guard(&thread).await {
            Ok(told) => self.panels.send_to_thread(&thread, &told),
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    /// Tells panels of a thread whose line in the list was to be changed.
    async fn thread_changed(&mut self, link: LinkId, changed: Result<Option<ThreadSummary>, StoreError>) {
        match changed {
            Ok(Some(summary)) => {
                self.threads.changed(&summary);
                self.show_list(link).await;
            }
            Ok(None) => self.refuse(link, Refusal::NoThread),
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    /// The tool of a call that asks runs without asking from now on.
    async fn allow(&mut self, link: LinkId, call: &CallId) {
        let thread = self.panels.thread(link);
        let target = thread.and_then(|thread| self.threads.target_of_call(&thread, call));
        if let Some(target) = target {
            let kept = self.tabs.allow(&target.tool, target.fingerprint.as_ref()).await;
            self.show_grants(link, kept);
        }
    }

    /// What the user said of tools or sites changed: every panel lists it, and shows it with the tools of its page.
    fn show_grants(&self, link: LinkId, kept: Result<(), NotKept>) {
        self.panels.send_to_all(&self.tabs.grants.told());
        match kept {
            Ok(()) => {}
            Err(NotKept::Refused) => self.refuse(link, Refusal::NotKept),
            Err(NotKept::Unread(value)) => self.refuse_unsaved(link, value, String::new()),
            Err(NotKept::Unsaved(error)) => self.refuse_for_storage(link, error, String::new()),
        }
        for window in self.tabs.windows() {
            self.show_page(window);
        }
    }

    /// Calls the user where a call asks, and calls off where none does any more.
    ///
    /// Nothing of a private window is told outside its panel, and the icon is one for all windows.
    fn call_user(&mut self) {
        if is_private() {
            return;
        }
        if self.attention.take(self.threads.asking(), &self.panels.shown_threads()) {
            self.tabs.call_user(self.attention.is_wanted());
            self.attention.paint();
        }
    }

    /// Tells every panel of the threads there are now.
    async fn show_list(&self, link: LinkId) {
        match self.history.list().await {
            Ok(threads) => self.panels.send_to_all(&WorkerEvent::Threads { threads }),
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    fn list_models(&self, link: LinkId) {
        let Connection { endpoint, model, .. } = self.connection();
        let transport = Transport::to(self.settings.access(&endpoint.provider));
        let mailbox = self.mailbox.clone();
        self.answer_later(link, async move {
            let (models, error) = match transport.models(&endpoint).await {
                Ok(models) => (models, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            let listed = models.iter().find(|listed| listed.id == model);
            if let Some(window) = listed.and_then(|listed| listed.window) {
                let (endpoint, model) = (endpoint.clone(), model.clone());
                mailbox.post(Event::WindowKnown { endpoint, model, window });
            }
            if let Some(takes_tools) = listed.and_then(|listed| listed.tools) {
                mailbox.post(Event::ToolsKnown { endpoint: endpoint.clone(), model, takes_tools });
            }
            WorkerEvent::Models { provider: endpoint.provider, models, error }
        });
        self.ask_about_model();
    }

    /// Asks the server of the model in use whether it takes tools. It may have been started otherwise since, or with
    /// another model under the same name.
    fn ask_about_model(&self) {
        let Connection { endpoint, model, .. } = self.connection();
        let transport = Transport::to(self.settings.access(&endpoint.provider));
        let mailbox = self.mailbox.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(takes_tools) = transport.takes_tools(&endpoint, &model).await {
                mailbox.post(Event::ToolsKnown { endpoint, model, takes_tools });
            }
        });
    }

    fn try_connection(&self, link: LinkId) {
        let mut connection = self.connection();
        let transport = Transport::to(self.settings.access(&connection.endpoint.provider));
        let mailbox = self.mailbox.clone();
        let wants_words = self.settings.wants_words(&connection.endpoint.provider);
        self.answer_later(link, async move {
            // What is known of the model is put to the test, too.
            connection.leave_out.retain(|field| wants_words || field != in_words::TOOLS);
            let trial = trial::try_connection(&transport, &BrowserClock, &connection).await;
            let Connection { endpoint, model, .. } = connection;
            let provider = endpoint.provider.clone();
            if trial.failed.is_none() && !wants_words {
                mailbox.post(Event::ToolsKnown { endpoint, model, takes_tools: !trial.in_words });
            }
            WorkerEvent::Tried { provider, trial }
        });
    }

    /// Answers a panel when something that takes its time is there.
    fn answer_later(&self, link: LinkId, answer: impl Future<Output = WorkerEvent> + 'static) {
        let mailbox = self.mailbox.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let told = Box::new(clock::awake(answer).await);
            mailbox.post(Event::Answered { link, told });
        });
    }

    fn tell_turn(&self, link: LinkId, command: TurnCommand) {
        if let Some(thread) = self.panels.thread(link) {
            self.threads.command(&thread, command);
        }
    }

    fn settings_saved(&self, link: LinkId, saved: Result<(), SaveError>) {
        if let Err(SaveError::Unread(value)) = saved {
            self.refuse_unsaved(link, value, String::new());
        }
        match saved {
            Ok(()) | Err(SaveError::Unread(_)) => {
                let mode = self.settings.settings().mode;
                self.threads.command_all(&TurnCommand::SetMode(mode));
                self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings_view() });
                self.show_unread();
                self.show_windows();
                if self.connection().takes_tools.is_none() {
                    self.ask_about_model();
                }
            }
            Err(SaveError::BadField(field)) => self.refuse(link, Refusal::BadSetting { field }),
            Err(SaveError::Storage(error)) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    async fn delete(&mut self, link: LinkId, thread: &ThreadId) {
        match self.history.delete(thread).await {
            Ok(_) => {
                self.panels.leave_thread(thread).await;
                // Without the tabs that stayed with it.
                self.tabs.windows().into_iter().for_each(|window| self.show_page(window));
                self.forget_threads().await;
                self.show_list(link).await;
            }
            Err(error) => self.refuse_for_storage(link, error, String::new()),
        }
    }

    /// Forgets threads that nobody shows and nothing runs in.
    async fn forget_threads(&mut self) {
        self.threads.forget_all_but(&self.panels.shown_threads());
        let is_kept = |thread: &ThreadId| !thread.is_temporary() || self.threads.is_open(thread);
        self.queue.keep_temporary(is_kept);
        self.pins.keep_only(is_kept).await;
    }

    /// Removes what was deleted for good, and what waited in it. What cannot be removed now is removed another time.
    async fn purge(&mut self) {
        let gone = self.history.purge().await.unwrap_or_default();
        if !gone.is_empty() {
            let _ = self.queue.forget(&gone).await;
            self.show_unread();
        }
        self.pins.keep_only(|thread| !gone.contains(thread)).await;
    }

    /// The thread as panels show it first, with what waits in it and the room that it takes.
    async fn thread_view(&mut self, thread: &ThreadId) -> Result<Option<ThreadView>, ReadError> {
        let view = self.threads.view(thread).await?;
        let (queue, window) = (self.queue.view(thread), self.window_taken(thread));
        Ok(view.map(|view| ThreadView { queue, window, ..view }))
    }

    /// How much of the model's window the thread takes.
    fn window_taken(&self, thread: &ThreadId) -> WindowTaken {
        let connection = self.connection();
        let rules = self.rules(self.settings.settings().language.resolve(&link::ui_language()));
        WindowTaken { tokens: self.threads.tokens(thread, &connection, &rules), of: connection.window }
    }

    fn show_window(&self, thread: &ThreadId) {
        self.panels.send_to_thread(thread, &[WorkerEvent::Window { taken: self.window_taken(thread) }]);
    }

    /// The model in use is another, or more is known of it.
    fn show_windows(&self) {
        for thread in self.panels.shown_threads() {
            self.show_window(&thread);
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

    /// The language that a panel speaks.
    fn language(&self, link: LinkId) -> Language {
        self.panels.language(link, self.settings.settings())
    }

    async fn page_ref(&mut self, link: LinkId) -> PageRef {
        let window = self.panels.window(link);
        if let Some(window) = window {
            self.tabs.look_at(window).await;
        }
        self.tabs.page_ref(window)
    }

    fn show_page(&self, window: WindowId) {
        self.panels.send_to_window(window, &WorkerEvent::Page { page: self.page_view(window) });
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

    async fn pin(&mut self, link: LinkId, tab: TabId, pinned: bool) {
        let Some(window) = self.panels.window(link) else { return };
        if pinned && !self.tabs.look_for(tab).await {
            return;
        }
        let thread = self.panels.thread(link);
        if !self.pins.set(thread.as_ref(), window, tab, pinned).await {
            self.refuse(link, Refusal::ManyTabs);
        }
        self.tabs.windows().into_iter().for_each(|window| self.show_page(window));
    }

    /// Finds out about the tabs that a worker before this one had pinned. Some may be gone.
    async fn find_pinned(&mut self) {
        for tab in self.pins.all() {
            if !self.tabs.look_for(tab).await {
                self.pins.closed(tab).await;
            }
        }
    }

    fn show_thread(&self, link: LinkId, thread: Option<ThreadView>) {
        if let Some(window) = self.panels.window(link) {
            self.panels.send_to_window(window, &WorkerEvent::Thread { thread });
            self.show_page(window);
        }
    }

    fn refuse(&self, link: LinkId, why: Refusal) {
        self.panels.send(link, &WorkerEvent::Refused { why });
    }

    fn refuse_unread(&self, link: LinkId, error: ReadError, text: String) {
        self.panels.send(link, &refused_unread(error, text));
    }

    fn refuse_for_storage(&self, link: LinkId, error: StoreError, text: String) {
        self.panels.send(link, &refused_for_storage(error, text));
    }
}

/// What panels are told when a thread cannot be read.
pub fn refused_unread(error: ReadError, text: String) -> WorkerEvent {
    let why = match error {
        ReadError::Store(error) => return refused_for_storage(error, text),
        ReadError::Log(Unreadable::Newer) => Refusal::NewerThread { text },
        ReadError::Log(Unreadable::Damaged) => Refusal::DamagedThread { text },
    };
    WorkerEvent::Refused { why }
}

/// What panels are told when the database refuses.
pub fn refused_for_storage(error: StoreError, text: String) -> WorkerEvent {
    let trouble = error.trouble();
    WorkerEvent::Refused { why: Refusal::Storage { message: error.0, text, trouble } }
}

fn new_thread_id() -> ThreadId {
    // Threads are made by one worker, by a person's hand: time and a random number tell them apart.
    let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    ThreadId(format!("{:x}-{random:08x}", js_sys::Date::now() as u64))
}

/// What Chrome refuses at start is not the user's business, but must not vanish either.
fn report(result: Result<(), sidecar_chrome::ChromeError>) {
    if let Err(error) = result {
        web_sys::console::warn_1(&error.0.into());
    }
}
