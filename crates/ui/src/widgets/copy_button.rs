//! A button that copies a text and reports whether it succeeded.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use crate::icons::{Icon, icon};
use crate::words::{Word, use_words, word};

/// How long the outcome is shown.
const SHOWN: Duration = Duration::from_millis(1500);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copied {
    NotYet,
    Yes,
    No,
}

/// The button.
#[component]
pub fn CopyButton(
    /// Its accessible name and tooltip.
    label: Word,
    /// Its `data-testid`.
    testid: &'static str,
    /// The text to copy.
    text: Signal<String>,
) -> impl IntoView {
    let words = use_words();
    let copied = RwSignal::new(Copied::NotYet);
    let copy = move |_| {
        let promise = window().navigator().clipboard().write_text(&text.get_untracked());
        spawn_local(async move {
            let outcome = if JsFuture::from(promise).await.is_ok() { Copied::Yes } else { Copied::No };
            if copied.try_set(outcome).is_none() {
                let forget = move || {
                    // The button may be gone by then.
                    let _ = copied.try_set(Copied::NotYet);
                };
                set_timeout(forget, SHOWN);
            }
        });
    };
    // The outcome stands beside the button: what changes inside one is not announced.
    view! {
        <span class="copy">
            <button
                type="button"
                class="small"
                data-testid=testid
                aria-label=words.text(label)
                title=words.text(label)
                on:click=copy
            >
                {move || icon(match copied.get() {
                    Copied::NotYet => Icon::Copy,
                    Copied::Yes => Icon::Check,
                    Copied::No => Icon::Warning,
                })}
            </button>
            <span role="status">
                {Signal::derive(move || match copied.get() {
                    Copied::NotYet => "",
                    Copied::Yes => words.get(word::COPY_COPIED),
                    Copied::No => words.get(word::COPY_FAILED),
                })}
            </span>
        </span>
    }
}
