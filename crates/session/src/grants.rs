//! What the user said of tools and sites, in memory and on disk.

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

/// All of it. While something on disk cannot be read, every tool asks of which nothing else is known.
#[derive(Debug)]
pub struct GrantStore<K> {
    grants: Saved<Grants, K>,
    hidden: Saved<HiddenSites, K>,
}

/// Why a decision of the user is not kept as it should be.
#[derive(Debug, PartialEq, Eq)]
pub enum NotKept {
    /// There are too many already, or the page has no origin of its own. Nothing changed.
    Refused,
    /// It could not be saved, and holds as long as this worker lives.
    Unsaved(StoreError),
    /// Nothing of what is on disk can be read. The decision holds as long as this worker lives.
    Unread(SavedName),
}

impl From<grants::NoRoomForGrant> for NotKept {
    fn from(_: grants::NoRoomForGrant) -> Self {
        Self::Refused
    }
}

impl<K: KeyValue + Clone> GrantStore<K> {
    /// Reads what was said.
    pub async fn load(store: K) -> Self {
        let (grants, hidden) = join!(Saved::load(store.clone()), Saved::load(store));
        Self { grants, hidden }
    }

    /// What could not be read.
    pub fn unread(&self) -> impl Iterator<Item = UnreadValue> {
        self.grants.unread().into_iter().chain(self.hidden.unread())
    }

    /// A tool as it is now in a page of this origin. One of a hidden site is off, whatever was said of it.
    pub fn current_tool(&self, tool: &Tool, page: &str) -> CurrentTool {
        let current = self.grants.value().current_tool(tool, page);
        if self.hides(tool, page) {
            return CurrentTool { policy: Some(Policy::Off), changes: None, ..current };
        }
        let policy = match current.policy {
            // Of this tool the user may have said that it asks, or is off.
            None if self.unread().next().is_some() => Some(Policy::Ask),
            policy => policy,
        };
        CurrentTool { policy, ..current }
    }

    /// The sites that the agent does not see.
    pub fn hidden(&self) -> &HiddenSites {
        self.hidden.value()
    }

    /// Whether a tool in a page of this origin is not to be offered.
    pub fn is_off(&self, tool: &Tool, page: &str) -> bool {
        self.hides(tool, page) || self.grants.value().strictest(tool, page) == Some(Policy::Off)
    }

    /// Whether a tool is one of a hidden site. A document with an opaque origin belongs to the page around it.
    fn hides(&self, tool: &Tool, page: &str) -> bool {
        self.hidden().hides(if tool.is_opaque() { page } else { &tool.origin })
    }

    /// All that holds, for panels.
    pub fn told(&self) -> PoliciesEvent {
        PoliciesEvent::Changed { grants: self.grants.value().list(), hidden: self.hidden().list() }
    }

    /// Hides a site from the agent, or does not.
    ///
    /// # Errors
    /// Those of [`NotKept`].
    pub async fn hide(&mut self, origin: &str, hidden: bool, now: Timestamp) -> Result<(), NotKept> {
        let mut sites = self.hidden().clone();
        match hidden {
            true => sites.hide(origin, now)?,
            false => sites.show(origin),
        }
        keep(&mut self.hidden, sites).await
    }

    /// Keeps a decision about a tool as it is now.
    ///
    /// # Errors
    /// Those of [`NotKept`].
    pub async fn set(&mut self, tool: &Tool, policy: Policy, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.set(tool, policy, now)?;
        keep(&mut self.grants, grants).await
    }

    /// Has every tool of a site ask.
    ///
    /// # Errors
    /// Those of [`NotKept`].
    pub async fn set_site_asks(&mut self, origin: &str, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.set_site_asks(origin, now)?;
        keep(&mut self.grants, grants).await
    }

    /// Takes a decision back.
    ///
    /// # Errors
    /// Those of [`NotKept`].
    pub async fn take_back(&mut self, key: &PolicyKey, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.take_back(key, now);
        keep(&mut self.grants, grants).await
    }

    /// Restores a decision that was just taken back.
    ///
    /// # Errors
    /// Those of [`NotKept`].
    pub async fn restore(&mut self, key: &PolicyKey, now: Timestamp) -> Result<(), NotKept> {
        let mut grants = self.grants.value().clone();
        grants.restore(key, now);
        keep(&mut self.grants, grants).await
    }

    /// Gives up the decisions about tools that could not be read. Those made since are kept.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_grants(&mut self) -> Result<(), StoreError> {
        self.grants.give_up_unread().await
    }

    /// Gives up the hidden sites that could not be read. Those hidden since are kept.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_hidden(&mut self) -> Result<(), StoreError> {
        self.hidden.give_up_unread().await
    }
}

/// Saves what was said. What cannot be saved holds without that.
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
