//! The one task that owns all state. It reads its queue, and nothing else changes anything.

use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::saved::Unreadable;
use sidecar_agent::{
    Decided, Event as LogEvent, LlmTransport, PageRef, Rules, StoreError, TurnCommand, trial,
};
use sidecar_chrome::{link, side_panel, storage};
use sidecar_llm::in_words;
use sidecar_protocol::link::{
    Decision, MESSAGE_LIMIT, PanelCommand, Refusal, StorageTrouble, ThreadView, WorkerEvent,
};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{ThreadSummary, Without};
use sidecar_protocol::{CallId, PROTOCOL_VERSION, ThreadId, WindowId};
use wasm_bindgen::JsValue;

use crate::attention::Attention;
use crate::clock::{self, BrowserClock};
use crate::database::{Database, ReadError};
use crate::event::{Event, LinkId, Mailbox};
use crate::grants::GrantStore;
use crate::history::History;
use crate::panels::Panels;
use crate::settings::{SaveError, SettingsStore};
use crate::tabs::{self, Heard, Tabs};
use crate::threads::{Threads, is_temporary};
use crate::unfinished::Unfinished;

/// Earlier threads shown to begin with.
const RECENT: usize = 5;

/// Reads the queue until the worker dies.
pub async fn run(mailbox: Mailbox, mut queue: UnboundedReceiver<Event>) {
    // Before anything can write to it, and before any page could ask.
    report(storage::keep_local_to_trusted_contexts().await);
    wasm_bindgen_futures::spawn_local(async {
        report(side_panel::open_on_action_click().await);
    });
    let settings = SettingsStore::load().await;
    let database = Database::new(mailbox.clone(), settings.settings().calls_kept);
    let mut actor = Actor {
        settings,
        panels: Panels::load().await,
        tabs: Tabs::new(mailbox.clone(), GrantStore::load().await),
        history: History::new(mailbox.clone(), database.clone()),
        threads: Threads::new(mailbox.clone(), database),
        unfinished: Unfinished::load().await,
        attention: Attention::default(),
        mailbox,
    };
    // A worker before this one may have left the icon as it was.
    actor.attention.paint();
    // Before anybody is heard who could begin the same turn once more.
    actor.revive_turns().await;
    while let Some(event) = queue.next().await {
        actor.handle(event).await;
        actor.call_user();
    }
}

struct Actor {
    /// Into its own queue, for tasks that it starts.
    mailbox: Mailbox,
    settings: SettingsStore,
    panels: Panels,
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
                let window = WindowId(tab.window_id);
                if self.tabs.updated(tab) {
                    self.show_page(window);
                }
            }
            Event::TabRemoved { tab } => self.tabs.removed(tab),
            Event::TabUnreachable { tab } => {
                self.tabs.is_unreachable(tab);
                self.show_page_of(tab);
            }
            Event::ToolsWanted { tab, reply } => self.tabs.tools_wanted(tab, reply),
            Event::StandingWanted { tool, reply } => {
                let _ = reply.send(self.tabs.standing(&tool));
            }
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
                self.threads.forget_all_but(&self.panels.shown_threads());
            }
            Event::Answered { link, told } => self.panels.send(link, &told),
            Event::Appended { thread, entry } => {
                if let LogEvent::ModelFailed { error, .. } = &entry.event
                    && let (Some(field), Some((provider, model))) =
                        (error.refused_field(), self.threads.model_asked(&thread))
                {
                    self.settings.remember_refused(&provider, &model, field).await;
                }
                let told = self.threads.appended(&thread, entry);
                self.panels.send_to_thread(&thread, &told);
            }
            Event::Grew { thread, reasoning, text } => {
                let told = self.threads.grew(&thread, reasoning, text);
                self.panels.send_to_thread(&thread, &told);
            }
            Event::ToolsKnown { endpoint, model, takes_tools } => {
                if self.settings.remember_tools(&endpoint, &model, takes_tools).await {
                    self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings.view() });
                }
            }
            Event::CallsChanged => self.panels.send_to_all(&WorkerEvent::CallsChanged),
            // What cannot be removed now is removed when the list is next read.
            Event::Purge => drop(self.history.purge().await),
            Event::TurnEnded { thread, result } => {
                if let Err(error) = result {
                    self.panels.send_to_thread(&thread, &[refused_for_storage(error, String::new())]);
                }
                let told = self.threads.turn_ended(&thread).await;
                self.unfinished.remove(&thread).await;
                self.panels.send_to_thread(&thread, &told);
                self.threads.forget_all_but(&self.panels.shown_threads());
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
            PanelCommand::Send { text } => self.send(link, text).await,
            PanelCommand::Stop => self.tell_turn(link, TurnCommand::Stop),
            PanelCommand::Decide { call_id, decision, edits, words, allow } => {
                if allow && decision == Decision::Run {
                    self.allow(link, &call_id).await;
                }
                self.tell_turn(link, TurnCommand::Decide(call_id, Decided { decision, edits, words }));
            }
            PanelCommand::SetPolicy { key, policy } => {
                if let Some(window) = self.panels.window(link) {
                    self.tabs.set_policy(window, &key, policy).await;
                    self.show_grants();
                }
            }
            PanelCommand::LiftGuard => self.lift_guard(link).await,
            PanelCommand::RestorePolicy { key } => {
                self.tabs.grants.restore(&key).await;
                self.show_grants();
            }
            PanelCommand::Continue { without } => self.take_up(link, without).await,
            PanelCommand::NewThread => {
                self.panels.open_thread(link, None).await;
                self.show_thread(link, None);
                self.threads.forget_all_but(&self.panels.shown_threads());
            }
            PanelCommand::NewTemporary => {
                let thread = self.threads.begin_temporary(new_thread_id());
                self.panels.open_thread(link, Some(thread.clone())).await;
                if let Ok(view) = self.threads.view(&thread).await {
                    self.show_thread(link, view);
                }
                self.threads.forget_all_but(&self.panels.shown_threads());
            }
            PanelCommand::OpenThread { thread_id } => match self.threads.view(&thread_id).await {
                Ok(Some(view)) => {
                    self.panels.open_thread(link, Some(thread_id)).await;
                    self.show_thread(link, Some(view));
                    self.threads.forget_all_but(&self.panels.shown_threads());
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
                drop(self.history.purge().await);
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
            PanelCommand::DeleteThread { thread_id } => match self.history.delete(&thread_id).await {
                Ok(_) => {
                    self.threads.command(&thread_id, TurnCommand::Stop);
                    self.panels.leave_thread(&thread_id).await;
                    self.threads.forget_all_but(&self.panels.shown_threads());
                    self.show_list(link).await;
                }
                Err(error) => self.refuse_for_storage(link, error, String::new()),
            },
            PanelCommand::RestoreThread { thread_id } => match self.history.restore(&thread_id).await {
                Ok(true) => self.show_list(link).await,
                Ok(false) => self.refuse(link, Refusal::NoThread),
                Err(error) => self.refuse_for_storage(link, error, String::new()),
            },
            PanelCommand::ExportThreads { thread_id, form } => {
                let language = self.panels.language(link, self.settings.settings());
                self.history.export(link, thread_id, form, language);
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
            PanelCommand::ListModels => self.list_models(link),
            PanelCommand::TryConnection => self.try_connection(link),
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
            Some(id) => self.threads.view(&id).await.unwrap_or_else(|error| {
                trouble = Some(error);
                None
            }),
            None => None,
        };
        let open = self.panels.thread(link).filter(|_| thread.is_none());
        let is_over = open.as_ref().is_some_and(is_temporary);
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
                settings: self.settings.view(),
                page: self.tabs.view(window),
                thread,
                recent: recent.into_iter().take(RECENT).collect(),
            },
        );
        self.panels.send(link, &WorkerEvent::Grants { grants: self.tabs.grants.list() });
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
            self.tabs.allow(&target.tool, target.fingerprint.as_ref()).await;
            self.show_grants();
        }
    }

    /// What the user said of tools changed: every panel lists it, and shows it with the tools of its page.
    fn show_grants(&self) {
        self.panels.send_to_all(&WorkerEvent::Grants { grants: self.tabs.grants.list() });
        for window in self.tabs.windows() {
            self.show_page(window);
        }
    }

    /// Calls the user where a call asks, and calls off where none does any more.
    fn call_user(&mut self) {
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

    async fn send(&mut self, link: LinkId, text: String) {
        if text.trim().is_empty() || text.chars().count() > MESSAGE_LIMIT {
            return self.refuse(link, Refusal::BadMessage { text });
        }
        let mut open = self.panels.thread(link);
        if let Some(id) = &open {
            // A worker before this one may have had it in memory, or its log may be gone from the disk.
            match self.threads.view(id).await {
                Ok(Some(_)) if self.threads.is_running(id) => {
                    return self.refuse(link, Refusal::Busy { text });
                }
                Ok(Some(_)) => {}
                Ok(None) => open = None,
                Err(error) => return self.refuse_unread(link, error, text),
            }
        }
        let page = self.page_ref(link).await;
        let is_new = open.is_none();
        let thread = open.unwrap_or_else(new_thread_id);
        self.unfinished.add(&thread).await;
        match self.threads.say(&thread, text.clone(), page.clone()).await {
            Ok(told) => {
                self.panels.send_to_thread(&thread, &told);
                if is_new {
                    self.panels.open_thread(link, Some(thread.clone())).await;
                    if let Ok(view) = self.threads.view(&thread).await {
                        self.show_thread(link, view);
                    }
                }
                let language = self.panels.language(link, self.settings.settings());
                self.run(language, &thread, &page).await;
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                self.refuse_for_storage(link, error, text);
            }
        }
    }

    async fn take_up(&mut self, link: LinkId, without: Option<Without>) {
        let Some(thread) = self.panels.thread(link) else { return };
        if let Err(error) = self.threads.view(&thread).await {
            return self.refuse_unread(link, error, String::new());
        }
        if self.threads.is_running(&thread) || !self.threads.can_continue(&thread) {
            return;
        }
        let page = self.page_ref(link).await;
        self.unfinished.add(&thread).await;
        match self.threads.take_up(&thread, page.clone(), without).await {
            Ok(told) => {
                self.panels.send_to_thread(&thread, &told);
                let language = self.panels.language(link, self.settings.settings());
                self.run(language, &thread, &page).await;
            }
            Err(error) => {
                self.unfinished.remove(&thread).await;
                self.refuse_for_storage(link, error, String::new());
            }
        }
    }

    /// Carries on the turns of workers that died.
    async fn revive_turns(&mut self) {
        for thread in self.unfinished.all() {
            if self.threads.is_running(&thread) {
                continue;
            }
            match self.threads.revive(&thread).await {
                Ok(Some(page)) => {
                    let language = self.settings.settings().language.resolve(&link::ui_language());
                    self.run(language, &thread, &page).await;
                }
                Ok(None) => self.unfinished.remove(&thread).await,
                // The next alarm tries again.
                Err(ReadError::Store(error)) => report(Err(sidecar_chrome::ChromeError(error.0))),
                Err(ReadError::Log(_)) => self.unfinished.remove(&thread).await,
            }
        }
    }

    async fn run(&mut self, language: Language, thread: &ThreadId, page: &PageRef) {
        if self.settings.remember_used().await {
            self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings.view() });
        }
        let rules = self.settings.rules(language);
        let told = self.threads.run(thread, rules, self.settings.transport(), page);
        self.panels.send_to_thread(thread, &told);
    }

    fn list_models(&self, link: LinkId) {
        let (transport, rules) = (self.settings.transport(), self.settings.rules(Language::English));
        let mailbox = self.mailbox.clone();
        self.answer_later(link, async move {
            let Rules { endpoint, model, .. } = rules;
            let (models, error) = match transport.models(&endpoint).await {
                Ok(models) => (models, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            let listed = models.iter().find(|listed| listed.id == model).and_then(|listed| listed.tools);
            if let Some(takes_tools) = listed {
                mailbox.post(Event::ToolsKnown { endpoint: endpoint.clone(), model, takes_tools });
            }
            WorkerEvent::Models { provider: endpoint.provider, models, error }
        });
        self.ask_about_model();
    }

    /// Asks the server of the model in use whether it takes tools. It may have been started otherwise since, or with
    /// another model under the same name.
    fn ask_about_model(&self) {
        let (transport, rules) = (self.settings.transport(), self.settings.rules(Language::English));
        let mailbox = self.mailbox.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let Rules { endpoint, model, .. } = rules;
            if let Some(takes_tools) = transport.takes_tools(&endpoint, &model).await {
                mailbox.post(Event::ToolsKnown { endpoint, model, takes_tools });
            }
        });
    }

    fn try_connection(&self, link: LinkId) {
        let (transport, rules) = (self.settings.transport(), self.settings.rules(Language::English));
        let mailbox = self.mailbox.clone();
        let wants_words = self.settings.wants_words(&rules.endpoint.provider);
        self.answer_later(link, async move {
            let Rules { endpoint, model, effort, mut leave_out, .. } = rules;
            // What is known of the model is put to the test, too.
            leave_out.retain(|field| wants_words || field != in_words::TOOLS);
            let trial =
                trial::try_connection(&transport, &BrowserClock, &endpoint, &model, effort, leave_out).await;
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
        match saved {
            Ok(()) => {
                let mode = self.settings.settings().mode;
                self.threads.command_all(&TurnCommand::SetMode(mode));
                self.panels.send_to_all(&WorkerEvent::Settings { settings: self.settings.view() });
                if self.settings.rules(Language::English).takes_tools.is_none() {
                    self.ask_about_model();
                }
            }
            Err(SaveError::BadField(field)) => self.refuse(link, Refusal::BadSetting { field }),
            Err(SaveError::Storage(error)) => {
                let trouble = StorageTrouble::Other;
                self.refuse(link, Refusal::Storage { message: error.0, text: String::new(), trouble });
            }
        }
    }

    async fn page_ref(&mut self, link: LinkId) -> PageRef {
        let window = self.panels.window(link);
        if let Some(window) = window {
            self.tabs.look_at(window).await;
        }
        self.tabs.page_ref(window)
    }

    fn show_page(&self, window: WindowId) {
        self.panels.send_to_window(window, &WorkerEvent::Page { page: self.tabs.view(window) });
    }

    fn show_page_of(&self, tab: sidecar_protocol::TabId) {
        for window in self.tabs.windows_of(tab) {
            self.show_page(window);
        }
    }

    fn show_thread(&self, link: LinkId, thread: Option<ThreadView>) {
        if let Some(window) = self.panels.window(link) {
            self.panels.send_to_window(window, &WorkerEvent::Thread { thread });
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
