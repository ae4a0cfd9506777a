//! The services that the product knows by name.

use sidecar_protocol::settings::{self, ModelInfo, ProviderPreset};

pub use crate::wire::ON_DEVICE;

pub(crate) mod base_url;
mod table;

/// A service, or a program that serves models, as far as it is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// As [`crate::dialects::Dialect::provider`] names it.
    pub id: &'static str,
    /// For people; a name of its own in any language.
    pub name: &'static str,
    /// Its platforms. Where there are several, a key of one is no good at the others.
    pub platforms: &'static [ProviderPlatform],
    /// Whether it answers without a key.
    pub key_optional: bool,
    /// Models, the one to begin with first. Lists change by the month: a hint where the service's own cannot be had.
    pub models: &'static [ModelHint],
}

/// One address of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderPlatform {
    /// Which: a region, or a plan with keys of its own.
    pub id: &'static str,
    /// As in [`crate::Endpoint::base_url`].
    pub base_url: &'static str,
    /// Where its keys are made; empty for none.
    pub key_page: &'static str,
}

/// What is known of a model beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelHint {
    /// As the provider spells it, or how the names of a family begin.
    pub id: &'static str,
    /// Tokens of its window.
    pub window: u32,
}

/// Every provider that is known, in the order in which they are best offered.
#[must_use]
pub fn providers() -> &'static [Provider] {
    &table::PROVIDERS
}

/// Tokens of a model's window, as far as that is known beforehand: exactly, or from the longest name that begins the
/// same, since services hang dates and variants behind names.
#[must_use]
pub fn window_hint(provider: &str, model: &str) -> Option<u32> {
    let models = providers().iter().find(|known| known.id == provider)?.models;
    let fits = |hint: &&ModelHint| model.starts_with(hint.id);
    models.iter().filter(fits).max_by_key(|hint| hint.id.len()).map(|hint| hint.window)
}

/// The presets, in the order in which they are offered; the last is any OpenAI-compatible service.
#[must_use]
pub fn presets() -> Vec<ProviderPreset> {
    let custom = ProviderPreset {
        id: "custom".to_owned(),
        name: String::new(),
        platforms: Vec::new(),
        models: Vec::new(),
        key_optional: true,
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
        }
    }
}

/// The preset of an id.
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
        assert!(preset(&Settings::default().provider).is_some(), "the provider set at first is a preset");
        assert_eq!(preset("nobody"), None);
    }
}
