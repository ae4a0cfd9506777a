//! The providers that are built in.

use sidecar_protocol::settings::{self, ModelInfo, ProviderCost, ProviderPreset};

pub use crate::wire::ON_DEVICE;

pub(crate) mod base_url;
pub mod on_device;
mod table;

/// What is known in advance of a service, or of a program that serves models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// As in [`crate::dialects::Dialect::provider`].
    pub id: &'static str,
    /// For people; the same in every language.
    pub name: &'static str,
    /// Its platforms. A key of one platform does not work at the others.
    pub platforms: &'static [ProviderPlatform],
    /// Whether it answers without a key. It runs on this computer then.
    pub key_optional: bool,
    /// Whether it gives out keys that cost nothing within its limits.
    pub has_free_keys: bool,
    /// Its models, the default first. They change every month: these are suggestions where the service's
    /// own list cannot be read.
    pub models: &'static [ModelHint],
}

/// One address of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderPlatform {
    /// Its region, or its plan with separate keys.
    pub id: &'static str,
    /// As in [`crate::Endpoint::base_url`].
    pub base_url: &'static str,
    /// Page where its keys are created; empty for none.
    pub key_page: &'static str,
}

/// What is known of a model in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelHint {
    /// As the provider spells it, or the prefix of a family's names.
    pub id: &'static str,
    /// Size of the context window in tokens.
    pub window: u32,
}

/// Every known provider, in the order in which they are offered.
#[must_use]
pub fn providers() -> &'static [Provider] {
    &table::PROVIDERS
}

/// A model's context window in tokens, if known in advance: by its exact name or the longest matching
/// prefix, since services append dates and variants to names.
#[must_use]
pub fn window_hint(provider: &str, model: &str) -> Option<u32> {
    let models = providers().iter().find(|known| known.id == provider)?.models;
    let fits = |hint: &&ModelHint| model.starts_with(hint.id);
    models.iter().filter(fits).max_by_key(|hint| hint.id.len()).map(|hint| hint.window)
}

/// The presets, in the order in which they are offered; the last is for any OpenAI-compatible service.
#[must_use]
pub fn presets() -> Vec<ProviderPreset> {
    let custom = ProviderPreset {
        id: "custom".to_owned(),
        name: String::new(),
        platforms: Vec::new(),
        models: Vec::new(),
        key_optional: true,
        cost: ProviderCost::Unknown,
    };
    providers().iter().map(Provider::preset).chain([custom]).collect()
}

impl Provider {
    fn preset(&self) -> ProviderPreset {
        let platform = |at: &ProviderPlatform| settings::Platform {
            id: at.id.to_owned(),
            base_url: at.base_url.to_owned(),
            key_page: at.key_page.to_owned(),
        };
        let model = |hint: &ModelHint| ModelInfo {
            id: hint.id.to_owned(),
            window: Some(hint.window),
            ..ModelInfo::default()
        };
        ProviderPreset {
            id: self.id.to_owned(),
            name: self.name.to_owned(),
            platforms: self.platforms.iter().map(platform).collect(),
            models: self.models.iter().map(model).collect(),
            key_optional: self.key_optional,
            cost: match (self.key_optional, self.has_free_keys) {
                (true, _) => ProviderCost::Local,
                (false, true) => ProviderCost::Free,
                (false, false) => ProviderCost::Paid,
            },
        }
    }
}

/// The preset with this id.
#[must_use]
pub fn preset(id: &str) -> Option<ProviderPreset> {
    presets().into_iter().find(|preset| preset.id == id)
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::settings::Settings;

    use super::*;
    use crate::providers::base_url::check_base_url;

    #[test]
    fn providers_speak_their_dialects() {
        for provider in providers() {
            assert!(!provider.platforms.is_empty() && !provider.name.is_empty(), "{provider:?}");
            for platform in provider.platforms {
                let address = check_base_url(platform.base_url).unwrap();
                assert_eq!(address.to_string(), platform.base_url);
                let dialect = crate::dialects::of("", &address);
                let is_known_by_host = dialect.provider == provider.id;
                assert!(is_known_by_host || provider.key_optional, "{platform:?}");
                assert_eq!(crate::dialects::of(provider.id, &address).provider, provider.id);
                assert_eq!(platform.key_page.is_empty(), provider.key_optional, "{platform:?}");
            }
            let separate =
                crate::dialects::of(provider.id, &check_base_url(provider.platforms[0].base_url).unwrap());
            assert!(!separate.separate_keys || provider.platforms.len() > 1, "{provider:?}");
        }
    }

    #[test]
    fn windows_are_known_by_the_longest_name() {
        assert_eq!(window_hint("deepseek", "deepseek-v4-pro"), Some(1_048_576));
        assert_eq!(window_hint("qwen", "qwen3-max-2026-01-01"), Some(262_144));
        assert_eq!(window_hint("qwen", "unheard-of"), None);
        assert_eq!(window_hint("nobody", "qwen3-max"), None);
    }

    #[test]
    fn presets_are_usable_as_they_are() {
        for preset in presets() {
            assert_eq!(super::preset(&preset.id), Some(preset.clone()));
            assert_eq!(preset.name.is_empty(), preset.platforms.is_empty(), "{preset:?}");
        }
        assert_eq!(preset(&Settings::default().provider), None, "the user chooses the provider");
        assert_eq!(preset("nobody"), None);
    }
}
