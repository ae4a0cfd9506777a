//! One of several buttons of which one is pressed.

use leptos::prelude::*;
use sidecar_ui::words::{Word, use_words};

/// The button.
#[component]
pub fn Segment(
    /// Its `data-testid`.
    testid: &'static str,
    /// Its name.
    word: Word,
    /// Whether it is pressed.
    #[prop(into)]
    pressed: Signal<bool>,
    /// Whether it is disabled.
    #[prop(optional)]
    disabled: bool,
    /// Its action.
    #[prop(into)]
    press: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    view! {
        <button
            type="button"
            class="segment"
            data-testid=testid
            aria-pressed=Signal::derive(move || pressed.get().to_string())
            disabled=disabled
            on:click=move |_| press.run(())
        >
            {words.text(word)}
        </button>
    }
}
