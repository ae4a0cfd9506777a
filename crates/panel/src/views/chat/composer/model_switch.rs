//! The model for the next message, and a list to switch it.

use leptos::prelude::*;
use sidecar_protocol::settings::{ModelChoice, ProviderPreset, SettingsView};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, PanelView, use_state};
use crate::views::settings::model::provider_name;
use crate::word;

/// Value of the option that opens Settings.
const SETTINGS: &str = "settings";

/// The models of one provider in the list.
#[derive(Debug, Clone, PartialEq)]
struct ModelGroup {
    /// The provider.
    provider: ProviderPreset,
    /// The models, each with its position in the whole list.
    models: Vec<(usize, ModelChoice)>,
}

/// The model's name: a list to choose from, or a button that opens Settings if there is only one model.
#[component]
pub fn ModelSwitch() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, .. } = use_state();
    let model = Memo::new(move |_| settings.model());
    let groups = Memo::new(move |_| settings.view.with(groups));
    let has_choice =
        Memo::new(move |_| groups.with(|groups| groups.iter().flat_map(|group| &group.models).count() > 1));
    let name = move || {
        model.with(|model| {
            if model.is_empty() { words.get(word::COMPOSER_NO_MODEL).to_owned() } else { model.clone() }
        })
    };
    let button = move || {
        let says = Signal::derive(move || words.fill(word::COMPOSER_MODEL, &[("model", &name())]));
        view! {
            <button
                type="button"
                class="quiet model"
                data-testid="model-label"
                aria-label=says
                title=says
                on:click=move |_| navigation.open(PanelView::Settings)
            >
                {name}
            </button>
        }
    };
    let in_use = Memo::new(move |_| ModelChoice {
        provider: settings.view.with(|view| view.settings.provider.clone()),
        model: model.get(),
    });
    let option = move |(place, choice): (usize, ModelChoice)| {
        let own = choice.clone();
        let is_chosen = Signal::derive(move || in_use.with(|in_use| *in_use == own));
        view! {
            <option value=place.to_string() prop:selected=is_chosen>
                {choice.model}
            </option>
        }
        .into_any()
    };
    let group = move |ModelGroup { provider, models }: ModelGroup| {
        let label = provider_name(words, &provider);
        view! { <optgroup label=label>{models.into_iter().map(option).collect_view()}</optgroup> }.into_any()
    };
    view! {
        <Show when=move || has_choice.get() fallback=button>
            <select
                class="quiet model"
                data-testid="model-switch"
                aria-label=words.text(word::COMPOSER_SWITCH)
                title=words.text(word::COMPOSER_SWITCH)
                on:change:target=move |event| {
                    let list = event.target();
                    let choices = groups.get_untracked().into_iter().flat_map(|group| group.models);
                    let place = |of: &ModelChoice| {
                        let mut all = groups.get_untracked().into_iter().flat_map(|group| group.models);
                        all.find(|(_, choice)| choice == of).map(|(place, _)| place.to_string())
                    };
                    let value = list.value();
                    if value == SETTINGS {
                        list.set_value(&place(&in_use.get_untracked()).unwrap_or_default());
                        navigation.open(PanelView::Settings);
                    } else if let Some((_, choice)) = choices.into_iter().find(|(place, _)| place.to_string() == value) {
                        settings.use_model(choice);
                    }
                }
            >
                {move || groups.get().into_iter().map(group).collect_view()}
                <option value=SETTINGS>{words.text(word::COMPOSER_MORE_MODELS)}</option>
            </select>
        </Show>
    }
}

/// The models that can be used right now: for each provider that is set up, its configured model and those used
/// recently.
fn groups(view: &SettingsView) -> Vec<ModelGroup> {
    let mut places = 0..;
    let group = |preset: &ProviderPreset| {
        let own = view.settings.providers.get(&preset.id);
        let is_in_use = preset.id == view.settings.provider;
        let set = own.map(|own| own.model.clone()).filter(|model| !model.is_empty());
        let set = set.or_else(|| preset.models.first().map(|model| model.id.clone()));
        let mut recent = view.settings.recent.iter().filter(|choice| choice.provider == preset.id).peekable();
        let is_used = own.is_some() || recent.peek().is_some();
        let is_set_up = view.keys.contains(&preset.id) || (preset.key_optional && is_used);
        let mut models: Vec<String> = Vec::new();
        for model in set.into_iter().chain(recent.map(|choice| choice.model.clone())) {
            if (is_set_up || is_in_use) && !models.contains(&model) {
                models.push(model);
            }
        }
        let choice = |model| ModelChoice { provider: preset.id.clone(), model };
        let models: Vec<_> = places.by_ref().zip(models.into_iter().map(choice)).collect();
        (!models.is_empty()).then(|| ModelGroup { provider: preset.clone(), models })
    };
    view.presets.iter().filter_map(group).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sidecar_protocol::settings::{ModelInfo, ProviderCost, ProviderSettings, Settings};

    use super::*;

    fn preset(id: &str, key_optional: bool, models: &[&str]) -> ProviderPreset {
        let models =
            models.iter().map(|id| ModelInfo { id: (*id).to_owned(), ..ModelInfo::default() }).collect();
        ProviderPreset {
            id: id.to_owned(),
            name: id.to_uppercase(),
            platforms: Vec::new(),
            models,
            key_optional,
            cost: ProviderCost::Paid,
        }
    }

    #[test]
    fn model_switch_offers_the_providers_that_are_set_up() {
        let choice = |provider: &str, model: &str| ModelChoice {
            provider: provider.to_owned(),
            model: model.to_owned(),
        };
        let own = |model: &str| ProviderSettings { model: model.to_owned(), ..ProviderSettings::default() };
        let providers = BTreeMap::from([("b".to_owned(), own("b9")), ("local".to_owned(), own("mine"))]);
        let recent = vec![choice("b", "b2"), choice("b", "b9"), choice("gone", "x"), choice("a", "a1")];
        let view = SettingsView {
            settings: Settings { provider: "a".to_owned(), providers, recent, ..Settings::default() },
            presets: vec![
                preset("a", false, &["a1", "a2"]),
                preset("b", false, &["b1"]),
                preset("no key", false, &["c1"]),
                preset("local", true, &[]),
                preset("other local", true, &["d1"]),
            ],
            keys: vec!["b".to_owned()],
            ..SettingsView::default()
        };
        let shown: Vec<_> = groups(&view)
            .into_iter()
            .flat_map(|ModelGroup { provider, models }| {
                models
                    .into_iter()
                    .map(move |(place, choice)| format!("{place} {} {}", provider.name, choice.model))
            })
            .collect();
        assert_eq!(shown, ["0 A a1", "1 B b9", "2 B b2", "3 LOCAL mine"]);
    }
}
