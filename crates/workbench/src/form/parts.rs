//! What every field has beside its input: its name, what is asked of it, and what is wrong with it.

use leptos::prelude::*;
use sidecar_form::{FieldId, FormField};
use sidecar_ui::words::use_words;

use crate::form::place::FieldPlace;
use crate::form::store::FieldCell;
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
    let name = move |cell: &FieldCell| match cell.key.as_str() {
        "" => words.get(word::FORM_EMPTY_KEY).to_owned(),
        key => key.to_owned(),
    };
    let required = move |cell: &FieldCell| {
        let mark = || view! { <span class="mark">{words.get(word::FORM_REQUIRED)}</span> }.into_any();
        cell.is_required.then(mark)
    };
    view! {
        <span class="field-name">{place.follow(name)}</span>
        {title.map(|title| view! { <span class="field-title">{title}</span> }.into_any())}
        <span class="meta">{kind}</span>
        {place.follow(required)}
    }
    .into_any()
}

/// The page's description, what is asked of a value, notes and faults.
pub fn notes(place: FieldPlace, field: &FormField) -> AnyView {
    let language = use_words().language();
    let description = field.description.clone().filter(|text| !text.is_empty());
    let facts: Vec<String> = field.facts.iter().map(|fact| fact.text(language)).collect();
    let facts = (!facts.is_empty()).then(|| facts.join(" · "));
    let lines = |texts: &[String]| {
        let lines = texts.iter().map(|text| view! { <p>{text.clone()}</p> }.into_any());
        lines.collect::<Vec<_>>()
    };
    view! {
        <div class="field-notes" id=notes_id(place.id)>
            {description.map(|text| view! { <p class="field-description">{text}</p> }.into_any())}
            {facts.map(|text| view! { <p class="meta">{text}</p> }.into_any())}
            <div class="meta">{place.follow(move |cell| lines(&cell.notes))}</div>
            <div class="field-faults" data-testid="field-faults">{place.follow(move |cell| lines(&cell.faults))}</div>
        </div>
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
            <label class="field-pick" for=name.clone()>{words.get(word::FORM_PICK)}</label>
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
                    {words.get(word::FORM_PICK_NONE)}
                </option>
                {options.collect_view()}
            </select>
        }
        .into_any()
    };
    field.pickers.iter().enumerate().map(picker).collect()
}
