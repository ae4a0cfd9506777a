//! What the user said of tools, in `storage.local`.

use sidecar_agent::{Grants, Standing, grants};
use sidecar_chrome::storage::Area;
use sidecar_protocol::policy::{Grant, Policy, ToolKey};
use sidecar_webmcp::Tool;

use crate::clock;

const GRANTS: &str = "grants";

/// All of it, in memory and on disk.
#[derive(Debug)]
pub struct GrantStore {
    grants: Grants,
}

impl GrantStore {
    /// Reads what was said; what cannot be read is as if it had never been said, and the mode decides.
    pub async fn load() -> Self {
        let text = Area::Local.get(GRANTS).await.ok().flatten().unwrap_or_default();
        Self { grants: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// What holds of a tool.
    pub fn standing(&self, tool: &Tool) -> Standing {
        self.grants.standing(tool)
    }

    /// What was said of the tool of this key, however it is defined.
    pub fn policy(&self, key: &ToolKey) -> Option<Policy> {
        self.grants.policy(key)
    }

    /// Whether a tool is not to be offered.
    pub fn is_off(&self, tool: &Tool) -> bool {
        self.policy(&grants::key(tool)) == Some(Policy::Off)
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

    /// What cannot be saved holds as long as this worker lives, and then asks again.
    async fn save(&self) {
        let text = serde_json::to_string(&self.grants).unwrap_or_default();
        if let Err(error) = Area::Local.set(GRANTS, &text).await {
            web_sys::console::warn_1(&error.0.into());
        }
    }
}
