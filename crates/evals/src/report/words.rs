//! What reports say in all their forms.

use sidecar_locales::fill;
use sidecar_protocol::page::Backend;
use sidecar_protocol::settings::Language;

use crate::report::matrix::{EvalMatrix, MatrixCell};
use crate::report::{EvalMode, EvalReport, EvalSettings, PromptProfile, SiteFacts};
use crate::statistics::{CellVerdict, EvalCell, RepeatRate};
use crate::wording::{Sentence, word};

/// What several runs of a cell reach together: `pass@2 70 %, pass^2 10 %`; `None` without several.
pub(super) fn repeats(cell: &MatrixCell<'_, '_>) -> Option<String> {
    let share =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let told = |RepeatRate { k, pass_at_k, pass_hat_k }| {
        format!("pass@{k} {}, pass^{k} {}", share(pass_at_k), share(pass_hat_k))
    };
    let told: Vec<_> = cell.tally.repeats().into_iter().map(told).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// What a cell says, in a word or two.
pub(super) fn verdict(cell: &MatrixCell<'_, '_>, language: Language) -> String {
    let plain = match cell.verdict() {
        CellVerdict::Pass => word::VERDICT_PASS,
        CellVerdict::Fail => word::VERDICT_FAIL,
        CellVerdict::Inconclusive => word::VERDICT_INCONCLUSIVE_SHORT,
    };
    let plain = plain.text(language);
    if cell.tally.is_flaky() {
        fill(word::VERDICT_FLAKY.text(language), &[("verdict", plain)])
    } else {
        plain.to_owned()
    }
}

/// How many runs of a cell passed, and how many are needed: a sentence.
pub(super) fn needed(cell: &MatrixCell<'_, '_>, language: Language) -> String {
    if cell.verdict() == CellVerdict::Inconclusive {
        return word::VERDICT_INCONCLUSIVE.text(language).to_owned();
    }
    let judged = cell.tally.judged();
    let least = (1..=judged).find(|passed| {
        EvalCell { planned: judged, passed: *passed, failed: judged - passed }.verdict(cell.case.minimum)
            == CellVerdict::Pass
    });
    let [passed, judged, least] = [cell.tally.passed, judged, least.unwrap_or(judged)].map(|n| n.to_string());
    fill(word::REPORT_NEEDED.text(language), &[("passed", &passed), ("judged", &judged), ("needed", &least)])
}

/// How a report was made: a sentence or two.
pub(super) fn facts(report: &EvalReport, language: Language) -> String {
    let mode = match report.environment.mode {
        EvalMode::Static => word::REPORT_STATIC.text(language).to_owned(),
        EvalMode::Live => live(report.environment.page.as_ref(), language),
        EvalMode::Simulation => {
            let page = live(report.environment.page.as_ref(), language);
            fill(word::REPORT_SIMULATION.text(language), &[("page", &page)])
        }
        EvalMode::Smoke => {
            let page = live(report.environment.page.as_ref(), language);
            fill(word::REPORT_SMOKE.text(language), &[("page", &page)])
        }
    };
    let prompt = match report.environment.prompt.profile {
        PromptProfile::Product => word::REPORT_PRODUCT,
        PromptProfile::Bare => word::REPORT_BARE,
    };
    let cases = EvalMatrix::of(report).cases().count().to_string();
    let EvalSettings { runs, max_steps, .. } = &report.settings;
    let (runs, steps) = (runs.to_string(), max_steps.to_string());
    let values = [
        ("cases", &*cases),
        ("runs", &runs),
        ("steps", &steps),
        ("mode", &mode),
        ("prompt", prompt.text(language)),
        ("version", &report.product),
    ];
    let word = match report.environment.mode {
        EvalMode::Static | EvalMode::Live | EvalMode::Simulation => word::REPORT_FACTS,
        EvalMode::Smoke => word::REPORT_FACTS_SMOKE,
    };
    Sentence::new(word, &values).text(language)
}

/// Where the tools were called.
fn live(page: Option<&SiteFacts>, language: Language) -> String {
    let Some(SiteFacts { browser, backend, origin }) = page else {
        return word::REPORT_LIVE.text(language).to_owned();
    };
    let backend = match backend {
        Backend::Native => word::REPORT_NATIVE,
        Backend::Polyfill => word::REPORT_POLYFILL,
    };
    let values = [("origin", &**origin), ("browser", browser), ("backend", backend.text(language))];
    Sentence::new(word::REPORT_LIVE_PAGE, &values).text(language)
}
