//! What is wrong with the page's tools, for their developer.

use leptos::prelude::*;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::{LintNote, NoteWeight};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::link::LinkResponse;
use crate::state::{PanelState, use_state};
use crate::word;

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
                            Some(Some(notes)) => summed(words, &notes),
                        }}
                    </p>
                    <Show when=move || !is_clean() && !is_missing()>
                        <ul class="rows">
                            {move || {
                                let notes = known.get().unwrap_or_default();
                                notes.into_iter().map(|note| view! { <Note note=note /> }.into_any()).collect::<Vec<_>>()
                            }}
                        </ul>
                    </Show>
                </div>
            </Show>
        </section>
    }
}

/// How many notes of which weight there are.
fn summed(words: sidecar_ui::words::Words, notes: &[LintNote]) -> String {
    let count = |weight| notes.iter().filter(|note| note.weight == weight).count().to_string();
    let [errors, warnings, infos] = [NoteWeight::Error, NoteWeight::Warning, NoteWeight::Info].map(count);
    words.fill(word::LINT_COUNTS, &[("errors", &errors), ("warnings", &warnings), ("infos", &infos)])
}

#[component]
fn Note(note: LintNote) -> impl IntoView {
    let words = use_words();
    let (name, sign, weight) = looks(note.weight);
    let LintNote { rule, tool, pointer, message, way_out, excerpt, .. } = note;
    let is_of_page = tool.is_empty();
    let named = rule.clone();
    view! {
        <li class="lint-note" data-testid="lint-note" data-rule=rule data-weight=name>
            <p class="run-line">
                <span class="tool-icon">{icon(sign)}</span>
                <span class="mark">{words.text(weight)}</span>
                {if is_of_page {
                    view! { <span>{words.text(word::TOOLS_THIS_PAGE)}</span> }.into_any()
                } else {
                    view! { <span class="tool-name">{tool}</span> }.into_any()
                }}
                <code>{pointer}</code>
            </p>
            <p>{message}</p>
            {(!excerpt.is_empty()).then(|| view! { <p class="meta"><q>{excerpt}</q></p> }.into_any())}
            <p class="meta">{way_out} " [" {named} "]"</p>
        </li>
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
