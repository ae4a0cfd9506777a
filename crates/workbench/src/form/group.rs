//! Fields by key.

use leptos::prelude::*;
use sidecar_form::FormField;
use sidecar_form::field::{FieldGroup, OtherKeys};
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::form::button::{plain_button, small_button};
use crate::form::parts;
use crate::form::place::FieldPlace;
use crate::form::store::CellValue;
use crate::form::tools::tools;
use crate::word;

/// The level from which groups are folded.
const FOLDED_FROM: usize = 3;

/// A group; the arguments as a whole have no frame.
pub fn group(place: FieldPlace, planned: &FormField, keys: &FieldGroup) -> AnyView {
    let FieldPlace { store, id, level, .. } = place;
    let others = keys.others;
    let is_open = place.memo(|cell| matches!(cell.value, CellValue::Object(_)));
    let members = place.memo(|cell| match &cell.value {
        CellValue::Object(members) => members.clone(),
        _ => Vec::new(),
    });
    let keyed = Signal::derive(move || {
        let shown = store.arrival.shown();
        members.with(|ids| ids.iter().take(shown).map(|id| id.number().to_string()).collect::<Vec<_>>())
    });
    let row = move |at: usize| {
        let id = members.with_untracked(|members| members.get(at).copied());
        id.map(|id| place.part(id)).into_any()
    };
    let body = move || {
        view! {
            <KeyedList keys=keyed row=row />
            {(others != OtherKeys::Refused).then(|| add_key(place))}
        }
        .into_any()
    };
    if place.is_whole() {
        return view! {
            {parts::pickers(place, planned)}
            {parts::notes(place, planned)}
            {body()}
        }
        .into_any();
    }
    let heading = parts::heading(place, planned);
    let insides = view! {
        {parts::pickers(place, planned)}
        {parts::notes(place, planned)}
        <Show when=move || is_open.get()>{body()}</Show>
        <Show when=move || !is_open.get()>
            {small_button("field-open", word::FORM_OPEN_LEVEL, move || store.edit(|form| form.set_empty(id)))}
        </Show>
    };
    let head = tools(place, planned);
    match level >= FOLDED_FROM {
        true => view! {
            <details class="field-group" id=parts::input_id(place.id) tabindex="-1">
                <summary>{heading} " " <span class="meta">{place.follow(|cell| cell.summary.clone())}</span></summary>
                <div class="field-head">{head}</div>
                {insides}
            </details>
        }
        .into_any(),
        false => view! {
            <fieldset class="field-group" id=parts::input_id(place.id) tabindex="-1">
                <legend class="field-label">{heading}</legend>
                <div class="field-head">{head}</div>
                {insides}
            </fieldset>
        }
        .into_any(),
    }
}

/// A key that is typed, and a button that adds it.
fn add_key(place: FieldPlace) -> AnyView {
    let words = use_words();
    let FieldPlace { store, id, .. } = place;
    let key = RwSignal::new(String::new());
    let add = move || {
        store.edit(|form| form.add_key(id, &key.get_untracked()));
        key.set(String::new());
    };
    view! {
        <div class="field-add">
            <input
                data-testid="field-new-key"
                aria-label=words.get(word::FORM_NEW_KEY)
                placeholder=words.get(word::FORM_NEW_KEY)
                autocomplete="off"
                spellcheck="false"
                prop:value=Signal::derive(move || key.get())
                on:input:target=move |event| key.set(event.target().value())
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        event.prevent_default();
                        add();
                    }
                }
            />
            {plain_button("field-add-key", word::FORM_ADD_KEY, add)}
        </div>
    }
    .into_any()
}
