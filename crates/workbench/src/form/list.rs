//! Rows of arrays, and lists to check.

use leptos::prelude::*;
use sidecar_form::field::{FieldChoice, FieldItems};
use sidecar_form::{FieldId, FormField};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::form::button::{plain_button, small_button};
use crate::form::parts;
use crate::form::place::FieldPlace;
use crate::form::store::CellValue;
use crate::form::tools::tools;
use crate::word;

/// An array.
pub fn list(place: FieldPlace, planned: &FormField, items: &FieldItems) -> AnyView {
    let body = match &items.checks {
        Some(choices) => checks(place, choices),
        None => rows(place, items),
    };
    let heading = parts::heading(place, planned);
    view! {
        <fieldset class="field-group" id=parts::input_id(place.id) tabindex="-1">
            <legend class="field-label">{heading}</legend>
            <div class="field-head">{tools(place, planned)}</div>
            {parts::pickers(place, planned)}
            {parts::notes(place, planned)}
            {body}
        </fieldset>
    }
    .into_any()
}

fn checks(place: FieldPlace, choices: &[FieldChoice]) -> AnyView {
    let FieldPlace { store, id, .. } = place;
    let is_checked = |at: usize| {
        place.follow(move |cell| matches!(&cell.value, CellValue::Checked(checked) if checked.contains(&at)))
    };
    let boxes = choices.iter().enumerate().map(|(at, choice)| {
        view! {
            <label class="field-choice" title=choice.description.clone().unwrap_or_default()>
                <input
                    type="checkbox"
                    data-testid="field-check"
                    prop:checked=is_checked(at)
                    on:change=move |_| _ = store.edit(|form| form.toggle_check(id, at))
                />
                {choice.label()}
            </label>
        }
        .into_any()
    });
    view! { <div class="field-choices">{boxes.collect_view()} {empty_array(place)}</div> }.into_any()
}

/// Sets an array that is not set to an empty one.
fn empty_array(place: FieldPlace) -> AnyView {
    let FieldPlace { store, id, .. } = place;
    let is_unset = place.memo(|cell| !cell.is_filled);
    view! {
        <Show when=move || is_unset.get()>
            {small_button("field-empty", word::FORM_EMPTY_LIST, move || store.edit(|form| form.set_empty(id)))}
        </Show>
    }
    .into_any()
}

fn rows(place: FieldPlace, items: &FieldItems) -> AnyView {
    let words = use_words();
    let FieldPlace { store, id, .. } = place;
    let (can_add, slots) = (items.rest.is_some(), items.slots.len());
    let rows = place.memo(|cell| match &cell.value {
        CellValue::Array(rows) => rows.clone(),
        _ => Vec::new(),
    });
    let keys =
        Signal::derive(move || rows.get().iter().map(|id| id.number().to_string()).collect::<Vec<_>>());
    let row = move |at: usize| {
        let id = rows.with_untracked(|rows| rows.get(at).copied());
        id.map(|row| one_row(place, rows, row, slots)).into_any()
    };
    let pasted = RwSignal::new(String::new());
    let paste = move || {
        store.edit(|form| form.paste_lines(id, &pasted.get_untracked()));
        pasted.set(String::new());
    };
    view! {
        <div class="field-rows"><KeyedList keys=keys row=row /></div>
        <div class="field-add">
            {can_add
                .then(|| {
                    view! {
                        {plain_button("field-add-row", word::FORM_ADD_ROW, move || _ = store.edit(|form| form.add_row(id)))}
                        <details class="field-paste">
                            <summary>{words.get(word::FORM_PASTE)}</summary>
                            <textarea
                                data-testid="field-paste"
                                rows="3"
                                aria-label=words.get(word::FORM_PASTE)
                                prop:value=pasted
                                on:input:target=move |event| pasted.set(event.target().value())
                            ></textarea>
                            {plain_button("field-paste-add", word::FORM_PASTE_ADD, paste)}
                        </details>
                    }
                        .into_any()
                })}
            {empty_array(place)}
        </div>
    }
    .into_any()
}

/// A row with its buttons; slots cannot be moved.
fn one_row(place: FieldPlace, rows: Memo<Vec<FieldId>>, row: FieldId, slots: usize) -> AnyView {
    let store = place.store;
    let at =
        Memo::new(move |_| rows.with(|rows| rows.iter().position(|known| *known == row).unwrap_or_default()));
    let is_free = move || at.get() >= slots;
    let move_to = move |to: usize| store.edit(|form| form.move_row(row, to));
    view! {
        <div class="field-row" data-testid="field-row">
            {place.part(row)}
            <Show when=is_free>
                <span class="field-buttons">
                    <WordButton
                        testid="row-up"
                        class="small"
                        word=word::FORM_ROW_UP
                        disabled=Signal::derive(move || at.get() <= slots)
                        press=Callback::new(move |_| _ = move_to(at.get_untracked().saturating_sub(1)))
                    />
                    <WordButton
                        testid="row-down"
                        class="small"
                        word=word::FORM_ROW_DOWN
                        disabled=Signal::derive(move || rows.with(|rows| at.get() + 1 >= rows.len()))
                        press=Callback::new(move |_| _ = move_to(at.get_untracked() + 1))
                    />
                    <WordButton
                        testid="row-copy"
                        class="small"
                        word=word::FORM_ROW_COPY
                        press=Callback::new(move |_| _ = store.edit(|form| form.duplicate_row(row)))
                    />
                    <WordButton
                        testid="row-remove"
                        class="small"
                        word=word::FORM_REMOVE
                        press=Callback::new(move |_| _ = store.edit(|form| form.remove(row)))
                    />
                </span>
            </Show>
        </div>
    }
    .into_any()
}
