//! What is known of the browser's tabs: which one each window shows, the tools in them, and what the user said of those.

use std::collections::{HashMap, HashSet};

use futures::channel::oneshot;
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, Interaction, PageRef};
use sidecar_protocol::page::RelayMessage;
use sidecar_protocol::page_view::{PageStatus, PageView, PinnedTab, ToolDetails};
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_protocol::{DocumentId, TabId, Timestamp, ToolRef, WindowId};
use sidecar_webmcp::{Address, Catalogue, Change, Fingerprint, Offer, OfferedTab, Place, ToolList, offer};

use crate::grants::{GrantStore, NotKept};
use crate::key_value::KeyValue;

/// What the icon says while something asks.
pub const ASKS: &str = "?";

/// To the browser's tabs. What is said does not wait for an answer.
pub trait TabPort {
    /// Asks every frame of a tab for its tools. A tab that cannot answer is told of by [`Tabs::is_unreachable`].
    fn ask_for_tools(&self, tab: TabId);

    /// Writes on the icon of a tab.
    fn write_badge(&self, tab: TabId, text: &str);
}

/// A tab, as the browser says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabInfo {
    /// Absent for tabs that are no tabs (developer tools).
    pub id: Option<TabId>,
    /// The window it is in.
    pub window: WindowId,
    /// Its address; empty where we may not know.
    pub url: String,
    /// Its title; empty where we may not know.
    pub title: String,
    /// How far its page is.
    pub loading: Loading,
    /// Whether it was put to sleep.
    pub is_discarded: bool,
}

/// How far a page is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loading {
    /// It loads.
    Underway,
    /// It has loaded.
    Complete,
    /// There is none.
    #[default]
    None,
}

/// The tabs.
#[derive(Debug)]
pub struct Tabs<K, P> {
    port: P,
    catalogue: Catalogue,
    /// What the user said of tools.
    pub grants: GrantStore<K>,
    /// Whether the icon calls the user instead of counting tools.
    calls_user: bool,
    shown: HashMap<WindowId, TabInfo>,
    /// What is known of each tab, shown or not.
    known: HashMap<TabId, TabInfo>,
    /// Tabs that were asked for their tools since this worker started: what is known of the others may be partial.
    asked: HashSet<TabId>,
    /// Tabs whose page lets no extension in.
    unreachable: HashSet<TabId>,
    /// Turns that wait for pages to load.
    waiting: Vec<WaitingTurn>,
    /// How often the tools of each tab have changed.
    revisions: HashMap<TabId, u64>,
}

/// A turn that waits for pages to load.
#[derive(Debug)]
struct WaitingTurn {
    /// The tabs that have not told their tools.
    missing: Vec<TabId>,
    reply: oneshot::Sender<()>,
}

/// What a relay said that concerns more than what is known of tabs.
#[derive(Debug, PartialEq, Eq)]
pub enum RelayNews {
    /// Nothing.
    Nothing,
    /// The tools of its tab changed.
    Tools,
    /// A page begins or ends waiting for the user.
    Interaction(Interaction),
    /// Its document needs the bridge.
    BridgeMissing(Place),
}

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// None are known yet.
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
            waiting: Vec::new(),
            revisions: HashMap::new(),
        }
    }

    /// A window shows a tab, which is asked for its tools.
    pub fn shows(&mut self, window: WindowId, tab: TabInfo) {
        self.found(&tab);
        self.shown.insert(window, tab);
    }

    /// A tab is there, shown or not. It is asked for its tools.
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
            // In a page that still loads nobody listens yet; when its relay comes, it tells the list by itself.
            if tab.loading == Loading::Complete {
                self.ask_if_needed(&tab);
            }
            self.shown.insert(window, tab);
        }
    }

    /// A tab was closed.
    pub fn removed(&mut self, tab: TabId) {
        self.catalogue.tab_gone(tab);
        self.known.remove(&tab);
        self.asked.remove(&tab);
        self.unreachable.remove(&tab);
        self.revisions.remove(&tab);
        self.answer_waiting(tab);
    }

    /// The tab can have no tools.
    pub fn is_unreachable(&mut self, tab: TabId) {
        self.unreachable.insert(tab);
        self.answer_waiting(tab);
    }

    /// A document went away or does not answer any more. Returns whether that changes what its tab offers.
    pub fn lost(&mut self, tab: TabId, document: &DocumentId) -> bool {
        let changed = self.catalogue.document_gone(tab, document);
        if changed {
            self.changed(tab);
        }
        changed
    }

    /// The relay of a document says something; a document that is not active is prepared in the background, or kept for the
    /// way back. Returns what concerns others.
    pub fn relay_said(&mut self, text: &str, place: Place, is_active: bool) -> RelayNews {
        // A message that is none of ours comes from a page's own extension of the protocol, or from a newer relay.
        let Ok(message) = serde_json::from_str::<RelayMessage>(text) else { return RelayNews::Nothing };
        let change = match message {
            RelayMessage::ToolsChanged { backend, tools, total, blocked }
            | RelayMessage::ToolsList { backend, tools, total, blocked, .. }
                if is_active =>
            {
                self.unreachable.remove(&place.tab);
                let source = backend.into();
                self.catalogue.update(&place, ToolList { source, tools, total, blocked })
            }
            // A page that is prepared in the background, or leaves for the back/forward cache, offers nothing.
            RelayMessage::ToolsChanged { .. } | RelayMessage::ToolsList { .. } => Change::None,
            RelayMessage::PageGone => {
                let known = self.catalogue.document_gone(place.tab, &place.document);
                if known { Change::Tools } else { Change::None }
            }
            RelayMessage::BridgeMissing => return RelayNews::BridgeMissing(place),
            RelayMessage::PageStays => return RelayNews::Nothing,
            RelayMessage::UserInteraction { request_id, phase, kind, .. } => {
                // A run that is not ours is the page's own affair.
                let Some(call) = request_id else { return RelayNews::Nothing };
                return RelayNews::Interaction(Interaction { document: place.document, call, phase, kind });
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

    /// Replies when the tools of tabs are known: at once, or when their pages have told.
    pub fn wait_for(&mut self, tabs: &[TabId], reply: oneshot::Sender<()>) {
        let is_missing = |tab: &TabId| !self.catalogue.knows(*tab) && !self.unreachable.contains(tab);
        let missing: Vec<TabId> = tabs.iter().copied().filter(is_missing).collect();
        if missing.is_empty() {
            let _ = reply.send(());
            return;
        }
        missing.iter().for_each(|tab| self.ask(*tab));
        self.waiting.retain(|waiting| !waiting.reply.is_canceled());
        self.waiting.push(WaitingTurn { missing, reply });
    }

    /// What is seen of a tab now.
    pub fn seen(&self, tab: TabId) -> Seen {
        Seen {
            address: self.known.get(&tab).map(|tab| tab.url.clone()).unwrap_or_default(),
            revision: self.revisions.get(&tab).copied().unwrap_or_default(),
            tools: self.catalogue.tools(tab).count(),
        }
    }

    /// A tool as it is now, if it is still there.
    pub fn current_tool(&self, tool: &ToolRef) -> Option<CurrentTool> {
        let tool = self.catalogue.find(tool)?;
        Some(self.grants.current_tool(tool, &self.page_origin(&tool.id)))
    }

    /// Has a tool run without asking from now on, as long as it is what it is held to be now.
    ///
    /// # Errors
    /// When that is not kept.
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

    /// Keeps what the user says of a tool of a window's tab; without a policy, the mode decides. A tool that is gone by
    /// now gets none.
    ///
    /// # Errors
    /// When that is not kept.
    pub async fn set_policy(
        &mut self,
        window: WindowId,
        key: &PolicyKey,
        policy: Option<Policy>,
        digest: Option<&str>,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        let Some(policy) = policy else { return self.grants.take_back(key, now).await };
        if let PolicyKey::Site { origin } = key {
            return match policy {
                Policy::Ask => self.grants.set_site_asks(origin, now).await,
                // Tools are allowed one by one, each as it is defined; a site that is off is hidden.
                Policy::Allow | Policy::Off => Err(NotKept::Refused),
            };
        }
        let Some(tab) = self.shown_in(window) else { return Ok(()) };
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

    /// What its page says of a tool, if it is still there.
    pub fn details(&self, tool: &ToolRef) -> Option<(ToolDetails, String)> {
        self.catalogue.details(tool)
    }

    /// The digests of the tools of a window's tab in which a text stands.
    pub fn digests_with(&self, window: WindowId, text: &str) -> Vec<String> {
        self.shown_in(window).map(|tab| self.catalogue.digests_with(tab, text)).unwrap_or_default()
    }

    /// The windows whose tab is known.
    pub fn windows(&self) -> Vec<WindowId> {
        self.shown.keys().copied().collect()
    }

    /// Has the icon call the user, or count tools again.
    pub fn call_user(&mut self, calls: bool) {
        self.calls_user = calls;
        let tabs: HashSet<TabId> = self.catalogue.tabs().collect();
        tabs.into_iter().for_each(|tab| self.write_badge(tab));
    }

    /// What a model is offered of the tools of tabs: those that are not off. Names do not depend on what is off.
    pub fn offers(&self, tabs: &[TabId]) -> Vec<Offer> {
        let site = |id: &TabId| {
            self.known.get(id).map(|tab| Address::of(&tab.url).site().to_owned()).unwrap_or_default()
        };
        let tabs: Vec<_> = tabs.iter().map(|id| OfferedTab { id: *id, site: site(id) }).collect();
        offer(&self.catalogue, &tabs, |tool| self.grants.is_off(tool, &self.page_origin(&tool.id)))
    }

    /// Origin of the address of a tool's tab: one that a sandboxed page still goes by. Empty for a tool without a tab.
    fn page_origin(&self, tool: &ToolRef) -> String {
        let tab = tool.tab().and_then(|tab| self.known.get(&tab));
        tab.map(|tab| Address::of(&tab.url).origin()).unwrap_or_default()
    }

    /// Asks a tab again.
    pub fn refresh(&mut self, window: WindowId) {
        if let Some(id) = self.shown_in(window) {
            self.unreachable.remove(&id);
            self.ask(id);
        }
    }

    /// The tab that a window shows.
    pub fn shown_in(&self, window: WindowId) -> Option<TabId> {
        self.shown.get(&window)?.id
    }

    /// What a panel shows of tabs that stay with its thread.
    pub fn pinned(&self, tabs: &[TabId]) -> Vec<PinnedTab> {
        let pinned = |id: &TabId| {
            let tab = self.known.get(id)?;
            Some(PinnedTab {
                tab_id: *id,
                site: Address::of(&tab.url).site().to_owned(),
                title: tab.title.clone(),
                tools: self.catalogue.total(*id),
            })
        };
        tabs.iter().filter_map(pinned).collect()
    }

    /// What a panel shows of its window's tab.
    pub fn view(&self, window: WindowId) -> PageView {
        let Some(tab) = self.shown.get(&window) else { return PageView::default() };
        let address = Address::of(&tab.url);
        let id = tab.id;
        let status = match (address.status(), id) {
            (PageStatus::Ready, Some(id)) if self.catalogue.is_blocked(id) => PageStatus::Blocked,
            (PageStatus::Ready, Some(id)) if self.catalogue.knows(id) => PageStatus::Ready,
            (PageStatus::Ready, Some(id)) if self.unreachable.contains(&id) => PageStatus::Restricted,
            (PageStatus::Ready, _) => PageStatus::Loading,
            (status, _) => status,
        };
        PageView {
            tab_id: id,
            site: address.site().to_owned(),
            origin: address.origin(),
            url: tab.url.clone(),
            title: tab.title.clone(),
            status,
            tools: id.map(|id| self.catalogue.summaries(id)).unwrap_or_default(),
            total_tools: id.map_or(0, |id| self.catalogue.total(id)),
            pinned: Vec::new(),
        }
    }

    /// The tab that a window shows.
    pub fn shown(&self, window: WindowId) -> Option<&TabInfo> {
        self.shown.get(&window)
    }

    /// The window's page, for the log.
    pub fn page_ref(&self, window: Option<WindowId>) -> PageRef {
        let Some(tab) = window.and_then(|window| self.shown.get(&window)) else { return PageRef::default() };
        PageRef {
            tab: tab.id,
            site: Address::of(&tab.url).site().to_owned(),
            url: tab.url.clone(),
            title: tab.title.clone(),
        }
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
        if self.catalogue.knows(tab) {
            self.answer_waiting(tab);
        }
        self.write_badge(tab);
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
