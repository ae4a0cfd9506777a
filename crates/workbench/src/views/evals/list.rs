//! The evals that are kept, and the questions.

use leptos::prelude::*;
use sidecar_protocol::eval::{EvalEntry, EvalId};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::evals::EvalsStore;
use crate::place::BenchView;
use crate::state::use_workbench;
use crate::views::evals::look::{costs, model_names, state_look, state_mark, wide};
use crate::views::question_card::{CardArrival, question_card};
use crate::word;

/// A list, newest first.
#[component]
pub fn KeptEvals(
    /// The evals.
    list: RwSignal<Option<Vec<EvalEntry>>>,
    /// The view in which they are opened.
    view: BenchView,
    /// What stands above them.
    title: Word,
    /// What stands there instead of any.
    none: Word,
) -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let keys = Signal::derive(move || {
        list.with(|list| list.iter().flatten().map(|entry| entry.id.0.clone()).collect::<Vec<_>>())
    });
    let is_empty = move || list.with(|list| list.as_ref().is_some_and(Vec::is_empty));
    let row = move |at: usize| {
        let entry = list.with_untracked(|list| list.as_ref()?.get(at).cloned());
        entry.map(|entry| kept(evals, list, view, entry)).into_any()
    };
    view! {
        <h3>{words.text(title)}</h3>
        <Show when=is_empty>
            <p class="meta" data-testid="evals-empty">{words.text(none)}</p>
        </Show>
        <ul class="rows" data-testid="evals-list">
            <KeyedList keys=keys row=row />
        </ul>
    }
}

fn kept(
    evals: EvalsStore,
    list: RwSignal<Option<Vec<EvalEntry>>>,
    view: BenchView,
    first: EvalEntry,
) -> AnyView {
    let words = use_words();
    let id = first.id.clone();
    let (name, started) = (first.name.clone(), first.started);
    let stage = match (first.is_question, first.is_live) {
        // In the page that is shown.
        (true, _) => None,
        (false, true) if first.is_smoke => Some(word::EVALS_SMOKE),
        (false, true) => Some(word::EVALS_LIVE),
        (false, false) => Some(word::EVALS_BY_SUITE),
    };
    let models = model_names(&first.models);
    let how = move || {
        let parts = [models.as_str(), stage.map(|stage| words.get(stage)).unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let now = {
        let id = id.clone();
        Memo::new(move |_| {
            let found = list.with(|list| list.iter().flatten().find(|entry| entry.id == id).cloned());
            found.unwrap_or_else(|| first.clone())
        })
    };
    let state = Memo::new(move |_| now.with(|entry| entry.state));
    let figures = move || {
        now.with(|entry| {
            let mut parts = vec![words.duration(entry.ms)];
            if !entry.is_question {
                let (made, all) = (words.number(wide(entry.made)), words.number(wide(entry.all)));
                parts.insert(0, words.fill(word::EVALS_MADE, &[("made", &made), ("all", &all)]));
            }
            if !entry.costs.is_empty() {
                parts.push(costs(words, &entry.costs));
            }
            parts.join(" · ")
        })
    };
    let opened = id.clone();
    let data_id = id.0.clone();
    view! {
        <li class="eval-entry" data-testid="evals-entry" data-id=data_id data-state=Signal::derive(move || state_look(state.get()).0)>
            <button type="button" class="row" data-testid="evals-open" on:click=move |_| evals.open_in(view, Some(opened.clone()))>
                <span class="row-main">
                    <span class="run-line">
                        <strong>{name}</strong>
                        {move || state_mark(words, state.get())}
                        <time title=move || words.exact_moment(started)>{move || words.moment(started)}</time>
                    </span>
                    <span class="meta eval-line">{how}</span>
                    <span class="meta eval-line">{figures}</span>
                </span>
            </button>
            <DeleteEval id=id />
        </li>
    }
    .into_any()
}

/// Deletes an eval, and asks first.
#[component]
fn DeleteEval(id: EvalId) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let id = StoredValue::new(id);
    view! {
        <Show
            when=move || is_asking.get()
            fallback=move || {
                view! {
                    <WordButton
                        testid="evals-delete"
                        class="small"
                        word=word::EVALS_DELETE
                        press=Callback::new(move |_| is_asking.set(true))
                    />
                }
            }
        >
            {delete_question(is_asking, id)}
        </Show>
    }
}

fn delete_question(is_asking: RwSignal<bool>, id: StoredValue<EvalId>) -> AnyView {
    let words = use_words();
    let evals = use_workbench().evals;
    let close = Callback::new(move |()| is_asking.set(false));
    let inside = move |buttons| {
        view! {
            <p role="alert">{words.text(word::EVALS_DELETE_ASK)}</p>
            <div class="buttons">
                <WordButton testid="evals-delete-no" word=word::EVALS_DELETE_NO press=Callback::new(move |_| close.run(())) />
                <WordButton
                    testid="evals-delete-yes"
                    class="danger"
                    word=word::EVALS_DELETE_YES
                    card=buttons
                    press=Callback::new(move |_| {
                        close.run(());
                        evals.delete(id.get_value());
                    })
                />
            </div>
        }
        .into_any()
    };
    question_card("evals-delete-question", word::EVALS_DELETE_ASK, CardArrival::Focused, Some(close), inside)
}
