//! What is known of a tool, beside it: what is wrong with it, and its last runs.

use leptos::prelude::*;
use sidecar_ui::widgets::lint_note::LintNoteView;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::place::ToolName;
use crate::trials::Trials;
use crate::views::history::{Entries, ListedRuns, listed};
use crate::views::lint::linted;
use crate::whole_tool::WholeTool;
use crate::word;

/// How many runs are shown here.
const MOST: usize = 10;

/// Lint notes and runs of a tool.
#[component]
pub fn Known(tool: WholeTool) -> impl IntoView {
    let words = use_words();
    let name = tool.summary.tool.name().to_owned();
    let origin = tool.summary.origin.clone();
    let run = expect_context::<Trials>().of(&origin, &ToolName::from(&tool.summary)).run;
    let notes = linted().notes;
    let own = {
        let name = name.clone();
        Memo::new(move |_| {
            notes.with(|notes| {
                let notes = notes.as_ref()?.as_ref()?;
                Some(notes.iter().filter(|note| note.tool == name).cloned().collect::<Vec<_>>())
            })
        })
    };
    let sites = vec![origin.clone()];
    let ListedRuns { runs, .. } = listed(run.count, Memo::new(move |_| sites.clone()));
    let of_tool = Memo::new(move |_| {
        let mine = |runs: &Vec<sidecar_protocol::tool_run::ToolRun>| {
            let of_tool = runs.iter().filter(|run| run.tool == name && run.origin == origin);
            of_tool.take(MOST).cloned().collect::<Vec<_>>()
        };
        runs.with(|runs| runs.as_ref().map(mine)).unwrap_or_default()
    });
    view! {
        <section>
            <h3>{words.text(word::BENCH_LINT)}</h3>
            <p class="meta" role="status">
                {move || match own.get() {
                    None => words.get(word::LINT_LOOKING),
                    Some(notes) if notes.is_empty() => words.get(word::KNOWN_CLEAN),
                    Some(_) => "",
                }}
            </p>
            <ul class="rows" data-testid="known-lint">
                {move || {
                    let notes = own.get().unwrap_or_default();
                    notes.into_iter().map(|note| view! { <LintNoteView note=note /> }.into_any()).collect::<Vec<_>>()
                }}
            </ul>
        </section>
        <section>
            <h3>{words.text(word::BENCH_HISTORY)}</h3>
            <Show when=move || of_tool.with(Vec::is_empty)>
                <p class="meta">{words.text(word::RUN_NONE)}</p>
            </Show>
            <Entries runs=of_tool chooses=false />
        </section>
    }
}
