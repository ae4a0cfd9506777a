//! The first run: which service, then its key. Everything else is in Settings.

use leptos::prelude::*;
use sidecar_protocol::settings::{ProviderCost, ProviderPreset};
use sidecar_ui::dom::focus::focus;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::state::{PanelState, use_state};
use crate::views::page_state::EmptyState;
use crate::views::settings::connection::Outcome;
use crate::views::settings::key::Key;
use crate::views::settings::model::{ModelName, Region, provider_name};
use crate::views::settings::on_device::{ON_DEVICE, OnDevice};
use crate::views::settings::own_mut;
use crate::word;

/// The groups of services, in the order in which they are shown.
const GROUPS: [(ProviderCost, Word); 4] = [
    (ProviderCost::Free, word::COST_FREE),
    (ProviderCost::Paid, word::COST_PAID),
    (ProviderCost::Local, word::COST_LOCAL),
    (ProviderCost::Unknown, word::COST_UNKNOWN),
];

/// The welcome, with the question which service to use.
#[component]
pub fn FirstRun() -> impl IntoView {
    let words = use_words();
    view! {
        <EmptyState
            testid="state-welcome"
            sign=Icon::Mark
            title=Signal::derive(move || words.get(word::WELCOME_TITLE).to_owned())
            text=word::WELCOME_TEXT
        >
            <div class="first-run settings">
                <Services />
                <Entry />
            </div>
        </EmptyState>
    }
}

/// The services, by what it takes to use them.
#[component]
fn Services() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, .. } = use_state();
    let choose = move |preset: &ProviderPreset| {
        let (id, cost) = (preset.id.clone(), preset.cost);
        settings.setting_up.set(true);
        settings.change(|settings| settings.provider = id);
        // Its address has to be entered.
        if cost == ProviderCost::Unknown {
            return navigation.open_settings();
        }
        // The key is below the services, and may be out of view.
        request_animation_frame(|| {
            let field = document().get_element_by_id("setting-key");
            if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
                focus(&field);
            }
        });
    };
    let service = move |preset: ProviderPreset| {
        let id = preset.id.clone();
        let is_chosen = Signal::derive(move || settings.is_in_use(&id).to_string());
        let name = provider_name(words, &preset);
        view! {
            <button
                type="button"
                class="service"
                data-testid="service"
                data-provider=preset.id.clone()
                aria-pressed=is_chosen
                on:click=move |_| choose(&preset)
            >
                {name}
            </button>
        }
        .into_any()
    };
    let group = move |(cost, word): (ProviderCost, Word)| {
        let presets: Vec<_> = settings
            .view
            .with(|view| view.presets.iter().filter(|preset| preset.cost == cost).cloned().collect());
        view! {
            <div role="group" aria-label=words.text(word)>
                <h4 aria-hidden="true">{words.text(word)}</h4>
                <div class="services">{presets.into_iter().map(service).collect_view()}</div>
            </div>
        }
        .into_any()
    };
    // Drawn anew only if the services change: the focus stays on the chosen one.
    let known = Memo::new(move |_| {
        settings.view.with(|view| view.presets.iter().map(|preset| preset.id.clone()).collect::<Vec<_>>())
    });
    view! {
        <h3>{words.text(word::FIRST_RUN_SERVICE)}</h3>
        {move || {
            known.with(|_| ());
            untrack(|| GROUPS.map(group))
        }}
    }
}

/// What the chosen service needs: its key, or a model; and whether it works.
#[component]
fn Entry() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, .. } = use_state();
    let preset = Memo::new(move |_| settings.preset());
    let takes_key =
        Memo::new(move |_| preset.with(|preset| preset.as_ref().is_some_and(|it| !it.key_optional)));
    let takes_model = Memo::new(move |_| {
        let suggests_none = preset
            .with(|preset| preset.as_ref().is_some_and(|it| it.models.is_empty() && it.id != ON_DEVICE));
        suggests_none && settings.has_key()
    });
    let is_chosen = Memo::new(move |_| preset.with(Option::is_some));
    view! {
        <Show when=move || is_chosen.get()>
            <OnDevice />
            <Show when=move || takes_key.get()>
                <Region />
                <Key />
            </Show>
            <Show when=move || takes_model.get()>
                <ModelName save=|state, text| {
                    let model = text.trim().to_owned();
                    let has_model = !model.is_empty();
                    state.settings.change(|settings| own_mut(settings).model = model);
                    if has_model {
                        state.settings.try_connection();
                    }
                    Ok(())
                } />
            </Show>
            <Outcome />
            <WordButton
                testid="first-run-settings"
                word=word::FIRST_RUN_MORE
                class="small start"
                press=move |_| navigation.open_settings()
            />
        </Show>
        <p class="meta">{words.text(word::FIRST_RUN_PRIVACY)}</p>
    }
}
