//! The browser's own tools on a tab's page: which are offered, and how they are at the moment of a call.

use sidecar_agent::CurrentTool;
use sidecar_agent::browser_tools::{self, BrowserTool, PAGE_ACCESS, access_tool};
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::{PageAccess, TabId, ThreadId, Timestamp, ToolRef};
use sidecar_webmcp::{Address, Fingerprint, MOST_TOOLS, Offer};

use super::{TabPort, Tabs};
use crate::access::ThreadAccess;
use crate::grants::NotKept;
use crate::key_value::KeyValue;

/// What a page is to the browser's tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionPage {
    /// Origin of the tab's address.
    pub origin: String,
    /// Host and port.
    pub site: String,
    /// How far the agent may use it.
    pub access: Option<PageAccess>,
}

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// A tab's page for the browser's tools in a thread; `None` if there are none for it: a page of the
    /// browser, a file, a hidden site.
    pub fn action_page(
        &self,
        tab: TabId,
        thread: Option<&ThreadId>,
        given: &ThreadAccess<K>,
    ) -> Option<ActionPage> {
        let url = &self.known.get(&tab)?.url;
        if !self.is_usable(url) {
            return None;
        }
        let address = Address::of(url);
        let origin = address.origin();
        let access = self.access_to(&origin, thread, given);
        Some(ActionPage { site: address.site().to_owned(), origin, access })
    }

    /// Whether the browser's tools can be used on a page of this address.
    pub fn is_usable(&self, url: &str) -> bool {
        let address = Address::of(url);
        let origin = address.origin();
        address.status() != PageStatus::Restricted
            && !origin.is_empty()
            && !self.grants.hidden().hides(&origin)
    }

    /// How far the agent may use the pages of an origin in a thread; not at all if its site is hidden.
    pub fn access_to(
        &self,
        origin: &str,
        thread: Option<&ThreadId>,
        given: &ThreadAccess<K>,
    ) -> Option<PageAccess> {
        if self.grants.hidden().hides(origin) {
            return None;
        }
        thread.and_then(|thread| given.of(thread, origin)).max(self.lasting_access(origin))
    }

    /// How far the agent may use the pages of an origin in every thread.
    pub fn lasting_access(&self, origin: &str) -> Option<PageAccess> {
        let is_given = |access: &PageAccess| self.grants.allows(&access_tool(*access, origin), origin);
        [PageAccess::Act, PageAccess::Read].into_iter().find(is_given)
    }

    /// Allows the agent to use the pages of an origin in every thread.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn give_access(
        &mut self,
        origin: &str,
        access: PageAccess,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        self.grants.set(&access_tool(access, origin), Policy::Allow, now).await
    }

    /// Allows one of the browser's tools on the pages of an origin from now on, if it is as the user was asked.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn allow_action(
        &mut self,
        tool: &ToolRef,
        origin: &str,
        asked: Option<&Fingerprint>,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        let Some(definition) = browser_tools::named(tool.name()) else { return Ok(()) };
        let tool = browser_tools::tool(definition, TabId(0), origin);
        match asked == Some(tool.fingerprint()) {
            true => self.grants.set(&tool, Policy::Allow, now).await,
            false => Ok(()),
        }
    }

    /// Adds the browser's tools for these pages to what pages offer, as far as there is room: each for the
    /// first page on which it is of use. A page's tool keeps its name. `own` is the tab of the turn; a tool that
    /// is for another one says so. The last is the one that needs no page.
    pub fn add_browser_offers(
        &self,
        offers: &mut Vec<Offer>,
        own: Option<TabId>,
        pages: &[(TabId, ActionPage)],
        without_page: Option<Offer>,
    ) {
        let offer = |definition: &BrowserTool| {
            let fits = |page: &ActionPage| {
                definition.fits(page.access)
                    && !self
                        .grants
                        .is_off(&browser_tools::tool(definition, TabId(0), &page.origin), &page.origin)
            };
            let (tab, page) = pages.iter().find(|(_, page)| fits(page))?;
            let mut offer = self.browser_offer(definition, *tab, page);
            if own != Some(*tab) && definition.takes_tab() {
                offer.description = format!("{} Now for tab {}, {}.", offer.description, tab.0, page.site);
            }
            Some(offer)
        };
        let tools: Vec<_> = browser_tools::TOOLS.iter().filter_map(offer).chain(without_page).collect();
        offers.truncate(MOST_TOOLS.saturating_sub(tools.len()));
        for mut tool in tools {
            let name = &tool.model_name;
            if offers.iter().any(|offer| offer.model_name.eq_ignore_ascii_case(name)) {
                tool.model_name = format!("browser_{name}");
            }
            offers.push(tool);
        }
    }

    /// One of the browser's tools for the page of a tab.
    pub fn browser_offer(&self, definition: &BrowserTool, tab: TabId, page: &ActionPage) -> Offer {
        let tool = browser_tools::tool(definition, tab, &page.origin);
        Offer {
            skill: None,
            model_name: definition.name.to_owned(),
            tool: tool.id.clone(),
            site: page.site.clone(),
            origin: page.origin.clone(),
            risk: tool.risk,
            fingerprint: tool.fingerprint().clone(),
            description: tool.description.description.clone(),
            schema: tool.description.input_schema.clone(),
        }
    }

    /// The current state of one of the browser's tools; `None` if it cannot be used on the tab's page. It is
    /// off where the user has not allowed what it needs.
    pub fn current_browser_tool(
        &self,
        tool: &ToolRef,
        thread: &ThreadId,
        given: &ThreadAccess<K>,
    ) -> Option<CurrentTool> {
        let definition = browser_tools::named(tool.name())?;
        let tab = tool.tab()?;
        let page = self.action_page(tab, Some(thread), given)?;
        let tool = browser_tools::tool(definition, tab, &page.origin);
        let current = self.grants.current_tool(&tool, &page.origin);
        let is_allowed = definition.name == PAGE_ACCESS || page.access >= definition.needs;
        let policy = if is_allowed { current.policy } else { Some(Policy::Off) };
        let uses_page = definition.takes_tab() || definition.name == PAGE_ACCESS;
        Some(CurrentTool { policy, page: uses_page.then_some(page.origin), ..current })
    }
}
