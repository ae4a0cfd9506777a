//! Works with tabs: lists, opens, shows, closes and leads them.

use futures::channel::oneshot;
use serde_json::json;
use sidecar_agent::browser_tools::{TabCall, failed};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, PageAccess, TabId, WindowId};
use sidecar_webmcp::Address;

use super::{PageActions, shown_address};
use crate::browser::BrowserPort;
use crate::event::TurnEvent;
use crate::tabs::TabInfo;

/// Maximum number of tabs that are listed.
const MOST_TABS: usize = 100;

/// What is told of a tab whose site the agent may not read.
pub(super) const ANOTHER_SITE: &str = "another site, whose use the user has not allowed";

/// Maximum characters of a title in the list.
const MOST_TITLE: usize = 120;

/// The tabs before an action.
pub(super) struct TabsAround {
    open: Vec<TabId>,
    window: Option<WindowId>,
}

impl<B: BrowserPort> PageActions<B> {
    /// Does what a call wants of tabs; `tab` is the one that the turn works with.
    pub async fn work_with_tabs(&self, tab: TabId, call: &TabCall) -> ToolOutcome {
        match call {
            TabCall::List => self.list(tab).await,
            TabCall::Open(url) if self.hides(url) => hidden(),
            TabCall::Open(url) => match self.browser.create_tab(url).await.and_then(|tab| tab.id) {
                Some(opened) => {
                    self.opened.borrow_mut().push(opened);
                    let (address, title) = self.loaded(opened).await;
                    ToolOutcome::ok(format!("ok: tab {} is open at {address}, {title:?}.", opened.0))
                }
                None => failed(ActionOutcome::Blocked, None),
            },
            TabCall::Switch(other) => match self.visible(*other).await {
                Some(info) => {
                    self.browser.show_tab(*other);
                    let access = self.access(vec![Address::of(&info.url).origin()]).await;
                    let address = match access.first() {
                        Some(Some(_)) => shown_address(&info.url),
                        Some(None) | None => ANOTHER_SITE.to_owned(),
                    };
                    ToolOutcome::ok(format!("ok: {address} is in front."))
                }
                None => failed(ActionOutcome::NotFound, None),
            },
            TabCall::Close(other) if !self.opened.borrow().contains(other) => {
                refused("Only tabs that you opened in this turn can be closed; the others are the user's.")
            }
            TabCall::Close(other) => match self.browser.close_tab(*other).await {
                true => ToolOutcome::ok(format!("ok: tab {} is closed.", other.0)),
                false => failed(ActionOutcome::NotFound, None),
            },
            TabCall::Navigate(to) if self.hides(to) => hidden(),
            TabCall::Navigate(to) => {
                if !self.browser.lead_tab(tab, to).await {
                    return failed(ActionOutcome::Blocked, None);
                }
                let (address, title) = self.loaded(tab).await;
                ToolOutcome::ok(format!(
                    "ok: the tab is now at {address}, {title:?}. Refs of the old page are gone."
                ))
            }
        }
    }

    /// The tabs before an action, and the window of its tab if that is in front.
    pub(super) async fn around(&self, tab: TabId) -> TabsAround {
        let open: Vec<_> = self.browser.tabs().await.iter().filter_map(|tab| tab.id).collect();
        let window = match self.browser.tab(tab).await {
            Some(TabInfo { window, .. }) => self.shows(window, tab).await.then_some(window),
            None => None,
        };
        TabsAround { open, window }
    }

    /// Gives the user's tab back if an action opened another one in front of it. Returns what the model is told of the tabs
    /// that it opened.
    pub(super) async fn give_back(&self, tab: TabId, before: TabsAround) -> String {
        let mut told = String::new();
        for info in self.browser.tabs().await {
            let Some(new) = info.id.filter(|id| !before.open.contains(id)) else { continue };
            if !is_opened_by(&info, tab) {
                continue;
            }
            if let Some(window) = before.window
                && self.shows(window, new).await
            {
                self.browser.show_tab(tab);
            }
            self.opened.borrow_mut().push(new);
            let (address, _) = self.told(&info.url, String::new()).await;
            told.push_str(&format!(" It opened tab {}, which is in the background now: {address}.", new.0));
        }
        told
    }

    async fn shows(&self, window: WindowId, tab: TabId) -> bool {
        self.browser.active_tab(window).await.is_some_and(|shown| shown.id == Some(tab))
    }

    async fn list(&self, tab: TabId) -> ToolOutcome {
        let own = self.own.unwrap_or(tab);
        let (reply, in_chat) = oneshot::channel();
        self.browser.post(TurnEvent::TurnTabsWanted { tabs: self.tabs(), reply });
        let in_chat = in_chat.await.unwrap_or_default();
        let mut tabs = self.browser.tabs().await;
        tabs.retain(|tab| !self.hides(&tab.url));
        tabs.truncate(MOST_TABS);
        let access = self.access(tabs.iter().map(|tab| Address::of(&tab.url).origin()).collect()).await;
        let line = |(tab, access): (&TabInfo, &Option<PageAccess>)| {
            let id = tab.id?;
            if access.is_none() {
                let is_in_chat = in_chat.contains(&id);
                return Some(json!({"tabId": id.0, "url": ANOTHER_SITE, "inChat": is_in_chat}));
            }
            let title: String = tab.title.chars().take(MOST_TITLE).collect();
            let url = shown_address(&tab.url);
            let (current, is_in_chat) = (id == own, in_chat.contains(&id));
            Some(json!({"tabId": id.0, "title": title, "url": url, "current": current, "inChat": is_in_chat}))
        };
        let tabs: Vec<_> = tabs.iter().zip(&access).filter_map(line).collect();
        ToolOutcome::ok(json!({"tabs": tabs}).to_string())
    }

    /// A tab, unless its site is hidden.
    async fn visible(&self, tab: TabId) -> Option<TabInfo> {
        self.browser.tab(tab).await.filter(|tab| !self.hides(&tab.url))
    }

    pub(super) fn hides(&self, url: &str) -> bool {
        self.hidden.borrow().hides(&Address::of(url).origin())
    }
}

/// Whether a page in a tab opened another tab. The browser says so of tabs in the same window; a window of its own that a
/// page opens has no opener. What the user opens begins with the browser's own page, or in another tab.
fn is_opened_by(new: &TabInfo, tab: TabId) -> bool {
    let is_of_a_site =
        !Address::of(&new.url).origin().is_empty() || new.url.is_empty() || new.url == "about:blank";
    is_of_a_site && new.opener.is_none_or(|opener| opener == tab)
}

fn hidden() -> ToolOutcome {
    refused("The user has hidden this site from you.")
}

fn refused(message: &str) -> ToolOutcome {
    let code = ToolFailure::Action(ActionOutcome::Refused);
    ToolOutcome::Failed { code, message: message.to_owned() }
}
