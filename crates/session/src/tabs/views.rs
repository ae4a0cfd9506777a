//! Tabs as panels and workbenches show them, and as a message names them.

use sidecar_agent::{PageRef, attached};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::OpenTab;
use sidecar_protocol::page_view::{PageStatus, PageView, PinnedTab};
use sidecar_protocol::{TabId, WindowId};
use sidecar_webmcp::Address;

use super::{TabInfo, TabPort, Tabs};
use crate::key_value::KeyValue;

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// The id of the tab that a window shows, if it has one.
    pub fn shown_in(&self, window: WindowId) -> Option<TabId> {
        self.shown.get(&window)?.id
    }

    /// Pinned tabs as panels show them.
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

    /// The page of a window as panels show it, without pinned tabs.
    pub fn view(&self, window: WindowId) -> PageView {
        self.shown.get(&window).map(|tab| self.view_of(tab)).unwrap_or_default()
    }

    /// The page of a tab as a workbench shows it.
    pub fn view_in(&self, tab: TabId) -> PageView {
        self.known.get(&tab).map(|tab| self.view_of(tab)).unwrap_or_default()
    }

    fn view_of(&self, tab: &TabInfo) -> PageView {
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
            address: self.address_of(tab).map(Box::new),
            status,
            access: self.lasting_access(&address.origin()),
            is_usable: self.is_usable(&tab.url),
            tools: id.map(|id| self.catalogue.summaries(id)).unwrap_or_default(),
            total_tools: id.map_or(0, |id| self.catalogue.total(id)),
            pinned: Vec::new(),
        }
    }

    /// A tab that a message may name; `None` for a hidden site and for pages that no extension may know.
    pub fn nameable(&self, tab: &TabInfo) -> Option<OpenTab> {
        Some(OpenTab { tab_id: tab.id?, address: self.address_of(tab)? })
    }

    /// Title, origin and path of a tab's page, as they go with a message.
    fn address_of(&self, tab: &TabInfo) -> Option<Attachment> {
        let address = Address::of(&tab.url);
        let is_known = match address.status() {
            PageStatus::Ready | PageStatus::Loading | PageStatus::Insecure | PageStatus::Blocked => true,
            PageStatus::Restricted => false,
        };
        let origin = address.origin();
        let is_told = is_known && !self.grants.hidden().hides(&origin);
        is_told.then(|| attached::address(&origin, address.site(), &tab.title, &tab.url)).flatten()
    }

    /// The tab that a window shows, as the browser last described it.
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
}
