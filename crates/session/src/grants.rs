//! The user's decisions about tools and sites, in memory and on disk.

use futures::join;
use sidecar_agent::{CurrentTool, Grants, HiddenSites, StoreError, grants};
use sidecar_protocol::Timestamp;
use sidecar_protocol::link::PoliciesEvent;
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_webmcp::Tool;

use crate::key_value::KeyValue;
use crate::saved::{NotSaved, Persistent, Saved};

impl Persistent for Grants {
    const NAME: SavedName = SavedName::Grants;
    const KEY: &'static str = "grants";
}

impl Persistent for HiddenSites {
    const NAME: SavedName = SavedName::HiddenSites;
    const KEY: &'static str = "hiddenSites";
}

/// The user's decisions. While any of them cannot be read, every tool without a policy asks.
#[derive(Debug)]
pub struct GrantStore<K> {
    grants: Saved<Grants, K>,
    hidden: Saved<HiddenSites, K>,
}

/// Why a decision was not saved.
#[derive(Debug, PartialEq, Eq)]
pub enum NotKept {
    /// There are too many, the page has an opaque origin, or the policy cannot be set for this key or
    /// definition. Nothing changed.
    Refused,
    /// It could not be written. It holds while this worker lives.
    Unsaved(StoreError),
    /// The value on disk cannot be read at all and is not overwritten. The decision holds while this worker
    /// lives.
    Unread(SavedName),
}

impl From<grants::NoRoomForGrant> for NotKept {
    fn from(_: grants::NoRoomForGrant) -> Self {
        Self::Refused
    }
}

impl<K: KeyValue + Clone> GrantStore<K> {
    /// Reads the decisions.
    pub async fn load(store: K) -> Self {
        let (grants, hidden) = join!(Saved::load(store.clone()), Saved::load(store));
        Self { grants, hidden }
    }

    /// The values with unreadable parts.
    pub fn unread(&self) -> impl Iterator<Item = UnreadValue> {
        self.grants.unread().into_iter().chain(self.hidden.unread())
    }

    /// The current state of a tool on a page of this origin. A tool of a hidden site is off, whatever its
    /// policy.
    pub fn current_tool(&self, tool: &Tool, page: &str) -> CurrentTool {
        let current = self.grants.value().current_tool(tool, page);
        if self.hides(tool, page) {
            return CurrentTool { policy: Some(Policy::Off), changes: None, ..current };
        }
        let policy = match current.policy {
            // An unreadable decision may be that this tool asks or is off.
            None if self.unread().next().is_some() => Some(Policy::Ask),
            policy => policy,
        };
        CurrentTool { policy, ..current }
    }

    /// The hidden sites.
    pub fn hidden(&self) -> &HiddenSites {
        self.hidden.value()
    }

    /// Whether a tool on a page of this origin needs no question. Its digest is not computed for an answer of no.
    pub fn allows(&self, tool: &Tool, page: &str) -> bool {
        self.grants.value().strictest(tool, page) == Some(Policy::Allow)
            && self.current_tool(tool, page).policy == Some(Policy::Allow)
    }

    /// Whether a tool on a page of this origin is not offered.
    pub fn is_off(&self, tool: &Tool, page: &str) -> bool {
        self.hides(tool, page) || self.grants.value().strictest(tool, page) == Some(Policy::Off)
    }

    /// Whether a tool belongs to a hidden site. A document with an opaque origin belongs to the site of its
    /// page.
    fn hides(&self, tool: &Tool, page: &str) -> bool {
        self.hidden().hides(if tool.is_opaque() { page } else { &tool.origin })
    }

    /// All decisions, for panels.
    pub fn told(&self) -> PoliciesEvent {
        PoliciesEvent::Changed { grants: self.grants.value().list(), hidden: self.hidden().list() }
    }

    /// Hides a site from the agent, or shows it again.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn hide(&mut self, origin: &str, hidden: bool, now: Timestamp) -> Result<(), NotKept> {
        let mut sites = self.hidden().clone();
        match hidden {
            true => sites.hide(origin, now)?,
            false => sites.show(origin),
        }
        keep(&mut self.hidden, sites).await
    }

    /// Sets the policy of a tool, for its current definition.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn set(&mut self, tool: &Tool, policy: Policy, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.set(tool, policy, now)?;
        keep(&mut self.grants, grants).await
    }

    /// Makes every tool of a site ask.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn set_site_asks(&mut self, origin: &str, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.set_site_asks(origin, now)?;
        keep(&mut self.grants, grants).await
    }

    /// Offers the test bridge to the scripts of an origin.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn allow_test_bridge(&mut self, origin: &str, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.allow_test_bridge(origin, now)?;
        keep(&mut self.grants, grants).await
    }

    /// The origins to whose scripts the test bridge is offered.
    pub fn test_bridge_origins(&self) -> Vec<String> {
        self.grants.value().test_bridge_origins()
    }

    /// Removes a policy.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn take_back(&mut self, key: &PolicyKey, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.take_back(key, now);
        keep(&mut self.grants, grants).await
    }

    /// Restores a policy that was just removed.
    ///
    /// # Errors
    /// [`NotKept`]
    pub async fn restore(&mut self, key: &PolicyKey, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.restore(key, now);
        keep(&mut self.grants, grants).await
    }

    /// Discards the unreadable decisions about tools. Those made since are kept.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_grants(&mut self) -> Result<(), StoreError> {
        self.grants.give_up_unread().await
    }

    /// Discards the unreadable hidden sites. Those hidden since are kept.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_hidden(&mut self) -> Result<(), StoreError> {
        self.hidden.give_up_unread().await
    }
}

/// Saves a value. If that fails, the value is still used while this worker lives.
async fn keep<T: Persistent + Clone, K: KeyValue>(saved: &mut Saved<T, K>, value: T) -> Result<(), NotKept> {
    let kept = saved.save(value.clone()).await;
    kept.map_err(|error| {
        saved.hold(value);
        match error {
            NotSaved::Unread => NotKept::Unread(T::NAME),
            NotSaved::Refused(error) => NotKept::Unsaved(error),
        }
    })
}

#[cfg(test)]
mod tests;
