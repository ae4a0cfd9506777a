//! Two reports of the same cases: what got better, what got worse, and whether that is more than chance.

use sidecar_protocol::settings::Language;

use crate::report::matrix::EvalMatrix;
use crate::report::{CaseFacts, EvalReport};
use crate::statistics::{EvalCell, PairedCases, SIGNIFICANT, got_worse};
use crate::wording::{Sentence, word};

/// The difference between two reports.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportComparison {
    /// The models that both have, in the order of the later one.
    pub models: Vec<ModelComparison>,
    /// Cases that got worse, most certain first.
    pub worse: Vec<Worsening>,
}

/// How a model did on the cases that both reports have.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelComparison {
    /// The model.
    pub model: String,
    /// Its cases, by their rate before and now.
    pub cases: PairedCases,
}

/// A case that got worse with a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Worsening {
    /// The case.
    pub case: CaseFacts,
    /// The model.
    pub model: String,
    /// Its runs before.
    pub before: EvalCell,
    /// Its runs now.
    pub after: EvalCell,
    /// p-value of Fisher's exact one-sided test.
    pub p: f64,
}

/// Why reports are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareFault {
    /// The models had another system prompt, or calls were answered in another way.
    Circumstances,
    /// They have no case with a model in common.
    NothingInCommon,
}

impl CompareFault {
    /// What is wrong, and what to do about it.
    #[must_use]
    pub fn sentence(self, language: Language) -> String {
        let word = match self {
            Self::Circumstances => word::COMPARE_CIRCUMSTANCES,
            Self::NothingInCommon => word::COMPARE_NOTHING,
        };
        Sentence::new(word, &[]).text(language)
    }
}

impl ModelComparison {
    /// Whether a difference between the reports is shown.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.cases.p() <= SIGNIFICANT
    }

    /// What is shown: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = match (self.is_shown(), self.cases.better > self.cases.worse) {
            (false, _) => word::COMPARE_SAME,
            (true, true) => word::COMPARE_BETTER,
            (true, false) => word::COMPARE_WORSE,
        };
        let [better, equal, worse, p] = self.cases.told(self.cases.p());
        let values =
            [("model", &*self.model), ("better", &better), ("equal", &equal), ("worse", &worse), ("p", &p)];
        Sentence::new(word, &values).text(language)
    }
}

impl Worsening {
    /// Whether it is more than chance: a regression.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        // Fisher's p of 3/3 to 0/3 is 1/20 exactly, which a float misses by its last digit.
        self.p <= SIGNIFICANT + 1e-9
    }

    /// What became of it: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = if self.is_shown() { word::COMPARE_REGRESSION } else { word::COMPARE_LOWER };
        let count = |cell: EvalCell| format!("{}/{}", cell.passed, cell.judged());
        let (before, after, p) = (count(self.before), count(self.after), format!("{:.3}", self.p));
        let values = [
            ("case", &*self.case.name),
            ("model", &self.model),
            ("before", &before),
            ("after", &after),
            ("p", &p),
        ];
        Sentence::new(word, &values).text(language)
    }
}

/// Compares a report with an earlier one. Only cases that say the same in both count.
///
/// # Errors
/// [`CompareFault`]
pub fn compare(before: &EvalReport, after: &EvalReport) -> Result<ReportComparison, CompareFault> {
    let circumstances = |report: &EvalReport| {
        (report.environment.mode, report.environment.prompt.clone(), report.settings.max_steps)
    };
    if circumstances(before) != circumstances(after) {
        return Err(CompareFault::Circumstances);
    }
    let (earlier, later) = (EvalMatrix::of(before), EvalMatrix::of(after));
    let mut comparison = ReportComparison::default();
    for (model, facts) in after.models.iter().enumerate() {
        let Some(model_before) = before.models.iter().position(|known| known.name == facts.name) else {
            continue;
        };
        let mut cases = PairedCases::default();
        for cell in later.of_model(model) {
            let is_same =
                |known: &CaseFacts| known.hash == cell.case.hash && known.verdict == cell.case.verdict;
            let same = earlier.of_model(model_before).find(|known| is_same(known.case));
            let Some(same) = same else { continue };
            let (Some(old), Some(new)) = (same.tally.rate(), cell.tally.rate()) else { continue };
            if cases.add(old.value, new.value).is_lt() {
                comparison.worse.push(Worsening {
                    case: cell.case.clone(),
                    model: facts.name.clone(),
                    before: same.tally,
                    after: cell.tally,
                    p: got_worse(same.tally, cell.tally),
                });
            }
        }
        if cases != PairedCases::default() {
            comparison.models.push(ModelComparison { model: facts.name.clone(), cases });
        }
    }
    if comparison.models.is_empty() {
        return Err(CompareFault::NothingInCommon);
    }
    comparison.worse.sort_by(|one, other| one.p.total_cmp(&other.p));
    Ok(comparison)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::report;

    #[test]
    fn inspector_case_71_regression_is_told_apart_from_chance() {
        let before = report(&[("a:x", &["ppppp", "ppppp", "fffff"])]);
        let after = report(&[("a:x", &["pffff", "ppfff", "pffff"])]);
        let found = compare(&before, &after).unwrap();
        let worse: Vec<_> =
            found.worse.iter().map(|case| (case.case.name.as_str(), case.is_shown())).collect();
        assert_eq!(worse, [("one", true), ("two", false)]);
        let model = &found.models[0];
        assert_eq!(model.cases, PairedCases { better: 1, equal: 0, worse: 2 });
        assert!(!model.is_shown());
        assert!(found.worse[0].sentence(Language::English).contains("5/5"));
        assert!(model.sentence(Language::Chinese).contains("a:x"));
        let three = compare(&report(&[("a:x", &["ppp"])]), &report(&[("a:x", &["fff"])])).unwrap();
        assert!(three.worse[0].is_shown());
    }

    #[test]
    fn inspector_case_21_six_of_six_are_a_difference_and_five_are_none() {
        let all = |letter: &'static str, count| report(&[("a:x", &vec![letter; count])]);
        let of = |count| compare(&all("f", count), &all("p", count)).unwrap().models[0].clone();
        assert!(of(6).is_shown() && of(6).sentence(Language::English).contains("better"));
        assert!(!of(5).is_shown() && of(5).sentence(Language::English).contains("no difference"));
    }

    #[test]
    fn reports_under_other_circumstances_are_not_compared() {
        let one = report(&[("a:x", &["p"])]);
        let mut other = one.clone();
        other.environment.prompt.hash = "other".to_owned();
        assert_eq!(compare(&one, &other), Err(CompareFault::Circumstances));
        let stranger = report(&[("b:y", &["p"])]);
        assert_eq!(compare(&one, &stranger), Err(CompareFault::NothingInCommon));
        let mut changed = one.clone();
        changed.suite.cases[0].hash = "changed".to_owned();
        assert_eq!(compare(&one, &changed), Err(CompareFault::NothingInCommon));
        let mut lenient = one.clone();
        lenient.suite.cases[0].verdict = crate::extras::VerdictKind::Lenient;
        assert_eq!(compare(&one, &lenient), Err(CompareFault::NothingInCommon));
    }
}
