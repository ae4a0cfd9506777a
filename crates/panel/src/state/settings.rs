//! Settings, the provider in use, and what it is called.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::link::{SettingsAnswer, SettingsCommand};
use sidecar_protocol::settings::{ModelChoice, ProviderPreset, Settings, SettingsView};

use super::{State, host};
use crate::link::Response;
use crate::word;

impl State {
    /// Changes settings: shown at once, saved by the worker.
    pub fn change(self, change: impl FnOnce(&mut Settings)) {
        self.settings.update(|view| change(&mut view.settings));
        let settings = Box::new(self.settings.with_untracked(|view| view.settings.clone()));
        let is_sent = self.ask(SettingsCommand::Save { settings }, move |response| {
            self.unsaved.update_value(|unsaved| *unsaved -= 1);
            self.settings_saved(response);
            if self.unsaved.get_value() == 0 {
                self.settings.set(self.saved.get_value());
            }
        });
        if is_sent {
            self.unsaved.update_value(|unsaved| *unsaved += 1);
        }
    }

    /// Saves a key (or, empty, forgets it) for the provider in use.
    pub fn save_key(self, key: String) {
        let provider = self.settings.with_untracked(|view| view.settings.provider.clone());
        self.ask(SettingsCommand::SaveKey { provider, key }, move |response| self.settings_saved(response));
    }

    pub(super) fn settings_saved(self, response: Response<SettingsAnswer>) {
        match response {
            Response::Done => self.saves.update(|saves| *saves += 1),
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Lost => {}
        }
    }

    /// Asks the provider in use for its models.
    pub fn list_models(self) {
        self.ask(SettingsCommand::ListModels, move |response| match response {
            Response::Answer(SettingsAnswer::Models { provider, models, error })
                if self.is_in_use(&provider) =>
            {
                self.models.set(models);
                self.no_models.set(error);
            }
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Done | Response::Lost => {}
        });
    }

    /// Tries the connection to the model in use.
    pub fn try_connection(self) {
        let is_asked = self.ask(SettingsCommand::TryConnection, move |response| {
            self.trying.set(false);
            self.take_trial(response);
        });
        self.trying.set(is_asked);
    }

    pub(super) fn take_trial(self, response: Response<SettingsAnswer>) {
        match response {
            Response::Answer(SettingsAnswer::Tried { provider, trial }) if self.is_in_use(&provider) => {
                self.trial.set(Some(trial));
            }
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Done | Response::Lost => {}
        }
    }

    /// The preset of the provider in use.
    pub fn preset(self) -> Option<ProviderPreset> {
        self.settings
            .with(|view| view.presets.iter().find(|preset| preset.id == view.settings.provider).cloned())
    }

    pub(super) fn is_in_use(self, provider: &str) -> bool {
        self.settings.with(|view| view.settings.provider == provider)
    }

    /// The address of the provider in use; may be empty.
    pub fn base_url(self) -> String {
        let own = self.settings.with(|view| {
            view.settings.providers.get(&view.settings.provider).map(|own| own.base_url.clone())
        });
        own.filter(|url| !url.is_empty())
            .or_else(|| self.preset().map(|preset| preset.base_url().to_owned()))
            .unwrap_or_default()
    }

    /// The model in use; may be empty.
    pub fn model(self) -> String {
        let own = self
            .settings
            .with(|view| view.settings.providers.get(&view.settings.provider).map(|own| own.model.clone()));
        own.filter(|model| !model.is_empty())
            .or_else(|| self.preset().and_then(|preset| Some(preset.models.into_iter().next()?.id)))
            .unwrap_or_default()
    }

    /// What the provider in use is called in a sentence: its name, else its host.
    pub fn provider(self) -> String {
        let name = self.preset().map(|preset| preset.name).filter(|name| !name.is_empty());
        self.called(name, &self.base_url())
    }

    /// The address of the provider that was asked then; may be empty. It is that of today: where that may be another one's,
    /// which it may of a provider without a name as soon as the conversation has gone on, none is given.
    pub fn address_asked(self, id: &ItemId, asked: Option<&ModelChoice>) -> String {
        let is_known = asked.is_some_and(|asked| {
            self.is_in_use(&asked.provider)
                && (!self.name_of(&asked.provider).is_empty()
                    || asked.model == self.model() && self.is_last(id))
        });
        if is_known { self.base_url() } else { String::new() }
    }

    /// What the provider that was asked then is called: its name, else the host of its address, where that is known.
    pub fn provider_asked(self, asked: Option<&ModelChoice>, address: &str) -> String {
        let name = asked.map(|asked| self.name_of(&asked.provider)).filter(|name| !name.is_empty());
        self.called(name, address)
    }

    pub(super) fn called(self, name: Option<String>, address: &str) -> String {
        name.or_else(|| host(address).map(str::to_owned))
            .unwrap_or_else(|| self.words.get(word::PROVIDER_UNNAMED).to_owned())
    }

    /// The provider's own name; may be empty.
    pub fn name_of(self, provider: &str) -> String {
        self.settings.with(|view| {
            let preset = view.presets.iter().find(|preset| preset.id == provider);
            preset.map(|preset| preset.name.clone()).unwrap_or_default()
        })
    }

    /// Has the next message go to this model.
    pub fn use_model(self, choice: ModelChoice) {
        self.change(|settings| {
            settings.providers.entry(choice.provider.clone()).or_default().model = choice.model;
            settings.provider = choice.provider;
        });
    }

    /// Whether the provider in use has a key, or needs none.
    pub fn has_key(self) -> bool {
        self.settings.with(|view| view.keys.contains(&view.settings.provider))
            || self.preset().is_some_and(|preset| preset.key_optional)
    }

    /// Settings as the worker has them. While some of those that were changed here are on their way to it, they stay as
    /// they were changed: what it says may be older, and the next change is made to what is shown.
    pub(super) fn take_settings(self, settings: SettingsView) {
        self.saved.set_value(settings.clone());
        match self.unsaved.get_value() {
            0 => self.settings.set(settings),
            _ => self.settings.update(|shown| {
                let changed = std::mem::take(&mut shown.settings);
                *shown = SettingsView { settings: changed, ..settings };
            }),
        }
    }
}
