//! Settings and keys: what is saved of them, and the connections that can be made with them. A key is kept with the origin
//! it was given for and goes nowhere else.

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
        // The user may have wanted to be asked.
        if unread.has("mode") {
            self.mode = Mode::Confirm;
        }
        // Nothing goes to a service that the user did not choose.
        if unread.has("provider") {
            self.provider.clear();
        }
        // More calls may be in the log than is usual, and what is deleted is gone.
        if unread.has("callsKept") {
            self.calls_kept = Self::MOST_CALLS_KEPT;
        }
    }
}

/// Everything the user set.
#[derive(Debug)]
pub struct SettingsStore<K> {
    settings: Saved<Settings, K>,
    keys: Saved<SavedKeys, K>,
    facts: Facts<K>,
}

/// What is needed to reach a provider besides its address.
#[derive(Debug, Clone)]
pub struct Access {
    /// The key for the address that the provider has now.
    pub key: Option<String>,
    /// Whether the provider answers without one.
    pub key_optional: bool,
    /// Whether it is the browser's own model.
    pub is_on_device: bool,
    /// The keys for all providers, to be taken out of what others say.
    pub keys: Keys,
}

/// Why something was not saved.
#[derive(Debug, PartialEq, Eq)]
pub enum SaveError {
    /// This field is out of range. Nothing changed.
    BadField(String),
    /// Nothing of what is on disk can be read, and nothing was written over it. The change holds as long as the worker lives.
    Unread(SavedName),
    /// The browser refused. Nothing changed.
    Storage(StoreError),
}

impl<K: KeyValue + Clone> SettingsStore<K> {
    /// Reads what was saved.
    pub async fn load(store: K) -> Self {
        let (settings, keys, facts) =
            join!(Saved::load(store.clone()), Saved::load(store.clone()), Facts::load(store));
        Self { settings, keys, facts }
    }

    /// Settings as they are.
    pub fn settings(&self) -> &Settings {
        self.settings.value()
    }

    /// What could not be read.
    pub fn unread(&self) -> impl Iterator<Item = UnreadValue> {
        self.settings.unread().into_iter().chain(self.keys.unread())
    }

    /// What panels may see. The browser's own model is offered where the browser has one, and where it was chosen elsewhere.
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
        let Connection { endpoint, model, leave_out, takes_tools, .. } = &connection;
        let access = self.access(&endpoint.provider);
        SettingsView {
            settings: settings.clone(),
            presets,
            keys,
            efforts: efforts(endpoint, model),
            tool_form: endpoint.form(leave_out),
            takes_tools: *takes_tools,
            ready: !endpoint.base_url.is_empty()
                && !model.is_empty()
                && (access.key_optional || access.key.is_some()),
        }
    }

    /// Replaces the settings and saves them.
    ///
    /// # Errors
    /// Those of [`SaveError`].
    pub async fn save(&mut self, settings: Settings) -> Result<(), SaveError> {
        if let Some(field) = first_bad_field(&settings) {
            return Err(SaveError::BadField(field));
        }
        keep(&mut self.settings, settings).await
    }

    /// Saves a key for the address its provider has now; an empty one forgets it.
    ///
    /// # Errors
    /// When the provider has no usable address yet, and those of [`SaveError`].
    pub async fn save_key(&mut self, provider: &str, key: &str) -> Result<(), SaveError> {
        let mut keys = self.keys.value().clone();
        let key = key.trim();
        if key.is_empty() {
            keys.forget(provider);
        } else {
            // Header values are visible ASCII; anything else is a slip of the clipboard.
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

    /// Gives up the settings that could not be read.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_settings(&mut self) -> Result<(), StoreError> {
        self.settings.give_up_unread().await
    }

    /// Gives up the keys that could not be read.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_keys(&mut self) -> Result<(), StoreError> {
        self.keys.give_up_unread().await
    }

    /// The provider and the model that the user chose. Without a choice of a model, the provider's first.
    pub fn chosen(&self) -> ModelChoice {
        let provider = self.settings().provider.clone();
        let set = self.settings().providers.get(&provider).map(|set| set.model.trim()).unwrap_or_default();
        let model = match set {
            "" => preset(&provider).and_then(|preset| preset.models.into_iter().next()).map(|model| model.id),
            set => Some(set.to_owned()),
        };
        ModelChoice { provider, model: model.unwrap_or_default() }
    }

    /// A connection to any model of any provider. That of a provider without an address has none.
    pub fn connection(&self, choice: &ModelChoice) -> Connection {
        let ModelChoice { provider, model } = choice;
        let settings = self.settings();
        let set = settings.providers.get(provider);
        let base_url = preset(provider).map(|preset| self.base_url_of(&preset)).unwrap_or_default();
        let endpoint = Endpoint { provider: provider.clone(), base_url };
        let price = set.and_then(|set| set.prices.get(model)).filter(|price| !price.is_nothing());
        let takes_tools = self.facts.takes_tools(&endpoint, model);
        // What it refused, and tools where it takes none or the user wants them in words.
        let mut leave_out = self.facts.refused(&endpoint, model);
        let is_prompted = leave_out.iter().any(|field| field == prompted::TOOLS);
        if !is_prompted && (takes_tools == Some(false) || self.wants_prompted_tools(provider)) {
            leave_out.push(prompted::TOOLS.to_owned());
        }
        Connection {
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            effort: set.and_then(|set| set.effort),
            price: price.cloned(),
            window: endpoint.window(model, self.facts.window(&endpoint, model)),
            leave_out,
            takes_tools,
            model: model.clone(),
            endpoint,
        }
    }

    /// How to reach a provider.
    pub fn access(&self, provider: &str) -> Access {
        Access {
            key: self.key_for(provider),
            key_optional: preset(provider).is_some_and(|preset| preset.key_optional),
            is_on_device: provider == ON_DEVICE,
            keys: Keys::new(self.keys.value().texts().map(str::to_owned)),
        }
    }

    /// Whether the user wants tools described in words, whatever the provider's model takes.
    pub fn wants_prompted_tools(&self, provider: &str) -> bool {
        self.settings().providers.get(provider).is_some_and(|set| set.prompted_tools)
    }

    /// A message goes to a model. Says whether another came before it.
    pub async fn remember_used(&mut self, choice: ModelChoice) -> bool {
        let is_news = preset(&choice.provider).is_some() && self.settings().recent.first() != Some(&choice);
        if is_news {
            let mut settings = self.settings().clone();
            settings.used(choice);
            if self.settings.save(settings.clone()).await.is_err() {
                // It is forgotten with the worker.
                self.settings.hold(settings);
            }
        }
        is_news
    }

    /// A model refused a field: it is spared it from now on. What cannot be saved is learnt again.
    pub async fn remember_refused(&mut self, choice: &ModelChoice, field: &str) {
        let Some(preset) = preset(&choice.provider) else { return };
        let endpoint = Endpoint { base_url: self.base_url_of(&preset), provider: preset.id };
        self.facts.remember_refused(&endpoint, &choice.model, field).await;
    }

    /// Somebody who knows said whether a model takes tools. Says whether that is news.
    pub async fn remember_tools(&mut self, endpoint: &Endpoint, model: &str, takes_tools: bool) -> bool {
        self.facts.remember_tools(endpoint, model, takes_tools).await
    }

    /// A service said how many tokens a model's window has. Says whether that is news.
    pub async fn remember_window(&mut self, endpoint: &Endpoint, model: &str, window: u32) -> bool {
        self.facts.remember_window(endpoint, model, window).await
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

/// Saves a value. Where nothing of it can be read on disk, it holds without that.
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
