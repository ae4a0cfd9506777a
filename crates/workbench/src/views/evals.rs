//! Evals: those that are kept, the next one, and the one that is open.

pub mod cell;
mod compare;
pub mod draft;
mod file;
pub mod list;
pub mod look;
mod matrix;
mod models;
mod opened;
pub mod planned;
mod progress;
mod question;
mod rates;
mod save;
mod stage;
mod start;
mod summary;

use leptos::prelude::*;
use sidecar_ui::words::use_words;

use crate::place::BenchView;
use crate::state::use_workbench;
use crate::views::evals::list::KeptEvals;
use crate::views::evals::opened::OpenedEval;
use crate::views::evals::start::StartForm;
use crate::word;

/// The view.
#[component]
pub fn EvalsView() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let open = Memo::new(move |_| bench.place.with(|place| place.eval.clone()));
    move || {
        match open.get() {
        Some(_) => view! { <OpenedEval /> }.into_any(),
        None => view! {
            <div class="bench-page-view" data-testid="evals-view">
                <h2>{words.text(word::BENCH_EVALS)}</h2>
                <p>{words.text(word::EVALS_ABOUT)}</p>
                <StartForm />
                <KeptEvals list=bench.evals.list view=BenchView::Evals title=word::EVALS_KEPT none=word::EVALS_NONE />
            </div>
        }
        .into_any(),
    }
    }
}
