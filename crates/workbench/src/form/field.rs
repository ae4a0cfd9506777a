//! A field: its name, its input, and what is said about it.

use std::sync::Arc;

use leptos::prelude::*;
use sidecar_form::{FieldId, FormField, Widget};
use sidecar_ui::words::use_words;

use crate::form::place::{FieldPlace, label_id};
use crate::form::store::{CellValue, FormStore, is_same_field};
use crate::form::tools::tools;
use crate::form::{group, inputs, list, parts};
use crate::word;

/// What decides which elements a field has.
#[derive(Clone)]
struct FieldShape {
    field: Arc<FormField>,
    is_raw: bool,
    is_null: bool,
    is_secret: bool,
    has_lines: bool,
}

impl PartialEq for FieldShape {
    fn eq(&self, other: &Self) -> bool {
        is_same_field(&self.field, &other.field)
            && (self.is_raw, self.is_null, self.is_secret, self.has_lines)
                == (other.is_raw, other.is_null, other.is_secret, other.has_lines)
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
        is_secret: cell.is_secret,
        has_lines: matches!(&cell.value, CellValue::Text(text) if text.contains('\n')),
    });
    view! {
        <div
            class="field"
            class:whole=place.is_whole()
            data-testid="field"
            data-key=place.follow(|cell| cell.key.clone())
            data-faulty=place.follow(|cell| if cell.faults.is_empty() { "false" } else { "true" })
        >
            {move || of_shape(place, &shape.get())}
        </div>
    }
    .into_any()
}

/// The elements of a field. They are made anew in another language, so that no part of them follows it.
fn of_shape(place: FieldPlace, shape: &FieldShape) -> AnyView {
    let FieldShape { field, is_raw, is_null, is_secret, has_lines } = shape;
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
        Widget::Text(kind) => framed(place, field, inputs::text(place, *kind, *is_secret, *has_lines)),
        Widget::Number { .. } => framed(place, field, inputs::number(place, *is_secret)),
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
    let heading = parts::heading(place, field);
    let head = match is_group {
        // Its radio buttons have names of their own.
        true => view! { <span class="field-label" id=label_id(place.id)>{heading}</span> }.into_any(),
        false => {
            view! { <label class="field-label" for=parts::input_id(place.id)>{heading}</label> }.into_any()
        }
    };
    view! {
        <div class="field-head">{head} {tools(place, field)}</div>
        {parts::pickers(place, field)}
        {input}
        {parts::notes(place, field)}
    }
    .into_any()
}

/// A field that is `null`.
fn null(place: FieldPlace) -> AnyView {
    let words = use_words();
    view! { <p class="field-null" id=parts::input_id(place.id)><code>"null"</code> " " <span class="meta">{words.get(word::FORM_IS_NULL)}</span></p> }
        .into_any()
}
