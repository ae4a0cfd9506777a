//! The known tabs of the browser: which one each window shows, their tools, and the user's policies for
//! those.

use std::collections::{HashMap, HashSet};

use futures::channel::oneshot;
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, Interaction};
use sidecar_protocol::page::RelayMessage;
use sidecar_protocol::page_view::{PageStatus, ToolDetails};
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_protocol::{CallId, DocumentId, FrameId, TabId, Timestamp, ToolRef, WindowId};
use sidecar_webmcp::{Address, Catalogue, Change, Fingerprint, Place, ToolList};

use crate::grants::{GrantStore, NotKept};
use crate::key_value::KeyValue;

use self::registered::RegisteredSkills;

pub mod browser_tools;
mod listing;
mod registered;
mod skills;
mod views;

/// Text of the badge while a call waits for a decision.
pub const ASKS: &str = "?";

/// Commands for the browser's tabs. None waits for an answer.
pub trait TabPort {
    /// Asks every frame of a tab for its tools. If the tab cannot answer, [`Tabs::set_unreachable`] is called
    /// later.
    fn ask_for_tools(&self, tab: TabId);

    /// Sets the badge text of a tab.
    fn write_badge(&self, tab: TabId, text: &str);
}

/// A tab, as the browser describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabInfo {
    /// Absent for tabs without an id (developer tools).
    pub id: Option<TabId>,
    /// The window it is in.
    pub window: WindowId,
    /// Its address; empty if the extension may not know it.
    pub url: String,
    /// Its title; empty if the extension may not know it.
    pub title: String,
    /// The loading state of its page.
    pub loading: Loading,
    /// Whether Chrome discarded it to save memory.
    pub is_discarded: bool,
    /// The tab in the same window from which it was opened, if the browser knows one.
    pub opener: Option<TabId>,
}

/// The loading state of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loading {
    /// It is loading.
    Underway,
    /// It has loaded.
    Complete,
    /// There is no page.
    #[default]
    None,
}

/// The known tabs.
#[derive(Debug)]
pub struct Tabs<K, P> {
    port: P,
    catalogue: Catalogue,
    /// The user's decisions about tools and sites.
    pub grants: GrantStore<K>,
    /// Whether badges show that a call waits, instead of the number of tools.
    calls_user: bool,
    /// The tab that each window shows. A window whose tab was closed is absent until it shows another.
    shown: HashMap<WindowId, TabInfo>,
    /// The latest description of each tab, shown or not.
    known: HashMap<TabId, TabInfo>,
    /// Tabs that this worker has asked for their tools. For other tabs, only some frames may be known.
    asked: HashSet<TabId>,
    /// Tabs whose page lets no extension in.
    unreachable: HashSet<TabId>,
    /// Tabs whose page is being looked at for SKILLs.
    looking: HashSet<TabId>,
    /// The tools of SKILLs that are registered in pages.
    registered: RegisteredSkills,
    /// Turns that wait for tools of tabs.
    waiting: Vec<WaitingTurn>,
    /// Number of times that the tools of each tab changed.
    revisions: HashMap<TabId, u64>,
}

/// A turn that waits for tools of tabs.
#[derive(Debug)]
struct WaitingTurn {
    /// The tabs whose tools are not known yet.
    missing: Vec<TabId>,
    reply: oneshot::Sender<()>,
}

/// The consequence of a relay's message beyond the state of the tabs.
#[derive(Debug, PartialEq, Eq)]
pub enum RelayNews {
    /// Nothing.
    Nothing,
    /// The tools of its tab changed.
    Tools,
    /// A page started or ended waiting for the user.
    Interaction(Interaction),
    /// The relay's document needs the bridge.
    BridgeMissing(Place),
    /// The page calls a tool of a SKILL.
    SkillCalled(PageCall),
}

/// A call of a SKILL's tool by a script of a page, or by another agent in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCall {
    /// Its document, which is a tab's top one.
    pub place: Place,
    /// Its id.
    pub id: CallId,
    /// The tool's name.
    pub tool: String,
    /// JSON text.
    pub arguments: String,
}

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// Starts without known tabs.
    pub fn new(port: P, grants: GrantStore<K>) -> Self {
        Self {
            port,
            catalogue: Catalogue::default(),
            grants,
            calls_user: false,
            shown: HashMap::new(),
            known: HashMap::new(),
            asked: HashSet::new(),
            unreachable: HashSet::new(),
            looking: HashSet::new(),
            registered: RegisteredSkills::default(),
            waiting: Vec::new(),
            revisions: HashMap::new(),
        }
    }

    /// A window shows a tab. The tab is asked for its tools if necessary.
    pub fn shows(&mut self, window: WindowId, tab: TabInfo) {
        self.found(&tab);
        self.shown.insert(window, tab);
    }

    /// A tab exists, shown or not. It is asked for its tools if necessary.
    pub fn found(&mut self, tab: &TabInfo) {
        self.learn(tab);
        self.ask_if_needed(tab);
    }

    fn learn(&mut self, tab: &TabInfo) {
        if let Some(id) = tab.id {
            self.known.insert(id, tab.clone());
        }
    }

    /// A tab's address, title or state changed.
    pub fn updated(&mut self, tab: TabInfo) {
        let Some(id) = tab.id else { return };
        self.learn(&tab);
        if tab.loading == Loading::Underway {
            self.unreachable.remove(&id);
        }
        if Address::of(&tab.url).status() != PageStatus::Ready && self.catalogue.tab_gone(id) {
            self.changed(id);
        }
        let window = tab.window;
        let is_shown = self.shown.get(&window).is_some_and(|shown| shown.id == tab.id);
        if is_shown {
            // A loading page has no relay yet; when its relay starts, it sends the tools unasked.
            if tab.loading == Loading::Complete {
                self.ask_if_needed(&tab);
            }
            self.shown.insert(window, tab);
        }
    }

    /// A tab was closed.
    pub fn removed(&mut self, tab: TabId) {
        self.catalogue.tab_gone(tab);
        self.shown.retain(|_, shown| shown.id != Some(tab));
        self.known.remove(&tab);
        self.asked.remove(&tab);
        self.unreachable.remove(&tab);
        self.looking.remove(&tab);
        self.registered.forget_tab(tab);
        self.revisions.remove(&tab);
        self.answer_waiting(tab);
    }

    /// A tab turned out to have no tools, because its page lets no extension in.
    pub fn set_unreachable(&mut self, tab: TabId) {
        self.unreachable.insert(tab);
        self.answer_waiting(tab);
    }

    /// A document went away or no longer answers. Returns whether this changes its tab's tools.
    pub fn lost(&mut self, tab: TabId, document: &DocumentId) -> bool {
        let changed = self.catalogue.document_gone(tab, document);
        if changed {
            self.changed(tab);
        }
        changed
    }

    /// Handles a message from a document's relay. `is_active` is false for a document that is prerendered or
    /// in the back/forward cache. Returns what else is to be done.
    pub fn relay_said(&mut self, text: &str, place: Place, is_active: bool) -> RelayNews {
        // It was sent by a newer relay, or is not a message of ours.
        let Ok(message) = serde_json::from_str::<RelayMessage>(text) else { return RelayNews::Nothing };
        let change = match message {
            RelayMessage::ToolsChanged { backend, tools, total, blocked, skills }
            | RelayMessage::ToolsList { backend, tools, total, blocked, skills, .. }
                if is_active =>
            {
                self.unreachable.remove(&place.tab);
                self.registered.told(&place, skills);
                let source = backend.into();
                self.catalogue.update(&place, ToolList { source, tools, total, blocked })
            }
            // A prerendered page, or one that enters the back/forward cache, offers nothing.
            RelayMessage::ToolsChanged { .. } | RelayMessage::ToolsList { .. } => Change::None,
            RelayMessage::PageGone => {
                let known = self.catalogue.document_gone(place.tab, &place.document);
                if known { Change::Tools } else { Change::None }
            }
            RelayMessage::BridgeMissing => return RelayNews::BridgeMissing(place),
            RelayMessage::PageStays => return RelayNews::Nothing,
            RelayMessage::SkillCalled { request_id: id, tool_name: tool, args: arguments } => {
                let is_of_page = is_active && place.frame == FrameId::TOP;
                let call = PageCall { place, id, tool, arguments };
                return if is_of_page { RelayNews::SkillCalled(call) } else { RelayNews::Nothing };
            }
            RelayMessage::UserInteraction { request_id, phase, kind, .. } => {
                // The page called the tool itself.
                let Some(call) = request_id else { return RelayNews::Nothing };
                return RelayNews::Interaction(Interaction {
                    document: Some(place.document),
                    call,
                    phase,
                    kind,
                });
            }
        };
        let is_known = self.asked.contains(&place.tab);
        if is_active && (change == Change::Frames || !is_known) {
            self.ask(place.tab);
        }
        match change {
            Change::None => RelayNews::Nothing,
            Change::Tools | Change::Frames => {
                self.changed(place.tab);
                RelayNews::Tools
            }
        }
    }

    /// Replies when, for each of these tabs, the tools are known or the tab is unreachable or closed.
    pub fn wait_for(&mut self, tabs: &[TabId], reply: oneshot::Sender<()>) {
        let is_missing = |tab: &TabId| {
            let is_known = self.catalogue.knows(*tab) && !self.looking.contains(tab);
            !is_known && !self.unreachable.contains(tab)
        };
        let missing: Vec<TabId> = tabs.iter().copied().filter(is_missing).collect();
        if missing.is_empty() {
            let _ = reply.send(());
            return;
        }
        for tab in &missing {
            if !self.catalogue.knows(*tab) {
                self.ask(*tab);
            }
        }
        self.waiting.retain(|waiting| !waiting.reply.is_canceled());
        self.waiting.push(WaitingTurn { missing, reply });
    }

    /// The current state of a tab's page.
    pub fn seen(&self, tab: TabId) -> Seen {
        Seen {
            address: self.known.get(&tab).map(|tab| tab.url.clone()).unwrap_or_default(),
            revision: self.revisions.get(&tab).copied().unwrap_or_default(),
            tools: self.catalogue.tools(tab).count(),
        }
    }

    /// The current state of a tool, if it still exists.
    pub fn current_tool(&self, tool: &ToolRef) -> Option<CurrentTool> {
        let tool = self.catalogue.find(tool)?;
        Some(self.grants.current_tool(tool, &self.page_origin(&tool.id)))
    }

    /// Host (with port) and origin of the page that has a tool, if the tool still exists.
    pub fn placed(&self, tool: &ToolRef) -> Option<(String, String)> {
        let tool = self.catalogue.find(tool)?;
        Some((Address::of(&tool.origin).site().to_owned(), tool.origin.clone()))
    }

    /// Allows a tool from now on, if its definition is still the one that the user was asked about (`asked`).
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn allow(
        &mut self,
        tool: &ToolRef,
        asked: Option<&Fingerprint>,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        match self.catalogue.find(tool) {
            Some(tool) if asked == Some(tool.fingerprint()) => {
                self.grants.set(tool, Policy::Allow, now).await
            }
            _ => Ok(()),
        }
    }

    /// Sets the policy for a tool of a tab, or for a site; without a policy, removes it. Does
    /// nothing if the tool no longer exists.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn set_policy(
        &mut self,
        tab: Option<TabId>,
        key: &PolicyKey,
        policy: Option<Policy>,
        digest: Option<&str>,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        let Some(policy) = policy else { return self.grants.take_back(key, now).await };
        if let PolicyKey::Site { origin } = key {
            return match policy {
                Policy::Ask => self.grants.set_site_asks(origin, now).await,
                // Tools are allowed one by one, each with its definition; to switch off a site is to hide it.
                Policy::Allow | Policy::Off => Err(NotKept::Refused),
            };
        }
        if let PolicyKey::TestBridge { origin } = key {
            return match policy {
                Policy::Allow => self.grants.allow_test_bridge(origin, now).await,
                Policy::Ask | Policy::Off => Err(NotKept::Refused),
            };
        }
        let Some(tab) = tab else { return Ok(()) };
        match self.catalogue.tools(tab).find(|tool| tool.own_key().as_ref() == Some(key)) {
            Some(tool)
                if policy == Policy::Allow && digest.is_none_or(|seen| *seen != tool.fingerprint().0) =>
            {
                Err(NotKept::Refused)
            }
            Some(tool) => self.grants.set(tool, policy, now).await,
            None => Ok(()),
        }
    }

    /// A tool's full definition and its schema, if the tool still exists.
    pub fn details(&self, tool: &ToolRef) -> Option<(ToolDetails, String)> {
        self.catalogue.details(tool)
    }

    /// The windows whose active tab is known.
    pub fn windows(&self) -> Vec<WindowId> {
        self.shown.keys().copied().collect()
    }

    /// Makes the badges show that a call waits, or the number of tools again.
    pub fn call_user(&mut self, calls: bool) {
        self.calls_user = calls;
        let tabs: HashSet<TabId> = self.catalogue.tabs().collect();
        tabs.into_iter().for_each(|tab| self.write_badge(tab));
    }

    /// Origin of the address of a tool's tab, which also counts for a sandboxed page in it. Empty if the tool
    /// has no tab.
    fn page_origin(&self, tool: &ToolRef) -> String {
        let tab = tool.tab().and_then(|tab| self.known.get(&tab));
        tab.map(|tab| Address::of(&tab.url).origin()).unwrap_or_default()
    }

    /// Asks a tab for its tools again.
    pub fn refresh(&mut self, tab: TabId) {
        self.unreachable.remove(&tab);
        self.ask(tab);
    }

    fn ask_if_needed(&mut self, tab: &TabInfo) {
        let Some(id) = tab.id else { return };
        let can_have_tools = Address::of(&tab.url).status() == PageStatus::Ready && !tab.is_discarded;
        if can_have_tools && !(self.asked.contains(&id) && self.catalogue.knows(id)) {
            self.ask(id);
        }
    }

    fn ask(&mut self, tab: TabId) {
        self.asked.insert(tab);
        self.port.ask_for_tools(tab);
    }

    fn changed(&mut self, tab: TabId) {
        *self.revisions.entry(tab).or_default() += 1;
        self.write_badge(tab);
    }

    /// Replies to who waits for a tab's tools, if they are known, those of SKILLs too.
    pub fn answer_if_known(&mut self, tab: TabId) {
        if self.catalogue.knows(tab) && !self.looking.contains(&tab) {
            self.answer_waiting(tab);
        }
    }

    fn write_badge(&self, tab: TabId) {
        let text = match self.catalogue.tools(tab).count() {
            _ if self.calls_user => ASKS.to_owned(),
            0 => String::new(),
            count @ 1..=999 => count.to_string(),
            _ => "999+".to_owned(),
        };
        self.port.write_badge(tab, &text);
    }

    fn answer_waiting(&mut self, tab: TabId) {
        self.waiting.iter_mut().for_each(|waiting| waiting.missing.retain(|missing| *missing != tab));
        let (ready, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|waiting| waiting.missing.is_empty());
        self.waiting = waiting;
        for WaitingTurn { reply, .. } in ready {
            let _ = reply.send(());
        }
    }
}

#[cfg(test)]
mod tests;
