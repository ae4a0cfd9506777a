//! What the user said of tools and sites, in `storage.local`.

use serde::Serialize;
use sidecar_agent::{Grants, HiddenSites, Standing, grants};
use sidecar_chrome::storage::Area;
use sidecar_protocol::policy::{Grant, Policy, ToolKey};
use sidecar_webmcp::Tool;

use crate::clock;

const GRANTS: &str = "grants";
const HIDDEN: &str = "hiddenSites";

/// All of it, in memory and on disk.
#[derive(Debug)]
pub struct GrantStore {
    grants: Grants,
    hidden: HiddenSites,
}

impl GrantStore {
    /// Reads what was said; what cannot be read is as if it had never been said, and the mode decides.
    pub async fn load() -> Self {
        let [grants, hidden] = [GRANTS, HIDDEN].map(|name| Area::Local.get(name));
        let [grants, hidden] =
            [grants.await, hidden.await].map(|text| text.ok().flatten().unwrap_or_default());
        Self {
            grants: serde_json::from_str(&grants).unwrap_or_default(),
            hidden: serde_json::from_str(&hidden).unwrap_or_default(),
        }
    }

    /// What holds of a tool. One of a hidden site is off, whatever was said of it.
    pub fn standing(&self, tool: &Tool) -> Standing {
        let standing = self.grants.standing(tool);
        match self.hidden.hides(&tool.origin) {
            true => Standing { policy: Some(Policy::Off), changes: None, ..standing },
            false => standing,
        }
    }

    /// The sites that the agent does not see.
    pub fn hidden(&self) -> &HiddenSites {
        &self.hidden
    }

    /// Hides a site from the agent, or does not. What is no site changes nothing.
    pub async fn hide(&mut self, origin: &str, hidden: bool) {
        match hidden {
            true => self.hidden.hide(origin, clock::now()).unwrap_or_default(),
            false => self.hidden.show(origin),
        }
        save(HIDDEN, &self.hidden).await;
    }

    /// What was said of the tool of this key, however it is defined.
    pub fn policy(&self, key: &ToolKey) -> Option<Policy> {
        self.grants.policy(key)
    }

    /// Whether a tool is not to be offered.
    pub fn is_off(&self, tool: &Tool) -> bool {
        self.hidden.hides(&tool.origin) || self.policy(&grants::key(tool)) == Some(Policy::Off)
    }

    /// All that holds, for panels.
    pub fn list(&self) -> Vec<Grant> {
        self.grants.list()
    }

    /// Keeps a word for a tool as it is now. One that cannot be kept changes nothing.
    pub async fn set(&mut self, tool: &Tool, policy: Policy) {
        if self.grants.set(tool, policy, clock::now()).is_ok() {
            self.save().await;
        }
    }

    /// Takes a word back.
    pub async fn take_back(&mut self, key: &ToolKey) {
        self.grants.take_back(key, clock::now());
        self.save().await;
    }

    /// Gives a word again that was just taken back.
    pub async fn restore(&mut self, key: &ToolKey) {
        self.grants.restore(key, clock::now());
        self.save().await;
    }

    async fn save(&self) {
        save(GRANTS, &self.grants).await;
    }
}

/// What cannot be saved holds as long as this worker lives.
async fn save(name: &str, value: &impl Serialize) {
    let text = serde_json::to_string(value).unwrap_or_default();
    if let Err(error) = Area::Local.set(name, &text).await {
        web_sys::console::warn_1(&error.0.into());
    }
}
