//! Runs the browser's own tools: talks with the page actions in a tab's documents, and works with tabs.
//!
//! Page actions are put into a tab only when something is to be read or done there. Each document's copy
//! knows only its own document; here its frames are put together, and one frame asks another whether it is
//! covered. Hidden tabs have slow timers, so the clock of the page actions is ours.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::pin;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::{Either, select};
use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::HiddenSites;
use sidecar_agent::browser_tools::{
    Action, Became, ElementName, Filled, Scroll, Why, done, failed, filled_so_far, note_scroll,
};
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, CallId, PageAccess, TabId, ThreadId};
use sidecar_webmcp::Address;

use self::examine::{ExaminedAction, HandOver};
use self::frames::{ActionFrame, PageSignal, Prefixes, TabFrames};
use self::link::Lost;
use crate::browser::BrowserPort;
use crate::event::{TurnEvent, TurnTabs};
use crate::tabs::Loading;

pub mod acted_mark;
pub mod code;
mod elements;
mod examine;
mod frame_tree;
mod frames;
pub mod health;
mod link;
pub mod page_call;
mod screenshot;
pub mod skill;
mod snapshot;
mod tab_calls;
mod whole_page;

/// Maximum characters of a snapshot or of a part of a text.
const MOST_CHARACTERS: u64 = 16_000;

/// How long a page may take to load after an action, in milliseconds, and how often it is looked at.
const LOADING_LIMIT_MS: u64 = 10_000;
const LOADING_INTERVAL_MS: u64 = 60;

/// How long the documents of a tab may take until the page actions are in them, in milliseconds.
const ATTACH_LIMIT_MS: u64 = 4_000;

/// What a result says after the user pressed something in a page between two calls.
const USER_ACTED: &str = "[The user used the page since your last call; it may have changed.]";

/// What is said of pages that the browser keeps to itself.
const UNREACHABLE: &str = "The browser lets no extension read or use this page.";

/// What is said of a PDF.
const PDF: &str = "This is a PDF. The browser shows it in a viewer of its own, into which no extension can look. Tell the \
                   user; they can copy the part that matters into the chat, or open a page with the same text.";

/// How long the page script waits until an element can be acted on, in milliseconds.
const ACTION_LIMIT_MS: u64 = 5_000;

/// The page actions of one turn. Dropping them ends what runs in pages.
pub struct PageActions<B: BrowserPort> {
    browser: B,
    thread: ThreadId,
    /// The tab to which the turn is bound, if any.
    own: Option<TabId>,
    tabs: RefCell<HashMap<TabId, Rc<TabFrames<B>>>>,
    /// Number of the last document with refs of its own.
    last_prefix: Rc<Cell<u32>>,
    /// What the user is asked about, by call.
    examined: RefCell<HashMap<CallId, ExaminedAction>>,
    /// The field that the user is asked to fill.
    hand_over: RefCell<Option<HandOver<B>>>,
    /// Tabs that this turn opened.
    opened: RefCell<Vec<TabId>>,
    hidden: RefCell<HiddenSites>,
    light: LightWords,
    /// Whether a page removed what says that it is used.
    is_removed: Rc<Cell<bool>>,
    /// Whether the user used a page since the last result.
    has_user_acted: Rc<Cell<bool>>,
    on_stop: Rc<dyn Fn()>,
    /// Whether only the user sees what is read.
    is_for_user: bool,
}

/// What stands in a page while the agent uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LightWords {
    /// That it does.
    pub label: &'static str,
    /// That the user is to fill the field that is lit.
    pub your_turn: &'static str,
    /// On the button that stops it.
    pub stop: &'static str,
}

impl LightWords {
    /// In this language.
    #[must_use]
    pub fn of(language: Language) -> Self {
        match language {
            Language::English => Self {
                label: "WebMCP Sidecar is using this page",
                your_turn: "Your turn here. Then press “Done” in the side panel.",
                stop: "Stop",
            },
            Language::Chinese => Self {
                label: "WebMCP Sidecar 正在使用此页面",
                your_turn: "请在此处完成，然后点侧边栏中的“已完成”。",
                stop: "停止",
            },
        }
    }
}

impl<B: BrowserPort> std::fmt::Debug for PageActions<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageActions").finish_non_exhaustive()
    }
}

/// The page script's answer to an action.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Acted {
    outcome: Option<ActionOutcome>,
    why: Option<Why>,
    target: Option<ElementName>,
    value: Option<String>,
    /// What stands in the fields of a call that filled some.
    filled: Vec<Filled>,
    became: Vec<Became>,
    scrolled: Option<Scrolled>,
}

/// Where a page or a list in it stands now, in CSS pixels.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Scrolled {
    y: f64,
    height: f64,
    view: f64,
}

impl<B: BrowserPort> PageActions<B> {
    /// No page has them yet. `on_stop` is called when the user presses Stop in a page.
    pub fn new(
        browser: B,
        thread: ThreadId,
        own: Option<TabId>,
        language: Language,
        on_stop: impl Fn() + 'static,
    ) -> Self {
        Self {
            browser,
            thread,
            own,
            last_prefix: Rc::default(),
            light: LightWords::of(language),
            is_removed: Rc::default(),
            has_user_acted: Rc::default(),
            on_stop: Rc::new(on_stop),
            is_for_user: false,
            tabs: RefCell::default(),
            examined: RefCell::default(),
            hand_over: RefCell::default(),
            opened: RefCell::default(),
            hidden: RefCell::default(),
        }
    }

    /// The tabs that the turn may use, apart from pinned ones.
    pub fn tabs(&self) -> TurnTabs {
        TurnTabs { thread: self.thread.clone(), own: self.own, opened: self.opened.borrow().clone() }
    }

    /// Learns which sites are hidden now: their frames are not read.
    pub async fn learn_hidden(&self) {
        let (reply, hidden) = oneshot::channel();
        self.browser.post(TurnEvent::HiddenSitesWanted { reply });
        if let Ok(sites) = hidden.await {
            self.hidden.replace(sites);
        }
    }

    /// Does an action.
    pub async fn act(&self, call: &CallId, tool: &str, tab: TabId, action: &Action) -> ToolOutcome {
        match self.try_to_act(call, tool, tab, action).await {
            Ok(outcome) => outcome,
            Err(outcome) => *outcome,
        }
    }

    async fn try_to_act(
        &self,
        call: &CallId,
        tool: &str,
        tab: TabId,
        action: &Action,
    ) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let (frame, approved) = self.approved(call, tool, tab, action).await?;
        if self.is_removed.get() {
            let message =
                "The page removes the sign that it is being used, so nothing is done there.".to_owned();
            let code = ToolFailure::Action(ActionOutcome::Blocked);
            return Err(Box::new(ToolOutcome::Failed { code, message }));
        }
        if action.scroll == Scroll::No && !action.target.is_empty() {
            let light = json!({"do": "light", "on": true, "element": action.target});
            let _ = frame.ask(&self.browser, light, ACTION_LIMIT_MS).await;
        }
        let before = self.address(tab).await;
        let around = self.around(tab).await;
        let mut request = action.request.clone();
        request["do"] = json!("act");
        request["timeout"] = json!(ACTION_LIMIT_MS);
        request["approved"] = approved;
        let acted = match frame.ask(&self.browser, request, link::SILENCE_MS).await {
            Ok(acted) => Acted::deserialize(&acted).unwrap_or_default(),
            // The document went away, which an action may bring about.
            Err(Lost::Left) => return Ok(self.left(tool, tab).await),
            Err(lost_now) => {
                if matches!(lost_now, Lost::Silent | Lost::Stuck) {
                    frame.give_up();
                }
                return Err(lost(lost_now));
            }
        };
        let (after, title) = self.loaded(tab).await;
        let outcome = acted.outcome.unwrap_or(ActionOutcome::Interrupted);
        let opened = self.give_back(tab, around).await;
        let frames = self.tabs.borrow().get(&tab).cloned();
        let other_site = frames.and_then(|frames| frames.other_origin(&frame));
        if outcome != ActionOutcome::Ok {
            let mut failed = failed(outcome, acted.why.as_ref());
            if let ToolOutcome::Failed { message, .. } = &mut failed {
                message.push_str(&match &other_site {
                    None => filled_so_far(&acted.filled),
                    // A reason counts as the page's own text, and these are the frame's.
                    Some(_) if acted.filled.is_empty() => String::new(),
                    Some(_) => format!(" Fields filled before: {}.", acted.filled.len()),
                });
                message.push_str(&opened);
            }
            return Ok(failed);
        }
        let Acted { why, target, value, filled, mut became, scrolled, .. } = acted;
        if let Some(Scrolled { y, height, view }) = scrolled {
            let is_stuck = why.is_some_and(|why| why.code == "atEnd");
            note_scroll(&mut became, is_stuck, y + view >= height - 2.0);
        }
        // A closed channel says that another document came, at whichever address.
        let is_replaced = frame.is_given_up();
        name_download(&mut became, after != before || is_replaced);
        let mut text = done(tool, target.as_ref(), value.as_deref(), &became);
        if filled.len() > 1 {
            text.push_str(&filled_so_far(&filled));
        }
        if after != before {
            text.push_str(&format!(" The tab is now at {after}, {title:?}. Refs of the old page are gone."));
        } else if is_replaced {
            text.push_str(" Its document was loaded anew. Refs of the old one are gone.");
        }
        text.push_str(&opened);
        Ok(match other_site {
            // Names and values of a frame are its own.
            Some(site) => {
                let framed = FrameText { origin: frame.origin.clone(), site, text };
                ToolOutcome::Ok { content: vec![Content::Framed(framed)], page: PageEffect::Stayed }
            }
            None => ToolOutcome::ok(text),
        })
    }

    /// An action began, and its document went away before it told the end.
    async fn left(&self, tool: &str, tab: TabId) -> ToolOutcome {
        let (address, title) = self.loaded(tab).await;
        if address.is_empty() {
            return failed(ActionOutcome::Interrupted, None);
        }
        ToolOutcome::ok(format!(
            "ok: {tool} began, and the page was left before it told more. The tab is now at {address}, {title:?}. \
             Refs of the old page are gone."
        ))
    }

    /// The main text of a page, from a character on.
    pub async fn text(&self, tab: TabId, offset: u64) -> ToolOutcome {
        let read = async {
            let frames = self.frames(tab, PageAccess::Read).await?;
            let top = frames.top().ok_or_else(|| outcome(ActionOutcome::Navigated))?;
            let request = json!({"do": "text", "offset": offset, "maxChars": MOST_CHARACTERS});
            let text = top.ask(&self.browser, request, link::SILENCE_MS).await.map_err(lost)?;
            Ok::<_, Box<ToolOutcome>>((text, frames.all().len() - 1))
        };
        match read.await {
            Ok((text, frames)) => ToolOutcome::ok(read_text(&text, frames)),
            Err(outcome) => *outcome,
        }
    }

    /// The documents of a tab, with the page actions in them. The consent is that for the site whose
    /// document is there now: the tab may have been led elsewhere since the call was judged.
    async fn frames(&self, tab: TabId, needs: PageAccess) -> Result<Rc<TabFrames<B>>, Box<ToolOutcome>> {
        let frames = self.attached(tab).await?;
        if let Some(top) = frames.top()
            && self.access(vec![top.home.clone()]).await.first() < Some(&Some(needs))
        {
            return Err(Box::new(ToolOutcome::Failed { code: ToolFailure::Off, message: String::new() }));
        }
        if frames.top().is_some_and(|top| top.is_pdf) {
            return Err(refused(PDF));
        }
        if let Some(top) = frames.top().filter(|top| !self.is_for_user && !top.is_lit.replace(true)) {
            self.say_in_page(Some(&top), self.light.label).await;
        }
        Ok(frames)
    }

    /// The documents of a tab, with the page actions in them, whoever may use them.
    async fn attached(&self, tab: TabId) -> Result<Rc<TabFrames<B>>, Box<ToolOutcome>> {
        let frames = self
            .tabs
            .borrow_mut()
            .entry(tab)
            .or_insert_with(|| {
                let (is_removed, on_stop) = (self.is_removed.clone(), self.on_stop.clone());
                let has_user_acted = self.has_user_acted.clone();
                let on_event = move |event| match event {
                    PageSignal::Stop => on_stop(),
                    PageSignal::LightRemoved => is_removed.set(true),
                    PageSignal::UserActed => has_user_acted.set(true),
                };
                let is_own = self.own == Some(tab);
                let prefixes = Prefixes::of_tab(is_own, self.last_prefix.clone());
                Rc::new(TabFrames::new(self.browser.clone(), tab, prefixes, Rc::new(on_event)))
            })
            .clone();
        let hidden = self.hidden.borrow().clone();
        let attached = {
            let (attaching, timer) = (frames.attach(&hidden), self.browser.sleep(ATTACH_LIMIT_MS));
            match select(pin!(attaching), pin!(timer)).await {
                Either::Left((attached, _)) => Some(attached),
                Either::Right(_) => None,
            }
        };
        // A dialog of the page stops scripts from being put into it.
        attached.ok_or_else(|| lost(Lost::Silent))?.map_err(|_| refused(UNREACHABLE))?;
        Ok(frames)
    }

    /// The top document of a tab, if it was asked before and, as far as is known, is still there.
    fn open_top(&self, tab: TabId) -> Option<Rc<ActionFrame<B>>> {
        self.tabs.borrow().get(&tab)?.top().filter(|top| !top.is_given_up())
    }

    /// A result, which also tells that the user used a page since the last one.
    pub fn with_user_note(&self, outcome: ToolOutcome) -> ToolOutcome {
        match outcome {
            ToolOutcome::Ok { mut content, page } if self.has_user_acted.take() => {
                content.push(Content::Text(USER_ACTED.to_owned()));
                ToolOutcome::Ok { content, page }
            }
            other => other,
        }
    }

    /// Reads for the user alone: no model sees it, so that every page may be read.
    #[must_use]
    pub fn for_user(self) -> Self {
        Self { is_for_user: true, ..self }
    }

    /// How far this thread may use the pages of these origins.
    async fn access(&self, origins: Vec<String>) -> Vec<Option<PageAccess>> {
        if self.is_for_user {
            return vec![Some(PageAccess::Read); origins.len()];
        }
        let (reply, access) = oneshot::channel();
        let thread = self.thread.clone();
        self.browser.post(TurnEvent::AccessWanted { thread, origins, reply });
        access.await.unwrap_or_default()
    }

    /// Waits until a tab has loaded what it loads. Returns its address and title.
    async fn loaded(&self, tab: TabId) -> (String, String) {
        let mut waited = 0;
        loop {
            self.browser.sleep(LOADING_INTERVAL_MS).await;
            waited += LOADING_INTERVAL_MS;
            let Some(now) = self.browser.tab(tab).await else { return (String::new(), String::new()) };
            if now.loading != Loading::Underway || waited >= LOADING_LIMIT_MS {
                return self.told(&now.url, now.title).await;
            }
        }
    }

    /// Address and title of a page as the model is told them: those of a site that the agent may not use stay its own.
    async fn told(&self, url: &str, title: String) -> (String, String) {
        let origin = Address::of(url).origin();
        if self.hidden.borrow().hides(&origin) {
            return ("a site that the user hides from you".to_owned(), String::new());
        }
        match self.access(vec![origin]).await.first() {
            Some(Some(_)) => (shown_address(url), title),
            Some(None) | None => (tab_calls::ANOTHER_SITE.to_owned(), String::new()),
        }
    }

    async fn address(&self, tab: TabId) -> String {
        match self.browser.tab(tab).await {
            Some(tab) => self.told(&tab.url, String::new()).await.0,
            None => String::new(),
        }
    }
}

/// A page that began to leave, and stayed: where no other one came, what it led to was saved.
fn name_download(became: &mut Vec<Became>, is_elsewhere: bool) {
    let is_leaving = |became: &Became| became.kind == "address" && became.text.is_empty();
    if is_elsewhere {
        became.retain(|became| !is_leaving(became));
    }
    for became in became.iter_mut().filter(|became| is_leaving(became)) {
        "download-link".clone_into(&mut became.kind);
    }
}

/// Origin and path of an address: what stands behind them may be secret.
pub(crate) fn shown_address(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let origin = Address::of(url).origin();
    if origin.is_empty() { Address::of(url).site().to_owned() } else { url[..end].to_owned() }
}

fn outcome(outcome: ActionOutcome) -> Box<ToolOutcome> {
    Box::new(failed(outcome, None))
}

fn refused(why: &str) -> Box<ToolOutcome> {
    let code = ToolFailure::Action(ActionOutcome::Refused);
    Box::new(ToolOutcome::Failed { code, message: why.to_owned() })
}

/// The outcome of a request that got no answer.
fn lost(lost: Lost) -> Box<ToolOutcome> {
    match lost {
        Lost::Gone => outcome(ActionOutcome::Navigated),
        Lost::Left => outcome(ActionOutcome::Interrupted),
        Lost::Failed(message) => {
            Box::new(ToolOutcome::Failed { code: ToolFailure::Action(ActionOutcome::Blocked), message })
        }
        Lost::Silent | Lost::Stuck => {
            let message =
                "The page does not answer. A dialog of the page may be waiting for the user.".to_owned();
            let outcome =
                if lost == Lost::Stuck { ActionOutcome::Interrupted } else { ActionOutcome::Blocked };
            Box::new(ToolOutcome::Failed { code: ToolFailure::Action(outcome), message })
        }
    }
}

/// A part of a page's text, with what comes after it and where the rest is.
fn read_text(read: &Value, frames: usize) -> String {
    let text = |name: &str| read[name].as_str().unwrap_or_default();
    let (offset, total) = (read["offset"].as_u64().unwrap_or(0), read["total"].as_u64().unwrap_or(0));
    let body = text("markdown");
    let end = offset + body.encode_utf16().count() as u64;
    let mut whole = format!("{}\n{}\n\n{body}", text("title"), text("address"));
    if end < total {
        whole.push_str(&format!("\n\n… {} more characters; call page_text with offset {end}.", total - end));
    } else if frames > 0 {
        whole.push_str("\n\n[What is in frames is not in this text; snapshot reads it.]");
    }
    whole
}
