//! Page commands: the tools and text of the page that a panel's window shows, and pinned tabs.

use std::pin::pin;

use crate::lint_rules::{RuleNotKept, without};
use futures::channel::oneshot;
use futures::future::{Either, select};
use serde_json::json;
use sidecar_agent::attached::{self, Read, attachment};
use sidecar_agent::browser_tools::{self, PAGE_ACCESS};
use sidecar_agent::model_input::prompt::offered;
use sidecar_agent::{HiddenSites, PageRef, UserCommand};
use sidecar_llm::ToolDefinition;
use sidecar_protocol::attachment::{Attachment, Extract, NotRead};
use sidecar_protocol::link::page::MOST_TABS;
use sidecar_protocol::link::{Answer, PageAnswer, PageCommand, PageEvent, PanelEvent, Refusal};
use sidecar_protocol::lint::{ContractQuestion, ContractView, LintQuestion};
use sidecar_protocol::page_view::PageView;
use sidecar_protocol::settings::Language;
use sidecar_protocol::{FrameId, TabId, ToolRef, WindowId};
use sidecar_webmcp::{Address, Offer, Place, visible};

use super::Actor;
use super::code_parts::CodeParts;
use super::registrations::{told_of, told_of_all};
use super::replies::Answered;
use crate::browser::{BrowserPort, PageTexts, Passage};
use crate::event::{Asker, TurnTabs};
use crate::panels::{LinkId, PanelSight};
use crate::refusals;
use crate::tabs::browser_tools::ActionPage;
use crate::tabs::{Loading, RelayNews, TabInfo};

/// Time limit for reading a page, in milliseconds.
const PATIENCE_MS: u64 = 5_000;

impl<B: CodeParts> Actor<B> {
    pub(super) async fn page(&mut self, asker: Asker, command: PageCommand) -> Answered {
        match command {
            PageCommand::Refresh => {
                if let Some(window) = self.panels.window(asker.link) {
                    self.look_at(window).await;
                }
                if let Some(tab) = self.tab_of(asker.link) {
                    self.tabs.refresh(tab);
                    self.look_again(&[tab]);
                    self.show_page_of(tab);
                }
            }
            PageCommand::Bind { tab_id } => {
                self.find_tab(tab_id).await;
                self.panels.bind(asker.link, tab_id);
                self.show_page_of(tab_id);
            }
            PageCommand::DescribeTool { tool } => {
                let details = self.tabs.details(&tool).map(|(details, _)| details);
                return Ok(Some(Answer::Page(PageAnswer::Tool { details })));
            }
            PageCommand::CheckSchema { tool } => {
                let Some((_, schema)) = self.tabs.details(&tool) else {
                    return Ok(Some(Answer::Page(PageAnswer::SchemaProblem { problem: None })));
                };
                let browser = self.browser.clone();
                return self.later(asker, async move {
                    let problem =
                        if schema.is_empty() { String::new() } else { browser.schema_problem(&schema).await };
                    let problem = visible(&problem).into_owned();
                    Ok(Answer::Page(PageAnswer::SchemaProblem { problem: Some(problem) }))
                });
            }
            PageCommand::OfferedTool { tool } => return Ok(Some(self.offered_tool(&tool))),
            PageCommand::ToolFacts { tool } => {
                let place = self.tabs.place_of(&tool);
                let browser = self.browser.clone();
                return self.later(asker, async move {
                    let told = match place {
                        Some(place) => told_of(&browser, place, Some(tool.name().to_owned())).await,
                        None => None,
                    };
                    Ok(Answer::Page(PageAnswer::ToolFacts { facts: told.map(|told| told.text) }))
                });
            }
            PageCommand::FindTools { text } => {
                let tab = self.tab_of(asker.link);
                let digests = tab.map(|tab| self.tabs.digests_with(tab, &text)).unwrap_or_default();
                return Ok(Some(Answer::Page(PageAnswer::FoundTools { digests })));
            }
            PageCommand::Lint => {
                let tab = self.tab_of(asker.link);
                let places = tab.map(|tab| self.tabs.places(tab)).unwrap_or_default();
                let connection = self.connection();
                let has_model = !connection.model.is_empty();
                let tools = match tab {
                    Some(tab) => self.inspected(tab).await,
                    None => Vec::new(),
                };
                let origin = self.origin_shown(asker.link);
                let off = self.lint_rules.off(&origin).await;
                let mut question = LintQuestion {
                    language: self.language(asker.link),
                    tools,
                    facts: Vec::new(),
                    profile: has_model.then(|| connection.endpoint.profile_name()),
                    on: self.lint_rules.on(&origin).await,
                    run: None,
                };
                let browser = self.browser.clone();
                return self.later(asker, async move {
                    question.facts = told_of_all(&browser, places).await;
                    let notes = browser.lint(&question).await.map(|notes| without(notes, &off));
                    Ok(Answer::Page(PageAnswer::Linted { notes, off, on: question.on }))
                });
            }
            PageCommand::SwitchRule { origin, rule, off } => {
                if origin != self.origin_shown(asker.link) {
                    return Err(Refusal::NotKept);
                }
                let kept = self.lint_rules.switch(&origin, &rule, off).await;
                kept.map_err(|RuleNotKept| Refusal::NotKept)?;
            }
            PageCommand::Contract { before: Some(before), .. } if before.len() > ContractView::MOST_BYTES => {
                return Err(Refusal::BadMessage);
            }
            PageCommand::Contract { taken, before } => {
                let tools = self.tab_of(asker.link).map(|tab| self.tabs.inspected(tab)).unwrap_or_default();
                let question = ContractQuestion { language: self.language(asker.link), tools, taken, before };
                let browser = self.browser.clone();
                return self.later(asker, async move {
                    Ok(Answer::Page(PageAnswer::Contract { view: browser.contract(&question).await }))
                });
            }
            PageCommand::Read { what } => return self.read_page(asker, what).await,
            PageCommand::ListTabs => {
                let tabs = self.browser.tabs().await;
                let tabs = tabs.iter().filter_map(|tab| self.tabs.nameable(tab)).take(MOST_TABS).collect();
                return Ok(Some(Answer::Page(PageAnswer::Tabs { tabs })));
            }
            PageCommand::PinTab { tab_id, pinned } => self.pin(asker.link, tab_id, pinned).await?,
            PageCommand::ShowTab { tab_id } => self.browser.show_tab(tab_id),
            PageCommand::ShowCall { thread_id, call_id } => {
                self.chat.threads.load(&thread_id, self.browser.now()).await.map_err(refusals::unread)?;
                if let Some(tab) = self.chat.threads.tab_of_call(&thread_id, &call_id) {
                    self.browser.show_tab(tab);
                }
            }
        }
        Ok(Some(Answer::Done))
    }

    /// Origin of the page that a panel shows; empty if it has none.
    pub(super) fn origin_shown(&self, link: LinkId) -> String {
        self.tab_of(link).map(|tab| self.tabs.origin_of(tab)).unwrap_or_default()
    }

    /// A tool as the chosen model is offered it.
    fn offered_tool(&self, tool: &ToolRef) -> Answer {
        let connection = self.connection();
        let tabs: Vec<_> = tool.tab().into_iter().collect();
        let offers = self.tabs.offers(&tabs);
        let (definition, lost) = match offers.iter().find(|offer| offer.tool == *tool) {
            Some(offer) => {
                let (ToolDefinition { name, description, parameters }, lost) = offered(offer, &connection);
                let definition = json!({"name": name, "description": description, "parameters": parameters});
                (serde_json::to_string(&definition).ok(), lost)
            }
            None => (None, Vec::new()),
        };
        Answer::Page(PageAnswer::Offered { model: connection.model, definition, lost })
    }

    async fn read_page(&mut self, asker: Asker, what: Extract) -> Answered {
        let Some(window) = self.panels.window(asker.link) else { return Ok(Some(Answer::Done)) };
        self.look_at(window).await;
        let tab = self.tabs.shown(window).cloned();
        let limit = self.settings.settings().limits.result_characters;
        let limit = usize::try_from(limit).unwrap_or(Attachment::MOST_CHARACTERS);
        let (browser, hidden) = (self.browser.clone(), self.tabs.grants.hidden().clone());
        self.later(asker, async move {
            let outcome = match tab {
                Some(tab) => read(&browser, &tab, what, limit, &hidden).await,
                None => Err(NotRead::Restricted),
            };
            Ok(Answer::Page(PageAnswer::Text { outcome }))
        })
    }

    async fn pin(&mut self, link: LinkId, tab: TabId, pinned: bool) -> Result<(), Refusal> {
        let Some(window) = self.panels.window(link) else { return Ok(()) };
        if pinned && !self.find_tab(tab).await {
            return Ok(());
        }
        let thread = self.panels.thread(link);
        let is_set = self.pins.set(thread.as_ref(), window, tab, pinned).await;
        self.show_pages();
        if is_set { Ok(()) } else { Err(Refusal::ManyTabs) }
    }

    pub(super) fn relay_said(
        &mut self,
        text: &str,
        place: Place,
        is_active: bool,
        done: oneshot::Sender<()>,
    ) {
        let (tab, is_top) = (place.tab, place.frame == FrameId::TOP);
        match self.tabs.relay_said(text, place, is_active) {
            RelayNews::BridgeMissing(place) => {
                let browser = self.browser.clone();
                return self.browser.spawn(async move {
                    browser.put_bridge_into(place).await;
                    let _ = done.send(());
                });
            }
            RelayNews::SkillCalled(call) => return self.page_calls(call, done),
            RelayNews::Nothing => {}
            RelayNews::Tools => {
                if is_top {
                    self.see_definitions(tab);
                }
                self.match_skills(tab);
                self.tabs.answer_if_known(tab);
                self.show_page_of(tab);
            }
            RelayNews::Interaction(interaction) => {
                self.turns.tell_all(&UserCommand::Interaction(interaction));
            }
        }
        // Only now: the open message keeps the browser from stopping the worker.
        let _ = done.send(());
    }

    /// Asks the browser which tab a window shows.
    pub(super) async fn look_at(&mut self, window: WindowId) {
        if let Some(tab) = self.browser.active_tab(window).await {
            self.tabs.shows(window, tab);
        }
    }

    /// The tabs that a turn may use, its own first.
    pub(super) fn tabs_of_turn(&self, tabs: &TurnTabs) -> Vec<TabId> {
        let mut all: Vec<TabId> = tabs.own.into_iter().collect();
        let others = self.pins.of_turn(&tabs.thread, None).into_iter().chain(tabs.opened.iter().copied());
        for other in others {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }

    /// The pages that a turn may use or ask for, its own first.
    pub(super) async fn action_pages(&mut self, tabs: &TurnTabs) -> Vec<(TabId, ActionPage)> {
        let mut pages = Vec::new();
        for tab in self.tabs_of_turn(tabs) {
            if tabs.own != Some(tab) {
                self.find_tab(tab).await;
            }
            if let Some(page) = self.tabs.action_page(tab, Some(&tabs.thread), &self.access) {
                pages.push((tab, page));
            }
        }
        pages
    }

    /// One of the browser's own tools as it is for the page of a tab that a call names.
    pub(super) async fn in_tab(&mut self, tabs: &TurnTabs, tab: TabId, name: &str) -> Result<Offer, String> {
        let number = tab.0;
        if !self.tabs_of_turn(tabs).contains(&tab) {
            return Err(format!(
                "Tab {number} is not part of this chat. You can use the tab in front, tabs that the user named with @, \
                 and tabs that you opened. Ask the user to name it."
            ));
        }
        if !self.find_tab(tab).await {
            return Err(format!("Tab {number} is closed."));
        }
        let (Some(page), Some(definition)) =
            (self.tabs.action_page(tab, Some(&tabs.thread), &self.access), browser_tools::named(name))
        else {
            return Err(format!(
                "The page in tab {number} is not open to you: the browser's own pages, files and sites that the user \
                 hides are not."
            ));
        };
        if definition.needs > page.access {
            return Err(format!(
                "The user has not allowed that on the site in tab {number}. Call {PAGE_ACCESS} with this `tabId` first."
            ));
        }
        Ok(self.tabs.browser_offer(definition, tab, &page))
    }

    /// Asks the browser for a tab that need not be active. Returns whether it exists.
    pub(super) async fn find_tab(&mut self, tab: TabId) -> bool {
        let found = self.browser.tab(tab).await;
        found.iter().for_each(|tab| self.tabs.found(tab));
        found.is_some()
    }

    pub(super) async fn page_ref(&mut self, link: LinkId) -> PageRef {
        let window = self.panels.window(link);
        if let Some(window) = window {
            self.look_at(window).await;
        }
        self.tabs.page_ref(window)
    }

    pub(super) fn show_page(&self, window: WindowId) {
        let page = self.page_view(window);
        self.panels.send_to_window(window, &PanelEvent::Page(PageEvent::Changed { page }));
    }

    pub(super) fn show_pages(&self) {
        self.tabs.windows().into_iter().for_each(|window| self.show_page(window));
        self.show_to_workbenches(None);
    }

    /// Sends the page again to the windows that show this tab or have it pinned, and to workbenches that are bound to it.
    pub(super) fn show_page_of(&self, tab: TabId) {
        self.windows_with(tab).into_iter().for_each(|window| self.show_page(window));
        self.show_to_workbenches(Some(tab));
    }

    /// Sends their page to the workbenches that are bound to a tab, or to all.
    pub(super) fn show_to_workbenches(&self, tab: Option<TabId>) {
        for (link, tab) in self.panels.bound(tab) {
            let page = self.bound_view(link, tab);
            self.panels.send(link, &PanelEvent::Page(PageEvent::Changed { page }));
        }
    }

    /// The tab whose page a panel shows.
    pub(super) fn tab_of(&self, link: LinkId) -> Option<TabId> {
        match self.panels.sight(link)? {
            PanelSight::Window(window) => self.tabs.shown_in(window),
            PanelSight::Tab(tab) => Some(tab),
        }
    }

    /// The windows that show this tab or have it pinned.
    pub(super) fn windows_with(&self, tab: TabId) -> Vec<WindowId> {
        let has_it = |window: WindowId| {
            self.tabs.shown_in(window) == Some(tab) || self.pinned_in(window).contains(&tab)
        };
        self.tabs.windows().into_iter().filter(|window| has_it(*window)).collect()
    }

    pub(super) fn page_view(&self, window: WindowId) -> PageView {
        let view = PageView { pinned: self.tabs.pinned(self.pinned_in(window)), ..self.tabs.view(window) };
        self.with_titles(view, self.panels.language_in(window, self.settings.settings()))
    }

    /// The page of a tab, for a workbench.
    pub(super) fn bound_view(&self, link: LinkId, tab: TabId) -> PageView {
        self.with_titles(self.tabs.view_in(tab), self.language(link))
    }

    /// A page with the titles that SKILLs give their tools in a language.
    fn with_titles(&self, mut view: PageView, language: Language) -> PageView {
        for tool in &mut view.tools {
            if let ToolRef::Skill { skill, name, .. } = &tool.tool
                && let Some(title) = self.skills.title_of(skill, name, language.tag())
            {
                tool.title = title;
            }
        }
        view
    }

    /// The tabs pinned to the thread that a window has open.
    pub(super) fn pinned_in(&self, window: WindowId) -> &[TabId] {
        self.pins.of(self.panels.thread_in(window), window)
    }

    /// Asks the browser for the pinned tabs, and unpins those that were closed.
    pub(super) async fn find_pinned(&mut self) {
        for tab in self.pins.all() {
            if !self.find_tab(tab).await {
                self.pins.closed(tab).await;
            }
        }
    }
}

async fn read(
    browser: &impl BrowserPort,
    tab: &TabInfo,
    what: Extract,
    limit: usize,
    hidden: &HiddenSites,
) -> Result<Attachment, NotRead> {
    if hidden.hides(&Address::of(&tab.url).origin()) {
        return Err(NotRead::Hidden);
    }
    if what == Extract::Address {
        let address = Address::of(&tab.url);
        return attached::address(&address.origin(), address.site(), &tab.title, &tab.url)
            .ok_or(NotRead::Restricted);
    }
    let id = tab.id.ok_or(NotRead::Restricted)?;
    let (texts, timer) = (pin!(browser.page_texts(id)), pin!(browser.sleep(PATIENCE_MS)));
    let PageTexts { origin, url, page, selection } = match select(texts, timer).await {
        Either::Left((texts, _)) => texts.ok_or(NotRead::Restricted)?,
        Either::Right(_) => return Err(NotRead::Silent),
    };
    // The tab may have navigated meanwhile.
    if hidden.hides(&origin) || hidden.hides(&Address::of(&url).origin()) {
        return Err(NotRead::Hidden);
    }
    let Passage { text, unread } = match what {
        Extract::Page | Extract::Address => page,
        Extract::Selection => selection,
    };
    let read = Read {
        what,
        origin: &origin,
        site: Address::of(&url).site(),
        text: &text,
        unread: usize::try_from(unread).unwrap_or_default(),
    };
    attachment(read, limit).ok_or(match what {
        Extract::Selection => NotRead::NothingSelected,
        Extract::Page if tab.loading == Loading::Underway => NotRead::Loading,
        Extract::Page | Extract::Address => NotRead::Empty,
    })
}
