//! What is known of all SKILLs, as it was read.

use sidecar_agent::StoreError;

use super::KnownSkills;
use super::past_runs::KeptRuns;
use crate::key_value::KeyValue;
use crate::saved::Saved;

/// What is known of all SKILLs, as texts.
#[derive(Debug)]
pub struct SkillTexts {
    /// The index of those that ship.
    pub index: Option<String>,
    /// The list of those that may not run.
    pub revoked: Option<String>,
    /// What is installed and decided.
    pub choices: Result<Option<String>, StoreError>,
    /// How runs ended.
    pub past: Option<String>,
}

impl SkillTexts {
    /// What they say. Without a readable index none ships. `store` is where the choices are.
    pub fn known<K: KeyValue>(self, store: K) -> (KnownSkills<K>, KeptRuns) {
        let Self { index, revoked, choices, past } = self;
        let known = KnownSkills::new(
            Saved::of(store, choices),
            serde_json::from_str(&index.unwrap_or_default()).unwrap_or_default(),
            serde_json::from_str(&revoked.unwrap_or_default()).unwrap_or_default(),
        );
        (known, KeptRuns::new(past))
    }
}
