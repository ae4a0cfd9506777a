//! Editable arguments of a call that asks.

use leptos::prelude::*;
use sidecar_ui::text::arguments::Field;
use sidecar_ui::text::arguments_table::folded;
use sidecar_ui::text::folds::is_plain;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::word;

/// The arguments, each in a field that can be edited.
#[component]
pub fn Fields(
    fields: Vec<Field>,
    typed: Callback<(String, String)>,
    /// Whether the decision is made, which makes the fields read-only.
    #[prop(into)]
    decided: Signal<bool>,
) -> impl IntoView {
    let words = use_words();
    let rows = fields
        .into_iter()
        .map(|Field { name, text, .. }| match is_plain(&text) {
            true => {
                let label = name.clone();
                view! {
                    <label class="asks-field">
                        <span>{label}</span>
                        {editor(name, text, typed, decided)}
                    </label>
                }
                .into_any()
            }
            false => view! { <LongField name=name text=text typed=typed decided=decided /> }.into_any(),
        })
        .collect_view();
    view! {
        <div class="asks-fields" role="group" aria-label=words.text(word::APPROVAL_ARGUMENTS)>
            {rows}
        </div>
    }
}

/// A long argument: its folded text, its length, and a text area on demand.
#[component]
fn LongField(
    name: String,
    text: String,
    typed: Callback<(String, String)>,
    decided: Signal<bool>,
) -> impl IntoView {
    let words = use_words();
    let now = RwSignal::new(text.clone());
    let edits = RwSignal::new(false);
    let heard = Callback::new(move |(name, text): (String, String)| {
        now.set(text.clone());
        typed.run((name, text));
    });
    let length = move || {
        let length = now.with(|now| u64::try_from(now.chars().count()).unwrap_or_default());
        words.count((word::APPROVAL_LENGTH_ONE, word::APPROVAL_LENGTH_OTHER), length, &[])
    };
    let (called, shown, group) = (name.clone(), name.clone(), name.clone());
    let label = name.clone();
    let before = StoredValue::new((name, text));
    let edit_name = move || words.fill(word::APPROVAL_EDIT_NAME, &[("name", &called)]);
    view! {
        <div class="asks-field" role="group" aria-label=group>
            <span>{label}</span>
            <div>
                <div class="asks-value" tabindex="0" data-testid="approval-value" data-name=shown>
                    {move || now.with(|now| folded(words, now))}
                </div>
                <p class="asks-more">
                    <span data-testid="approval-length">{length}</span>
                    <Show when=move || !edits.get()>
                        <button
                            type="button"
                            class="small"
                            data-testid="approval-edit"
                            aria-label=Signal::derive(edit_name.clone())
                            on:click=move |_| edits.set(true)
                        >
                            {words.text(word::APPROVAL_EDIT)}
                        </button>
                    </Show>
                </p>
                <Show when=move || edits.get()>
                    {before.with_value(|(name, text)| editor(name.clone(), text.clone(), heard, decided))}
                </Show>
            </div>
        </div>
    }
}

/// The text area for an argument.
fn editor(name: String, text: String, typed: Callback<(String, String)>, decided: Signal<bool>) -> AnyView {
    view! {
        <textarea
            rows="1"
            spellcheck="false"
            aria-label=name.clone()
            data-testid="approval-argument"
            data-name=name.clone()
            prop:value=text
            prop:readOnly=decided
            on:input:target=move |event| typed.run((name.clone(), event.target().value()))
        ></textarea>
    }
    .into_any()
}
