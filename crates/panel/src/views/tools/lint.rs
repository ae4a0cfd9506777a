//! What is wrong with the page's tools, for their developer.

use leptos::prelude::*;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::LintNote;
use sidecar_ui::widgets::lint_note::{LintNoteView, lint_status};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;
use sidecar_link::{LinkResponse, ask_anew};

/// The notes, looked for once they are wanted, and again when the tools change.
#[component]
pub fn Lint() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, settings, .. } = use_state();
    let open = RwSignal::new(false);
    let notes = RwSignal::new(None::<Option<Vec<LintNote>>>);
    let off = RwSignal::new(Vec::<String>::new());
    let tries = RwSignal::new(0);
    ask_anew(
        connection.link,
        move || {
            page.view.with(|_| ());
            // Another model may take less of a schema.
            settings.view.with(|_| ());
            tries.with(|_| ());
        },
        move || open.get().then_some(PageCommand::Lint),
        move |response| {
            let told = match response {
                LinkResponse::Answer(PageAnswer::Linted { notes, off: rules, .. }) => {
                    let _ = off.try_set(rules);
                    notes
                }
                LinkResponse::Answer(_) | LinkResponse::Done => return,
                LinkResponse::Refused(_) | LinkResponse::Lost => None,
            };
            let _ = notes.try_set(Some(told));
        },
    );
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
                        tries.update(|tries| *tries += 1);
                    }
                }
            >
                {words.text(word::LINT_OPEN)}
            </button>
            <Show when=move || open.get()>
                <div data-testid="lint">
                    <p role="status" class="meta" data-testid="lint-status">
                        {move || notes.with(|notes| lint_status(words, notes))}
                    </p>
                    <Show when=move || !is_clean() && !is_missing()>
                        <ul class="rows">
                            {move || {
                                let notes = known.get().unwrap_or_default();
                                notes.into_iter().map(|note| view! { <LintNoteView note=note /> }.into_any()).collect::<Vec<_>>()
                            }}
                        </ul>
                    </Show>
                    <Show when=move || off.with(|off| !off.is_empty())>
                        <p class="meta" data-testid="lint-off-count">
                            {move || words.fill(word::LINT_OFF_HERE, &[("rules", &off.with(|off| off.join(", ")))])}
                        </p>
                    </Show>
                </div>
            </Show>
        </section>
    }
}
