//! What the user can set. API keys are not among the settings: they only go from the panel to the worker.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Identifies a provider's preset: `deepseek`, or `custom` for any OpenAI-compatible address.
pub type ProviderId = String;

/// All settings, with their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The provider in use; empty until the user chooses one.
    pub provider: ProviderId,
    /// Settings of each provider.
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
    /// The limits of a turn.
    pub limits: Limits,
    /// The models last used, the latest first, at most [`Settings::MOST_RECENT`].
    pub recent: Vec<ModelChoice>,
    /// The user's saved prompts, at most [`SavedPrompt::MOST`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<SavedPrompt>,
    /// How many calls the log of calls keeps, 1 to [`Settings::MOST_CALLS_KEPT`]; the oldest are deleted
    /// first.
    pub calls_kept: u32,
}

impl Settings {
    /// Maximum number of recent models.
    pub const MOST_RECENT: usize = 8;

    /// Maximum number of calls in the log of calls.
    pub const MOST_CALLS_KEPT: u32 = 20_000;

    /// Makes a model the first of the recent ones.
    pub fn used(&mut self, choice: ModelChoice) {
        self.recent.retain(|known| *known != choice);
        self.recent.insert(0, choice);
        self.recent.truncate(Self::MOST_RECENT);
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            provider: String::new(),
            providers: BTreeMap::new(),
            mode: Mode::default(),
            language: LanguageChoice::default(),
            theme: Theme::default(),
            temperature: None,
            max_tokens: None,
            limits: Limits::default(),
            recent: Vec::new(),
            prompts: Vec::new(),
            calls_kept: 2_000,
        }
    }
}

/// A text that the user saved to begin messages with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SavedPrompt {
    /// Its name, 1 to [`SavedPrompt::MOST_OF_NAME`] characters.
    pub name: String,
    /// The text, at most [`SavedPrompt::MOST_OF_TEXT`] characters. `{title}` stands for the title of the page,
    /// `{selection}` for what is selected on it.
    pub text: String,
}

impl SavedPrompt {
    /// Maximum number of prompts.
    pub const MOST: usize = 50;
    /// Longest name, in characters.
    pub const MOST_OF_NAME: usize = 40;
    /// Longest text, in characters.
    pub const MOST_OF_TEXT: usize = 10_000;
    /// Stands for the title of the page.
    pub const TITLE: &str = "{title}";
    /// Stands for what is selected on the page.
    pub const SELECTION: &str = "{selection}";

    /// Whether name and text are within their bounds.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let fits = |text: &str, most: usize| !text.trim().is_empty() && text.chars().nth(most).is_none();
        fits(&self.name, Self::MOST_OF_NAME) && fits(&self.text, Self::MOST_OF_TEXT)
    }
}

/// Settings of one provider. An empty field stands for the preset's own value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProviderSettings {
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// As the provider spells it.
    pub model: String,
    /// Reasoning effort; the provider's default when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Whether tools are described in the prompt, for models without tool calling.
    #[serde(rename = "toolsInWords", skip_serializing_if = "std::ops::Not::not")]
    pub prompted_tools: bool,
    /// The prices of its models, by model name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

/// What a model costs, as the user entered it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Price {
    /// A currency sign or code of the user's choice, at most [`Price::MOST_CURRENCY`] characters: `¥`,
    /// `USD`.
    pub currency: String,
    /// Per million input tokens.
    pub input: f64,
    /// Per million cached input tokens; `input` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Per million output tokens.
    pub output: f64,
}

impl Price {
    /// Maximum characters of a currency.
    pub const MOST_CURRENCY: usize = 8;
    /// The highest price per million tokens.
    pub const MOST: f64 = 1_000_000.0;

    /// Whether every field is within its bounds.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let fits = |price: f64| (0.0..=Self::MOST).contains(&price);
        let length = self.currency.chars().count();
        length <= Self::MOST_CURRENCY && fits(self.input) && fits(self.output) && self.cached.is_none_or(fits)
    }

    /// Whether all prices are zero, as when none was set.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.input == 0.0 && self.output == 0.0 && self.cached.unwrap_or_default() == 0.0
    }
}

/// One model of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// The provider.
    pub provider: ProviderId,
    /// As the provider spells it.
    pub model: String,
}

/// Reasoning effort: how much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effort {
    /// None, for models that can do without.
    Off,
    /// A little reasoning.
    Low,
    /// More reasoning.
    Medium,
    /// As much as is useful.
    High,
}

/// Whether acting tools ask first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Tools run at once; every call is shown.
    #[default]
    Automatic,
    /// Tools that do not count as read-only wait for the user's approval.
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

impl Language {
    /// Its language tag (BCP 47).
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }
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

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Tool calls after which the turn pauses, 1 to 100.
    pub tool_calls: u32,
    /// Longest run of one tool, in seconds, 1 to 600.
    pub tool_seconds: u32,
    /// Longest total run of all tools of a turn, in seconds, 1 to 3,600. Only the time of tools counts:
    /// models may think, and services queue, for minutes.
    pub turn_seconds: u32,
    /// Characters of one result that the model is given, 1,000 to 200,000. The user sees the whole.
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
    /// In the request's `tools` field.
    #[default]
    Native,
    /// In the prompt; calls are requested as JSON in a fenced block.
    #[serde(rename = "words")]
    Prompted,
    /// In the prompt; the whole answer is JSON, which the server constrains by a schema.
    Schema,
}

/// Settings as the panel sees them: with the names of the providers that have a key, never with a key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// As saved.
    pub settings: Settings,
    /// The provider presets.
    pub presets: Vec<ProviderPreset>,
    /// Providers that have a key for their current address.
    pub keys: Vec<ProviderId>,
    /// Reasoning efforts that the model in use supports; empty if it supports none.
    pub efforts: Vec<Effort>,
    /// How the model in use is told of its tools.
    pub tool_form: ToolForm,
    /// Whether the model in use supports tool calls, if its server or a connection test has told.
    pub takes_tools: Option<bool>,
    /// Whether the model in use sees pictures, if its name or its service says so.
    pub sees: Option<bool>,
    /// Whether a message can be sent: the provider has an address, a model, and a key or no need of one.
    pub ready: bool,
}

/// A provider that is built in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderPreset {
    /// Its id in the settings.
    pub id: ProviderId,
    /// Its own name; empty for `custom`, which the panel translates.
    pub name: String,
    /// Its addresses, the default first; none if the user has to enter one.
    pub platforms: Vec<Platform>,
    /// Suggested models, the default first. Any other id can be entered.
    pub models: Vec<ModelInfo>,
    /// Whether it answers without a key.
    pub key_optional: bool,
    /// What it takes to use it.
    pub cost: ProviderCost,
}

/// What it takes to use a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProviderCost {
    /// A key is free, within the limits of the service.
    Free,
    /// The account is charged.
    Paid,
    /// The model runs on this computer.
    Local,
    /// Unknown: the user enters the address.
    Unknown,
}

impl ProviderPreset {
    /// Its default address; empty if the user has to enter one.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.platforms.first().map_or("", |platform| &platform.base_url)
    }
}

/// An address of a provider. A key for one of a provider's addresses does not work at the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Platform {
    /// Region or plan: `cn`, `intl`, `us`, with `-plan` for a subscription; `plan` alone if there is one
    /// region; empty if there is one address.
    pub id: String,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// Page where a key can be obtained; empty if none is needed.
    pub key_page: String,
}

/// What is known of a model, from the service itself (untrusted, capped) or built in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelInfo {
    /// Its id in requests.
    pub id: String,
    /// For people; empty if there is none.
    pub name: String,
    /// Size of its context window in tokens, if known.
    pub window: Option<u32>,
    /// Maximum tokens of an answer, if known.
    pub max_output: Option<u32>,
    /// Whether it supports tool calls, if known.
    pub tools: Option<bool>,
    /// Whether it sees pictures, if its service says so.
    pub sees: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_completed_with_defaults_when_old_or_empty() {
        let settings: Settings = serde_json::from_str(r#"{"mode":"confirm","gone":1}"#).unwrap();
        assert_eq!(settings, Settings { mode: Mode::Confirm, ..Settings::default() });
    }

    #[test]
    fn used_model_comes_first_and_the_oldest_is_dropped() {
        let choice = |n: usize| ModelChoice { provider: "custom".to_owned(), model: n.to_string() };
        let mut settings = Settings::default();
        (0..10).for_each(|n| settings.used(choice(n)));
        settings.used(choice(4));
        let names: String = settings.recent.iter().map(|choice| choice.model.as_str()).collect();
        assert_eq!(names, "49876532");
    }

    #[test]
    fn language_is_the_browsers_until_the_user_chooses() {
        assert_eq!(LanguageChoice::Browser.resolve("zh-TW"), Language::Chinese);
        assert_eq!(LanguageChoice::Browser.resolve("ZH"), Language::Chinese);
        assert_eq!(LanguageChoice::Browser.resolve("de"), Language::English);
        assert_eq!(LanguageChoice::Browser.resolve(""), Language::English);
        assert_eq!(LanguageChoice::English.resolve("zh-CN"), Language::English);
    }
}
