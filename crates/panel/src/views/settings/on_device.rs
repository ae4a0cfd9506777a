//! The browser's own model: its availability, and its download on the user's request. Browsers require a user gesture
//! in a document for the download, so the panel starts it; only the worker talks to the model.

use leptos::prelude::*;
use sidecar_chrome::language_model::{self, Availability};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_bindgen_futures::spawn_local;

use crate::state::{PanelState, use_state};
use crate::word;

/// Id of the provider of the browser's own model.
pub const ON_DEVICE: &str = "on-device";

/// Availability and download of the model; shown if its provider is in use.
#[component]
pub fn OnDevice() -> impl IntoView {
    let PanelState { settings, .. } = use_state();
    view! {
        <Show when=move || settings.view.with(|view| view.settings.provider == ON_DEVICE)>
            <Model />
        </Show>
    }
}

#[component]
fn Model() -> impl IntoView {
    let words = use_words();
    // Name of the availability; empty until it is known.
    let state = RwSignal::new(String::new());
    let percent = RwSignal::new(0_u32);
    let problem = RwSignal::new(String::new());
    let look = move || {
        spawn_local(async move {
            let now = name(language_model::state().await);
            state.try_set(now.to_owned());
        });
    };
    look();
    let download = move |_| {
        problem.set(String::new());
        percent.set(0);
        state.set(name(Availability::Downloading).to_owned());
        spawn_local(async move {
            let progress = move |part: f64| {
                // A fraction of 100 fits into `u32`.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
                percent.try_set((part * 100.0) as u32);
            };
            if let Err(error) = language_model::download(progress).await {
                problem.try_set(error.0);
            }
            look();
        });
    };
    let sentence = move || match state.get().as_str() {
        "available" => words.get(word::ON_DEVICE_AVAILABLE).to_owned(),
        "downloading" => {
            words.fill(word::ON_DEVICE_DOWNLOADING, &[("percent", &words.number(percent.get().into()))])
        }
        "downloadable" => words.get(word::ON_DEVICE_DOWNLOADABLE).to_owned(),
        "unavailable" => words.get(word::ON_DEVICE_UNAVAILABLE).to_owned(),
        _ => String::new(),
    };
    view! {
        <div class="field" data-testid="on-device" data-state=Signal::derive(move || state.get())>
            <p role="status">{sentence}</p>
            <Show when=move || state.with(|state| state == name(Availability::Downloadable))>
                <WordButton testid="on-device-download" word=word::ON_DEVICE_DOWNLOAD class="start" press=download />
            </Show>
            {move || {
                let problem = problem.get();
                (!problem.is_empty())
                    .then(|| view! { <p class="error" role="alert" data-testid="on-device-error">{problem}</p> }.into_any())
            }}
        </div>
    }
}

fn name(availability: Availability) -> &'static str {
    match availability {
        Availability::Available => "available",
        Availability::Downloading => "downloading",
        Availability::Downloadable => "downloadable",
        Availability::Unavailable => "unavailable",
    }
}
