//! What is wrong with the page's tools.

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::{LintNote, NoteWeight};
use sidecar_ui::widgets::lint_note::{LintNoteView, lint_counts};
use sidecar_ui::words::use_words;

use crate::segment::Segment;
use crate::state::{tools_as_they_are, use_workbench};
use crate::word;

/// The notes about the page's tools: not known yet, not to be had, or a list. They are looked for again when the tools change.
pub fn linted() -> RwSignal<Option<Option<Vec<LintNote>>>> {
    let bench = use_workbench();
    let notes = RwSignal::new(None);
    // One request at a time: a page may change its tools continually.
    let (asking, questions) = (RwSignal::new(false), RwSignal::new((0, 0)));
    let tools = tools_as_they_are(bench);
    Effect::new(move |_| {
        tools.track();
        bench.connection.count.track();
        bench.settings.track();
        questions.update(|(wanted, _)| *wanted += 1);
    });
    Effect::new(move |_| {
        let (wanted, asked) = questions.get();
        if asking.get() || wanted == asked {
            return;
        }
        let is_sent = bench.connection.ask(PageCommand::Lint, move |response| {
            let told = match response {
                LinkResponse::Answer(PageAnswer::Linted { notes }) => Some(notes),
                LinkResponse::Answer(_) | LinkResponse::Done => None,
                LinkResponse::Refused(_) | LinkResponse::Lost => Some(None),
            };
            // The view may be gone.
            if let Some(told) = told {
                let _ = notes.try_set(Some(told));
            }
            let _ = asking.try_set(false);
        });
        asking.set(is_sent);
        questions.update_untracked(|(wanted, asked)| *asked = *wanted);
    });
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
                {move || match notes.get() {
                    None => words.get(word::LINT_LOOKING).to_owned(),
                    Some(None) => words.get(word::LINT_FAILED).to_owned(),
                    Some(Some(notes)) if notes.is_empty() => words.get(word::LINT_CLEAN).to_owned(),
                    Some(Some(notes)) => lint_counts(words, &notes),
                }}
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
