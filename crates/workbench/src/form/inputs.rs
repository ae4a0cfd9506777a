//! Inputs of fields with one value.

use leptos::prelude::*;
use sidecar_form::Json;
use sidecar_form::field::{ChoiceLook, FieldChoice, TextKind};
use sidecar_form::moment::{MomentText, split_offset, time_text};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::form::parts::{input_id, notes_id};
use crate::form::place::{FieldPlace, FollowedPart, label_id};
use crate::form::store::{CellValue, FieldCell};
use crate::word;

/// What is typed, empty for nothing.
fn typed(cell: &FieldCell) -> &str {
    match &cell.value {
        CellValue::Text(text) | CellValue::Written(text) => text,
        _ => "",
    }
}

fn text_of(place: FieldPlace) -> FollowedPart<String> {
    place.follow(|cell| typed(cell).to_owned())
}

fn is_faulty(place: FieldPlace) -> FollowedPart<Option<&'static str>> {
    place.follow(|cell| (!cell.faults.is_empty()).then_some("true"))
}

fn take_text(place: FieldPlace, text: &str) {
    place.store.edit(|form| form.set_text(place.id, text));
}

/// A text.
pub fn text(place: FieldPlace, kind: TextKind, is_secret: bool, has_lines: bool) -> AnyView {
    match kind {
        TextKind::Secret => secret(place),
        TextKind::Lines => lines(place, "", "4"),
        TextKind::Line if has_lines => lines(place, "", "4"),
        TextKind::Line => line(place, "text", is_secret),
        TextKind::Date | TextKind::Time | TextKind::DateTime => {
            view! { <div class="field-moment">{line(place, "text", is_secret)} {picker(place, kind)}</div> }
                .into_any()
        }
        TextKind::File => view! { {lines(place, "code", "2")} {file(place)} }.into_any(),
    }
}

/// A line of text.
fn line(place: FieldPlace, mode: &'static str, is_secret: bool) -> AnyView {
    let not_set = use_words().get(word::FORM_NOT_SET);
    view! {
        <input
            type=if is_secret { "password" } else { "text" }
            inputmode=mode
            id=input_id(place.id)
            data-testid="field-input"
            autocomplete="off"
            spellcheck="false"
            aria-describedby=notes_id(place.id)
            aria-invalid=is_faulty(place)
            placeholder=place.follow(move |cell| if cell.value == CellValue::Absent { not_set } else { "" })
            prop:value=text_of(place)
            on:input:target=move |event| take_text(place, &event.target().value())
        />
    }
    .into_any()
}

/// Many lines of text.
fn lines(place: FieldPlace, class: &'static str, rows: &'static str) -> AnyView {
    view! {
        <textarea
            class=class
            rows=rows
            id=input_id(place.id)
            data-testid="field-input"
            spellcheck="false"
            aria-describedby=notes_id(place.id)
            aria-invalid=is_faulty(place)
            prop:value=text_of(place)
            on:input:target=move |event| take_text(place, &event.target().value())
        ></textarea>
    }
    .into_any()
}

/// JSON as text.
pub fn raw(place: FieldPlace) -> AnyView {
    lines(place, "code", "3")
}

/// A number: a wheel does not change it, and it is kept as it was typed.
pub fn number(place: FieldPlace, is_secret: bool) -> AnyView {
    line(place, "decimal", is_secret)
}

/// A text that is hidden until the user reveals it.
fn secret(place: FieldPlace) -> AnyView {
    let words = use_words();
    let is_shown = RwSignal::new(false);
    view! {
        <div class="field-moment">
            <input
                type=Signal::derive(move || if is_shown.get() { "text" } else { "password" })
                id=input_id(place.id)
                data-testid="field-input"
                autocomplete="off"
                spellcheck="false"
                aria-describedby=notes_id(place.id)
                aria-invalid=is_faulty(place)
                prop:value=text_of(place)
                on:input:target=move |event| take_text(place, &event.target().value())
            />
            <button
                type="button"
                class="small"
                data-testid="field-reveal"
                aria-pressed=Signal::derive(move || is_shown.get().to_string())
                on:click=move |_| is_shown.update(|shown| *shown = !*shown)
            >
                {words.get(word::FORM_REVEAL)}
            </button>
        </div>
    }
    .into_any()
}

/// The browser's picker beside a text: what is picked becomes the text.
fn picker(place: FieldPlace, kind: TextKind) -> AnyView {
    let words = use_words();
    // Told when the text is another one, and not with what else changes: half a date would be lost.
    let (kind_name, shown) = match kind {
        TextKind::Date => ("date", place.memo(|cell| typed(cell).to_owned())),
        TextKind::Time => ("time", place.memo(|cell| split_offset(typed(cell)).0.to_owned())),
        _ => (
            "datetime-local",
            place.memo(|cell| {
                let moment = MomentText::read(typed(cell));
                moment.map(|moment| format!("{}T{}", moment.date, moment.time)).unwrap_or_default()
            }),
        ),
    };
    let cell = place.cell.get_value();
    let pick = move |picked: String| {
        let text = cell.with_untracked(|cell| typed(cell).to_owned());
        let written = match kind {
            TextKind::Date => Some(picked),
            TextKind::Time => {
                let offset = split_offset(&text).1;
                let offset = if offset.is_empty() { "Z" } else { offset };
                time_text(&picked).map(|time| format!("{time}{offset}"))
            }
            _ => picked.split_once('T').and_then(|(date, time)| {
                let offset = MomentText::read(&text).map_or_else(|| "Z".to_owned(), |moment| moment.offset);
                Some(MomentText { date: date.to_owned(), time: time_text(time)?, offset }.write())
            }),
        };
        if let Some(written) = written {
            take_text(place, &written);
        }
    };
    view! {
        <input
            type=kind_name
            class="field-picker"
            step="1"
            data-testid="field-picker"
            aria-label=words.get(word::FORM_PICKER)
            prop:value=Signal::derive(move || shown.get())
            on:change:target=move |event| pick(event.target().value())
        />
    }
    .into_any()
}

/// Longest file, in bytes: as base64 it is a third longer, and the arguments have a limit.
const MOST_FILE: f64 = 716_800.0;

/// A file, whose base64 becomes the text.
fn file(place: FieldPlace) -> AnyView {
    let words = use_words();
    let is_refused = RwSignal::new(false);
    let chosen = move |input: web_sys::HtmlInputElement| {
        let Some(file) = input.files().and_then(|files| files.item(0)) else { return };
        is_refused.set(file.size() > MOST_FILE);
        if is_refused.get_untracked() {
            return;
        }
        leptos::task::spawn_local(async move {
            let read = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await;
            let Ok(buffer) = read else { return is_refused.set(true) };
            let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
            let binary: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            match window().btoa(&binary) {
                Ok(text) => take_text(place, &text),
                Err(_) => is_refused.set(true),
            }
        });
    };
    view! {
        <input
            type="file"
            data-testid="field-file"
            aria-label=words.get(word::FORM_FILE)
            on:change:target=move |event| chosen(event.target())
        />
        <Show when=move || is_refused.get()>
            <p class="field-faults" role="alert">{words.get(word::FORM_FILE_REFUSED)}</p>
        </Show>
    }
    .into_any()
}

/// Not set, true, false.
pub fn switch(place: FieldPlace) -> AnyView {
    let words = use_words();
    let options =
        [(None, word::FORM_NOT_SET), (Some(true), word::FORM_TRUE), (Some(false), word::FORM_FALSE)];
    let radios = options.map(|(option, text)| {
        let set = move |_| {
            place.store.edit(|form| match option {
                Some(is) => form.set_switch(place.id, is),
                None => form.unset(place.id),
            });
        };
        let is_chosen = place.follow(move |cell| match cell.value {
            CellValue::Switch(is) => option == Some(is),
            _ => option.is_none(),
        });
        radio(place, is_chosen, set, words.get(text).to_owned(), String::new())
    });
    view! { <div class="field-choices" id=input_id(place.id) tabindex="-1" role="radiogroup" aria-labelledby=label_id(place.id) aria-describedby=notes_id(place.id)>{radios}</div> }
        .into_any()
}

fn radio(
    place: FieldPlace,
    is_chosen: FollowedPart<bool>,
    set: impl Fn(web_sys::Event) + 'static,
    label: String,
    hint: String,
) -> AnyView {
    view! {
        <label class="field-choice" title=hint>
            <input type="radio" name=input_id(place.id) data-testid="field-radio" prop:checked=is_chosen on:change=set />
            {label}
        </label>
    }
    .into_any()
}

/// One of several values.
pub fn choice(place: FieldPlace, choices: &[FieldChoice]) -> AnyView {
    match ChoiceLook::of(choices.len()) {
        ChoiceLook::Radio => {
            let radios = choices.iter().enumerate().map(|(at, choice)| {
                let set = move |_| _ = place.store.edit(|form| form.set_choice(place.id, at));
                let hint = choice.description.clone().unwrap_or_default();
                let is_chosen = place.follow(move |cell| chosen(cell) == Some(at));
                radio(place, is_chosen, set, choice.label(), hint)
            });
            view! { <div class="field-choices" id=input_id(place.id) tabindex="-1" role="radiogroup" aria-labelledby=label_id(place.id) aria-describedby=notes_id(place.id)>{radios.collect_view()}</div> }
                .into_any()
        }
        look => select(place, choices, look == ChoiceLook::Search),
    }
}

fn chosen(cell: &FieldCell) -> Option<usize> {
    match cell.value {
        CellValue::Chosen(at) => Some(at),
        _ => None,
    }
}

/// A list that opens, with a search above it if it is long.
fn select(place: FieldPlace, choices: &[FieldChoice], is_searched: bool) -> AnyView {
    let words = use_words();
    let filter = RwSignal::new(String::new());
    let chosen = place.memo(chosen);
    let labels: Vec<String> = choices.iter().map(FieldChoice::label).collect();
    let options = move || {
        let wanted = filter.with(|filter| filter.trim().to_lowercase());
        let chosen = chosen.get();
        let is_shown = |at: usize, label: &str| {
            wanted.is_empty() || Some(at) == chosen || label.to_lowercase().contains(&wanted)
        };
        let option = |value: String, label: String, is_chosen: bool| {
            view! { <option value=value prop:selected=is_chosen>{label}</option> }.into_any()
        };
        let none = option(String::new(), words.get(word::FORM_NOT_SET).to_owned(), chosen.is_none());
        let shown = labels.iter().enumerate().filter(|(at, label)| is_shown(*at, label));
        let options = shown.map(|(at, label)| option(at.to_string(), label.clone(), chosen == Some(at)));
        std::iter::once(none).chain(options).collect::<Vec<_>>()
    };
    view! {
        {is_searched
            .then(|| {
                view! {
                    <input
                        type="search"
                        data-testid="field-search"
                        aria-label=words.get(word::FORM_SEARCH)
                        placeholder=words.get(word::FORM_SEARCH)
                        on:input:target=move |event| filter.set(event.target().value())
                    />
                }
                    .into_any()
            })}
        <select
            id=input_id(place.id)
            data-testid="field-input"
            aria-describedby=notes_id(place.id)
            aria-invalid=is_faulty(place)
            on:change:target=move |event| {
                let at = event.target().value().parse();
                place.store.edit(|form| match at {
                    Ok(at) => form.set_choice(place.id, at),
                    Err(_) => form.unset(place.id),
                });
            }
        >
            {options}
        </select>
    }
    .into_any()
}

/// A value that is sent as it is, or not at all.
pub fn fixed(place: FieldPlace, value: &Json) -> AnyView {
    let text = value.write();
    view! {
        <label class="field-choice">
            <input
                type="checkbox"
                id=input_id(place.id)
                data-testid="field-input"
                aria-describedby=notes_id(place.id)
                disabled=place.follow(|cell| cell.is_required)
                prop:checked=place.follow(|cell| cell.is_required || matches!(cell.value, CellValue::Chosen(_)))
                on:change:target=move |event| {
                    let is_wanted = event.target().checked();
                    place.store.edit(|form| match is_wanted {
                        true => form.set_choice(place.id, 0),
                        false => form.unset(place.id),
                    });
                }
            />
            <code>{text}</code>
        </label>
    }
    .into_any()
}
