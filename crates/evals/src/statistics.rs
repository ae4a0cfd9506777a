//! What verdicts are worth: three passes of three runs mean a rate between 44 and 100 %.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.959_964;

/// The most that a p-value may be for a difference to be told.
pub const SIGNIFICANT: f64 = 0.05;

/// A minimum that is met exactly may be missed by a float's last digits.
const SLACK: f64 = 1e-9;

/// For so many runs pass@k and pass^k are told, where a case has as many.
const REPEATS: [u32; 2] = [2, 3];

/// A rate, and the interval of 95 % around it. Its text is as `85 % (66–100 %, n = 12)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// From 0 to 1.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// Of how many it is: runs, or cases for the rate of a suite.
    #[serde(default)]
    pub n: u32,
}

/// What several runs of a case reach together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepeatRate {
    /// So many runs.
    pub k: u32,
    /// The chance that at least one of them passes (pass@k); absent if fewer were judged.
    pub pass_at_k: Option<f64>,
    /// The chance that all of them pass (pass^k); absent if fewer were judged.
    pub pass_hat_k: Option<f64>,
}

/// The runs of one case with one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvalCell {
    /// Runs that were planned.
    pub planned: u32,
    /// Runs that passed.
    pub passed: u32,
    /// Runs that failed.
    pub failed: u32,
}

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellVerdict {
    /// As many runs passed as the case wants.
    Pass,
    /// Fewer did.
    Fail,
    /// Fewer than half of the planned runs were judged.
    Inconclusive,
}

impl EvalCell {
    /// Runs that were judged. Those that ended with an error are none.
    #[must_use]
    pub fn judged(&self) -> u32 {
        self.passed + self.failed
    }

    /// The verdict; `minimum` is the least rate, 1 where a case says none.
    #[must_use]
    pub fn verdict(&self, minimum: f64) -> CellVerdict {
        let judged = self.judged();
        if judged == 0 || judged * 2 < self.planned {
            CellVerdict::Inconclusive
        } else if f64::from(self.passed) >= minimum * f64::from(judged) - SLACK {
            CellVerdict::Pass
        } else {
            CellVerdict::Fail
        }
    }

    /// Whether some runs passed and some did not.
    #[must_use]
    pub fn is_flaky(&self) -> bool {
        self.passed > 0 && self.failed > 0
    }

    /// The rate of runs that passed, with Wilson's interval; `None` if none was judged.
    #[must_use]
    pub fn rate(&self) -> Option<Rate> {
        wilson(f64::from(self.passed), self.judged())
    }

    /// The chance that at least one of so many runs passes (pass@k); `None` if fewer were judged.
    #[must_use]
    pub fn any_of(&self, runs: u32) -> Option<f64> {
        let all = choose(self.judged(), runs);
        (self.judged() >= runs).then(|| 1.0 - choose(self.failed, runs) / all)
    }

    /// The chance that all of so many runs pass (pass^k); `None` if fewer were judged.
    #[must_use]
    pub fn all_of(&self, runs: u32) -> Option<f64> {
        (self.judged() >= runs).then(|| choose(self.passed, runs) / choose(self.judged(), runs))
    }

    /// pass@k and pass^k, for each k up to the planned runs; nothing if fewer than two runs were judged.
    #[must_use]
    pub fn repeats(&self) -> Vec<RepeatRate> {
        let rate = |k| RepeatRate { k, pass_at_k: self.any_of(k), pass_hat_k: self.all_of(k) };
        let planned = REPEATS.into_iter().filter(|k| self.judged() > 1 && *k <= self.planned);
        planned.map(rate).collect()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] = [self.value, self.low, self.high].map(|share| share * 100.0);
        write!(f, "{value:.0} % ({low:.0}–{high:.0} %, n = {})", self.n)
    }
}

/// Wilson's interval. `passed` need not be whole.
fn wilson(passed: f64, runs: u32) -> Option<Rate> {
    if runs == 0 {
        return None;
    }
    let n = f64::from(runs);
    let value = passed / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (value + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some(Rate { value, low: (middle - half).max(0.0), high: (middle + half).min(1.0), n: runs })
}

/// The rate of a suite: the mean of its cases' rates, with an interval over the cases. `None` without a case.
#[must_use]
pub fn suite_rate(rates: &[f64]) -> Option<Rate> {
    let cases = u32::try_from(rates.len()).ok()?;
    let count = f64::from(cases);
    let value = rates.iter().sum::<f64>() / count;
    if rates.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq()) {
        return wilson(value * count, cases);
    }
    let error = standard_error(rates, value);
    Some(Rate { value, low: (value - Z * error).max(0.0), high: (value + Z * error).min(1.0), n: cases })
}

fn standard_error(rates: &[f64], mean: f64) -> f64 {
    let count = rates.len() as f64;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    (squares / (count * (count - 1.0))).sqrt()
}

/// Cases of which two rates are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairedCases {
    /// Those of which the second rate is higher.
    pub better: u32,
    /// Those of which both are the same.
    pub equal: u32,
    /// Those of which the second rate is lower.
    pub worse: u32,
}

impl PairedCases {
    /// Counts a case by its two rates; says how the second one is to the first.
    pub fn add(&mut self, first: f64, second: f64) -> Ordering {
        let is = second.total_cmp(&first);
        match is {
            Ordering::Greater => self.better += 1,
            Ordering::Equal => self.equal += 1,
            Ordering::Less => self.worse += 1,
        }
        is
    }

    /// The same, seen from the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { better: self.worse, equal: self.equal, worse: self.better }
    }

    /// The counts, and this p-value, as they are written in a sentence.
    #[must_use]
    pub fn told(self, p: f64) -> [String; 4] {
        let [better, equal, worse] = [self.better, self.equal, self.worse].map(|count| count.to_string());
        [better, equal, worse, format!("{p:.3}")]
    }

    /// The p-value of the exact two-sided sign test.
    #[must_use]
    pub fn p(self) -> f64 {
        sign_test(self.better, self.worse)
    }
}

/// The p-value of the exact two-sided sign test: so many cases got better, so many worse; those that stayed do not count.
#[must_use]
pub fn sign_test(better: u32, worse: u32) -> f64 {
    let all = better + worse;
    let tail: f64 = (0..=better.min(worse)).map(|count| choose(all, count)).sum();
    (2.0 * tail / 2_f64.powi(i32::try_from(all).unwrap_or(i32::MAX))).min(1.0)
}

/// The p-values of several tests, corrected for their number by Holm's method: then the chance that any of them shows a
/// difference where there is none is at most [`SIGNIFICANT`].
#[must_use]
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut corrected = vec![1.0; values.len()];
    let (mut left, mut least) = (values.len() as f64, 0.0_f64);
    for at in order {
        least = least.max((values[at] * left).min(1.0));
        corrected[at] = least;
        left -= 1.0;
    }
    corrected
}

/// The p-value of Fisher's exact one-sided test that a cell got worse.
#[must_use]
pub fn got_worse(before: EvalCell, after: EvalCell) -> f64 {
    let (first, second) = (before.judged(), after.judged());
    let passed = before.passed + after.passed;
    let all = choose(first + second, passed);
    let chance = |count: u32| choose(second, count) * choose(first, passed - count) / all;
    (0..=after.passed).filter(|count| passed - count <= first).map(chance).sum()
}

/// In how many ways so many can be chosen of `all`.
fn choose(all: u32, chosen: u32) -> f64 {
    if chosen > all {
        return 0.0;
    }
    (0..chosen.min(all - chosen)).fold(1.0, |ways, n| ways * f64::from(all - n) / f64::from(n + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(passed: u32, judged: u32) -> EvalCell {
        EvalCell { planned: judged, passed, failed: judged - passed }
    }

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 0.00005
    }

    #[test]
    fn inspector_case_18_numbers_are_those_of_the_tables() {
        for (passed, judged, low, high) in
            [(3, 3, 0.4385, 1.0), (2, 3, 0.2077, 0.9385), (8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775)]
        {
            let rate = cell(passed, judged).rate().unwrap();
            assert!(is_near(rate.low, low) && is_near(rate.high, high), "{passed} of {judged}: {rate:?}");
        }
        assert!(is_near(cell(4, 5).all_of(2).unwrap(), 0.6) && is_near(cell(4, 5).all_of(3).unwrap(), 0.4));
        assert!(is_near(cell(2, 5).any_of(2).unwrap(), 0.7));
        assert!(is_near(cell(5, 5).any_of(5).unwrap(), 1.0));
        assert_eq!((cell(2, 2).any_of(3), cell(2, 2).all_of(3), cell(0, 0).rate()), (None, None, None));
        assert_eq!(cell(8, 10).rate().unwrap().to_string(), "80 % (49–94 %, n = 10)");
        let two_of_three = EvalCell { planned: 3, passed: 1, failed: 1 }.repeats();
        let told = two_of_three.iter().map(|rate| (rate.k, rate.pass_at_k, rate.pass_hat_k));
        assert_eq!(told.collect::<Vec<_>>(), [(2, Some(1.0), Some(0.0)), (3, None, None)]);
        assert!(cell(1, 1).repeats().is_empty());
    }

    #[test]
    fn inspector_case_19_errors_are_not_judged() {
        let two_of_three = EvalCell { planned: 3, passed: 2, failed: 0 };
        assert_eq!((two_of_three.verdict(1.0), two_of_three.judged()), (CellVerdict::Pass, 2));
        let one_of_three = EvalCell { planned: 3, passed: 1, failed: 0 };
        assert_eq!(one_of_three.verdict(1.0), CellVerdict::Inconclusive);
        assert_eq!(cell(0, 0).verdict(0.0), CellVerdict::Inconclusive);
        assert_eq!(
            (cell(2, 3).verdict(1.0), cell(2, 3).verdict(0.6)),
            (CellVerdict::Fail, CellVerdict::Pass)
        );
        assert_eq!(
            (cell(14, 25).verdict(0.56), cell(13, 25).verdict(0.56)),
            (CellVerdict::Pass, CellVerdict::Fail)
        );
        assert!(cell(2, 3).is_flaky() && !cell(3, 3).is_flaky() && !cell(0, 3).is_flaky());
    }

    #[test]
    fn inspector_case_20_rate_of_a_suite_has_an_interval_over_its_cases() {
        let rates = [1.0, 1.0, 0.6, 0.8];
        let rate = suite_rate(&rates).unwrap();
        assert!(is_near(rate.value, 0.85) && is_near(rate.low, 0.85 - Z * 0.09574));
        assert!(is_near(standard_error(&rates, 0.85), 0.09574) && is_near(rate.high, 1.0));
        assert_eq!(suite_rate(&[1.0, 1.0, 1.0]), cell(3, 3).rate());
        assert_eq!(suite_rate(&[]), None);
    }

    #[test]
    fn inspector_case_21_difference_is_told_where_one_is_shown() {
        assert!(is_near(sign_test(6, 0), 0.03125) && sign_test(6, 0) <= SIGNIFICANT);
        assert!(is_near(sign_test(0, 5), 0.0625) && sign_test(0, 5) > SIGNIFICANT);
        assert!(is_near(sign_test(0, 0), 1.0) && is_near(sign_test(3, 3), 1.0));
    }

    #[test]
    fn inspector_case_71_cell_that_got_worse_is_told_where_that_is_shown() {
        assert!(is_near(got_worse(cell(3, 3), cell(0, 3)), 0.05));
        assert!(is_near(got_worse(cell(5, 5), cell(2, 5)), 0.08333));
        assert!(is_near(got_worse(cell(5, 5), cell(1, 5)), 0.02381));
        assert!(
            is_near(got_worse(cell(3, 3), cell(3, 3)), 1.0)
                && is_near(got_worse(cell(0, 3), cell(3, 3)), 1.0)
        );
    }

    #[test]
    fn several_tests_are_corrected_for_their_number() {
        assert!(
            holm(&[0.04, 0.01, 0.03, 0.9])
                .iter()
                .zip([0.09, 0.04, 0.09, 0.9])
                .all(|(&one, other)| is_near(one, other))
        );
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }
}
