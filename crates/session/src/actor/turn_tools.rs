//! The tools of the tabs that a turn works with.

use std::pin::pin;

use futures::channel::oneshot;
use futures::future::{Either, select};
use sidecar_agent::browser_tools::use_skill::{self, is_use_skill};
use sidecar_agent::browser_tools::{self, BrowserCall, TabCall};
use sidecar_agent::call::{no_provider, outcome_of};
use sidecar_agent::new_page::{self, Location};
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, Examined, HiddenSites, Store as _, Target, ToolHost, instructions};
use sidecar_protocol::content::{Content, Unread};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, DocumentId, FrameId, PageAccess, PageTool, TabId, ThreadId, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Address, Offer};

use crate::actions::skill::SkillCall;
use crate::actions::{PageActions, acted_mark};
use crate::browser::{BrowserPort, ChannelEnd, StorageArea};
use crate::documents::Documents;
use crate::event::{BrowserEvent, TurnEvent, TurnTabs};
use crate::skill_parts::SkillParts;
use crate::skills::reading;
use crate::tabs::Loading;
use crate::threads::ThreadLog;

/// Time limit for a loading page to report its tools, in milliseconds.
const LOADING_LIMIT_MS: u64 = 5_000;

/// How many times the tool of a frame is looked up, and at which interval in milliseconds: frames report
/// later than their page.
const FRAME_TRIES: u32 = 5;
const FRAME_WAIT_MS: u64 = 200;

/// How long a turn waits for the page that a form leads to, and the interval of its checks, in milliseconds;
/// and how many further checks it makes while nothing loads.
const NEW_PAGE_LIMIT_MS: u64 = 10_000;
const NEW_PAGE_INTERVAL_MS: u64 = 200;
const NEW_PAGE_TRIES: u32 = 10;

/// The tools of the tab to which a turn is bound, and of the tabs pinned to its thread.
#[derive(Debug)]
pub struct TabTools<B: BrowserPort> {
    /// The thread.
    pub thread: ThreadId,
    /// The tab to which the turn is bound, if any.
    pub tab: Option<TabId>,
    /// Reaches the actor, which has the catalogue, and the tabs.
    pub browser: B,
    /// Reaches the documents, for calls.
    pub documents: Documents<B>,
    /// Runs the browser's own tools.
    pub actions: PageActions<B>,
    /// Keeps the pictures of results.
    pub log: ThreadLog<B::Disk>,
}

impl<B: SkillParts> ToolHost for TabTools<B> {
    async fn offer(&self) -> Vec<Offer> {
        self.ready().await;
        let (reply, offers) = oneshot::channel();
        self.browser.post(TurnEvent::ToolsWanted { tabs: self.tabs(), reply });
        offers.await.unwrap_or_default()
    }

    async fn in_tab(&self, offer: &Offer, tab: TabId) -> Result<Offer, String> {
        let (reply, there) = oneshot::channel();
        let name = offer.tool.name().to_owned();
        self.browser.post(TurnEvent::InTabWanted { tabs: self.tabs(), tab, name, reply });
        let there = there.await.map_err(|_| "The extension stopped.".to_owned())??;
        Ok(Offer { model_name: offer.model_name.clone(), ..there })
    }

    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        if is_use_skill(tool) {
            return Ok(use_skill::current());
        }
        if let Some(current) = self.tool_now(tool).await {
            return Ok(current);
        }
        // A worker that has just started does not know the page's tools yet.
        self.ready().await;
        let tries = if tool.is_in_frame() { FRAME_TRIES } else { 1 };
        for number in 0..tries {
            if number > 0 {
                self.browser.sleep(FRAME_WAIT_MS).await;
            }
            if let Some(current) = self.tool_now(tool).await {
                return Ok(current);
            }
        }
        Err(self.missing(tool.tab()).await)
    }

    async fn is_switched_off(&self, target: &Target) -> bool {
        is_switched_off(&self.browser, target).await
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        self.browser.mistake(schema, arguments).await
    }

    async fn examine(
        &self,
        call: &CallId,
        tool: &ToolRef,
        arguments: &str,
    ) -> Result<Examined, Box<ToolOutcome>> {
        let (name, tab) = match tool {
            ToolRef::Browser { name, tab: Some(tab) } => (name, *tab),
            ToolRef::Browser { tab: None, .. }
            | ToolRef::Page(_)
            | ToolRef::Skill { .. }
            | ToolRef::Mcp { .. } => return Ok(Examined::default()),
        };
        match browser_tools::read(name, arguments) {
            Ok(BrowserCall::Access(access)) => Ok(Examined { access: Some(access), ..Examined::default() }),
            Ok(BrowserCall::Act(action)) => {
                self.actions.learn_hidden().await;
                self.actions.examine(call, name, tab, &action).await
            }
            Ok(BrowserCall::Tab(TabCall::Navigate(to))) => {
                Ok(self.actions.examine_leaving(name, tab, Some(&to)).await)
            }
            Ok(BrowserCall::Tab(TabCall::Open(url))) => {
                self.actions.learn_hidden().await;
                Ok(self.actions.examine_opening(name, &url))
            }
            Ok(BrowserCall::Tab(TabCall::Close(other))) => {
                Ok(self.actions.examine_leaving(name, other, None).await)
            }
            Ok(
                BrowserCall::Snapshot(_)
                | BrowserCall::Text(_)
                | BrowserCall::Screenshot(_)
                | BrowserCall::Find(_)
                | BrowserCall::Wait(..)
                | BrowserCall::Tab(_),
            ) => Ok(Examined::default()),
            Err(mistake) => Err(Box::new(bad_arguments(mistake))),
        }
    }

    async fn picture(&self, call: &CallId) -> Option<Picture> {
        self.actions.picture(call).await.and_then(|picture| self.log.show_picture(picture))
    }

    async fn dismiss(&self, call: &CallId) {
        self.actions.dismiss(call).await;
    }

    async fn has_done_nothing(&self, call: &CallId) -> bool {
        acted_mark::has_done_nothing(&self.browser.storage(StorageArea::Session), call).await
    }

    fn nfkc(&self, text: &str) -> String {
        self.browser.nfkc(text)
    }

    async fn call(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome {
        let outcome = self.run(call, tool, arguments).await;
        self.keep_pictures(outcome).await
    }

    async fn seen(&self, tool: &ToolRef) -> Seen {
        let Some(tab) = tool.tab() else { return Seen::default() };
        let (reply, seen) = oneshot::channel();
        self.browser.post(TurnEvent::SeenWanted { tab, reply });
        seen.await.unwrap_or_default()
    }

    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome {
        let ToolRef::Page(tool) = tool else { return no_provider() };
        let found = match self.within(NEW_PAGE_LIMIT_MS, self.next_document(tool)).await {
            Some(found) => found,
            // As much of a slowly loading page as has arrived.
            None => {
                let now = self.within(NEW_PAGE_INTERVAL_MS, self.document_now(tool, true)).await;
                now.flatten().ok_or(Unread::Missing)
            }
        };
        let (reply, hidden) = oneshot::channel();
        self.browser.post(TurnEvent::HiddenSitesWanted { reply });
        match (found, hidden.await) {
            (Ok((id, location)), Ok(hidden)) => self.read_document(tool, id, &location, &hidden).await,
            (Ok(_), Err(_)) => new_page::unread(Unread::Missing),
            (Err(why), _) => new_page::unread(why),
        }
    }
}

impl<B: SkillParts> TabTools<B> {
    fn tabs(&self) -> TurnTabs {
        TurnTabs { thread: self.thread.clone(), own: self.tab, ..self.actions.tabs() }
    }

    /// Runs a tool.
    pub(super) async fn run(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome {
        let tool = match tool {
            ToolRef::Page(tool) => tool,
            ToolRef::Browser { .. } if is_use_skill(tool) => return self.instructions(arguments).await,
            ToolRef::Browser { name, tab } => {
                // The tab may have gone to another site since the call was judged.
                return match self.tool_now(tool).await {
                    Some(CurrentTool { policy: Some(Policy::Off), .. }) => off(),
                    Some(_) => self.call_browser(call, name, *tab, arguments).await,
                    None => ToolOutcome::Failed { code: self.missing(*tab).await, message: String::new() },
                };
            }
            ToolRef::Skill { skill, name, tab } => {
                return match self.tool_now(tool).await {
                    Some(CurrentTool { policy: Some(Policy::Off), .. }) => off(),
                    Some(_) => self.call_skill(call, (skill, name, *tab), arguments).await,
                    None => {
                        ToolOutcome::Failed { code: self.missing(Some(*tab)).await, message: String::new() }
                    }
                };
            }
            ToolRef::Mcp { .. } => return no_provider(),
        };
        let outcome = match self.documents.call(call, tool, arguments).await {
            Ok(answer) => outcome_of(answer),
            // The tool did not run.
            Err(ChannelEnd::NeverHeard) => {
                let code = self.missing(Some(tool.tab)).await;
                self.lost(tool);
                return ToolOutcome::Failed { code, message: String::new() };
            }
            Err(ChannelEnd::Gone(message)) => {
                self.lost(tool);
                return ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Navigated), message };
            }
        };
        if outcome == ToolOutcome::left() {
            // The call navigated: from now on the tools are those of the new page.
            self.lost(tool);
        }
        outcome
    }

    /// The outcome with its images kept beside the log: a log of megabytes would be slow to open.
    async fn keep_pictures(&self, outcome: ToolOutcome) -> ToolOutcome {
        let ToolOutcome::Ok { content, page } = outcome else { return outcome };
        let mut kept = Vec::with_capacity(content.len());
        for block in content {
            kept.push(match block {
                Content::Image { mime_type, data } => {
                    let fitted = self.browser.fit_picture(&mime_type, &data).await;
                    let picture = match fitted {
                        Some(fitted) => self.log.keep_picture(fitted).await,
                        None => None,
                    };
                    match picture {
                        Some(picture) => Content::Picture(picture),
                        None => {
                            Content::Text(format!("[an image, {mime_type}, which cannot be shown or kept]"))
                        }
                    }
                }
                block @ (Content::Text(_)
                | Content::Picture(_)
                | Content::Structured(_)
                | Content::Framed(_)) => block,
            });
        }
        ToolOutcome::Ok { content: kept, page }
    }

    /// Runs one of the browser's own tools.
    async fn call_browser(
        &self,
        call: &CallId,
        name: &str,
        tab: Option<TabId>,
        arguments: &str,
    ) -> ToolOutcome {
        let Some(tab) = tab else { return no_provider() };
        let wanted = match browser_tools::read(name, arguments) {
            Ok(wanted) => wanted,
            Err(mistake) => return bad_arguments(mistake),
        };
        self.actions.learn_hidden().await;
        let outcome = match wanted {
            BrowserCall::Access(access) => ToolOutcome::ok(match access {
                PageAccess::Read => {
                    "ok: you may read the pages of this site. The tools for it are offered now."
                }
                PageAccess::Act => {
                    "ok: you may use the pages of this site. The tools for it are offered now."
                }
            }),
            BrowserCall::Snapshot(options) => self.actions.snapshot(tab, options).await,
            BrowserCall::Text(offset) => self.actions.text(tab, offset).await,
            BrowserCall::Screenshot(target) => self.actions.screenshot(tab, target.as_deref()).await,
            BrowserCall::Find(css) => self.actions.find(tab, &css).await,
            BrowserCall::Wait(options, milliseconds) => self.actions.wait(tab, &options, milliseconds).await,
            BrowserCall::Act(action) => self.actions.act(call, name, tab, &action).await,
            BrowserCall::Tab(wanted) => self.actions.work_with_tabs(tab, &wanted).await,
        };
        self.actions.with_user_note(outcome)
    }

    /// The instructions of a SKILL, unless the model still has them.
    async fn instructions(&self, arguments: &str) -> ToolOutcome {
        let skill = match use_skill::wanted(arguments) {
            Ok(skill) => skill,
            Err(mistake) => return bad_arguments(mistake),
        };
        let (reply, digest) = oneshot::channel();
        self.browser.post(TurnEvent::InstructionsWanted { skill: skill.clone(), reply });
        let kept = match digest.await {
            Ok(Some(digest)) => reading::kept(&self.browser, &digest).await,
            Ok(None) | Err(_) => None,
        };
        match kept.map(|kept| kept.instructions) {
            Some(text) if instructions::are_read(&self.log.log(), &skill, &text) => {
                ToolOutcome::ok(use_skill::ALREADY_READ)
            }
            Some(text) => ToolOutcome::ok(text),
            None => bad_arguments(format!("There is no SKILL {skill:?} that is switched on.")),
        }
    }

    /// Runs a tool of a SKILL.
    pub(super) async fn call_skill(
        &self,
        call: &CallId,
        (skill, name, tab): (&str, &str, TabId),
        arguments: &str,
    ) -> ToolOutcome {
        let (reply, place) = oneshot::channel();
        self.browser.post(TurnEvent::SkillPlaceWanted { id: skill.to_owned(), reply });
        let Some(place) = place.await.ok().flatten() else { return no_provider() };
        let actions = &self.actions;
        let outcome = B::run_skill(SkillCall { actions, call, tab, place, name, arguments }).await;
        self.actions.with_user_note(outcome)
    }

    /// Waits until the tools of the tabs are known, or the time limit for loading pages is over.
    async fn ready(&self) {
        let (reply, known) = oneshot::channel();
        self.browser.post(TurnEvent::TabsAwaited { thread: self.thread.clone(), tab: self.tab, reply });
        let _ = self.within(LOADING_LIMIT_MS, known).await;
    }

    /// The current state of a tool, if the actor knows it.
    async fn tool_now(&self, tool: &ToolRef) -> Option<CurrentTool> {
        tool_now(&self.browser, self.thread.clone(), tool).await
    }

    /// The failure of a call whose tool does not exist.
    async fn missing(&self, tab: Option<TabId>) -> ToolFailure {
        let is_there = match tab {
            Some(tab) => self.browser.has(tab).await,
            None => true,
        };
        if is_there { ToolFailure::Page(FailureCode::NotFound) } else { ToolFailure::Unreachable }
    }

    /// Waits for the document that replaces a tool's document after its form was submitted.
    async fn next_document(&self, tool: &PageTool) -> Result<(DocumentId, Location), Unread> {
        let mut still = 0;
        loop {
            if let Some(found) = self.document_now(tool, false).await {
                return Ok(found);
            }
            let tab = self.browser.tab(tool.tab).await.ok_or(Unread::Missing)?;
            // Nothing loads: the form opened another tab or a download, or the new page cannot be read.
            still = if tab.loading == Loading::Complete { still + 1 } else { 0 };
            if still > NEW_PAGE_TRIES {
                let is_restricted =
                    tool.frame == FrameId::TOP && Address::of(&tab.url).status() == PageStatus::Restricted;
                return Err(if is_restricted { Unread::Restricted } else { Unread::Missing });
            }
            self.browser.sleep(NEW_PAGE_INTERVAL_MS).await;
        }
    }

    /// The document now in the frame of a tool's document, with its id from the browser and its address;
    /// `None` if it is still the tool's document or cannot be read.
    async fn document_now(&self, tool: &PageTool, at_once: bool) -> Option<(DocumentId, Location)> {
        self.browser.document_at(tool, at_once).await.filter(|(id, _)| *id != tool.document)
    }

    /// Reads a document, unless its address forbids it.
    async fn read_document(
        &self,
        tool: &PageTool,
        id: DocumentId,
        location: &Location,
        hidden: &HiddenSites,
    ) -> ToolOutcome {
        if let Some(why) = new_page::refusal(&location.origin, &location.url, hidden) {
            return new_page::unread(why);
        }
        match self.within(LOADING_LIMIT_MS, self.browser.new_document(tool.tab, id)).await.flatten() {
            Some(document) => new_page::outcome(&document, hidden),
            None => new_page::unread(Unread::Missing),
        }
    }

    /// The result of work; `None` if it takes longer than this.
    async fn within<T>(&self, milliseconds: u64, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), pin!(self.browser.sleep(milliseconds))).await {
            Either::Left((output, _)) => Some(output),
            Either::Right(_) => None,
        }
    }

    fn lost(&self, tool: &PageTool) {
        self.browser.post(BrowserEvent::DocumentLost { tab: tool.tab, document: tool.document.clone() });
    }
}

/// The current state of a tool, if the actor knows it. Of the browser's own tools, it is that for a thread.
pub(super) async fn tool_now<B: BrowserPort>(
    browser: &B,
    thread: ThreadId,
    tool: &ToolRef,
) -> Option<CurrentTool> {
    let (reply, current) = oneshot::channel();
    browser.post(TurnEvent::CurrentToolWanted { thread, tool: tool.clone(), reply });
    current.await.ok().flatten()
}

/// Whether the user has switched off the tool of a call, on its site or everywhere.
pub(super) async fn is_switched_off<B: BrowserPort>(browser: &B, target: &Target) -> bool {
    let (reply, is_off) = oneshot::channel();
    let (tool, origin) = (target.tool.clone(), target.origin.clone());
    browser.post(TurnEvent::IsOffWanted { tool, origin, reply });
    is_off.await.unwrap_or_default()
}

fn off() -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Off, message: String::new() }
}

fn bad_arguments(message: String) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::BadArguments, message }
}
