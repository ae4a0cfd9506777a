//! The one question before an eval: what it does, and what that costs at least.

use leptos::prelude::*;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::use_words;

use crate::state::use_workbench;
use crate::views::evals::look::{price, wide};
use crate::views::evals::models::price_of;
use crate::views::evals::planned::{PlannedEval, PlannedStage};
use crate::views::question_card::{CardArrival, question_card};
use crate::word;

/// From so many runs on there is a warning.
const MANY: usize = 200;

/// The question.
#[component]
pub fn EvalQuestion(
    /// What would be run.
    planned: PlannedEval,
    /// Takes the question away.
    close: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let all = planned.all();
    let number = move |count: usize| words.number(wide(count));
    let (cases, models, runs, requests) =
        (planned.cases.len(), planned.models.len(), planned.runs as usize, all * planned.steps as usize);
    let is_smoke = matches!(planned.stage, PlannedStage::Smoke { .. });
    let held = match planned.stage {
        PlannedStage::Suite(_) | PlannedStage::Page { .. } => word::EVALS_ASK_HELD,
        PlannedStage::Simulation { .. } => word::EVALS_ASK_SKIPPED_RUNS,
        PlannedStage::Smoke { .. } => word::EVALS_ASK_SKIPPED,
    };
    let is_many = all > MANY && !is_smoke;
    let runs = move || {
        if is_smoke {
            return words.count((word::EVALS_ASK_SMOKE_ONE, word::EVALS_ASK_SMOKE_OTHER), wide(all), &[]);
        }
        words.fill(
            word::EVALS_ASK_RUNS,
            &[
                ("all", &number(all)),
                ("cases", &number(cases)),
                ("models", &number(models)),
                ("runs", &number(runs)),
                ("requests", &number(requests)),
            ],
        )
    };
    let language = words.language();
    let rows = planned.models.iter().map(|choice| {
        let known = price_of(bench, choice);
        let least = known.as_ref().map(|known| planned.least_cost(known, language));
        let name = format!("{}:{}", choice.provider, choice.model);
        let least = move || {
            let least = least.as_ref()?;
            let amount = words.cost(&least.currency, least.amount);
            Some(format!(" · {}", words.fill(word::EVALS_ASK_LEAST, &[("cost", &amount)])))
        };
        view! {
            <li data-testid="evals-ask-model" data-model=name.clone()>
                <strong>{name.clone()}</strong> " · " {move || price(words, known.as_ref())} {least}
            </li>
        }
        .into_any()
    });
    let rows = rows.collect::<Vec<_>>();
    let page = match &planned.stage {
        PlannedStage::Suite(_) => None,
        PlannedStage::Page { url, lets_through }
        | PlannedStage::Simulation { url, lets_through }
        | PlannedStage::Smoke { url, lets_through } => {
            let (url, lets_through) = (url.clone(), *lets_through);
            let text = move || {
                let acts = if is_smoke { word::EVALS_ASK_CALLED } else { word::EVALS_ASK_PAGE };
                let acts = words.fill(acts, &[("address", &url)]);
                let consequential = if lets_through { word::EVALS_ASK_THROUGH } else { held };
                words.sentences(&acts, words.get(consequential))
            };
            Some(view! { <p data-testid="evals-ask-page">{text}</p> }.into_any())
        }
    };
    let limit = planned.most_cost.map(|most| {
        let text = move || words.fill(word::EVALS_ASK_LIMIT, &[("amount", &most.to_string())]);
        view! { <p>{text}</p> }.into_any()
    });
    let planned = StoredValue::new(planned);
    let start = move |_| {
        let plan = planned.with_value(|planned| planned.plan(untrack(|| words.language())));
        close.run(());
        bench.evals.start(plan);
    };
    let inside = move |buttons| {
        view! {
            <h3>{words.text(word::EVALS_ASK)}</h3>
            <p data-testid="evals-ask-runs">{runs}</p>
            {is_many
                .then(|| view! { <p data-testid="evals-ask-many"><strong>{words.text(word::EVALS_ASK_MANY)}</strong></p> }.into_any())}
            {(!is_smoke).then(|| view! {
                <ul class="lost">{rows}</ul>
                <p class="meta">{words.text(word::EVALS_ASK_SENT)}</p>
            }
            .into_any())}
            {page}
            {limit}
            <div class="buttons">
                <WordButton testid="evals-cancel" word=word::EVALS_CANCEL press=Callback::new(move |_| close.run(())) />
                <WordButton
                    testid="evals-start"
                    class="primary"
                    word=word::EVALS_START
                    card=buttons
                    press=Callback::new(start)
                />
            </div>
        }
        .into_any()
    };
    question_card("evals-question", word::EVALS_ASK, CardArrival::Focused, Some(close), inside)
}
