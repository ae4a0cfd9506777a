//! The open eval: how far it is, what came of it, and what can be done with that.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::eval::EvalStage;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::evals::EvalSight;
use crate::state::use_workbench;
use crate::views::evals::compare::{CompareChoice, EarlierReport};
use crate::views::evals::look::model_names;
use crate::views::evals::matrix::CaseMatrix;
use crate::views::evals::progress::EvalProgress;
use crate::views::evals::save::SaveAs;
use crate::views::evals::summary::ModelsTable;
use crate::word;

/// The eval that the address names.
#[component]
pub fn OpenedEval() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    // What is opened again after a new connection stays as it is shown.
    let sight = Memo::new(move |_| evals.sight.get());
    let body = move || {
        match sight.get() {
        EvalSight::Asked => {
            view! { <p class="meta" data-testid="evals-opening">{words.text(word::EVALS_OPENING)}</p> }.into_any()
        }
        EvalSight::Gone => {
            view! { <p class="meta" role="status" data-testid="evals-gone">{words.text(word::EVALS_GONE)}</p> }.into_any()
        }
        EvalSight::Here => view! { <WholeEval /> }.into_any(),
    }
    };
    view! {
        <div class="bench-page-view eval-view" data-testid="evals-opened">
            <button type="button" class="quiet" data-testid="evals-back" on:click=move |_| evals.open(None)>
                {icon(Icon::Back)} {words.text(word::EVALS_BACK)}
            </button>
            {body}
        </div>
    }
}

#[component]
fn WholeEval() -> impl IntoView {
    let evals = use_workbench().evals;
    let earlier = EarlierReport::of(evals);
    let name = Memo::new(move |_| {
        evals.entry.with(|entry| entry.as_ref().map(|entry| entry.name.clone()).unwrap_or_default())
    });
    let has_runs = Memo::new(move |_| {
        evals.report.with(|report| report.as_ref().is_some_and(|report| !report.cells.is_empty()))
    });
    let heading = NodeRef::<html::H2>::new();
    evals.focus_if_opened(heading);
    view! {
        <h2 tabindex="-1" node_ref=heading data-testid="evals-name">{name}</h2>
        <EvalFacts />
        <EvalProgress />
        <Show when=move || has_runs.get()>
            <ModelsTable />
            <CompareChoice earlier=earlier />
        </Show>
        <CaseMatrix earlier=earlier />
        <Show when=move || has_runs.get()>
            <SaveAs earlier=earlier />
        </Show>
    }
}

/// When it was started, and how it is run.
#[component]
fn EvalFacts() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let facts = move || {
        let plan = evals.plan.get()?;
        let started = evals.entry.with(|entry| entry.as_ref().map(|entry| entry.started))?;
        let mut parts = vec![words.exact_moment(started)];
        parts.push(match &plan.stage {
            EvalStage::Suite { .. } => words.get(word::EVALS_BY_SUITE).to_owned(),
            EvalStage::Page { url, .. } | EvalStage::Shown { url, .. } => {
                format!("{}: {url}", words.get(word::EVALS_LIVE))
            }
            EvalStage::Simulation { url, .. } => format!("{}: {url}", words.get(word::EVALS_SIMULATION)),
            EvalStage::Smoke { url, .. } => format!("{}: {url}", words.get(word::EVALS_SMOKE)),
        });
        let number = |count: u32| words.number(count.into());
        if !matches!(plan.stage, EvalStage::Smoke { .. }) {
            let steps = number(plan.max_steps);
            parts.push(words.fill(word::EVALS_FACTS, &[("runs", &number(plan.runs)), ("steps", &steps)]));
        }
        if plan.bare {
            parts.push(words.get(word::EVALS_BARE).to_owned());
        }
        if !plan.tags.is_empty() {
            parts.push(format!("{}: {}", words.get(word::EVALS_TAG), plan.tags.join(", ")));
        }
        Some(parts.join(" · "))
    };
    let models = move || {
        evals.entry.with(|entry| entry.as_ref().map(|entry| model_names(&entry.models)).unwrap_or_default())
    };
    view! {
        <p class="meta" data-testid="evals-facts">{facts}</p>
        <p class="meta">{models}</p>
    }
}
