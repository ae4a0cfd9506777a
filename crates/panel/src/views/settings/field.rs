//! A setting that is typed: label, input, hint and error.

use leptos::prelude::*;
use sidecar_ui::words::{Word, Words, use_words};

use crate::state::use_state;
use crate::views::settings::values::Invalid;
use crate::word;

/// A text input that saves on `change` if its text is valid.
#[component]
pub fn Field(
    /// Its `data-testid` and id.
    testid: &'static str,
    /// Its label.
    label: Word,
    /// What may be typed.
    #[prop(optional)]
    hint: Option<Word>,
    /// The saved value.
    value: Memo<String>,
    /// What an empty input stands for, shown in it.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// The `inputmode` attribute.
    #[prop(default = "text")]
    inputmode: &'static str,
    /// Id of a `datalist` with suggestions.
    #[prop(optional)]
    list: Option<&'static str>,
    /// Validates and saves the text.
    save: fn(crate::state::PanelState, &str) -> Result<(), Invalid>,
) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let invalid = RwSignal::new(None::<Invalid>);
    let shown = RwSignal::new(value.get_untracked());
    Effect::new(move |_| {
        shown.set(value.get());
        invalid.set(None);
    });
    let hint_id = format!("{testid}-hint");
    let error_id = format!("{testid}-error");
    let described_by = {
        let (hint_id, error_id) = (hint_id.clone(), error_id.clone());
        move || if invalid.get().is_some() { error_id.clone() } else { hint_id.clone() }
    };
    view! {
        <div class="field">
            <label for=testid>{words.text(label)}</label>
            <input
                type="text"
                id=testid
                data-testid=testid
                inputmode=inputmode
                autocomplete="off"
                spellcheck="false"
                list=list
                placeholder=Signal::derive(move || placeholder.get())
                aria-describedby=described_by
                aria-invalid=Signal::derive(move || invalid.get().is_some().to_string())
                prop:value=Signal::derive(move || shown.get())
                on:change:target=move |event| {
                    let text = event.target().value();
                    shown.set(text.clone());
                    invalid.set(save(state, &text).err());
                    if invalid.get_untracked().is_none() {
                        shown.set(value.get_untracked());
                    }
                }
            />
            {hint.map(|hint| view! { <p class="meta" id=hint_id>{words.text(hint)}</p> }.into_any())}
            {move || {
                invalid
                    .get()
                    .map(|invalid| {
                        view! {
                            <p class="error" id=error_id.clone() role="alert" data-testid="setting-error">
                                {sentence(words, invalid)}
                            </p>
                        }
                        .into_any()
                    })
            }}
        </div>
    }
}

fn sentence(words: Words, invalid: Invalid) -> String {
    let bounds = |word, min: u32, max: u32| {
        let (min, max) = (words.number(min.into()), words.number(max.into()));
        words.fill(word, &[("min", &min), ("max", &max)])
    };
    match invalid {
        Invalid::Number(min, max) => bounds(word::SETTINGS_BAD_NUMBER, min, max),
        Invalid::Whole(min, max) => bounds(word::SETTINGS_BAD_WHOLE, min, max),
        Invalid::Url => words.get(word::SETTINGS_BAD_URL).to_owned(),
    }
}
