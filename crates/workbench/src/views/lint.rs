//! What is wrong with the page's tools.

use leptos::prelude::*;
use sidecar_link::{LinkResponse, ask_anew};
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::{LintNote, NoteWeight};
use sidecar_ui::widgets::lint_note::{LintNoteView, lint_status};
use sidecar_ui::words::use_words;

use crate::segment::Segment;
use crate::state::{tools_as_they_are, use_workbench};
use crate::word;

/// The notes about the page's tools: not known yet, not to be had, or a list. They are looked for again when the tools change.
pub fn linted() -> RwSignal<Option<Option<Vec<LintNote>>>> {
    let bench = use_workbench();
    let notes = RwSignal::new(None);
    let tools = tools_as_they_are(bench);
    ask_anew(
        bench.connection,
        move || {
            tools.track();
            bench.settings.track();
        },
        || Some(PageCommand::Lint),
        move |response| {
            let told = match response {
                LinkResponse::Answer(PageAnswer::Linted { notes }) => notes,
                LinkResponse::Answer(_) | LinkResponse::Done => return,
                LinkResponse::Refused(_) | LinkResponse::Lost => None,
            };
            // The view may be gone.
            let _ = notes.try_set(Some(told));
        },
    );
    notes
}

/// The view.
#[component]
pub fn LintView() -> impl IntoView {
    let words = use_words();
    let notes = linted();
    let (weight, filter) = (RwSignal::new(None::<NoteWeight>), RwSignal::new(String::new()));
    let shown = Memo::new(move |_| {
        let wanted = filter.with(|filter| filter.trim().to_lowercase());
        let all = notes.get().flatten().unwrap_or_default();
        let fits = |note: &LintNote| {
            weight.get().is_none_or(|weight| note.weight == weight)
                && [&note.rule, &note.tool, &note.message]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&wanted))
        };
        all.into_iter().filter(fits).collect::<Vec<_>>()
    });
    let is = move |choice: Option<NoteWeight>| Signal::derive(move || weight.get() == choice);
    view! {
        <div class="bench-page-view" data-testid="lint-view">
            <h2>{words.text(word::BENCH_LINT)}</h2>
            <p role="status" class="meta" data-testid="lint-status">
                {move || notes.with(|notes| lint_status(words, notes))}
            </p>
            <div class="bench-filters">
                <div class="segments" role="group" aria-label=words.text(word::LINT_WEIGHTS)>
                    <Segment testid="lint-all" word=word::LINT_ALL pressed=is(None) press=move |()| weight.set(None) />
                    <Segment testid="lint-errors" word=word::LINT_ERROR pressed=is(Some(NoteWeight::Error)) press=move |()| weight.set(Some(NoteWeight::Error)) />
                    <Segment testid="lint-warnings" word=word::LINT_WARNING pressed=is(Some(NoteWeight::Warning)) press=move |()| weight.set(Some(NoteWeight::Warning)) />
                    <Segment testid="lint-infos" word=word::LINT_INFO pressed=is(Some(NoteWeight::Info)) press=move |()| weight.set(Some(NoteWeight::Info)) />
                </div>
                <input
                    type="search"
                    data-testid="lint-filter"
                    aria-label=words.text(word::BENCH_FILTER)
                    placeholder=words.text(word::BENCH_FILTER)
                    on:input:target=move |event| filter.set(event.target().value())
                />
            </div>
            <ul class="rows">
                {move || {
                    shown.get().into_iter().map(|note| view! { <LintNoteView note=note /> }.into_any()).collect::<Vec<_>>()
                }}
            </ul>
        </div>
    }
}
