//! A button that copies a text and reports whether it succeeded.

use std::future::{Future, ready};
use std::pin::Pin;
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
    Making,
    Yes,
    No,
}

/// A text that is still to be made; none if it cannot be.
pub type TextToCome = Pin<Box<dyn Future<Output = Option<String>>>>;

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
    let make = Callback::new(move |()| Box::pin(ready(Some(text.get_untracked()))) as TextToCome);
    view! { <CopyMadeButton label=label testid=testid make=make /> }
}

/// A button that copies a text which is made when it is pressed. Until that is done, it cannot be pressed again.
#[component]
pub fn CopyMadeButton(
    /// Its accessible name and tooltip.
    label: Word,
    /// Its `data-testid`.
    testid: &'static str,
    /// Makes the text to copy.
    make: Callback<(), TextToCome>,
) -> impl IntoView {
    let words = use_words();
    let copied = RwSignal::new(Copied::NotYet);
    let copy = move |_| {
        if copied.get_untracked() == Copied::Making {
            return;
        }
        copied.set(Copied::Making);
        let text = make.run(());
        spawn_local(async move {
            let is_copied = match text.await {
                Some(text) => {
                    JsFuture::from(window().navigator().clipboard().write_text(&text)).await.is_ok()
                }
                None => false,
            };
            if copied.try_set(if is_copied { Copied::Yes } else { Copied::No }).is_none() {
                let forget = move || {
                    // The button may be gone by then, or make another one.
                    let _ = copied.try_update(|copied| {
                        if *copied != Copied::Making {
                            *copied = Copied::NotYet;
                        }
                    });
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
                    Copied::Making => Icon::Spinner,
                    Copied::Yes => Icon::Check,
                    Copied::No => Icon::Warning,
                })}
            </button>
            <span role="status">
                {Signal::derive(move || match copied.get() {
                    Copied::NotYet | Copied::Making => "",
                    Copied::Yes => words.get(word::COPY_COPIED),
                    Copied::No => words.get(word::COPY_FAILED),
                })}
            </span>
        </span>
    }
}
