//! What is wrong with a page's tools, for their developer.

use leptos::prelude::*;
use sidecar_protocol::lint::{LintNote, NoteWeight};

use crate::icons::{Icon, icon};
use crate::words::{Word, Words, use_words, word};

/// What is known: not yet, not at all, nothing wrong, or how many notes of which weight.
pub fn lint_status(words: Words, notes: &Option<Option<Vec<LintNote>>>) -> String {
    match notes {
        None => words.get(word::LINT_LOOKING).to_owned(),
        Some(None) => words.get(word::LINT_FAILED).to_owned(),
        Some(Some(notes)) if notes.is_empty() => words.get(word::LINT_CLEAN).to_owned(),
        Some(Some(notes)) => counts(words, notes),
    }
}

fn counts(words: Words, notes: &[LintNote]) -> String {
    let count = |weight| notes.iter().filter(|note| note.weight == weight).count().to_string();
    let [errors, warnings, infos] = [NoteWeight::Error, NoteWeight::Warning, NoteWeight::Info].map(count);
    words.fill(word::LINT_COUNTS, &[("errors", &errors), ("warnings", &warnings), ("infos", &infos)])
}

/// A note: what is wrong with which tool, and what to do about it.
#[component]
pub fn LintNoteView(
    /// The note.
    note: LintNote,
    /// Switches a rule off for the site, if that can be done here.
    #[prop(optional)]
    switch_off: Option<Callback<String>>,
) -> impl IntoView {
    let words = use_words();
    let (name, sign, weight) = looks(note.weight);
    let LintNote { rule, tool, pointer, message, way_out, excerpt, .. } = note;
    let is_of_page = tool.is_empty();
    let (named, switched) = (rule.clone(), rule.clone());
    view! {
        <li class="lint-note" data-testid="lint-note" data-rule=rule data-weight=name>
            <p class="run-line">
                <span class="tool-icon">{icon(sign)}</span>
                <span class="mark">{words.text(weight)}</span>
                {if is_of_page {
                    view! { <span>{words.text(word::LINT_OF_PAGE)}</span> }.into_any()
                } else {
                    view! { <span class="tool-name">{tool}</span> }.into_any()
                }}
                <code>{pointer}</code>
            </p>
            <p>{message}</p>
            {(!excerpt.is_empty()).then(|| view! { <p class="meta"><q>{excerpt}</q></p> }.into_any())}
            <p class="meta">{way_out} " [" {named} "]"</p>
            {switch_off
                .map(|switch_off| {
                    let named = switched.clone();
                    view! {
                        <button
                            type="button"
                            class="small"
                            data-testid="lint-off"
                            aria-label=move || words.fill(word::LINT_OFF_RULE, &[("rule", &named)])
                            on:click=move |_| switch_off.run(switched.clone())
                        >
                            {words.text(word::LINT_OFF)}
                        </button>
                    }
                    .into_any()
                })}
        </li>
    }
}

/// Notes about a result; nothing if there are none.
#[component]
pub fn ResultNotes(
    /// The notes.
    notes: RwSignal<Vec<LintNote>>,
) -> impl IntoView {
    move || {
        let rows = notes.get().into_iter().map(|note| view! { <LintNoteView note=note /> }.into_any());
        let rows = rows.collect::<Vec<_>>();
        (!rows.is_empty())
            .then(|| view! { <ul class="rows" data-testid="result-notes">{rows}</ul> }.into_any())
    }
}

/// The name in the document, the icon and the word of a weight.
fn looks(weight: NoteWeight) -> (&'static str, Icon, Word) {
    match weight {
        NoteWeight::Error => ("error", Icon::Cross, word::LINT_ERROR),
        NoteWeight::Warning => ("warning", Icon::Warning, word::LINT_WARNING),
        NoteWeight::Info => ("info", Icon::Eye, word::LINT_INFO),
    }
}
