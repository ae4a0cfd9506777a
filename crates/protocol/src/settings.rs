//! What the user can set. Keys are no setting: they go one way, from the panel to the worker.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Identifies a provider's preset: `deepseek`, or `custom` for any OpenAI-compatible address.
pub type ProviderId = String;

/// All settings, with their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The provider in use.
    pub provider: ProviderId,
    /// What is set for each provider.
    pub providers: BTreeMap<ProviderId, ProviderSettings>,
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// Language of the panel and of the agent's instructions.
    pub language: LanguageChoice,
    /// Light, dark, or as the browser.
    pub theme: Theme,
    /// Sampling temperature, 0 to 2; sent only when set.
    pub temperature: Option<f64>,
    /// Most tokens of one answer; sent only when set.
    pub max_tokens: Option<u32>,
    /// The safety valves.
    pub limits: Limits,
    /// Models that messages were sent to, the last one first, at most [`Settings::MOST_RECENT`]: to switch between.
    pub recent: Vec<ModelChoice>,
    /// How many calls the log of calls keeps, 1 to [`Settings::MOST_CALLS_KEPT`]; the oldest go first.
    pub calls_kept: u32,
}

impl Settings {
    /// Models that are kept to switch between.
    pub const MOST_RECENT: usize = 8;

    /// Most calls that the log can keep.
    pub const MOST_CALLS_KEPT: u32 = 20_000;

    /// Puts a model first among those to switch between.
    pub fn used(&mut self, choice: ModelChoice) {
        self.recent.retain(|known| *known != choice);
        self.recent.insert(0, choice);
        self.recent.truncate(Self::MOST_RECENT);
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            provider: "deepseek".to_owned(),
            providers: BTreeMap::new(),
            mode: Mode::default(),
            language: LanguageChoice::default(),
            theme: Theme::default(),
            temperature: None,
            max_tokens: None,
            limits: Limits::default(),
            recent: Vec::new(),
            calls_kept: 2_000,
        }
    }
}

/// What is set for one provider. Empty fields mean the preset's own value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProviderSettings {
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// As the provider spells it.
    pub model: String,
    /// How much the model thinks; the provider's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Whether tools are described to the model in its prompt, for models that cannot be given any.
    #[serde(rename = "toolsInWords", skip_serializing_if = "std::ops::Not::not")]
    pub prompted_tools: bool,
    /// What the user pays for its models, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

/// What a model costs, as the user says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Price {
    /// A sign or code of the user's choice, at most [`Price::MOST_CURRENCY`] characters: `¥`, `USD`.
    pub currency: String,
    /// For a million tokens read.
    pub input: f64,
    /// For a million tokens read from the cache; as `input` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// For a million tokens written.
    pub output: f64,
}

impl Price {
    /// Most characters of a currency.
    pub const MOST_CURRENCY: usize = 8;
    /// The highest price of a million tokens.
    pub const MOST: f64 = 1_000_000.0;

    /// Whether every part of it is within its bounds.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let fits = |price: f64| (0.0..=Self::MOST).contains(&price);
        let length = self.currency.chars().count();
        length <= Self::MOST_CURRENCY && fits(self.input) && fits(self.output) && self.cached.is_none_or(fits)
    }

    /// Whether nothing costs anything, as when no price was set.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.input == 0.0 && self.output == 0.0 && self.cached.unwrap_or_default() == 0.0
    }
}

/// One model of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// Whose.
    pub provider: ProviderId,
    /// As the provider spells it.
    pub model: String,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effort {
    /// Not at all, where the model can do without.
    Off,
    /// A little.
    Low,
    /// More.
    Medium,
    /// As much as is of use.
    High,
}

/// Whether acting tools ask first (seed 6.3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Tools run at once; every call is shown.
    #[default]
    Automatic,
    /// Tools that do not count as read-only wait for the user's word.
    Confirm,
}

/// Light, dark, or as the browser.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the browser.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What the user chose as the language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanguageChoice {
    /// As the browser.
    #[default]
    #[serde(rename = "browser")]
    Browser,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

/// A language the product speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl LanguageChoice {
    /// The language to use in a browser whose interface is in `browser` (a BCP 47 tag such as `zh-TW`).
    #[must_use]
    pub fn resolve(self, browser: &str) -> Language {
        match self {
            Self::English => Language::English,
            Self::Chinese => Language::Chinese,
            Self::Browser => {
                let primary = browser.split(['-', '_']).next().unwrap_or_default();
                if primary.eq_ignore_ascii_case("zh") { Language::Chinese } else { Language::English }
            }
        }
    }
}

/// The safety valves of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Tool calls until the turn pauses, 1 to 100.
    pub tool_calls: u32,
    /// Longest run of one tool, in seconds, 1 to 600.
    pub tool_seconds: u32,
    /// Longest run of all tools of a turn together, in seconds, 1 to 3,600. Only the time of tools counts: models
    /// may think, and services queue, for minutes.
    pub turn_seconds: u32,
    /// Characters of one result that a model is given, 1,000 to 200,000. The user keeps the whole.
    pub result_characters: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tool_calls: 10, tool_seconds: 10, turn_seconds: 60, result_characters: 20_000 }
    }
}

/// How a model is told of its tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolForm {
    /// As tools.
    #[default]
    Native,
    /// In the prompt; calls are asked for as JSON in a fence.
    #[serde(rename = "words")]
    Prompted,
    /// In the prompt; the whole answer is JSON, to which the server holds the model.
    Schema,
}

/// Settings as the panel sees them: with the names of the providers that have a key, never a key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// As saved.
    pub settings: Settings,
    /// The presets the worker knows.
    pub presets: Vec<ProviderPreset>,
    /// Providers that have a key for the address in use.
    pub keys: Vec<ProviderId>,
    /// How the model in use can be told to think; empty when it cannot be told.
    pub efforts: Vec<Effort>,
    /// How the model in use is told of its tools.
    pub tool_form: ToolForm,
    /// Whether the model in use takes tools, as far as its server or a test of the connection said so.
    pub takes_tools: Option<bool>,
    /// Whether a message can be sent: the provider has its key (or needs none), an address and a model.
    pub ready: bool,
}

/// A provider that the worker knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderPreset {
    /// Names it in the settings.
    pub id: ProviderId,
    /// Its own name; empty for `custom`, which the panel words.
    pub name: String,
    /// Its addresses, the usual one first; none when the user must give one.
    pub platforms: Vec<Platform>,
    /// Models to suggest, the default first. Hints: any id can be typed.
    pub models: Vec<ModelInfo>,
    /// Whether it answers without a key.
    pub key_optional: bool,
}

impl ProviderPreset {
    /// Its usual address; empty when the user must give one.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.platforms.first().map_or("", |platform| &platform.base_url)
    }
}

/// One address of a provider. Where there are several, a key of one is no good at the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Platform {
    /// Which region or plan: `cn`, `intl`, `us`, and with `-plan` a subscription; `plan` alone where there is one region;
    /// empty for the only one.
    pub id: String,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// Where a key is to be had; empty when none is needed.
    pub key_page: String,
}

/// A model as far as it is known: by the service itself (untrusted text, capped) or beforehand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelInfo {
    /// What a request calls it.
    pub id: String,
    /// For people; empty where there is none.
    pub name: String,
    /// Tokens of its window, where known.
    pub window: Option<u32>,
    /// Most tokens of an answer, where known.
    pub max_output: Option<u32>,
    /// Whether it calls tools, where known.
    pub tools: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_or_empty_settings_are_completed_with_defaults() {
        let settings: Settings = serde_json::from_str(r#"{"mode":"confirm","gone":1}"#).unwrap();
        assert_eq!(settings, Settings { mode: Mode::Confirm, ..Settings::default() });
    }

    #[test]
    fn a_model_that_is_used_comes_first_and_the_oldest_is_forgotten() {
        let choice = |n: usize| ModelChoice { provider: "custom".to_owned(), model: n.to_string() };
        let mut settings = Settings::default();
        (0..10).for_each(|n| settings.used(choice(n)));
        settings.used(choice(4));
        let names: String = settings.recent.iter().map(|choice| choice.model.as_str()).collect();
        assert_eq!(names, "49876532");
    }

    #[test]
    fn the_browser_decides_the_language_until_the_user_does() {
        assert_eq!(LanguageChoice::Browser.resolve("zh-TW"), Language::Chinese);
        assert_eq!(LanguageChoice::Browser.resolve("ZH"), Language::Chinese);
        assert_eq!(LanguageChoice::Browser.resolve("de"), Language::English);
        assert_eq!(LanguageChoice::Browser.resolve(""), Language::English);
        assert_eq!(LanguageChoice::English.resolve("zh-CN"), Language::English);
    }
}
