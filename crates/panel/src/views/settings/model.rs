//! The model settings: provider, address, key, model and how it is asked.

use leptos::prelude::*;
use sidecar_protocol::settings::{
    Effort, ModelInfo, Platform, ProviderCost, ProviderPreset, ProviderSettings,
};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::model_error;
use crate::state::{PanelState, use_state};
use crate::views::chat::composer::tool_form::ToolFormSentence;
use crate::views::choice::{Choice, effort_name, effort_of};
use crate::views::settings::connection::Connection;
use crate::views::settings::field::Field;
use crate::views::settings::key::Key;
use crate::views::settings::on_device::{ON_DEVICE, OnDevice};
use crate::views::settings::prices::Prices;
use crate::views::settings::{of_settings, own_mut, values};
use crate::word;

/// The option value of prompted tool calling.
const IN_WORDS: &str = "words";

/// The model section of Settings.
#[component]
pub fn Model() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let providers = Signal::derive(move || {
        state.settings.view.with(|view| {
            let choice = |preset: &ProviderPreset| (preset.id.clone(), with_cost(words, preset));
            view.presets.iter().map(choice).collect::<Vec<_>>()
        })
    });
    let has_provider = Memo::new(move |_| state.settings.preset().is_some());
    // The browser's own model has no address, key or price.
    let is_remote = Memo::new(move |_| {
        has_provider.get() && state.settings.view.with(|view| view.settings.provider != ON_DEVICE)
    });
    let has_own_address =
        Memo::new(move |_| state.settings.preset().is_some_and(|preset| preset.platforms.is_empty()));
    view! {
        <Choice
            testid="setting-provider"
            label=word::SETTINGS_PROVIDER
            choices=providers
            chosen=of_settings(state, |settings| settings.provider.clone())
            save=|state, value| state.settings.change(|settings| value.clone_into(&mut settings.provider))
        />
        <OnDevice />
        <Show when=move || is_remote.get()>
            <Region />
            <Show when=move || has_own_address.get()>
                <Address />
            </Show>
            <Key />
            <ModelName save=|state, text| {
                state.settings.change(|settings| text.trim().clone_into(&mut own_mut(settings).model));
                Ok(())
            } />
        </Show>
        <ToolFormSentence />
        <Show when=move || has_provider.get()>
            <Connection />
            <details class="advanced" data-testid="advanced">
                <summary data-testid="advanced-toggle">{icon(Icon::Chevron)}{words.text(word::SETTINGS_ADVANCED)}</summary>
                <div>
                    <Show when=move || is_remote.get() && !has_own_address.get()>
                        <Address />
                    </Show>
                    <Advanced is_remote=is_remote />
                </div>
            </details>
        </Show>
    }
}

/// The region or plan of the provider in use, if it has several.
#[component]
pub fn Region() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let platforms = Signal::derive(move || {
        let own = state.settings.base_url();
        let platforms = state.settings.preset().map(|preset| preset.platforms).unwrap_or_default();
        let is_known = platforms.iter().any(|platform| platform.base_url == own);
        let choice = |platform: &Platform| {
            (platform.base_url.clone(), words.get(platform_word(&platform.id)).to_owned())
        };
        let other = (!is_known).then(|| (own.clone(), words.get(word::PLATFORM_OTHER).to_owned()));
        platforms.iter().map(choice).chain(other).collect::<Vec<_>>()
    });
    let has_platforms = move || state.settings.preset().is_some_and(|preset| preset.platforms.len() > 1);
    let in_use = Memo::new(move |_| state.settings.base_url());
    view! {
        <Show when=has_platforms>
            <Choice
                testid="setting-platform"
                label=word::SETTINGS_PLATFORM
                choices=platforms
                chosen=in_use
                save=|state, value| state.settings.change(|settings| value.clone_into(&mut own_mut(settings).base_url))
            />
        </Show>
    }
}

/// The address of the provider in use.
#[component]
fn Address() -> impl IntoView {
    let state = use_state();
    let preset_url = Signal::derive(move || {
        state.settings.preset().map(|preset| preset.base_url().to_owned()).unwrap_or_default()
    });
    view! {
        <Field
            testid="setting-base-url"
            label=word::SETTINGS_BASE_URL
            hint=word::SETTINGS_BASE_URL_HINT
            value=own(state, |own| &own.base_url)
            placeholder=preset_url
            inputmode="url"
            save=|state, text| {
                let url = values::base_url(text)?;
                state.settings.change(|settings| own_mut(settings).base_url = url);
                Ok(())
            }
        />
    }
}

/// The model's name, with the provider's list as suggestions, or why there is no list.
#[component]
pub fn ModelName(
    /// Validates and saves the name.
    save: fn(PanelState, &str) -> Result<(), values::Invalid>,
) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let hints = move || state.settings.preset().map(|preset| preset.models).unwrap_or_default();
    let models = move || {
        let listed = state.settings.models.get();
        if listed.is_empty() { hints() } else { listed }
    };
    // The provider's list is requested once it has key and address, and again when either changes.
    let asked = Memo::new(move |_| {
        let base_url = state.settings.base_url();
        let has_own_key = state.settings.view.with(|view| view.keys.contains(&view.settings.provider));
        (state.settings.has_key() && !base_url.is_empty()).then(|| format!("{base_url} {has_own_key}"))
    });
    Effect::new(move |_| {
        state.settings.models.set(Vec::new());
        state.settings.no_models.set(None);
        if asked.with(Option::is_some) {
            state.settings.list_models();
        }
    });
    view! {
        <Field
            testid="setting-model"
            label=word::SETTINGS_MODEL_NAME
            hint=word::SETTINGS_MODEL_HINT
            value=own(state, |own| &own.model)
            placeholder=Signal::derive(move || state.settings.default_model())
            list="models"
            save=save
        />
        <datalist id="models">
            {move || {
                models()
                    .into_iter()
                    .map(|model| {
                        let about = about(words, &model);
                        view! { <option value=model.id label=about></option> }.into_any()
                    })
                    .collect_view()
            }}
        </datalist>
        {move || {
            let error = state.settings.no_models.get()?;
            let said = words.fill(word::MODELS_MISSING, &[("error", &model_error::what(words, &state.settings.provider(), &error))]);
            Some(view! { <p class="meta" data-testid="models-missing">{said}</p> }.into_any())
        }}
    }
}

/// How the model is asked, and what it costs.
#[component]
fn Advanced(is_remote: Memo<bool>) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let tool_calls = Signal::derive(move || {
        [("", word::TOOL_CALLS_SERVICE), (IN_WORDS, word::TOOL_CALLS_WORDS)]
            .map(|(value, word)| (value.to_owned(), words.get(word).to_owned()))
            .to_vec()
    });
    let efforts = Signal::derive(move || {
        let known = state.settings.view.with(|view| view.efforts.clone());
        let choice = |effort: Effort| {
            (effort_name(Some(effort)).to_owned(), words.get(effort_word(effort)).to_owned())
        };
        let default = (String::new(), words.get(word::EFFORT_DEFAULT).to_owned());
        [default].into_iter().chain(known.into_iter().map(choice)).collect::<Vec<_>>()
    });
    view! {
        <Show when=move || state.settings.view.with(|view| !view.efforts.is_empty())>
            <Choice
                testid="setting-effort"
                label=word::SETTINGS_EFFORT
                choices=efforts
                chosen=of_settings(state, |settings| {
                    let own = settings.providers.get(&settings.provider);
                    effort_name(own.and_then(|own| own.effort)).to_owned()
                })
                save=|state, value| state.settings.change(|settings| own_mut(settings).effort = effort_of(value))
            />
        </Show>
        <Show when=move || is_remote.get()>
            <Choice
                testid="setting-tool-calls"
                label=word::SETTINGS_TOOL_CALLS
                choices=tool_calls
                chosen=of_settings(state, |settings| {
                    let own = settings.providers.get(&settings.provider);
                    if own.is_some_and(|own| own.prompted_tools) { IN_WORDS } else { "" }.to_owned()
                })
                save=|state, value| state.settings.change(|settings| own_mut(settings).prompted_tools = value == IN_WORDS)
            />
            <Field
                testid="setting-temperature"
                label=word::SETTINGS_TEMPERATURE
                hint=word::SETTINGS_TEMPERATURE_HINT
                value=of_settings(
                    state,
                    |settings| settings.temperature.map(values::written).unwrap_or_default(),
                )
                inputmode="decimal"
                save=|state, text| {
                    let temperature = values::temperature(text)?;
                    state.settings.change(|settings| settings.temperature = temperature);
                    Ok(())
                }
            />
            <Field
                testid="setting-max-tokens"
                label=word::SETTINGS_MAX_TOKENS
                hint=word::SETTINGS_MAX_TOKENS_HINT
                value=of_settings(
                    state,
                    |settings| settings.max_tokens.map(|number| number.to_string()).unwrap_or_default(),
                )
                inputmode="numeric"
                save=|state, text| {
                    let max_tokens = values::max_tokens(text)?;
                    state.settings.change(|settings| settings.max_tokens = max_tokens);
                    Ok(())
                }
            />
            <Prices />
        </Show>
    }
}

/// A text setting of the provider in use.
fn own(state: PanelState, of: fn(&ProviderSettings) -> &String) -> Memo<String> {
    of_settings(state, move |settings| {
        settings.providers.get(&settings.provider).map(of).cloned().unwrap_or_default()
    })
}

/// The label of a provider, and what it takes to use it.
fn with_cost(words: Words, preset: &ProviderPreset) -> String {
    let name = provider_name(words, preset);
    match cost_word(preset.cost).filter(|_| preset.id != ON_DEVICE) {
        Some(cost) => format!("{name} · {}", words.get(cost)),
        None => name,
    }
}

/// What it takes to use a provider; `None` if that is unknown.
pub fn cost_word(cost: ProviderCost) -> Option<Word> {
    match cost {
        ProviderCost::Free => Some(word::COST_FREE),
        ProviderCost::Paid => Some(word::COST_PAID),
        ProviderCost::Local => Some(word::COST_LOCAL),
        ProviderCost::Unknown => None,
    }
}

/// The label of a provider in a list.
pub fn provider_name(words: Words, preset: &ProviderPreset) -> String {
    match preset.name.as_str() {
        _ if preset.id == ON_DEVICE => words.get(word::SETTINGS_ON_DEVICE).to_owned(),
        "" => words.get(word::SETTINGS_CUSTOM).to_owned(),
        name => name.to_owned(),
    }
}

/// A short description of a model for the list of suggestions.
fn about(words: Words, model: &ModelInfo) -> String {
    let window =
        model.window.map(|window| words.fill(word::MODEL_WINDOW, &[("count", &words.number(window.into()))]));
    let tools = (model.tools == Some(false)).then(|| words.get(word::MODEL_NO_TOOLS).to_owned());
    let name = Some(model.name.clone()).filter(|name| !name.is_empty());
    [name, window, tools].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn platform_word(id: &str) -> Word {
    match id {
        "cn" => word::PLATFORM_CN,
        "intl" => word::PLATFORM_INTL,
        "us" => word::PLATFORM_US,
        "plan" => word::PLATFORM_PLAN,
        "cn-plan" => word::PLATFORM_CN_PLAN,
        "intl-plan" => word::PLATFORM_INTL_PLAN,
        _ => word::PLATFORM_STANDARD,
    }
}

fn effort_word(effort: Effort) -> Word {
    match effort {
        Effort::Off => word::EFFORT_OFF,
        Effort::Low => word::EFFORT_LOW,
        Effort::Medium => word::EFFORT_MEDIUM,
        Effort::High => word::EFFORT_HIGH,
    }
}
