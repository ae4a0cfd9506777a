//! The names of settings, and what their values may be.

use sidecar_protocol::settings::Settings;
use sidecar_ui::words::{Word, Words};

use crate::word;

/// The label of a setting, by its path in saved settings.
pub fn setting_word(field: &str) -> Option<Word> {
    Some(match field.rsplit('.').next()? {
        "mode" => word::SETTINGS_MODE,
        "theme" => word::SETTINGS_THEME,
        "language" => word::SETTINGS_LANGUAGE,
        "effort" => word::SETTINGS_EFFORT,
        "provider" => word::SETTINGS_PROVIDER,
        "prompts" => word::PROMPTS_TITLE,
        "recent" => word::SETTINGS_MODEL_NAME,
        "prices" => word::SETTINGS_PRICES,
        "baseUrl" => word::SETTINGS_BASE_URL,
        "model" => word::SETTINGS_MODEL_NAME,
        "key" => word::SETTINGS_KEY,
        "temperature" => word::SETTINGS_TEMPERATURE,
        "maxTokens" => word::SETTINGS_MAX_TOKENS,
        "toolCalls" => word::SETTINGS_LIMIT_CALLS,
        "toolSeconds" => word::SETTINGS_LIMIT_TOOL_SECONDS,
        "callsKept" => word::SETTINGS_CALLS_KEPT,
        "turnSeconds" => word::SETTINGS_LIMIT_TURN_SECONDS,
        "resultCharacters" => word::SETTINGS_LIMIT_CHARACTERS,
        _ if field.starts_with("providers.") => word::SETTINGS_PROVIDER,
        _ => return None,
    })
}

/// What the value of a setting has to be like, by its path in saved settings.
pub fn setting_rule(words: Words, field: &str) -> String {
    let whole = |max: u32| {
        let (min, max) = (words.number(1), words.number(max.into()));
        words.fill(word::SETTINGS_BAD_WHOLE, &[("min", &min), ("max", &max)])
    };
    let rule = match field.rsplit('.').next().unwrap_or_default() {
        "toolCalls" => return whole(100),
        "toolSeconds" => return whole(600),
        "turnSeconds" => return whole(3_600),
        "maxTokens" => return whole(10_000_000),
        "callsKept" => return whole(Settings::MOST_CALLS_KEPT),
        "baseUrl" => word::SETTINGS_BAD_URL,
        "key" => word::SETTINGS_KEY_BAD,
        "temperature" => word::SETTINGS_TEMPERATURE_HINT,
        "resultCharacters" => word::SETTINGS_LIMIT_CHARACTERS_HINT,
        _ => word::SETTINGS_BAD_OTHER,
    };
    words.get(rule).to_owned()
}
