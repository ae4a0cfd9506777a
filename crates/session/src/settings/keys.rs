//! API keys, each with the origin it was given for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::settings::ProviderId;

use crate::saved::Persistent;

/// The keys, by provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SavedKeys(BTreeMap<ProviderId, SavedKey>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedKey {
    key: String,
    origin: String,
}

impl Persistent for SavedKeys {
    const NAME: SavedName = SavedName::Keys;
    const KEY: &'static str = "keys";
}

impl SavedKeys {
    /// The key of a provider, if it was given for this origin.
    pub fn get(&self, provider: &str, origin: &str) -> Option<&str> {
        self.0.get(provider).filter(|saved| saved.origin == origin).map(|saved| saved.key.as_str())
    }

    /// Replaces the key of a provider.
    pub fn put(&mut self, provider: &str, key: &str, origin: &str) {
        let saved = SavedKey { key: key.to_owned(), origin: origin.to_owned() };
        self.0.insert(provider.to_owned(), saved);
    }

    /// Removes the key of a provider.
    pub fn forget(&mut self, provider: &str) {
        self.0.remove(provider);
    }

    /// All keys.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|saved| saved.key.as_str())
    }
}
