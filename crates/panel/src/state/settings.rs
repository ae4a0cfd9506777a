//! Settings, the provider in use and its name, and the connection test.

use leptos::prelude::*;
use sidecar_protocol::ModelError;
use sidecar_protocol::connection_test::{ConnectionCheck, ConnectionTest};
use sidecar_protocol::link::{SettingsAnswer, SettingsCommand};
use sidecar_protocol::settings::{ModelChoice, ModelInfo, ProviderPreset, Settings, SettingsView};
use sidecar_ui::words::Words;

use super::connection::ConnectionStore;
use super::host;
use crate::word;
use sidecar_link::LinkResponse;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct PanelSettingsStore {
    /// Settings as shown: with changes not yet saved, or else as the worker last reported.
    pub view: RwSignal<SettingsView>,
    /// Number of successful saves from this panel.
    pub saves: RwSignal<u32>,
    /// Models that the provider in use lists; empty until the list arrives.
    pub models: RwSignal<Vec<ModelInfo>>,
    /// Why the provider's list of models could not be loaded.
    pub no_models: RwSignal<Option<ModelError>>,
    /// Whether a connection test is running.
    pub trying: RwSignal<bool>,
    /// The outcome of the last connection test.
    pub trial: RwSignal<Option<ConnectionTest>>,
    /// Whether a key was sent to the worker, which has not answered yet.
    saving_key: RwSignal<bool>,
    /// Whether the user is choosing a service on the first run: until the connection test has passed.
    pub setting_up: RwSignal<bool>,
    /// Incremented when a test starts or is dropped, so that a late outcome is ignored.
    tests: StoredValue<u32>,
    /// Settings as the worker last reported.
    saved: StoredValue<SettingsView>,
    /// Number of saves without a reply yet.
    unsaved: StoredValue<u32>,
    connection: ConnectionStore,
    words: Words,
}

impl PanelSettingsStore {
    /// Creates a store; `view` holds the settings shown.
    pub fn new(view: RwSignal<SettingsView>, connection: ConnectionStore, words: Words) -> Self {
        Self {
            view,
            saves: RwSignal::new(0),
            models: RwSignal::new(Vec::new()),
            no_models: RwSignal::new(None),
            trying: RwSignal::new(false),
            trial: RwSignal::new(None),
            saving_key: RwSignal::new(false),
            setting_up: RwSignal::new(false),
            tests: StoredValue::new(0),
            saved: StoredValue::new(SettingsView::default()),
            unsaved: StoredValue::new(0),
            connection,
            words,
        }
    }

    /// Changes settings. The change is shown at once and saved by the worker.
    pub fn change(self, change: impl FnOnce(&mut Settings)) {
        self.view.update(|view| change(&mut view.settings));
        let settings = Box::new(self.view.with_untracked(|view| view.settings.clone()));
        let is_sent = self.connection.ask(SettingsCommand::Save { settings }, move |response| {
            self.unsaved.update_value(|unsaved| *unsaved -= 1);
            self.settings_saved(response);
            if self.unsaved.get_value() == 0 {
                self.view.set(self.saved.get_value());
            }
        });
        if is_sent {
            self.unsaved.update_value(|unsaved| *unsaved += 1);
        }
    }

    /// Saves a key for the provider in use, and tests it at once; an empty one deletes the saved one.
    pub fn save_key(self, key: String) {
        let provider = self.view.with_untracked(|view| view.settings.provider.clone());
        let is_new = !key.is_empty();
        self.forget_test();
        let is_asked = self.connection.ask(SettingsCommand::SaveKey { provider, key }, move |response| {
            let is_saved = matches!(response, LinkResponse::Done);
            self.settings_saved(response);
            if is_new && is_saved && !self.model().is_empty() {
                self.try_connection();
            }
            self.saving_key.set(false);
        });
        self.saving_key.set(is_asked && is_new);
    }

    /// Whether a message can be sent, as far as is known: not while a key is being tested, nor after the model could
    /// not be reached with it.
    pub fn is_usable(self) -> bool {
        let has_failed =
            self.trial.with(|trial| trial.as_ref().and_then(|trial| trial.failed).is_some_and(is_fatal));
        self.view.with(|view| view.ready) && !self.saving_key.get() && !self.trying.get() && !has_failed
    }

    /// Drops the outcome of the connection test whenever address, model or key changes. To be called once.
    pub fn watch(self) {
        let about = Memo::new(move |_| format!("{} {} {}", self.base_url(), self.model(), self.has_key()));
        Effect::new(move |_| {
            // Read, not only tracked: a memo that nobody reads notifies of no change.
            about.with(|_| ());
            self.forget_test();
        });
        Effect::new(move |_| {
            if self.setting_up.get() && self.trial.with(Option::is_some) && self.is_usable() {
                self.setting_up.set(false);
            }
        });
    }

    fn settings_saved(self, response: LinkResponse<SettingsAnswer>) {
        match response {
            LinkResponse::Done => self.saves.update(|saves| *saves += 1),
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Lost => {}
        }
    }

    /// Requests the models of the provider in use.
    pub fn list_models(self) {
        self.connection.ask(SettingsCommand::ListModels, move |response| match response {
            LinkResponse::Answer(SettingsAnswer::Models { provider, models, error })
                if self.is_in_use(&provider) =>
            {
                self.models.set(models);
                self.no_models.set(error);
            }
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    /// Tests the connection to the model in use.
    pub fn try_connection(self) {
        self.forget_test();
        let number = self.tests.get_value();
        let is_asked = self.connection.ask(SettingsCommand::TryConnection, move |response| {
            if self.tests.get_value() == number {
                self.trying.set(false);
                self.take_trial(response);
            }
        });
        self.trying.set(is_asked);
    }

    /// Drops the last connection test, also a running one.
    pub fn forget_test(self) {
        self.tests.update_value(|tests| *tests += 1);
        self.trying.set(false);
        self.trial.set(None);
    }

    fn take_trial(self, response: LinkResponse<SettingsAnswer>) {
        match response {
            LinkResponse::Answer(SettingsAnswer::Tried { provider, trial }) if self.is_in_use(&provider) => {
                self.trial.set(Some(trial));
            }
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        }
    }

    /// The model that the provider's preset suggests; empty if it suggests none.
    pub fn default_model(self) -> String {
        self.preset().and_then(|preset| Some(preset.models.into_iter().next()?.id)).unwrap_or_default()
    }

    /// The preset of the provider in use.
    pub fn preset(self) -> Option<ProviderPreset> {
        self.view.with(|view| view.presets.iter().find(|preset| preset.id == view.settings.provider).cloned())
    }

    /// Whether this provider is the one in use.
    pub fn is_in_use(self, provider: &str) -> bool {
        self.view.with(|view| view.settings.provider == provider)
    }

    /// The address of the provider in use; may be empty.
    pub fn base_url(self) -> String {
        let own = self.view.with(|view| {
            view.settings.providers.get(&view.settings.provider).map(|own| own.base_url.clone())
        });
        own.filter(|url| !url.is_empty())
            .or_else(|| self.preset().map(|preset| preset.base_url().to_owned()))
            .unwrap_or_default()
    }

    /// The model in use; may be empty.
    pub fn model(self) -> String {
        let own = self
            .view
            .with(|view| view.settings.providers.get(&view.settings.provider).map(|own| own.model.clone()));
        own.filter(|model| !model.is_empty()).unwrap_or_else(|| self.default_model())
    }

    /// Name of the provider in use, for a sentence: its own name, or else its host.
    pub fn provider(self) -> String {
        let name = self.preset().map(|preset| preset.name).filter(|name| !name.is_empty());
        self.called(name, &self.base_url())
    }

    /// Name of the provider that a request went to: its own name, or else the host of `address`, or a generic one.
    pub fn provider_asked(self, asked: Option<&ModelChoice>, address: &str) -> String {
        let name = asked.map(|asked| self.name_of(&asked.provider)).filter(|name| !name.is_empty());
        self.called(name, address)
    }

    fn called(self, name: Option<String>, address: &str) -> String {
        name.or_else(|| host(address).map(str::to_owned))
            .unwrap_or_else(|| self.words.get(word::PROVIDER_UNNAMED).to_owned())
    }

    /// The provider's own name; empty if it has none.
    pub fn name_of(self, provider: &str) -> String {
        self.view.with(|view| {
            let preset = view.presets.iter().find(|preset| preset.id == provider);
            preset.map(|preset| preset.name.clone()).unwrap_or_default()
        })
    }

    /// Makes this the model for the next message.
    pub fn use_model(self, choice: ModelChoice) {
        self.change(|settings| {
            settings.providers.entry(choice.provider.clone()).or_default().model = choice.model;
            settings.provider = choice.provider;
        });
    }

    /// Whether the provider in use has a key, or needs none.
    pub fn has_key(self) -> bool {
        self.view.with(|view| view.keys.contains(&view.settings.provider))
            || self.preset().is_some_and(|preset| preset.key_optional)
    }

    /// Takes settings from the worker. While changes from here are being saved, they stay as shown: the worker's may be
    /// older, and the next change builds on what is shown.
    pub fn take(self, settings: SettingsView) {
        self.saved.set_value(settings.clone());
        match self.unsaved.get_value() {
            0 => self.view.set(settings),
            _ => self.view.update(|shown| {
                let changed = std::mem::take(&mut shown.settings);
                *shown = SettingsView { settings: changed, ..settings };
            }),
        }
    }
}

/// Whether no message can be answered when this check fails.
fn is_fatal(check: ConnectionCheck) -> bool {
    match check {
        ConnectionCheck::Reach | ConnectionCheck::Key | ConnectionCheck::Model => true,
        ConnectionCheck::Streaming | ConnectionCheck::Tools => false,
    }
}
