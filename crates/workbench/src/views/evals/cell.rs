//! The runs of a case with a model, side by side.

use leptos::prelude::*;
use serde_json::Value;
use sidecar_evals::record::{RecordedCall, RecordedRow, RunRecord};
use sidecar_evals::smoke;
use sidecar_ui::words::{Words, use_words};

use crate::state::use_workbench;
use crate::views::evals::look::{costs, outcome_look, outcome_mark};
use crate::word;

/// Most characters of a text that are shown.
const MOST_CHARACTERS: usize = 4_000;

/// The runs.
#[component]
pub fn CellRuns(
    /// Number of the case.
    case: usize,
    /// Its name.
    name: String,
    /// The model.
    model: String,
) -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let runs = {
        let model = model.clone();
        Memo::new(move |_| {
            evals.report.with(|report| {
                let cells = report.iter().flat_map(|report| &report.cells);
                cells.filter(|run| run.case == case && run.model == model).cloned().collect::<Vec<_>>()
            })
        })
    };
    let label = move || match model.as_str() {
        smoke::MODEL => words.fill(word::EVALS_RUNS_WITHOUT, &[("case", &name)]),
        model => words.fill(word::EVALS_RUNS_OF, &[("case", &name), ("model", model)]),
    };
    view! {
        <div class="eval-runs" role="group" aria-label=label data-testid="evals-cell-runs">
            {move || runs.get().iter().map(|run| run_view(words, run)).collect::<Vec<_>>()}
        </div>
    }
}

/// How long a run took, and what it used.
pub fn figures(words: Words, run: &RunRecord) -> Vec<String> {
    let mut figures = vec![words.duration(run.ms)];
    if let Some(usage) = run.usage {
        let (input, output) = (words.number(usage.input), words.number(usage.output));
        figures.push(words.fill(word::EVALS_RUN_TOKENS, &[("input", &input), ("output", &output)]));
    }
    if let Some(cost) = &run.cost {
        figures.push(costs(words, std::slice::from_ref(cost)));
    }
    figures
}

fn run_view(words: Words, run: &RunRecord) -> AnyView {
    let number = words.fill(word::EVALS_RUN, &[("number", &words.number(run.run.into()))]);
    let figures = figures(words, run);
    let language = words.language();
    let reasons = run.reasons.iter().map(|reason| {
        let text = reason.sentence(language);
        view! { <li data-testid="evals-reason">{text}</li> }.into_any()
    });
    let reasons = reasons.collect::<Vec<_>>();
    let text = (!run.text.is_empty()).then(|| {
        let text = clipped(&run.text);
        view! {
            <p class="meta">{words.text(word::EVALS_SAID)}</p>
            <pre tabindex="0" data-testid="evals-said">{text}</pre>
        }
        .into_any()
    });
    let look = outcome_look(run.outcome).0;
    view! {
        <article class="eval-run" data-testid="evals-run" data-look=look>
            <h4>{number} " " {outcome_mark(words, run.outcome)}</h4>
            <p class="meta">{figures.join(" · ")}</p>
            {(!reasons.is_empty()).then(|| view! { <ul class="eval-notes">{reasons}</ul> }.into_any())}
            {rows(words, run)}
            {text}
        </article>
    }
    .into_any()
}

/// Expected calls beside those that were made. Calls that nobody compared follow.
fn rows(words: Words, run: &RunRecord) -> AnyView {
    let is_compared = |at: usize| run.rows.iter().any(|row| row.made == Some(at));
    let compared = run.rows.iter().map(|row| row_view(words, run, row));
    let others = run.calls.iter().enumerate().filter(|(at, _)| !is_compared(*at));
    let others = others.map(|(_, call)| {
        view! {
            <tr data-testid="evals-row" data-look="none">
                <td>"–"</td>
                <td>{made(Some(call))}</td>
                <td>{result(Some(call))}</td>
            </tr>
        }
        .into_any()
    });
    let rows = compared.chain(others).collect::<Vec<_>>();
    if rows.is_empty() {
        return ().into_any();
    }
    view! {
        <div class="bench-table" tabindex="0" role="group" aria-label=words.text(word::EVALS_CALLED)>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{words.text(word::EVALS_EXPECTED)}</th>
                        <th scope="col">{words.text(word::EVALS_CALLED)}</th>
                        <th scope="col">{words.text(word::EVALS_RESULT)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row_view(words: Words, run: &RunRecord, row: &RecordedRow) -> AnyView {
    let expected = row.expected.as_ref().map(|node| call_text(&node.name, node.arguments.as_ref()));
    let call = row.made.and_then(|made| run.calls.get(made));
    let look = outcome_look(row.outcome).0;
    view! {
        <tr data-testid="evals-row" data-look=look>
            <td>{expected.map_or_else(dash, code)}</td>
            <td>{outcome_mark(words, row.outcome)} " " {made(call)}</td>
            <td>{result(call)}</td>
        </tr>
    }
    .into_any()
}

fn made(call: Option<&RecordedCall>) -> AnyView {
    let Some(call) = call else { return dash() };
    let mistake = call.mistake.as_ref().map(|mistake| {
        let mistake = clipped(mistake);
        view! { <p class="meta">{mistake}</p> }.into_any()
    });
    view! {
        {code(call_text(&call.name, Some(&call.arguments)))}
        {mistake}
    }
    .into_any()
}

fn result(call: Option<&RecordedCall>) -> AnyView {
    call.map_or_else(dash, |call| code(value_text(&call.result)))
}

fn dash() -> AnyView {
    "–".into_any()
}

fn code(text: String) -> AnyView {
    view! { <code class="eval-code">{text}</code> }.into_any()
}

/// A call as text.
pub fn call_text(name: &str, arguments: Option<&Value>) -> String {
    match arguments {
        Some(arguments) => format!("{} {}", clipped(name), value_text(arguments)),
        None => clipped(name),
    }
}

/// A value as text.
pub fn value_text(value: &Value) -> String {
    clipped(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// The beginning of a text.
pub fn clipped(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
