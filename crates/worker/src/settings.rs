//! Settings and keys, in `storage.local`. A key is kept with the origin it was given for and goes nowhere else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_agent::{Keys, Rules};
use sidecar_chrome::{ChromeError, language_model};
use sidecar_llm::providers::{ON_DEVICE, efforts, preset, presets};
use sidecar_llm::{Endpoint, check_base_url, in_words};
use sidecar_protocol::settings::{
    Language, ModelChoice, Price, ProviderId, ProviderPreset, Settings, SettingsView,
};

use crate::clock;
use crate::on_device::OnDevice;
use crate::storage::Store;
use crate::transport::{FetchTransport, Transport};

const SETTINGS: &str = "settings";
const KEYS: &str = "keys";
const REFUSED: &str = "refusedFields";
const TAKES_TOOLS: &str = "takesTools";
const WINDOWS: &str = "windows";

/// Longest name of a model, in characters.
const MODEL_LIMIT: usize = 200;

/// Models of endpoints of which something is remembered.
const PLACE_LIMIT: usize = 100;

/// Everything the user set.
#[derive(Debug, Default)]
pub struct SettingsStore {
    settings: Settings,
    keys: BTreeMap<ProviderId, SavedKey>,
    /// Fields that a model at an address refused, by both.
    refused: BTreeMap<String, Vec<String>>,
    /// Whether a model at an address takes tools, by both, where its server or a test of the connection said so.
    takes_tools: BTreeMap<String, bool>,
    /// Tokens of a model's window at an address, by both, where its service said so.
    windows: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedKey {
    key: String,
    origin: String,
}

/// The endpoint in use.
struct InUse {
    preset: ProviderPreset,
    base_url: String,
    model: String,
}

impl SettingsStore {
    /// Reads what was saved; what cannot be read is as if it had never been set.
    pub async fn load() -> Self {
        async fn read<T: for<'de> Deserialize<'de> + Default>(name: &str) -> T {
            let text = Store::Choices.get(name).await.ok().flatten().unwrap_or_default();
            serde_json::from_str(&text).unwrap_or_default()
        }
        Self {
            settings: read(SETTINGS).await,
            keys: read(KEYS).await,
            refused: read(REFUSED).await,
            takes_tools: read(TAKES_TOOLS).await,
            windows: read(WINDOWS).await,
        }
    }

    /// Settings as they are.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What panels may see.
    pub fn view(&self) -> SettingsView {
        // Only where the browser has a model of its own; who chose it elsewhere keeps it in the list.
        let is_offered =
            |id: &str| id != ON_DEVICE || language_model::is_known() || self.settings.provider == id;
        let presets: Vec<_> = presets().into_iter().filter(|preset| is_offered(&preset.id)).collect();
        let keys = presets
            .iter()
            .map(|preset| preset.id.clone())
            .filter(|provider| self.key_for(provider).is_some())
            .collect();
        let ready = self.in_use().is_some_and(|used| {
            !used.base_url.is_empty()
                && !used.model.is_empty()
                && (used.preset.key_optional || self.key_for(&used.preset.id).is_some())
        });
        let rules = self.rules(Language::English);
        let efforts = efforts(&rules.endpoint, &rules.model);
        SettingsView {
            settings: self.settings.clone(),
            presets,
            keys,
            efforts,
            tool_form: rules.endpoint.form(&rules.leave_out),
            takes_tools: rules.takes_tools,
            ready,
        }
    }

    /// Replaces the settings and saves them.
    ///
    /// # Errors
    /// The name of the field that is out of range, or why they could not be saved. Nothing is changed then.
    pub async fn save(&mut self, settings: Settings) -> Result<(), SaveError> {
        if let Some(field) = first_bad_field(&settings) {
            return Err(SaveError::BadField(field));
        }
        write(SETTINGS, &settings).await?;
        self.settings = settings;
        Ok(())
    }

    /// Saves a key for the address its provider has now; an empty one forgets it.
    ///
    /// # Errors
    /// When the provider has no usable address yet, or the key could not be saved.
    pub async fn save_key(&mut self, provider: &ProviderId, key: &str) -> Result<(), SaveError> {
        let mut keys = self.keys.clone();
        let key = key.trim();
        if key.is_empty() {
            keys.remove(provider);
        } else {
            // Header values are visible ASCII; anything else is a slip of the clipboard.
            if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(SaveError::BadField("key".to_owned()));
            }
            let Some(origin) = self.origin_of(provider) else {
                return Err(SaveError::BadField(format!("providers.{provider}.baseUrl")));
            };
            keys.insert(provider.clone(), SavedKey { key: key.to_owned(), origin });
        }
        write(KEYS, &keys).await?;
        self.keys = keys;
        Ok(())
    }

    /// What a model is not sent: what it refused, and tools where it takes none or the user wants them in words.
    fn leave_out(&self, provider: &str, base_url: &str, model: &str) -> Vec<String> {
        let place = place(base_url, model);
        let mut fields = self.refused.get(&place).cloned().unwrap_or_default();
        let takes_none = self.takes_tools.get(&place) == Some(&false);
        let is_in_words = fields.iter().any(|field| field == in_words::TOOLS);
        if !is_in_words && (takes_none || self.wants_words(provider)) {
            fields.push(in_words::TOOLS.to_owned());
        }
        fields
    }

    /// Whether the user wants tools described in words, whatever the model takes.
    pub fn wants_words(&self, provider: &str) -> bool {
        self.settings.providers.get(provider).is_some_and(|set| set.tools_in_words)
    }

    /// A message goes to the model in use. Says whether another came before it.
    pub async fn remember_used(&mut self) -> bool {
        let Some(InUse { preset, model, .. }) = self.in_use() else { return false };
        let choice = ModelChoice { provider: preset.id, model };
        let is_news = self.settings.recent.first() != Some(&choice);
        if is_news {
            self.settings.used(choice);
            // What cannot be saved is forgotten with the worker.
            let _ = write(SETTINGS, &self.settings).await;
        }
        is_news
    }

    /// A model refused a field: it is spared it from now on. What cannot be saved is learnt again.
    pub async fn remember_refused(&mut self, provider: &str, model: &str, field: &str) {
        let Some(preset) = preset(provider) else { return };
        let place = place(&self.base_url_of(&preset), model);
        make_room(&mut self.refused, &place);
        let fields = self.refused.entry(place).or_default();
        if !fields.iter().any(|known| known == field) {
            fields.push(field.to_owned());
            let _ = write(REFUSED, &self.refused).await;
        }
    }

    /// Somebody who knows said whether a model takes tools. Says whether that is news.
    pub async fn remember_tools(&mut self, endpoint: &Endpoint, model: &str, takes_tools: bool) -> bool {
        let place = place(&endpoint.base_url, model);
        if self.takes_tools.get(&place) == Some(&takes_tools) {
            return false;
        }
        if let Some(fields) = self.refused.get_mut(&place).filter(|_| takes_tools) {
            // It was another model, or a server that was started otherwise.
            fields.retain(|field| field != in_words::TOOLS);
            let _ = write(REFUSED, &self.refused).await;
        }
        make_room(&mut self.takes_tools, &place);
        self.takes_tools.insert(place, takes_tools);
        let _ = write(TAKES_TOOLS, &self.takes_tools).await;
        true
    }

    /// A service said how many tokens a model's window has. Says whether that is news.
    pub async fn remember_window(&mut self, endpoint: &Endpoint, model: &str, window: u32) -> bool {
        let place = place(&endpoint.base_url, model);
        if self.windows.get(&place) == Some(&window) {
            return false;
        }
        make_room(&mut self.windows, &place);
        self.windows.insert(place, window);
        let _ = write(WINDOWS, &self.windows).await;
        true
    }

    /// What a turn goes by from now on.
    pub fn rules(&self, language: Language) -> Rules {
        let used = self.in_use();
        let (provider, base_url, model) = match used {
            Some(used) => (used.preset.id, used.base_url, used.model),
            None => Default::default(),
        };
        let endpoint = Endpoint { provider: provider.clone(), base_url: base_url.clone() };
        Rules {
            effort: self.settings.providers.get(&provider).and_then(|set| set.effort),
            price: self
                .settings
                .providers
                .get(&provider)
                .and_then(|set| set.prices.get(&model))
                .filter(|price| !price.is_nothing())
                .cloned(),
            leave_out: self.leave_out(&provider, &base_url, &model),
            takes_tools: self.takes_tools.get(&place(&base_url, &model)).copied(),
            window: endpoint.window(&model, self.windows.get(&place(&base_url, &model)).copied()),
            endpoint,
            model,
            temperature: self.settings.temperature,
            max_tokens: self.settings.max_tokens,
            mode: self.settings.mode,
            limits: self.settings.limits,
            language,
            today: clock::today(language),
        }
    }

    /// The way to the model in use.
    pub fn transport(&self) -> Transport {
        let used = self.in_use();
        let keys = Keys::new(self.keys.values().map(|saved| saved.key.clone()));
        if used.as_ref().is_some_and(|used| used.preset.id == ON_DEVICE) {
            return Transport::OnDevice(OnDevice { keys });
        }
        Transport::Fetch(FetchTransport {
            key: used.as_ref().and_then(|used| self.key_for(&used.preset.id)),
            key_optional: used.is_some_and(|used| used.preset.key_optional),
            keys,
        })
    }

    fn in_use(&self) -> Option<InUse> {
        let preset = preset(&self.settings.provider)?;
        let set = self.settings.providers.get(&preset.id).cloned().unwrap_or_default();
        let model = match set.model.trim() {
            "" => preset.models.first().map(|model| model.id.clone()).unwrap_or_default(),
            model => model.to_owned(),
        };
        Some(InUse { base_url: self.base_url_of(&preset), model, preset })
    }

    fn base_url_of(&self, preset: &ProviderPreset) -> String {
        match self.settings.providers.get(&preset.id) {
            Some(set) if !set.base_url.is_empty() => set.base_url.clone(),
            _ => preset.base_url().to_owned(),
        }
    }

    fn origin_of(&self, provider: &str) -> Option<String> {
        let base_url = self.base_url_of(&preset(provider)?);
        Some(check_base_url(&base_url).ok()?.origin().to_string())
    }

    fn key_for(&self, provider: &str) -> Option<String> {
        let saved = self.keys.get(provider)?;
        (self.origin_of(provider)? == saved.origin).then(|| saved.key.clone())
    }
}

/// Why settings were not saved.
#[derive(Debug)]
pub enum SaveError {
    /// This field is out of range.
    BadField(String),
    /// The browser refused.
    Storage(ChromeError),
}

impl From<ChromeError> for SaveError {
    fn from(error: ChromeError) -> Self {
        Self::Storage(error)
    }
}

fn place(base_url: &str, model: &str) -> String {
    format!("{base_url} {model}")
}

/// Forgets one of too many.
fn make_room<T>(places: &mut BTreeMap<String, T>, place: &str) {
    if !places.contains_key(place) && places.len() >= PLACE_LIMIT {
        places.pop_first();
    }
}

async fn write(name: &str, value: &impl Serialize) -> Result<(), ChromeError> {
    Store::Choices.set(name, &serde_json::to_string(value).unwrap_or_default()).await
}

fn first_bad_field(settings: &Settings) -> Option<String> {
    if preset(&settings.provider).is_none() {
        return Some("provider".to_owned());
    }
    for (id, set) in &settings.providers {
        if preset(id).is_none() {
            return Some(format!("providers.{id}"));
        }
        if !set.base_url.is_empty() && check_base_url(&set.base_url).is_err() {
            return Some(format!("providers.{id}.baseUrl"));
        }
        if set.model.chars().count() > MODEL_LIMIT {
            return Some(format!("providers.{id}.model"));
        }
        let is_sound =
            |(model, price): (&String, &Price)| model.chars().count() <= MODEL_LIMIT && price.is_valid();
        if set.prices.len() > PLACE_LIMIT || !set.prices.iter().all(is_sound) {
            return Some(format!("providers.{id}.prices"));
        }
    }
    let limits = &settings.limits;
    let is_known = |choice: &ModelChoice| {
        preset(&choice.provider).is_some() && choice.model.chars().count() <= MODEL_LIMIT
    };
    let checks = [
        ("temperature", settings.temperature.is_none_or(|value| (0.0..=2.0).contains(&value))),
        ("maxTokens", settings.max_tokens.is_none_or(|value| (1..=10_000_000).contains(&value))),
        ("recent", settings.recent.len() <= Settings::MOST_RECENT && settings.recent.iter().all(is_known)),
        ("limits.toolCalls", (1..=100).contains(&limits.tool_calls)),
        ("limits.toolSeconds", (1..=600).contains(&limits.tool_seconds)),
        ("callsKept", (1..=Settings::MOST_CALLS_KEPT).contains(&settings.calls_kept)),
        ("limits.turnSeconds", (1..=3600).contains(&limits.turn_seconds)),
        ("limits.resultCharacters", (1_000..=200_000).contains(&limits.result_characters)),
    ];
    checks.into_iter().find(|(_, fits)| !fits).map(|(field, _)| field.to_owned())
}
