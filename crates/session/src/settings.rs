//! Settings and API keys, and the connections made from them. A key is kept with the origin that it was given
//! for, and is sent nowhere else.

use futures::join;
use sidecar_agent::{Connection, Keys, StoreError};
use sidecar_llm::efforts;
use sidecar_llm::providers::{ON_DEVICE, preset, presets};
use sidecar_llm::{Endpoint, check_base_url, prompted};
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_protocol::settings::{Mode, ModelChoice, ProviderPreset, Settings, SettingsView};

use crate::key_value::KeyValue;
use crate::saved::{NotSaved, Persistent, Saved, UnreadParts};
use facts::Facts;
pub(crate) use keys::SavedKeys;
use validation::first_bad_field;

mod facts;
mod keys;
mod validation;

impl Persistent for Settings {
    const NAME: SavedName = SavedName::Settings;
    const KEY: &'static str = "settings";

    fn is_sound(&self) -> bool {
        first_bad_field(self).is_none()
    }

    fn fall_back(&mut self, unread: &UnreadParts) {
        // The user may have chosen to be asked.
        if unread.has("mode") {
            self.mode = Mode::Confirm;
        }
        // Nothing is sent to a service that the user did not choose.
        if unread.has("provider") {
            self.provider.clear();
        }
        // The log may hold more calls than the default, and removed ones cannot be restored.
        if unread.has("callsKept") {
            self.calls_kept = Self::MOST_CALLS_KEPT;
        }
    }
}

/// The settings, the API keys, and facts about models.
#[derive(Debug)]
pub struct SettingsStore<K> {
    settings: Saved<Settings, K>,
    keys: Saved<SavedKeys, K>,
    facts: Facts<K>,
}

/// What a transport needs to reach a provider, besides its address.
#[derive(Debug, Clone)]
pub struct Access {
    /// The key for the provider's current address.
    pub key: Option<String>,
    /// Whether the provider answers without a key.
    pub key_optional: bool,
    /// Whether it is the browser's own model.
    pub is_on_device: bool,
    /// The keys for all providers, which are removed from what services and pages say.
    pub keys: Keys,
}

/// Why settings or a key were not saved.
#[derive(Debug, PartialEq, Eq)]
pub enum SaveError {
    /// This field is out of range. Nothing changed.
    BadField(String),
    /// The value on disk cannot be read at all and was not overwritten. The change holds while the worker
    /// lives.
    Unread(SavedName),
    /// The browser refused to write. Nothing changed.
    Storage(StoreError),
}

impl<K: KeyValue + Clone> SettingsStore<K> {
    /// Reads settings, keys and facts.
    pub async fn load(store: K) -> Self {
        let (settings, keys, facts) =
            join!(Saved::load(store.clone()), Saved::load(store.clone()), Facts::load(store));
        Self { settings, keys, facts }
    }

    /// The current settings.
    pub fn settings(&self) -> &Settings {
        self.settings.value()
    }

    /// The values with unreadable parts.
    pub fn unread(&self) -> impl Iterator<Item = UnreadValue> {
        self.settings.unread().into_iter().chain(self.keys.unread())
    }

    /// The settings as panels see them. The browser's own model is listed if this browser has one, or if it
    /// is the chosen provider.
    pub fn view(&self, has_on_device: bool) -> SettingsView {
        let settings = self.settings();
        let is_offered = |id: &str| id != ON_DEVICE || has_on_device || settings.provider == id;
        let presets: Vec<_> = presets().into_iter().filter(|preset| is_offered(&preset.id)).collect();
        let keys = presets
            .iter()
            .map(|preset| preset.id.clone())
            .filter(|provider| self.key_for(provider).is_some())
            .collect();
        let connection = self.connection(&self.chosen());
        let Connection { endpoint, model, leave_out, takes_tools, sees, .. } = &connection;
        let access = self.access(&endpoint.provider);
        SettingsView {
            settings: settings.clone(),
            presets,
            keys,
            efforts: efforts(endpoint, model),
            tool_form: endpoint.form(leave_out),
            takes_tools: *takes_tools,
            sees: *sees,
            ready: !endpoint.base_url.is_empty()
                && !model.is_empty()
                && (access.key_optional || access.key.is_some()),
        }
    }

    /// Replaces the settings and saves them.
    ///
    /// # Errors
    /// [`SaveError`]
    pub async fn save(&mut self, settings: Settings) -> Result<(), SaveError> {
        if let Some(field) = first_bad_field(&settings) {
            return Err(SaveError::BadField(field));
        }
        keep(&mut self.settings, settings).await
    }

    /// Saves a key for the current address of its provider; an empty key removes the saved one.
    ///
    /// # Errors
    /// [`SaveError`]; `BadField` also if the provider has no valid address yet.
    pub async fn save_key(&mut self, provider: &str, key: &str) -> Result<(), SaveError> {
        let mut keys = self.keys.value().clone();
        let key = key.trim();
        if key.is_empty() {
            keys.forget(provider);
        } else {
            // The key is sent as a header value, which is visible ASCII; anything else was pasted by mistake.
            if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(SaveError::BadField("key".to_owned()));
            }
            let Some(origin) = self.origin_of(provider) else {
                return Err(SaveError::BadField(format!("providers.{provider}.baseUrl")));
            };
            keys.put(provider, key, &origin);
        }
        keep(&mut self.keys, keys).await
    }

    /// Discards the unreadable settings.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_settings(&mut self) -> Result<(), StoreError> {
        self.settings.give_up_unread().await
    }

    /// Discards the unreadable keys.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_keys(&mut self) -> Result<(), StoreError> {
        self.keys.give_up_unread().await
    }

    /// The chosen provider and model; the provider's first model if none is chosen.
    pub fn chosen(&self) -> ModelChoice {
        let provider = self.settings().provider.clone();
        let set = self.settings().providers.get(&provider).map(|set| set.model.trim()).unwrap_or_default();
        let model = match set {
            "" => preset(&provider).and_then(|preset| preset.models.into_iter().next()).map(|model| model.id),
            set => Some(set.to_owned()),
        };
        ModelChoice { provider, model: model.unwrap_or_default() }
    }

    /// A connection to any model of any provider. Its address is empty if the provider has none.
    pub fn connection(&self, choice: &ModelChoice) -> Connection {
        let ModelChoice { provider, model } = choice;
        let settings = self.settings();
        let set = settings.providers.get(provider);
        let base_url = preset(provider).map(|preset| self.base_url_of(&preset)).unwrap_or_default();
        let endpoint = Endpoint { provider: provider.clone(), base_url };
        let price = set.and_then(|set| set.prices.get(model)).filter(|price| !price.is_nothing());
        let takes_tools = self.facts.takes_tools(&endpoint, model);
        // The fields that the model refused, and tools if the model takes none or the user wants prompted
        // tool calling.
        let mut leave_out = self.facts.refused(&endpoint, model);
        let is_prompted = leave_out.iter().any(|field| field == prompted::TOOLS);
        if !is_prompted && (takes_tools == Some(false) || self.wants_prompted_tools(provider)) {
            leave_out.push(prompted::TOOLS.to_owned());
        }
        let sees = match leave_out.iter().any(|field| field == sidecar_llm::PICTURES) {
            true => Some(false),
            false => self.facts.sees(&endpoint, model).or_else(|| sidecar_llm::sees(provider, model)),
        };
        Connection {
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            effort: set.and_then(|set| set.effort),
            price: price.cloned(),
            window: endpoint.window(model, self.facts.window(&endpoint, model)),
            leave_out,
            takes_tools,
            sees,
            model: model.clone(),
            endpoint,
        }
    }

    /// What a transport needs to reach a provider.
    pub fn access(&self, provider: &str) -> Access {
        Access {
            key: self.key_for(provider),
            key_optional: preset(provider).is_some_and(|preset| preset.key_optional),
            is_on_device: provider == ON_DEVICE,
            keys: Keys::new(self.keys.value().texts().map(str::to_owned)),
        }
    }

    /// Whether the user wants prompted tool calling, whatever the provider's model supports.
    pub fn wants_prompted_tools(&self, provider: &str) -> bool {
        self.settings().providers.get(provider).is_some_and(|set| set.prompted_tools)
    }

    /// Records that a turn uses a model. Returns whether the most recent model changed.
    pub async fn remember_used(&mut self, choice: ModelChoice) -> bool {
        let is_news = preset(&choice.provider).is_some() && self.settings().recent.first() != Some(&choice);
        if is_news {
            let mut settings = self.settings().clone();
            settings.used(choice);
            if self.settings.save(settings.clone()).await.is_err() {
                // Then it is remembered only while the worker lives.
                self.settings.hold(settings);
            }
        }
        is_news
    }

    /// Records that a model refused a request field, so that later requests leave it out. If this cannot be
    /// saved, it is learned again.
    pub async fn remember_refused(&mut self, choice: &ModelChoice, field: &str) {
        let Some(preset) = preset(&choice.provider) else { return };
        let endpoint = Endpoint { base_url: self.base_url_of(&preset), provider: preset.id };
        self.facts.remember_refused(&endpoint, &choice.model, field).await;
    }

    /// Records whether a model takes tools. Returns whether this changed anything.
    pub async fn remember_tools(&mut self, endpoint: &Endpoint, model: &str, takes_tools: bool) -> bool {
        self.facts.remember_tools(endpoint, model, takes_tools).await
    }

    /// Records the size of a model's context window, in tokens. Returns whether this changed anything.
    pub async fn remember_window(&mut self, endpoint: &Endpoint, model: &str, window: u32) -> bool {
        self.facts.remember_window(endpoint, model, window).await
    }

    /// Records whether a model sees pictures. Returns whether this changed anything.
    pub async fn remember_sight(&mut self, endpoint: &Endpoint, model: &str, sees: bool) -> bool {
        self.facts.remember_sight(endpoint, model, sees).await
    }

    fn base_url_of(&self, preset: &ProviderPreset) -> String {
        match self.settings().providers.get(&preset.id) {
            Some(set) if !set.base_url.is_empty() => set.base_url.clone(),
            _ => preset.base_url().to_owned(),
        }
    }

    fn origin_of(&self, provider: &str) -> Option<String> {
        let base_url = self.base_url_of(&preset(provider)?);
        Some(check_base_url(&base_url).ok()?.origin().to_string())
    }

    fn key_for(&self, provider: &str) -> Option<String> {
        self.keys.value().get(provider, &self.origin_of(provider)?).map(str::to_owned)
    }
}

/// Saves a value. If the value on disk cannot be read at all, the new one is still used while the worker
/// lives.
async fn keep<T: Persistent + Clone, K: KeyValue>(
    saved: &mut Saved<T, K>,
    value: T,
) -> Result<(), SaveError> {
    match saved.save(value.clone()).await {
        Ok(()) => Ok(()),
        Err(NotSaved::Unread) => {
            saved.hold(value);
            Err(SaveError::Unread(T::NAME))
        }
        Err(NotSaved::Refused(error)) => Err(SaveError::Storage(error)),
    }
}

#[cfg(test)]
mod tests;
