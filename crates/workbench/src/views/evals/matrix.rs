//! Cases by models.

use std::sync::Arc;

use leptos::prelude::*;
use sidecar_evals::report::matrix::{EvalMatrix, MatrixCell};
use sidecar_evals::report::{EvalReport, ModelFacts};
use sidecar_evals::statistics::CellVerdict;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::segment::Segment;
use crate::state::use_workbench;
use crate::views::evals::cell::CellRuns;
use crate::views::evals::compare::EarlierReport;
use crate::views::evals::look::{model_name, percent, wide};
use crate::word;

/// How many more cases are shown at a time.
const SHOWN: usize = 100;

/// Which cases are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseFilter {
    All,
    Failed,
    Flaky,
    Differing,
}

/// How a cell is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellLook {
    Pass,
    Fail,
    TooFew,
    Error,
    NotRun,
}

/// A cell as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownCell {
    count: String,
    look: CellLook,
    is_flaky: bool,
    is_worse: bool,
}

/// A case as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownCase {
    number: usize,
    name: String,
    tags: Vec<String>,
    cells: Vec<ShownCell>,
    differs: bool,
}

impl CellLook {
    fn of(cell: &MatrixCell<'_, '_>) -> Self {
        match cell.verdict() {
            CellVerdict::Pass => Self::Pass,
            CellVerdict::Fail => Self::Fail,
            CellVerdict::Inconclusive if cell.runs.is_empty() => Self::NotRun,
            CellVerdict::Inconclusive if cell.tally.judged() == 0 && cell.errors() > 0 => Self::Error,
            CellVerdict::Inconclusive => Self::TooFew,
        }
    }

    fn parts(self) -> (&'static str, Option<Icon>, Word) {
        match self {
            Self::Pass => ("pass", Some(Icon::Check), word::EVALS_PASS),
            Self::Fail => ("fail", Some(Icon::Cross), word::EVALS_FAIL),
            Self::TooFew => ("too-few", Some(Icon::Question), word::EVALS_TOO_FEW),
            Self::Error => ("error", Some(Icon::Warning), word::EVALS_ERROR),
            Self::NotRun => ("not-run", None, word::EVALS_NOT_RUN),
        }
    }
}

impl ShownCell {
    fn text(&self, words: Words) -> String {
        let (_, _, plain) = self.look.parts();
        let mut text = words.get(plain).to_owned();
        if self.is_flaky {
            text = words.fill(word::EVALS_FLAKY_VERDICT, &[("verdict", &text)]);
        }
        if self.look == CellLook::NotRun { text } else { format!("{} {text}", self.count) }
    }
}

impl CaseFilter {
    fn keeps(self, case: &ShownCase) -> bool {
        let any = |holds: fn(&ShownCell) -> bool| case.cells.iter().any(holds);
        match self {
            Self::All => true,
            Self::Failed => any(|cell| matches!(cell.look, CellLook::Fail | CellLook::Error)),
            Self::Flaky => any(|cell| cell.is_flaky),
            Self::Differing => case.differs,
        }
    }
}

/// The cases that are run, with what came of them.
fn shown_cases(report: &EvalReport, numbers: &[usize], worse: &[(String, String)]) -> Vec<ShownCase> {
    let matrix = EvalMatrix::of(report);
    let case = |number: &usize| {
        let facts = report.suite.cases.get(*number)?;
        let cell = |(at, model): (usize, &ModelFacts)| {
            let cell = matrix.cell(*number, at);
            ShownCell {
                count: cell.count(),
                look: CellLook::of(&cell),
                is_flaky: cell.tally.is_flaky(),
                is_worse: worse.iter().any(|(hash, name)| *hash == facts.hash && *name == model.name),
            }
        };
        let cells = report.models.iter().enumerate().map(cell).collect();
        let (name, tags) = (facts.name.clone(), facts.tags.clone());
        Some(ShownCase { number: *number, name, tags, cells, differs: matrix.differs(*number) })
    };
    numbers.iter().filter_map(case).collect()
}

/// The table, with filters.
#[component]
pub fn CaseMatrix(earlier: EarlierReport) -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let (filter, tag) = (RwSignal::new(CaseFilter::All), RwSignal::new(String::new()));
    let most = RwSignal::new(SHOWN);
    let cases = Memo::new(move |_| {
        let (report, plan) = (evals.report.get(), evals.plan.get());
        let worse = earlier.worse();
        let both = report.zip(plan);
        let cases = both.map(|(report, plan)| {
            let numbers: Vec<_> = plan.cases.iter().map(|case| case.number).collect();
            shown_cases(&report, &numbers, &worse)
        });
        cases.unwrap_or_default()
    });
    let tags = Memo::new(move |_| {
        cases.with(|cases| {
            let mut tags: Vec<_> = cases.iter().flat_map(|case| case.tags.iter().cloned()).collect();
            tags.sort_unstable();
            tags.dedup();
            tags
        })
    });
    // The places of the cases that fit.
    let fitting = Memo::new(move |_| {
        let (filter, tag) = (filter.get(), tag.get());
        cases.with(|cases| {
            let fits = |case: &ShownCase| filter.keeps(case) && (tag.is_empty() || case.tags.contains(&tag));
            cases.iter().filter(|case| fits(case)).map(|case| case.number).collect::<Vec<_>>()
        })
    });
    let keys = Signal::derive(move || {
        fitting.with(|fitting| fitting.iter().take(most.get()).map(ToString::to_string).collect::<Vec<_>>())
    });
    let row = move |at: usize| {
        let number = fitting.with_untracked(|fitting| fitting.get(at).copied());
        number.map(|number| case_row(cases, number)).into_any()
    };
    let is = move |one: CaseFilter| Signal::derive(move || filter.get() == one);
    let choose = move |one: CaseFilter| {
        Callback::new(move |()| {
            most.set(SHOWN);
            filter.set(one);
        })
    };
    let tag_options = move || {
        let one = |name: String| {
            let (value, own) = (name.clone(), name.clone());
            let is_picked = Signal::derive(move || tag.with(|tag| *tag == own));
            view! { <option value=value prop:selected=is_picked>{name}</option> }.into_any()
        };
        tags.get().into_iter().map(one).collect::<Vec<_>>()
    };
    let count = move || {
        let (fits, all) = (fitting.with(Vec::len), cases.with(Vec::len));
        let (fits, all) = (words.number(wide(fits)), words.number(wide(all)));
        words.fill(word::EVALS_CHOSEN, &[("count", &fits), ("all", &all)])
    };
    let is_cut = move || fitting.with(Vec::len) > most.get();
    view! {
        <section data-testid="evals-results">
            <h3>{words.text(word::EVALS_RESULTS)}</h3>
            <div class="bench-filters">
                <div class="segments" role="group" aria-label=words.text(word::EVALS_FILTER)>
                    <Segment testid="evals-all" word=word::LINT_ALL pressed=is(CaseFilter::All) press=choose(CaseFilter::All) />
                    <Segment testid="evals-failed" word=word::EVALS_FAILED pressed=is(CaseFilter::Failed) press=choose(CaseFilter::Failed) />
                    <Segment testid="evals-flaky" word=word::EVALS_FLAKY pressed=is(CaseFilter::Flaky) press=choose(CaseFilter::Flaky) />
                    <Segment testid="evals-differing" word=word::EVALS_DIFFERING pressed=is(CaseFilter::Differing) press=choose(CaseFilter::Differing) />
                </div>
                <Show when=move || tags.with(|tags| !tags.is_empty())>
                    <select
                        class="eval-tag"
                        data-testid="evals-tag-filter"
                        aria-label=words.text(word::EVALS_TAG)
                        on:change:target=move |event| {
                            most.set(SHOWN);
                            tag.set(event.target().value());
                        }
                    >
                        <option value="" prop:selected=Signal::derive(move || tag.with(String::is_empty))>
                            {words.text(word::EVALS_ANY_TAG)}
                        </option>
                        {tag_options}
                    </select>
                </Show>
                <span role="status" class="meta" data-testid="evals-count">{count}</span>
            </div>
            <div class="bench-table eval-matrix" tabindex="0" role="region" aria-label=words.text(word::EVALS_RESULTS)>
                <table data-testid="evals-matrix">
                    <MatrixHead />
                    <tbody>
                        <KeyedList keys=keys row=row />
                    </tbody>
                </table>
            </div>
            <Show when=move || fitting.with(Vec::is_empty)>
                <p class="meta" data-testid="evals-no-case">{words.text(word::EVALS_NO_CASE)}</p>
            </Show>
            <Show when=is_cut>
                <div class="buttons">
                    <WordButton
                        testid="evals-more"
                        word=word::LONG_SHOW_MORE
                        press=Callback::new(move |_| most.update(|most| *most += SHOWN))
                    />
                </div>
            </Show>
        </section>
    }
}

/// The names of the models, and their rates.
#[component]
fn MatrixHead() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let rates = Memo::new(move |_| {
        evals.report.with(|report| {
            let models = report.iter().flat_map(|report| &report.summary.models);
            models.map(|summary| (summary.model.clone(), percent(summary.rate))).collect::<Vec<_>>()
        })
    });
    let names = move || {
        let name = |(name, _): (String, String)| {
            view! { <th scope="col">{model_name(words, &name)}</th> }.into_any()
        };
        rates.get().into_iter().map(name).collect::<Vec<_>>()
    };
    let totals = move || {
        let rate = |(model, rate): (String, String)| {
            view! { <td data-testid="evals-rate" data-model=model>{rate}</td> }.into_any()
        };
        rates.get().into_iter().map(rate).collect::<Vec<_>>()
    };
    view! {
        <thead>
            <tr>
                <th scope="col">{words.text(word::EVALS_CASE)}</th>
                {names}
            </tr>
        </thead>
        <tbody>
            <tr class="eval-totals">
                <th scope="row">{words.text(word::EVALS_ALL_CASES)}</th>
                {totals}
            </tr>
        </tbody>
    }
}

/// A case: a row of cells, and below it the runs of the cell that is open.
fn case_row(cases: Memo<Vec<ShownCase>>, number: usize) -> AnyView {
    let words = use_words();
    let evals = use_workbench().evals;
    let case =
        Memo::new(move |_| cases.with(|cases| cases.iter().find(|case| case.number == number).cloned()));
    let models = evals.report.with_untracked(|report: &Option<Arc<EvalReport>>| {
        report
            .iter()
            .flat_map(|report| report.models.iter().map(|model| model.name.clone()))
            .collect::<Vec<_>>()
    });
    let (name, tags) = case.with_untracked(|case| {
        case.as_ref().map(|case| (case.name.clone(), case.tags.join(", "))).unwrap_or_default()
    });
    let shown_name = {
        let name = name.clone();
        move || match name.as_str() {
            "" => words.fill(word::EVALS_CASE_NUMBER, &[("number", &words.number(wide(number + 1)))]),
            name => name.to_owned(),
        }
    };
    let differs = Memo::new(move |_| case.with(|case| case.as_ref().is_some_and(|case| case.differs)));
    let open = RwSignal::new(None::<usize>);
    let cells: Vec<_> = models
        .iter()
        .enumerate()
        .map(|(at, model)| {
            let cell = Memo::new(move |_| {
                case.with(|case| case.as_ref().and_then(|case| case.cells.get(at).cloned()))
            });
            cell_view(cell, at, model.clone(), open)
        })
        .collect();
    let columns = (models.len() + 1).to_string();
    let models = StoredValue::new(models);
    let below = {
        let name = name.clone();
        move || {
            let at = open.get()?;
            let model = models.with_value(|models| models.get(at).cloned())?;
            let (columns, name) = (columns.clone(), name.clone());
            Some(
                view! {
                    <tr>
                        <td colspan=columns class="eval-open">
                            <CellRuns case=number name=name model=model />
                        </td>
                    </tr>
                }
                .into_any(),
            )
        }
    };
    view! {
        <tr data-testid="evals-case" data-name=name>
            <th scope="row">
                {shown_name}
                {(!tags.is_empty()).then(|| view! { " " <span class="meta">{tags}</span> }.into_any())}
                <Show when=move || differs.get()>
                    " " <span class="mark">{words.text(word::EVALS_DIFFERS)}</span>
                </Show>
            </th>
            {cells}
        </tr>
        {below}
    }
    .into_any()
}

fn cell_view(
    cell: Memo<Option<ShownCell>>,
    at: usize,
    model: String,
    open: RwSignal<Option<usize>>,
) -> AnyView {
    let words = use_words();
    let look = Memo::new(move |_| cell.with(|cell| cell.as_ref().map_or(CellLook::NotRun, |cell| cell.look)));
    let text = move || cell.with(|cell| cell.as_ref().map(|cell| cell.text(words)).unwrap_or_default());
    let is_worse = Memo::new(move |_| cell.with(|cell| cell.as_ref().is_some_and(|cell| cell.is_worse)));
    let is_open = Memo::new(move |_| open.get() == Some(at));
    view! {
        <td>
            <button
                type="button"
                class="eval-cell"
                data-testid="evals-cell"
                data-model=model
                data-look=Signal::derive(move || look.get().parts().0)
                data-worse=Signal::derive(move || is_worse.get().to_string())
                aria-expanded=Signal::derive(move || is_open.get().to_string())
                disabled=Signal::derive(move || look.get() == CellLook::NotRun)
                on:click=move |_| open.update(|open| *open = if *open == Some(at) { None } else { Some(at) })
            >
                {move || look.get().parts().1.map(icon)}
                <span>{text}</span>
            </button>
            <Show when=move || is_worse.get()>
                " " <span class="mark eval-worse">{words.text(word::EVALS_WORSE)}</span>
            </Show>
        </td>
    }
    .into_any()
}
