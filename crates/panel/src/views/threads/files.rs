//! Export and import of all conversations.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::history::{ExportForm, ImportOutcome, ImportProblem};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::state::library_state::Import;
use crate::state::{PanelState, use_state};
use crate::word;

/// The export and import buttons, collapsed.
#[component]
pub fn Files() -> impl IntoView {
    let words = use_words();
    let PanelState { library, .. } = use_state();
    let state = library.state;
    let file = NodeRef::<html::Input>::new();
    let chosen = move |_| {
        let Some(input) = file.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            library.import_threads(file);
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let is_refused = Signal::derive(move || {
        state.imported.with(|outcome| {
            matches!(outcome, Some(Import::BrokenOff | Import::Over(ImportOutcome::Refused { .. })))
        })
    });
    view! {
        <details class="fold drawer-fold" data-testid="thread-files">
            <summary>{words.text(word::FILES_TITLE)}</summary>
            <p class="meta">{words.text(word::FILES_HINT)}</p>
            <div class="buttons">
                <WordButton
                    testid="export-json"
                    word=word::FILES_JSON
                    disabled=state.busy
                    press=move |_| library.export_threads(None, ExportForm::Json)
                />
                <WordButton
                    testid="export-markdown"
                    word=word::FILES_MARKDOWN
                    disabled=state.busy
                    press=move |_| library.export_threads(None, ExportForm::Markdown)
                />
                <WordButton
                    testid="import"
                    word=word::FILES_IMPORT
                    disabled=state.busy
                    press=move |_| {
                        if let Some(file) = file.get_untracked() {
                            file.click();
                        }
                    }
                />
                <input
                    type="file"
                    hidden
                    accept=".json,application/json"
                    data-testid="import-file"
                    aria-label=words.text(word::FILES_IMPORT)
                    node_ref=file
                    on:change=chosen
                />
            </div>
        </details>
        <div role="status">
            <Show when=move || state.imported.with(Option::is_some)>
                <p class="drawer-note" class:error=is_refused data-testid="import-outcome">
                    {Signal::derive(move || state.imported.with(|outcome| outcome.as_ref().map(|outcome| sentence(words, outcome))))}
                </p>
            </Show>
        </div>
    }
}

/// The sentence about an import's outcome.
fn sentence(words: Words, import: &Import) -> String {
    let outcome = match import {
        Import::Over(outcome) => outcome,
        Import::BrokenOff => return words.get(word::FILES_BROKEN_OFF).to_owned(),
    };
    match outcome {
        ImportOutcome::Imported { added, known } => {
            let added = words.count((word::FILES_ADDED_ONE, word::FILES_ADDED_OTHER), *added, &[]);
            if *known == 0 {
                return added;
            }
            let known = words.count((word::FILES_KNOWN_ONE, word::FILES_KNOWN_OTHER), *known, &[]);
            words.sentences(&added, &known)
        }
        ImportOutcome::Refused { problem } => match problem {
            ImportProblem::NotOurs => words.get(word::FILES_NOT_OURS).to_owned(),
            ImportProblem::Newer => words.get(word::FILES_NEWER).to_owned(),
            ImportProblem::Damaged { detail } => words.fill(word::FILES_DAMAGED, &[("detail", detail)]),
            ImportProblem::TooLarge => words.get(word::FILES_TOO_LARGE).to_owned(),
        },
    }
}
