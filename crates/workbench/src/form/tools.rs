//! What can be done with a field beside filling it in: naming its key, taking its value away, setting another one.

use leptos::prelude::*;
use sidecar_form::state::MemberOrigin;
use sidecar_form::{FormField, Widget};
use sidecar_ui::words::use_words;

use crate::form::button::small_button;
use crate::form::place::FieldPlace;
use crate::form::store::CellValue;
use crate::word;

/// What is offered at a field now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FieldTools {
    /// Its key, which the schema does not name, can be changed.
    key: bool,
    unset: bool,
    null: bool,
    empty: bool,
    default: bool,
}

/// Renames and removes a key that the schema does not name; takes a value away, sets `null`, what is empty, or the default.
pub fn tools(place: FieldPlace, field: &FormField) -> AnyView {
    let FieldPlace { store, id, .. } = place;
    let whole = place.is_whole();
    let (is_nullable, has_default) = (field.is_nullable, field.default.is_some());
    let is_text = matches!(field.widget, Widget::Text(_));
    let offered = place.memo(move |cell| {
        let is_null = cell.value == CellValue::Null;
        let is_absent = !cell.is_filled && !is_null;
        FieldTools {
            key: matches!(cell.origin, Some(MemberOrigin::Extra | MemberOrigin::Gone)),
            unset: cell.is_filled && !whole,
            null: is_nullable && !is_null,
            empty: is_text && is_absent,
            default: has_default && is_absent,
        }
    });
    let view = move || {
        let FieldTools { key, unset, null, empty, default } = offered.get();
        let unset = unset.then(|| {
            small_button("field-unset", word::FORM_UNSET, move || store.edit(|form| form.unset(id)))
        });
        let null = null.then(|| {
            small_button("field-null", word::FORM_NULL, move || store.edit(|form| form.set_null(id)))
        });
        let empty = empty.then(|| {
            small_button("field-empty", word::FORM_EMPTY, move || store.edit(|form| form.set_empty(id)))
        });
        let default = default.then(|| {
            small_button("field-default", word::FORM_DEFAULT, move || store.edit(|form| form.use_default(id)))
        });
        view! {
            {key.then(|| key_editor(place))}
            <span class="field-buttons">{unset} {null} {empty} {default}</span>
        }
        .into_any()
    };
    view.into_any()
}

fn key_editor(place: FieldPlace) -> AnyView {
    let words = use_words();
    let FieldPlace { store, id, .. } = place;
    // Not told anew with what else changes: that would undo what is being typed.
    let key = place.memo(|cell| cell.key.clone());
    view! {
        <input
            class="field-key"
            data-testid="field-key"
            aria-label=words.get(word::FORM_KEY)
            autocomplete="off"
            spellcheck="false"
            prop:value=Signal::derive(move || key.get())
            on:change:target=move |event| {
                let key = event.target().value();
                store.edit(|form| form.rename_key(id, &key));
            }
        />
        {small_button("field-remove", word::FORM_REMOVE, move || store.edit(|form| form.remove(id)))}
    }
    .into_any()
}
