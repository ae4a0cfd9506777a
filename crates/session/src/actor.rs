//! The actor: a single task that owns all state of the worker and handles one event after another. Tasks that
//! it starts post their results as events.
//!
//! This module routes events of the browser and of turns to the modules they concern; the submodules answer
//! requests of panels, one module per domain. Disk work that may take long runs in tasks of its own
//! ([`Actor::later`]), so that nothing waits for it.

use futures::channel::mpsc::UnboundedReceiver;
use futures::{FutureExt, StreamExt, join};
use sidecar_agent::browser_tools::SCREENSHOT;
use sidecar_agent::{Connection, Rules, UserCommand};
use sidecar_protocol::link::{
    Answer, CallsEvent, Command, EvalsEvent, PanelEvent, Refusal, Reply, Request, RequestId, SettingsEvent,
    ThreadsEvent,
};
use sidecar_protocol::settings::{Language, Settings, SettingsView};
use sidecar_protocol::{ThreadId, ToolRef};

use self::code_parts::CodeParts;
use self::history::History;
use self::page_calls::PageCalls;
use self::replies::{Answered, Replies};
use crate::access::ThreadAccess;
use crate::attention::Attention;
use crate::browser::{BrowserPort, StorageArea};
use crate::chat::Chat;
use crate::evals::{Evals, under_way};
use crate::event::{Asker, BrowserEvent, RequestEvent, SessionEvent, TurnEvent, WorkEvent};
use crate::grants::GrantStore;
use crate::lint_rules::LintRules;
use crate::page_definitions::PageDefinitions;
use crate::panels::{LinkId, PanelPort, Panels};
use crate::pins::Pins;
use crate::queue::Queue;
use crate::refusals;
use crate::settings::SettingsStore;
use crate::skills::Skills;
use crate::tabs::Tabs;
use crate::threads::Threads;
use crate::tool_runs::ToolRuns;
use crate::turns::Turns;
use crate::unfinished::UnfinishedThreads;

mod calls;
mod chat;
pub mod code_parts;
mod eval_page;
pub mod eval_task;
mod evals;
pub mod hand_run_task;
mod history;
mod models;
mod page;
pub mod page_call_task;
mod page_calls;
mod policies;
mod registrations;
mod replies;
mod result_pictures;
mod runs;
mod settings;
mod skill_commands;
mod skill_instructions;
pub mod skill_look;
mod skills;
mod threads;
mod turn;
pub mod turn_task;
mod turn_tools;
mod welcome;

/// The worker's state.
#[derive(Debug)]
pub struct Actor<B: BrowserPort> {
    browser: B,
    settings: SettingsStore<B::Storage>,
    panels: Panels<B::Storage, Box<dyn PanelPort>>,
    pins: Pins<B::Storage>,
    access: ThreadAccess<B::Storage>,
    tabs: Tabs<B::Storage, B>,
    history: History<B>,
    chat: Chat<B::Storage, B, B::Disk>,
    turns: Turns,
    attention: Attention,
    skills: Skills<B::Storage>,
    page_calls: PageCalls,
    tool_runs: ToolRuns<B::Storage>,
    evals: Evals,
    lint_rules: LintRules<B::Storage>,
    page_definitions: PageDefinitions<B::Storage>,
}

impl<B: CodeParts> Actor<B> {
    /// Resumes what the previous worker left unfinished, then handles events until the worker ends. After
    /// each event, `keep_awake` is told whether the worker must stay alive because a temporary thread exists
    /// only in its memory.
    pub async fn run(
        browser: B,
        turns: Turns,
        mut events: UnboundedReceiver<SessionEvent>,
        mut keep_awake: impl FnMut(bool),
    ) {
        let mut actor = Self::load(browser, turns).await;
        // Before any event: a panel could start the same turn a second time.
        actor.revive().await;
        let mut is_badge_old = !actor.browser.is_private();
        while let Some(event) = events.next().await {
            let is_port = matches!(event, SessionEvent::PanelConnected { .. });
            actor.deal_with(event).await;
            actor.end_lost_page_calls();
            actor.show_approvals();
            // The icon may bear the badge of a previous worker. A panel that opens is answered first.
            if !is_port && std::mem::take(&mut is_badge_old) {
                actor.browser.paint_icon(actor.attention.is_wanted());
            }
            keep_awake(actor.chat.threads.has_temporary());
        }
    }

    /// Reads the saved state. All reads run at once, because a panel that opens waits for them.
    async fn load(browser: B, turns: Turns) -> Self {
        let area = |area| browser.storage(area);
        let session = area(StorageArea::Session);
        let (settings, grants, panels, pins, access, queue, unfinished, left) = join!(
            SettingsStore::load(area(StorageArea::Choices)),
            GrantStore::load(area(StorageArea::Choices)),
            Panels::load(area(StorageArea::Session)),
            Pins::load(area(StorageArea::Session)),
            ThreadAccess::load(area(StorageArea::Session)),
            Queue::load(area(StorageArea::Conversations)),
            UnfinishedThreads::load(area(StorageArea::Session), browser.clone()),
            under_way::left(&session),
        );
        let disk = browser.open_disk(settings.settings().calls_kept);
        let threads = Threads::new(disk.clone(), turns.clone());
        Self {
            settings,
            panels,
            pins,
            access,
            tabs: Tabs::new(browser.clone(), grants),
            history: History::new(browser.clone(), disk),
            chat: Chat::new(threads, queue, turns.clone(), unfinished, browser.is_private()),
            turns,
            attention: Attention::default(),
            skills: Skills::default(),
            page_calls: PageCalls::default(),
            lint_rules: LintRules::new(area(StorageArea::Choices)),
            evals: Evals::new(left.filter(|_| !browser.is_private())),
            tool_runs: ToolRuns::new((!browser.is_private()).then(|| area(StorageArea::Session))),
            page_definitions: PageDefinitions::new(
                (!browser.is_private()).then(|| area(StorageArea::Session)),
            ),
            browser,
        }
    }

    /// Resumes what the previous worker left unfinished.
    async fn revive(&mut self) {
        self.find_pinned().await;
        self.revive_unfinished().await;
    }

    async fn revive_unfinished(&mut self) {
        if self.chat.has_unfinished() || self.evals.is_left() {
            B::revive_turns(self).await;
        }
    }

    async fn deal_with(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::PanelConnected { link, port } => self.panels.connected(link, port),
            SessionEvent::PanelAsked {
                link, request: Request { id, body: Command::Hello(hello) }, ..
            } => {
                self.hello(Asker { link, request: id }, hello).await;
            }
            SessionEvent::PanelAsked { link, request, is_told } => {
                B::answer(self, link, request, is_told).await
            }
            SessionEvent::PanelMisread { link } => self.trouble(link, Refusal::Version),
            // Boxed, so that the code of each is compiled with its first event.
            SessionEvent::PanelGone { link } => self.panel_gone(link).boxed_local().await,
            SessionEvent::Browser(event) => self.deal_with_browser(event).boxed_local().await,
            SessionEvent::Work(event) => self.deal_with_work(event),
            SessionEvent::Requested(event) => B::deal_with_requested(self, event).await,
            SessionEvent::Turn(event) => B::deal_with_turn(self, event).await,
        }
    }

    async fn panel_gone(&mut self, link: LinkId) {
        self.panels.gone(link);
        self.history.gone(link);
        self.skills.packages.gone(link);
        self.forget_threads().await;
    }

    async fn deal_with_browser(&mut self, event: BrowserEvent) {
        match event {
            // Pages that were open before the extension have no relay yet.
            BrowserEvent::Installed => {
                self.browser.tabs().await.iter().for_each(|tab| self.tabs.found(tab));
                // An update of the extension takes away what it had registered.
                self.offer_test_bridge().await;
            }
            BrowserEvent::Woken => {
                self.revive_unfinished().await;
                self.chat.clear_alarm_if_empty().await;
            }
            BrowserEvent::RelaySaid { text, place, is_active, done } => {
                self.relay_said(&text, place, is_active, done);
            }
            BrowserEvent::NotificationClicked { tab } => self.browser.show_tab(tab),
            BrowserEvent::TabActivated { tab, window } => {
                self.look_at(window).await;
                self.show_page_of(tab);
            }
            BrowserEvent::TabUpdated { tab } => {
                let id = tab.id;
                self.tabs.updated(tab);
                if let Some(id) = id {
                    self.match_skills(id);
                    self.show_page_of(id);
                }
            }
            BrowserEvent::TabRemoved { tab } => {
                let windows = self.windows_with(tab);
                self.tabs.removed(tab);
                self.skills.forget_tab(tab);
                self.page_calls.forget_tab(tab);
                windows.into_iter().for_each(|window| self.show_page(window));
                self.show_to_workbenches(Some(tab));
                self.pins.closed(tab).await;
            }
            BrowserEvent::TabUnreachable { tab } => {
                self.tabs.set_unreachable(tab);
                self.show_page_of(tab);
            }
            BrowserEvent::DocumentLost { tab, document } => {
                if self.tabs.lost(tab, &document) {
                    self.show_page_of(tab);
                }
            }
        }
    }

    fn deal_with_work(&mut self, event: WorkEvent) {
        match event {
            WorkEvent::CallsChanged => self.panels.send_to_all(&PanelEvent::Calls(CallsEvent::Changed)),
            WorkEvent::Trouble { link: Some(link), why } => self.trouble(link, why),
            WorkEvent::Trouble { link: None, why } => self.panels.send_to_all(&PanelEvent::Trouble(why)),
            WorkEvent::SkillsKnown { texts } => self.skills_known(texts),
            WorkEvent::SkillRead { place, tools } => self.skill_read(place, tools),
            WorkEvent::CodeAccessKnown { access } => self.code_access_known(access),
            WorkEvent::SkillsLooked { look, found, is_over } => self.skills_looked(&look, found, is_over),
        }
    }

    /// Deals with what a task came to that a panel's request started.
    pub async fn deal_with_requested(&mut self, event: RequestEvent) {
        match event {
            RequestEvent::Answered { link, reply } => self.panels.reply(link, &reply),
            RequestEvent::ThreadsChanged { change } => self.threads_changed(change).await,
            RequestEvent::ThreadsListed { number, threads } => {
                if self.history.is_latest_list(number) {
                    self.panels.send_to_all(&PanelEvent::Threads(ThreadsEvent::Listed { threads }));
                }
            }
            RequestEvent::Package(event) => self.deal_with_package(event),
            // On a failure the next listing purges again.
            RequestEvent::PurgeDue => self.history.purge(self.chat.queue.threads()),
            RequestEvent::Purged { gone } => self.forget_purged(&gone).await,
        }
    }

    /// Deals with an event of a turn.
    pub async fn deal_with_turn(&mut self, event: TurnEvent) {
        match event {
            TurnEvent::TabsAwaited { thread, tab, reply } => {
                let tabs = self.pins.of_turn(&thread, tab);
                self.look_again(&tabs);
                self.tabs.wait_for(&tabs, reply);
            }
            TurnEvent::ToolsWanted { tabs, reply } => {
                let mut offers = self.tabs.offers(&self.pins.of_turn(&tabs.thread, tabs.own));
                self.name_skills(&mut offers);
                let pages = self.action_pages(&tabs).await;
                let instructions = self.instructions_for(&tabs).await;
                self.tabs.add_browser_offers(&mut offers, tabs.own, &pages, instructions);
                if self.connection().sees == Some(false) {
                    offers.retain(|offer| offer.tool.name() != SCREENSHOT || offer.tool.page().is_some());
                }
                let _ = reply.send(offers);
            }
            TurnEvent::InTabWanted { tabs, tab, name, reply } => {
                let _ = reply.send(self.in_tab(&tabs, tab, &name).await);
            }
            TurnEvent::TurnTabsWanted { tabs, reply } => drop(reply.send(self.tabs_of_turn(&tabs))),
            TurnEvent::CurrentToolWanted { thread, tool, reply } => {
                let _ = reply.send(match &tool {
                    ToolRef::Browser { .. } => self.tabs.current_browser_tool(&tool, &thread, &self.access),
                    ToolRef::Page(_) | ToolRef::Skill { .. } | ToolRef::Mcp { .. } => {
                        self.tabs.current_tool(&tool)
                    }
                });
            }
            TurnEvent::IsOffWanted { tool, origin, reply } => {
                let _ = reply.send(self.is_switched_off(&tool, &origin));
            }
            TurnEvent::AccessWanted { thread, origins, reply } => {
                let access = |origin: &String| self.tabs.access_to(origin, Some(&thread), &self.access);
                let _ = reply.send(origins.iter().map(access).collect());
            }
            TurnEvent::SkillWaits { interaction } => {
                self.turns.tell_all(&UserCommand::Interaction(interaction));
            }
            TurnEvent::SkillSteps { call, step } => self.turns.tell_all(&UserCommand::Step(call, step)),
            TurnEvent::SkillPlaceWanted { id, reply } => {
                let known = self.skills.known().and_then(|known| known.named(&id));
                let _ = reply.send(known.map(|skill| skill.place.clone()));
            }
            TurnEvent::InstructionsWanted { skill, reply } => {
                let _ = reply.send(self.skills.instructions_of(&skill).map(str::to_owned));
            }
            TurnEvent::SkillRan { run } => self.skill_ran(*run).await,
            TurnEvent::CallAsks { asking } => self.attention.asks(*asking),
            TurnEvent::CallAsksNoMore { call } => self.attention.asks_no_more(&call),
            TurnEvent::CallStopped { call } => drop(self.turns.tell_call(&call, UserCommand::Stop)),
            TurnEvent::CallUnanswered { call } => {
                if self.attention.direct().any(|asking| asking.approval.call_id == call) {
                    self.turns.tell_call(&call, UserCommand::Stop);
                }
            }
            TurnEvent::PageCallOver { call, declined } => self.page_call_over(&call, declined),
            TurnEvent::HandRunOver { run } => self.hand_run_over(*run).await,
            TurnEvent::PageToolsWanted { tab, reply } => drop(reply.send(self.tabs.registered_in(tab))),
            TurnEvent::ConnectionWanted { choice, reply } => {
                let access = self.settings.access(&choice.provider);
                let _ = reply.send(Box::new((self.settings.connection(&choice), access)));
            }
            TurnEvent::EvalGrew { entry, record } => self.eval_grew(*entry, record),
            TurnEvent::EvalForgotten { id } => {
                self.tell_workbenches(&PanelEvent::from(EvalsEvent::Deleted { id }));
            }
            TurnEvent::EvalOver { id, entry } => self.eval_over(&id, entry.map(|entry| *entry)).await,
            TurnEvent::TurnStopped { thread } => self.chat.threads.stop(&thread),
            TurnEvent::SeenWanted { tab, reply } => drop(reply.send(self.tabs.seen(tab))),
            TurnEvent::HiddenSitesWanted { reply } => drop(reply.send(self.tabs.grants.hidden().clone())),
            TurnEvent::ThreadGrew { thread } => self.show_news(&thread).await,
            TurnEvent::ToolsKnown { endpoint, model, takes_tools } => {
                if self.settings.remember_tools(&endpoint, &model, takes_tools).await {
                    self.show_settings();
                }
            }
            TurnEvent::WindowKnown { endpoint, model, window } => {
                if self.settings.remember_window(&endpoint, &model, window).await {
                    self.show_usages();
                }
            }
            TurnEvent::SightKnown { endpoint, model, sees } => {
                if self.settings.remember_sight(&endpoint, &model, sees).await {
                    self.show_settings();
                }
            }
            TurnEvent::TurnEnded { thread, result } => {
                if let Err(error) = result {
                    self.trouble_in(&thread, refusals::storage(error));
                }
                self.turn_ended(&thread).await;
                self.forget_threads().await;
            }
        }
    }

    /// Has the module of its domain answer a request. `is_told` says whether the running turn has already
    /// received it.
    pub async fn answer(&mut self, link: LinkId, Request { id, body }: Request, is_told: bool) {
        let asker = Asker { link, request: id };
        let answered = match body {
            Command::Hello(hello) => return self.hello(asker, hello).await,
            Command::Chat(command) => self.chat(asker, command).await,
            Command::Turn(control) => self.turn(control, is_told).await,
            Command::Threads(command) => self.answer_threads(asker, command).await,
            Command::Page(command) => self.page(asker, command).await,
            Command::Policies(command) => self.policies(asker, command).await,
            Command::Settings(command) => self.answer_settings(asker, command).await,
            Command::Calls(command) => self.calls(asker, command),
            Command::Runs(command) => self.runs(asker, command).await,
            Command::Evals(command) => self.answer_evals(asker, command).await,
            Command::Skills(command) => self.answer_skills(asker, command).await,
        };
        self.reply(link, id, answered);
    }

    /// Replies to a request, unless a task of its own will.
    fn reply(&self, link: LinkId, id: RequestId, answered: Answered) {
        if let Some(result) = answered.transpose() {
            self.panels.reply(link, &Reply { id, result, more: false });
        }
    }

    /// Runs work in a task of its own, which replies with the result.
    fn later(&self, asker: Asker, work: impl Future<Output = Result<Answer, Refusal>> + 'static) -> Answered {
        let replies = self.replies(asker);
        self.browser.spawn_awake(async move { replies.end(work.await) });
        Ok(None)
    }

    /// The means for a task of its own to reply to a request.
    fn replies(&self, asker: Asker) -> Replies<B> {
        Replies::new(self.browser.clone(), asker)
    }

    /// Sends a panel an error that answers none of its requests.
    fn trouble(&self, link: LinkId, why: Refusal) {
        self.panels.send(link, &PanelEvent::Trouble(why));
    }

    /// Sends the panels that show a thread an error about it.
    fn trouble_in(&self, thread: &ThreadId, why: Refusal) {
        self.panels.tell_thread(thread, &PanelEvent::Trouble(why));
    }

    /// If other calls wait for a decision than before, tells every panel which, and notifies the user of new
    /// ones that no panel shows.
    ///
    /// Nothing about a private window is shown outside its panel; the toolbar icon is shared with other
    /// windows.
    fn show_approvals(&mut self) {
        let notices = self.attention.take(self.chat.threads.asking(), &self.panels.shown_threads());
        let Some(notices) = notices else { return };
        self.panels.send_to_all(&PanelEvent::Approvals(self.attention.approvals()));
        if self.browser.is_private() {
            return;
        }
        notices.shown.iter().for_each(|asking| self.browser.notify(asking));
        self.browser.take_notifications_away(&notices.taken_away);
        if notices.has_toggled {
            self.tabs.call_user(self.attention.is_wanted());
            self.browser.paint_icon(self.attention.is_wanted());
        }
    }

    /// Drops threads from memory that no panel shows and no turn runs in.
    async fn forget_threads(&mut self) {
        self.chat.forget_all_but(&self.panels.shown_threads());
        self.pins.keep_only(|thread| self.chat.is_kept(thread)).await;
    }

    /// The current rules for a turn in this language.
    fn rules(&self, language: Language) -> Rules {
        let Settings { mode, limits, .. } = *self.settings.settings();
        Rules { mode, limits, language, today: self.browser.today(language) }
    }

    /// The connection to the chosen model.
    fn connection(&self) -> Connection {
        self.settings.connection(&self.settings.chosen())
    }

    fn settings_view(&self) -> SettingsView {
        self.settings.view(self.browser.has_model())
    }

    fn show_settings(&self) {
        let settings = Box::new(self.settings_view());
        self.panels.send_to_all(&PanelEvent::Settings(SettingsEvent::Changed { settings }));
    }

    /// The language of a panel.
    fn language(&self, link: LinkId) -> Language {
        self.panels.language(link, self.settings.settings())
    }
}

#[cfg(test)]
mod tests;
