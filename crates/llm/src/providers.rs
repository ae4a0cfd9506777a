//! The services that the product knows by name.

use sidecar_protocol::settings::ProviderPreset;

/// The presets, in the order in which they are offered.
#[must_use]
pub fn presets() -> Vec<ProviderPreset> {
    vec![
        ProviderPreset {
            id: "deepseek".to_owned(),
            name: "DeepSeek".to_owned(),
            base_url: "https://api.deepseek.com".to_owned(),
            models: vec!["deepseek-flash".to_owned(), "deepseek-v4-pro".to_owned()],
            key_optional: false,
            key_page: "https://platform.deepseek.com/api_keys".to_owned(),
        },
        ProviderPreset {
            id: "custom".to_owned(),
            name: String::new(),
            base_url: String::new(),
            models: Vec::new(),
            key_optional: true,
            key_page: String::new(),
        },
    ]
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
    use crate::base_url::check_base_url;

    #[test]
    fn presets_are_usable_as_they_are() {
        for preset in presets() {
            assert_eq!(super::preset(&preset.id), Some(preset.clone()));
            if preset.base_url.is_empty() {
                assert!(preset.name.is_empty() && preset.models.is_empty(), "{preset:?}");
            } else {
                assert_eq!(check_base_url(&preset.base_url).unwrap().to_string(), preset.base_url);
                assert!(!preset.models.is_empty() && preset.key_page.starts_with("https://"), "{preset:?}");
            }
        }
        assert!(preset(&Settings::default().provider).is_some(), "the provider set at first is a preset");
        assert_eq!(preset("nobody"), None);
    }
}
