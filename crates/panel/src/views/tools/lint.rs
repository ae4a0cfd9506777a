//! What is wrong with the page's tools, for their developer.

use leptos::prelude::*;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::LintNote;
use sidecar_ui::widgets::lint_note::{LintNoteView, lint_counts};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;
use sidecar_link::LinkResponse;

/// The notes, looked for once they are wanted, and again when the tools change.
#[component]
pub fn Lint() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, .. } = use_state();
    let open = RwSignal::new(false);
    let notes = RwSignal::new(None::<Option<Vec<LintNote>>>);
    // One request at a time: a page may change its tools continually.
    let (asking, questions) = (RwSignal::new(false), RwSignal::new((0, 0)));
    Effect::new(move |_| {
        page.view.track();
        connection.count.track();
        questions.update(|(wanted, _)| *wanted += 1);
    });
    Effect::new(move |_| {
        let (wanted, asked) = questions.get();
        if !open.get() || asking.get() || wanted == asked {
            return;
        }
        let is_sent = connection.ask(PageCommand::Lint, move |response| {
            match response {
                LinkResponse::Answer(PageAnswer::Linted { notes: told }) => notes.set(Some(told)),
                LinkResponse::Answer(_) | LinkResponse::Done => {}
                LinkResponse::Refused(_) | LinkResponse::Lost => notes.set(Some(None)),
            }
            asking.set(false);
        });
        asking.set(is_sent);
        questions.update_untracked(|(wanted, asked)| *asked = *wanted);
    });
    let known = Memo::new(move |_| notes.get().flatten());
    let is_clean = move || known.with(|notes| notes.as_ref().is_some_and(Vec::is_empty));
    let is_missing = move || notes.with(|notes| matches!(notes, Some(None)));
    view! {
        <section class="lint">
            <button
                type="button"
                data-testid="lint-toggle"
                aria-expanded=Signal::derive(move || open.get().to_string())
                on:click=move |_| {
                    open.update(|open| *open = !*open);
                    // What failed is tried once more.
                    if notes.with_untracked(|notes| matches!(notes, Some(None))) {
                        questions.update(|(wanted, _)| *wanted += 1);
                    }
                }
            >
                {words.text(word::LINT_OPEN)}
            </button>
            <Show when=move || open.get()>
                <div data-testid="lint">
                    <p role="status" class="meta" data-testid="lint-status">
                        {move || match notes.get() {
                            None => words.get(word::LINT_LOOKING).to_owned(),
                            Some(None) => words.get(word::LINT_FAILED).to_owned(),
                            Some(Some(notes)) if notes.is_empty() => words.get(word::LINT_CLEAN).to_owned(),
                            Some(Some(notes)) => lint_counts(words, &notes),
                        }}
                    </p>
                    <Show when=move || !is_clean() && !is_missing()>
                        <ul class="rows">
                            {move || {
                                let notes = known.get().unwrap_or_default();
                                notes.into_iter().map(|note| view! { <LintNoteView note=note /> }.into_any()).collect::<Vec<_>>()
                            }}
                        </ul>
                    </Show>
                </div>
            </Show>
        </section>
    }
}
