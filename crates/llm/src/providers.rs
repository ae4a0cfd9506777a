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
