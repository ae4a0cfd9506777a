//! What each model reached: bars, a table, and whether the models differ.

use leptos::prelude::*;
use sidecar_evals::report::summary::ModelSummary;
use sidecar_ui::words::use_words;

use crate::state::use_workbench;
use crate::views::evals::look::{costs, model_name, percent};
use crate::views::evals::rates::{ModelPairs, RatesPlot};
use crate::word;

/// The models.
#[component]
pub fn ModelsTable() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let models = Memo::new(move |_| {
        evals
            .report
            .with(|report| report.as_ref().map(|report| report.summary.models.clone()).unwrap_or_default())
    });
    let heads = [
        word::EVALS_MODEL,
        word::EVALS_RATE,
        word::EVALS_PASS,
        word::EVALS_FAIL,
        word::EVALS_TOO_FEW,
        word::EVALS_FLAKY,
        word::EVALS_ERRORS,
        word::EVALS_TOKENS,
        word::EVALS_PAID,
        word::EVALS_TIME,
    ];
    let heads = heads.map(|head| view! { <th scope="col">{words.text(head)}</th> }.into_any());
    let row = move |summary: ModelSummary| {
        let number = |count: u32| words.number(count.into());
        let dash = || "–".to_owned();
        let tokens = summary.usage.map_or_else(dash, |usage| {
            format!("{} + {}", words.number(usage.input), words.number(usage.output))
        });
        let cells = [
            percent(summary.rate),
            number(summary.passed),
            number(summary.failed),
            number(summary.inconclusive),
            number(summary.flaky),
            number(summary.errors),
            tokens,
            costs(words, &summary.costs),
            summary.time.map_or_else(dash, |time| words.duration(time.p50)),
        ];
        let cells = cells.map(|text| view! { <td>{text}</td> }.into_any());
        let model = summary.model.clone();
        view! {
            <tr data-testid="evals-summary" data-model=model>
                <th scope="row">{model_name(words, &summary.model)}</th>
                {cells.into_iter().collect::<Vec<_>>()}
            </tr>
        }
        .into_any()
    };
    view! {
        <RatesPlot models=models />
        <div class="bench-table eval-models" tabindex="0" role="region" aria-label=words.text(word::EVALS_MODELS)>
            <table>
                <thead><tr>{heads.into_iter().collect::<Vec<_>>()}</tr></thead>
                <tbody>{move || models.get().into_iter().map(row).collect::<Vec<_>>()}</tbody>
            </table>
        </div>
        <ModelPairs />
    }
}
