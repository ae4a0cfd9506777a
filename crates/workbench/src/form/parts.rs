//! What every field has beside its input: its name, what is asked of it, what is wrong with it, and how to take it away.

use leptos::prelude::*;
use sidecar_form::state::MemberOrigin;
use sidecar_form::{FieldId, FormField, Widget};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::form::place::FieldPlace;
use crate::form::store::{CellValue, FieldCell};
use crate::word;

/// The id of a field's input in the document.
pub fn input_id(id: FieldId) -> String {
    format!("field-{}", id.number())
}

/// The id of what is said about a field.
pub fn notes_id(id: FieldId) -> String {
    format!("field-{}-notes", id.number())
}

/// A field's name, its type and whether it is required.
pub fn heading(place: FieldPlace, field: &FormField) -> AnyView {
    let words = use_words();
    let title = field.title.clone().filter(|title| !title.is_empty());
    let kind = field.type_text(words.language());
    let key = place.memo(|cell| cell.key.clone());
    let is_required = place.memo(|cell| cell.is_required);
    let name = move || match key.get() {
        key if key.is_empty() => words.get(word::FORM_EMPTY_KEY).to_owned(),
        key => key,
    };
    view! {
        <span class="field-name">{name}</span>
        {title.map(|title| view! { <span class="field-title">{title}</span> }.into_any())}
        <span class="meta">{kind}</span>
        <Show when=move || is_required.get()>
            <span class="mark">{words.text(word::FORM_REQUIRED)}</span>
        </Show>
    }
    .into_any()
}

/// The page's description, what is asked of a value, notes and faults.
pub fn notes(place: FieldPlace, field: &FormField) -> AnyView {
    let language = use_words().language();
    let description = field.description.clone().filter(|text| !text.is_empty());
    let facts: Vec<String> = field.facts.iter().map(|fact| fact.text(language)).collect();
    let facts = (!facts.is_empty()).then(|| facts.join(" · "));
    let said = place.memo(|cell| cell.notes.clone());
    let faults = place.memo(|cell| cell.faults.clone());
    let lines =
        |texts: Vec<String>| texts.into_iter().map(|text| view! { <p>{text}</p> }.into_any()).collect_view();
    view! {
        <div class="field-notes" id=notes_id(place.id)>
            {description.map(|text| view! { <p class="field-description">{text}</p> }.into_any())}
            {facts.map(|text| view! { <p class="meta">{text}</p> }.into_any())}
            <div class="meta">{move || lines(said.get())}</div>
            <div class="field-faults" data-testid="field-faults">{move || lines(faults.get())}</div>
        </div>
    }
    .into_any()
}

/// Buttons that take a value away, set `null`, what is empty, or the default.
pub fn value_buttons(place: FieldPlace, field: &FormField) -> AnyView {
    let FieldPlace { store, id, .. } = place;
    let can_be_null = field.is_nullable;
    let has_default = field.default.is_some();
    let can_be_empty = matches!(field.widget, Widget::Text(_));
    let is_filled = place.memo(|cell| cell.is_filled);
    let is_null = place.memo(|cell| cell.value == CellValue::Null);
    let is_absent = place.memo(|cell| !cell.is_filled && cell.value != CellValue::Null);
    let whole = place.is_whole();
    view! {
        <span class="field-buttons">
            <Show when=move || is_filled.get() && !whole>
                <WordButton
                    testid="field-unset"
                    class="small"
                    word=word::FORM_UNSET
                    press=Callback::new(move |_| _ = store.edit(|form| form.unset(id)))
                />
            </Show>
            <Show when=move || can_be_null && !is_null.get()>
                <WordButton
                    testid="field-null"
                    class="small"
                    word=word::FORM_NULL
                    press=Callback::new(move |_| _ = store.edit(|form| form.set_null(id)))
                />
            </Show>
            <Show when=move || can_be_empty && is_absent.get()>
                <WordButton
                    testid="field-empty"
                    class="small"
                    word=word::FORM_EMPTY
                    press=Callback::new(move |_| _ = store.edit(|form| form.set_empty(id)))
                />
            </Show>
            <Show when=move || has_default && is_absent.get()>
                <WordButton
                    testid="field-default"
                    class="small"
                    word=word::FORM_DEFAULT
                    press=Callback::new(move |_| _ = store.edit(|form| form.use_default(id)))
                />
            </Show>
        </span>
    }
    .into_any()
}

/// One select for each union of which a branch can be picked.
pub fn pickers(place: FieldPlace, field: &FormField) -> Vec<AnyView> {
    let language = use_words().language();
    let words = use_words();
    let FieldPlace { store, id, .. } = place;
    let picker = |(number, picker): (usize, &sidecar_form::field::UnionPicker)| {
        let at = picker.at.clone();
        let picked = {
            let at = at.clone();
            place.memo(move |cell: &FieldCell| {
                cell.picks.iter().find(|pick| pick.at == at).map(|pick| pick.branch)
            })
        };
        let options = picker.branches.iter().enumerate().map(|(branch, known)| {
            let text = known.label.text(language);
            view! {
                <option value=branch.to_string() prop:selected=Signal::derive(move || picked.get() == Some(branch))>
                    {text}
                </option>
            }
            .into_any()
        });
        let name = format!("{}-pick-{number}", input_id(id));
        view! {
            <label class="field-pick" for=name.clone()>{words.text(word::FORM_PICK)}</label>
            <select
                id=name
                data-testid="field-pick"
                on:change:target=move |event| {
                    if let Ok(branch) = event.target().value().parse() {
                        store.pick(id, &at, branch);
                    }
                }
            >
                <option value="" disabled=true prop:selected=Signal::derive(move || picked.get().is_none())>
                    {words.text(word::FORM_PICK_NONE)}
                </option>
                {options.collect_view()}
            </select>
        }
        .into_any()
    };
    field.pickers.iter().enumerate().map(picker).collect()
}

/// Renames and removes a key that the schema does not name; nothing for others.
pub fn key_editor(place: FieldPlace) -> AnyView {
    let words = use_words();
    let FieldPlace { store, id, .. } = place;
    let is_free = place.memo(|cell| matches!(cell.origin, Some(MemberOrigin::Extra | MemberOrigin::Gone)));
    let key = place.memo(|cell| cell.key.clone());
    let view = move || {
        view! {
            <input
                class="field-key"
                data-testid="field-key"
                aria-label=words.text(word::FORM_KEY)
                autocomplete="off"
                spellcheck="false"
                prop:value=Signal::derive(move || key.get())
                on:change:target=move |event| {
                    let key = event.target().value();
                    store.edit(|form| form.rename_key(id, &key));
                }
            />
            <WordButton
                testid="field-remove"
                class="small"
                word=word::FORM_REMOVE
                press=Callback::new(move |_| _ = store.edit(|form| form.remove(id)))
            />
        }
        .into_any()
    };
    (move || is_free.get().then(view)).into_any()
}
