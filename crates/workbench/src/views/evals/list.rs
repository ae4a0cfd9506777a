//! The evals that are kept.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::eval::{EvalEntry, EvalId};
use sidecar_ui::dom::focus::stay_near;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::card::CardButtons;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::evals::EvalsStore;
use crate::state::use_workbench;
use crate::views::evals::look::{costs, state_look, state_mark, wide};
use crate::word;

/// The list, newest first.
#[component]
pub fn KeptEvals() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let keys = Signal::derive(move || {
        evals.list.with(|list| list.iter().flatten().map(|entry| entry.id.0.clone()).collect::<Vec<_>>())
    });
    let is_empty = move || evals.list.with(|list| list.as_ref().is_some_and(Vec::is_empty));
    let row = move |at: usize| {
        let entry = evals.list.with_untracked(|list| list.as_ref()?.get(at).cloned());
        entry.map(|entry| kept(evals, entry)).into_any()
    };
    view! {
        <h3>{words.text(word::EVALS_KEPT)}</h3>
        <Show when=is_empty>
            <p class="meta" data-testid="evals-empty">{words.text(word::EVALS_NONE)}</p>
        </Show>
        <ul class="rows" data-testid="evals-list">
            <KeyedList keys=keys row=row />
        </ul>
    }
}

fn kept(evals: EvalsStore, first: EvalEntry) -> AnyView {
    let words = use_words();
    let id = first.id.clone();
    let (name, started) = (first.name.clone(), first.started);
    let (models, is_live) = (first.models.join(", "), first.is_live);
    let now = {
        let id = id.clone();
        Memo::new(move |_| {
            let found = evals.list.with(|list| list.iter().flatten().find(|entry| entry.id == id).cloned());
            found.unwrap_or_else(|| first.clone())
        })
    };
    let state = Memo::new(move |_| now.with(|entry| entry.state));
    let figures = move || {
        now.with(|entry| {
            let (made, all) = (words.number(wide(entry.made)), words.number(wide(entry.all)));
            let made = words.fill(word::EVALS_MADE, &[("made", &made), ("all", &all)]);
            let mut parts = vec![made, words.duration(entry.ms)];
            if !entry.costs.is_empty() {
                parts.push(costs(words, &entry.costs));
            }
            parts.join(" · ")
        })
    };
    let stage = if is_live { word::EVALS_LIVE } else { word::EVALS_BY_SUITE };
    let opened = id.clone();
    let data_id = id.0.clone();
    view! {
        <li class="eval-entry" data-testid="evals-entry" data-id=data_id data-state=Signal::derive(move || state_look(state.get()).0)>
            <button type="button" class="row" data-testid="evals-open" on:click=move |_| evals.open(Some(opened.clone()))>
                <span class="row-main">
                    <span class="run-line">
                        <strong>{name}</strong>
                        {move || state_mark(words, state.get())}
                        <time title=move || words.exact_moment(started)>{move || words.moment(started)}</time>
                    </span>
                    <span class="meta eval-line">{models} " · " {words.text(stage)}</span>
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
pub fn DeleteEval(id: EvalId) -> impl IntoView {
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
    let card = NodeRef::<html::Div>::new();
    stay_near(card);
    // A second click on Delete is no answer.
    let buttons = CardButtons::of(card, |_| ());
    view! {
        <div
            class="bench-question"
            node_ref=card
            role="group"
            aria-label=words.text(word::EVALS_DELETE_ASK)
            data-testid="evals-delete-question"
            data-ready=Signal::derive(move || buttons.ready.get().to_string())
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    is_asking.set(false);
                }
            }
        >
            <p role="alert">{words.text(word::EVALS_DELETE_ASK)}</p>
            <div class="buttons">
                <WordButton
                    testid="evals-delete-no"
                    word=word::EVALS_DELETE_NO
                    press=Callback::new(move |_| is_asking.set(false))
                />
                <WordButton
                    testid="evals-delete-yes"
                    class="danger"
                    word=word::EVALS_DELETE_YES
                    card=buttons
                    press=Callback::new(move |_| {
                        is_asking.set(false);
                        evals.delete(id.get_value());
                    })
                />
            </div>
        </div>
    }
    .into_any()
}
