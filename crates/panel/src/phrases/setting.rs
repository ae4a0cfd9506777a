//! The names of settings.

use sidecar_ui::words::Word;

use crate::word;

/// The label of a setting, by its path in saved settings.
pub fn setting_word(field: &str) -> Option<Word> {
    Some(match field.rsplit('.').next()? {
        "mode" => word::SETTINGS_MODE,
        "theme" => word::SETTINGS_THEME,
        "language" => word::SETTINGS_LANGUAGE,
        "effort" => word::SETTINGS_EFFORT,
        "provider" => word::SETTINGS_PROVIDER,
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
