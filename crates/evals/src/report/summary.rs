//! What the runs of a report say together. For information, but for rates and verdicts.

use serde::{Deserialize, Serialize};
use sidecar_protocol::thread::{Cost, Usage};

use crate::judged::RunOutcome;
use crate::record::RunRecord;
use crate::report::matrix::EvalMatrix;
use crate::statistics::{CellVerdict, Rate, RepeatRate, suite_rate};

/// The summary of a report: one for each model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportSummary {
    /// In the order of the models.
    pub models: Vec<ModelSummary>,
}

/// What a model reached.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSummary {
    /// The model.
    pub model: String,
    /// Cases that pass.
    pub passed: u32,
    /// Cases that fail.
    pub failed: u32,
    /// Cases of which too few runs were judged.
    pub inconclusive: u32,
    /// Cases of which some runs passed and some failed. They are among those above.
    pub flaky: u32,
    /// Runs that were judged.
    pub judged: u32,
    /// Runs that ended with an error.
    pub errors: u32,
    /// Mean of the cases' rates, with its interval; absent if no run was judged.
    pub rate: Option<Rate>,
    /// Share of the calls made that were required, from 0 to 1; absent if none was made.
    pub precision: Option<f64>,
    /// Share of the required calls that were made; absent if none was required.
    pub recall: Option<f64>,
    /// Share of the calls with arguments that the tool's schema allows; absent if none was made.
    pub valid_arguments: Option<f64>,
    /// Calls that nobody required.
    pub extra_calls: u32,
    /// Tokens; absent if the service told none.
    pub usage: Option<Usage>,
    /// What they cost, for each currency; empty if no price is known.
    pub costs: Vec<Cost>,
    /// Time of a run that was judged; absent if there is none.
    pub time: Option<Spread>,
    /// Time until the first token; absent if there is none.
    pub first_token: Option<Spread>,
    /// What several runs of a case reach together; only of cases of which several were judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<CaseRepeats>,
}

/// What several runs of a case reach together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRepeats {
    /// Number of the case, from 0.
    pub case: usize,
    /// Runs that were judged.
    pub n: u32,
    /// For so many runs each.
    pub rates: Vec<RepeatRate>,
}

/// Times in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of them are no longer.
    pub p50: u64,
    /// 95 % are no longer.
    pub p95: u64,
}

impl ReportSummary {
    /// The summary of a matrix.
    #[must_use]
    pub fn of(matrix: &EvalMatrix<'_>) -> Self {
        let models = matrix.report.models.iter().enumerate();
        Self { models: models.map(|(at, model)| ModelSummary::of(matrix, at, &model.name)).collect() }
    }
}

impl ModelSummary {
    fn of(matrix: &EvalMatrix<'_>, at: usize, name: &str) -> Self {
        let mut summary = Self { model: name.to_owned(), ..Self::default() };
        let (mut rates, mut judged) = (Vec::new(), Vec::new());
        for case in matrix.cases() {
            let cell = matrix.cell(case, at);
            let several = cell.tally.repeats();
            if !several.is_empty() {
                summary.repeats.push(CaseRepeats { case, n: cell.tally.judged(), rates: several });
            }
            match cell.verdict() {
                CellVerdict::Pass => summary.passed += 1,
                CellVerdict::Fail => summary.failed += 1,
                CellVerdict::Inconclusive => summary.inconclusive += 1,
            }
            summary.flaky += u32::from(cell.tally.is_flaky());
            summary.judged += cell.tally.judged();
            summary.errors += cell.errors();
            rates.extend(cell.tally.rate().map(|rate| rate.value));
            for run in cell.runs {
                if let Some(usage) = run.usage {
                    *summary.usage.get_or_insert_default() += usage;
                }
                if let Some(cost) = &run.cost {
                    cost.add_to(&mut summary.costs);
                }
                match run.outcome {
                    RunOutcome::Pass | RunOutcome::Fail => judged.push(*run),
                    RunOutcome::Error | RunOutcome::Skipped | RunOutcome::Cancelled => {}
                }
            }
        }
        summary.rate = suite_rate(&rates);
        let sum = |of: &dyn Fn(&RunRecord) -> usize| judged.iter().map(|run| of(run)).sum::<usize>();
        let made = sum(&|run| run.calls.len());
        let matched = sum(&|run| run.matched as usize);
        let valid = sum(&|run| run.calls.iter().filter(|call| call.mistake.is_none()).count());
        summary.precision = share(matched, made);
        summary.recall = share(matched, sum(&|run| run.required as usize));
        summary.valid_arguments = share(valid, made);
        summary.extra_calls = u32::try_from(made.saturating_sub(matched)).unwrap_or(u32::MAX);
        summary.time = Spread::of(judged.iter().map(|run| run.ms));
        summary.first_token = Spread::of(judged.iter().filter_map(|run| run.first_token_ms));
        summary
    }
}

impl Spread {
    /// That of times; `None` without one.
    fn of(times: impl Iterator<Item = u64>) -> Option<Self> {
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        // The nearest rank, from 1.
        let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).checked_sub(1)?).copied();
        Some(Self { p50: at(50)?, p95: at(95)? })
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::report;

    #[test]
    fn inspector_case_19_errors_are_shown_and_count_in_no_rate() {
        let report = report(&[("a:x", &["ppe", "pee", "fpp"])]);
        let summary = &report.summary.models[0];
        assert_eq!((summary.passed, summary.failed, summary.inconclusive, summary.flaky), (1, 1, 1, 1));
        assert_eq!((summary.judged, summary.errors), (6, 3));
        let rate = summary.rate.unwrap();
        assert!((rate.value - (1.0 + 1.0 + 2.0 / 3.0) / 3.0).abs() < 1e-9 && rate.n == 3);
        assert_eq!((summary.recall, summary.extra_calls), (Some(5.0 / 6.0), 1));
        assert_eq!(summary.time, Some(Spread { p50: 100, p95: 100 }));
        let none = self::report(&[("a:x", &["ee"])]);
        assert_eq!((none.summary.models[0].rate, none.summary.models[0].precision), (None, None));
    }

    #[test]
    fn inspector_case_22_unknown_price_is_no_cost_and_cached_tokens_stand_apart() {
        let mut report = report(&[("a:x", &["pp"])]);
        assert!(report.summary.models[0].costs.is_empty());
        for record in &mut report.cells {
            record.usage = Some(Usage { input: 100, cached: 40, output: 5, reasoning: 0 });
            record.cost = Some(Cost { currency: "USD".to_owned(), amount: 0.25 });
        }
        let report = report.complete();
        let summary = &report.summary.models[0];
        assert_eq!(summary.usage.unwrap(), Usage { input: 200, cached: 80, output: 10, reasoning: 0 });
        assert_eq!(summary.costs, [Cost { currency: "USD".to_owned(), amount: 0.5 }]);
    }

    #[test]
    fn several_runs_of_a_case_are_in_the_file_and_one_is_not() {
        let file = |runs| serde_json::to_value(report(&[("a:x", &["e", runs])]).summary).unwrap();
        let several =
            serde_json::json!([{"case": 1, "n": 2, "rates": [{"k": 2, "passAtK": 1.0, "passHatK": 0.0}]}]);
        let two = report(&[("a:x", &["ep", "pf"])]).summary;
        assert_eq!(serde_json::to_value(&two.models[0].repeats).unwrap(), several);
        assert!(file("p")["models"][0].get("repeats").is_none());
        let before = serde_json::json!({"value": 0.5, "low": 0.1, "high": 0.9});
        assert_eq!(serde_json::from_value::<Rate>(before).unwrap().n, 0, "older files are read");
    }

    #[test]
    fn spread_is_by_the_nearest_rank() {
        assert_eq!(Spread::of([].into_iter()), None);
        assert_eq!(Spread::of(1..=100), Some(Spread { p50: 50, p95: 95 }));
        assert_eq!(Spread::of([7, 3].into_iter()), Some(Spread { p50: 3, p95: 7 }));
    }
}
