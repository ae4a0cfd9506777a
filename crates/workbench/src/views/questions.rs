//! Questions to a model about the page of the tab, with just that page's tools.

mod asked;
mod form;
mod trace;

use leptos::prelude::*;
use sidecar_ui::words::use_words;

use crate::place::BenchView;
use crate::state::use_workbench;
use crate::views::evals::list::KeptEvals;
use crate::views::questions::asked::OpenedQuestion;
pub use crate::views::questions::form::QuestionDraft;
use crate::views::questions::form::QuestionForm;
use crate::word;

/// The view.
#[component]
pub fn QuestionsView() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let open = Memo::new(move |_| bench.place.with(|place| place.eval.clone()));
    view! {
        <div class="bench-page-view" data-testid="questions-view">
            <h2>{words.text(word::BENCH_ASK)}</h2>
            <p>{words.text(word::QUESTION_ABOUT)}</p>
            <QuestionForm />
            {move || open.get().map(|_| view! { <OpenedQuestion /> }.into_any())}
            <KeptEvals list=bench.evals.questions view=BenchView::Ask title=word::QUESTION_KEPT none=word::QUESTION_NONE />
        </div>
    }
}
