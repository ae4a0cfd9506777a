//! Questions that were asked.

use leptos::prelude::*;
use sidecar_protocol::eval::EvalEntry;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::evals::EvalsStore;
use crate::place::BenchView;
use crate::state::use_workbench;
use crate::views::evals::list::DeleteEval;
use crate::views::evals::look::{state_look, state_mark};
use crate::word;

/// The list, newest first.
#[component]
pub fn KeptQuestions() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let keys = Signal::derive(move || {
        let name = |entry: &EvalEntry| format!("{} {}", entry.id.0, state_look(entry.state).0);
        evals.questions.with(|list| list.iter().flatten().map(name).collect::<Vec<_>>())
    });
    let is_empty = move || evals.questions.with(|list| list.as_ref().is_some_and(Vec::is_empty));
    let row = move |at: usize| {
        let entry = evals.questions.with_untracked(|list| list.as_ref()?.get(at).cloned());
        entry.map(|entry| kept(evals, entry)).into_any()
    };
    view! {
        <h3>{words.text(word::QUESTION_KEPT)}</h3>
        <Show when=is_empty>
            <p class="meta" data-testid="questions-empty">{words.text(word::QUESTION_NONE)}</p>
        </Show>
        <ul class="rows" data-testid="questions-list">
            <KeyedList keys=keys row=row />
        </ul>
    }
}

fn kept(evals: EvalsStore, entry: EvalEntry) -> AnyView {
    let words = use_words();
    let EvalEntry { id, name, started, state, models, .. } = entry;
    let opened = id.clone();
    view! {
        <li class="eval-entry" data-testid="question-entry" data-state=state_look(state).0>
            <button
                type="button"
                class="row"
                data-testid="question-open"
                on:click=move |_| evals.open_in(BenchView::Ask, Some(opened.clone()))
            >
                <span class="row-main">
                    <span class="run-line">
                        <strong>{name}</strong>
                        {state_mark(words, state)}
                        <time title=move || words.exact_moment(started)>{move || words.moment(started)}</time>
                    </span>
                    <span class="meta eval-line">{models.join(", ")}</span>
                </span>
            </button>
            <DeleteEval id=id />
        </li>
    }
    .into_any()
}
