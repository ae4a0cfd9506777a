//! A field: its name, its input, and what is said about it.

use std::sync::Arc;

use leptos::prelude::*;
use sidecar_form::{FieldId, FormField, Widget};
use sidecar_ui::words::use_words;

use crate::form::place::{FieldPlace, label_id};
use crate::form::store::{CellValue, FormStore, is_same_field};
use crate::form::{group, inputs, list, parts};
use crate::word;

/// What decides which elements a field has.
#[derive(Clone)]
struct FieldShape {
    field: Arc<FormField>,
    is_raw: bool,
    is_null: bool,
    has_lines: bool,
}

impl PartialEq for FieldShape {
    fn eq(&self, other: &Self) -> bool {
        is_same_field(&self.field, &other.field)
            && (self.is_raw, self.is_null, self.has_lines) == (other.is_raw, other.is_null, other.has_lines)
    }
}

/// A field of a form; nothing if it is gone.
pub fn field(store: FormStore, id: FieldId, level: usize) -> AnyView {
    let Some(cell) = store.cell(id) else { return ().into_any() };
    let place = FieldPlace { store, id, level, part_view: field, cell: StoredValue::new(cell) };
    let shape = place.memo(|cell| FieldShape {
        field: cell.field.clone(),
        is_raw: cell.is_raw,
        is_null: cell.value == CellValue::Null,
        has_lines: matches!(&cell.value, CellValue::Text(text) if text.contains('\n')),
    });
    let is_faulty = place.memo(|cell| !cell.faults.is_empty());
    let key = place.memo(|cell| cell.key.clone());
    view! {
        <div
            class="field"
            class:whole=place.is_whole()
            data-testid="field"
            data-key=Signal::derive(move || key.get())
            data-faulty=Signal::derive(move || is_faulty.get().to_string())
        >
            {move || of_shape(place, &shape.get())}
        </div>
    }
    .into_any()
}

fn of_shape(place: FieldPlace, shape: &FieldShape) -> AnyView {
    let FieldShape { field, is_raw, is_null, has_lines } = shape;
    if *is_null {
        return framed(place, field, null(place));
    }
    if *is_raw {
        return framed(place, field, inputs::raw(place));
    }
    match &field.widget {
        Widget::Group(of_keys) => group::group(place, field, of_keys),
        Widget::List(items) => list::list(place, field, items),
        Widget::Unpicked | Widget::Never => framed(place, field, ().into_any()),
        Widget::Text(kind) => framed(place, field, inputs::text(place, *kind, *has_lines)),
        Widget::Number { .. } => framed(place, field, inputs::number(place)),
        Widget::Boolean => framed(place, field, inputs::switch(place)),
        Widget::Choice(choices) => framed(place, field, inputs::choice(place, choices)),
        Widget::Fixed(value) => framed(place, field, inputs::fixed(place, value)),
        Widget::Raw(_) => framed(place, field, inputs::raw(place)),
    }
}

/// A field with one input.
fn framed(place: FieldPlace, field: &FormField, input: AnyView) -> AnyView {
    let is_group = matches!(field.widget, Widget::Boolean)
        || matches!(&field.widget, Widget::Choice(choices) if choices.len() <= 7);
    let heads = move |field: &FormField| {
        match is_group {
        // Its radio buttons have names of their own.
        true => view! { <span class="field-label" id=label_id(place.id)>{parts::heading(place, field)}</span> }.into_any(),
        false => {
            view! { <label class="field-label" for=parts::input_id(place.id)>{parts::heading(place, field)}</label> }.into_any()
        }
    }
    };
    view! {
        <div class="field-head">
            {heads(field)} {parts::key_editor(place)} {parts::value_buttons(place, field)}
        </div>
        {parts::pickers(place, field)}
        {input}
        {parts::notes(place, field)}
    }
    .into_any()
}

/// A field that is `null`.
fn null(place: FieldPlace) -> AnyView {
    let words = use_words();
    view! { <p class="field-null" id=parts::input_id(place.id)><code>"null"</code> " " <span class="meta">{words.text(word::FORM_IS_NULL)}</span></p> }
        .into_any()
}
