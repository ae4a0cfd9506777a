//! What the user said of tools and sites, in `storage.local`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sidecar_agent::{Grants, HiddenSites, Standing, StoreError, grants};
use sidecar_protocol::link::WorkerEvent;
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_webmcp::Tool;

use crate::clock;
use crate::storage::Store;

const GRANTS: &str = "grants";
const HIDDEN: &str = "hiddenSites";

/// All of it, in memory and on disk.
#[derive(Debug)]
pub struct GrantStore {
    grants: Grants,
    hidden: HiddenSites,
    /// Whether there is more on disk, which cannot be read: it is left as it is, and every tool asks.
    is_unread: bool,
}

/// Why a word of the user is not kept as it should be.
#[derive(Debug)]
pub enum NotKept {
    /// There are too many already, or the page has no origin of its own. Nothing changed.
    Refused,
    /// It could not be saved, and holds as long as this worker lives.
    Unsaved(StoreError),
    /// There is more on disk, which cannot be read. It holds as long as this worker lives.
    Unread,
}

impl From<grants::NotKept> for NotKept {
    fn from(_: grants::NotKept) -> Self {
        Self::Refused
    }
}

impl GrantStore {
    /// Reads what was said.
    pub async fn load() -> Self {
        let (grants, hidden) = (read(GRANTS).await, read(HIDDEN).await);
        let is_unread = grants.is_none() || hidden.is_none();
        Self { grants: grants.unwrap_or_default(), hidden: hidden.unwrap_or_default(), is_unread }
    }

    /// What holds of a tool in a page of this origin. One of a hidden site is off, whatever was said of it.
    pub fn standing(&self, tool: &Tool, page: &str) -> Standing {
        let standing = self.grants.standing(tool, page);
        if self.hides(tool, page) {
            return Standing { policy: Some(Policy::Off), changes: None, ..standing };
        }
        let policy = match standing.policy {
            // Of this tool the user may have said that it asks, or is off.
            None if self.is_unread => Some(Policy::Ask),
            policy => policy,
        };
        Standing { policy, ..standing }
    }

    /// The sites that the agent does not see.
    pub fn hidden(&self) -> &HiddenSites {
        &self.hidden
    }

    /// Hides a site from the agent, or does not.
    pub async fn hide(&mut self, origin: &str, hidden: bool) -> Result<(), NotKept> {
        match hidden {
            true => self.hidden.hide(origin, clock::now())?,
            false => self.hidden.show(origin),
        }
        self.save(HIDDEN, &self.hidden).await
    }

    /// Whether a tool in a page of this origin is not to be offered.
    pub fn is_off(&self, tool: &Tool, page: &str) -> bool {
        self.hides(tool, page) || self.grants.strictest(tool, page) == Some(Policy::Off)
    }

    /// Whether a tool is one of a hidden site. A document with an opaque origin belongs to the page around it.
    fn hides(&self, tool: &Tool, page: &str) -> bool {
        self.hidden.hides(if tool.is_opaque() { page } else { &tool.origin })
    }

    /// All that holds, for panels.
    pub fn told(&self) -> WorkerEvent {
        WorkerEvent::Grants { grants: self.grants.list(), hidden: self.hidden.list(), unread: self.is_unread }
    }

    /// Keeps a word for a tool as it is now.
    pub async fn set(&mut self, tool: &Tool, policy: Policy) -> Result<(), NotKept> {
        self.grants.set(tool, policy, clock::now())?;
        self.save(GRANTS, &self.grants).await
    }

    /// Has every tool of a site ask.
    pub async fn set_site_asks(&mut self, origin: &str) -> Result<(), NotKept> {
        self.grants.set_site_asks(origin, clock::now())?;
        self.save(GRANTS, &self.grants).await
    }

    /// Takes a word back.
    pub async fn take_back(&mut self, key: &PolicyKey) -> Result<(), NotKept> {
        self.grants.take_back(key, clock::now());
        self.save(GRANTS, &self.grants).await
    }

    /// Gives a word again that was just taken back.
    pub async fn restore(&mut self, key: &PolicyKey) -> Result<(), NotKept> {
        self.grants.restore(key, clock::now());
        self.save(GRANTS, &self.grants).await
    }

    /// Gives up what is on disk and cannot be read. What was said since is kept.
    pub async fn give_up_unread(&mut self) -> Result<(), NotKept> {
        let was_unread = std::mem::take(&mut self.is_unread);
        let saved = async {
            self.save(HIDDEN, &self.hidden).await?;
            self.save(GRANTS, &self.grants).await
        };
        let saved = saved.await;
        self.is_unread = was_unread && saved.is_err();
        saved
    }

    async fn save(&self, name: &str, value: &impl Serialize) -> Result<(), NotKept> {
        if self.is_unread {
            return Err(NotKept::Unread);
        }
        let text = serde_json::to_string(value).unwrap_or_default();
        Store::Choices.set(name, &text).await.map_err(|error| NotKept::Unsaved(StoreError(error.0)))
    }
}

/// `None` if there is something that cannot be read.
async fn read<T: DeserializeOwned + Default>(name: &str) -> Option<T> {
    match Store::Choices.get(name).await {
        Ok(None) => Some(T::default()),
        Ok(Some(text)) => serde_json::from_str(&text).ok(),
        Err(_) => None,
    }
}
