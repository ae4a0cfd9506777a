//! The models of a report beside each other: which does better in the cases on which both were judged.

use sidecar_protocol::settings::Language;

use crate::report::EvalReport;
use crate::report::matrix::EvalMatrix;
use crate::statistics::{PairedCases, SIGNIFICANT};
use crate::wording::{Sentence, word};

/// Two models of a report, and how one of them did beside the other.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelPair {
    /// The one that does better in more cases; else the first of the report.
    pub model: String,
    /// The other one.
    pub other: String,
    /// The cases in which it did better, or not.
    pub cases: PairedCases,
}

impl ModelPair {
    /// Whether a difference between the models is shown.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.cases.p() <= SIGNIFICANT
    }

    /// What is shown: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = if self.is_shown() { word::PAIR_BETTER } else { word::PAIR_SAME };
        let [better, equal, worse, p] = self.cases.told();
        let values = [
            ("model", &*self.model),
            ("other", &*self.other),
            ("better", &better),
            ("equal", &equal),
            ("worse", &worse),
            ("p", &p),
        ];
        Sentence::new(word, &values).text(language)
    }
}

/// The pairs of models that have cases in common, in the order of the models; none of a report of one.
#[must_use]
pub fn pairs(report: &EvalReport) -> Vec<ModelPair> {
    let matrix = EvalMatrix::of(report);
    let count = report.models.len();
    let all = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    let of = |(first, second): (usize, usize)| {
        let mut cases = PairedCases::default();
        for case in matrix.cases() {
            let rate = |model| matrix.cell(case, model).tally.rate();
            if let (Some(one), Some(other)) = (rate(first), rate(second)) {
                cases.add(other.value, one.value);
            }
        }
        let [first, second] = [first, second].map(|model| report.models[model].name.clone());
        let pair = match cases.better < cases.worse {
            true => ModelPair { model: second, other: first, cases: cases.turned() },
            false => ModelPair { model: first, other: second, cases },
        };
        (pair.cases != PairedCases::default()).then_some(pair)
    };
    all.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::report;

    #[test]
    fn models_of_a_report_differ_if_the_sign_test_says_so() {
        let six: [&[&str]; 2] = [&["f"; 6], &["p"; 6]];
        let found = pairs(&report(&[("a:x", six[0]), ("b:y", six[1])]));
        let [pair] = &found[..] else { panic!("{found:?}") };
        assert_eq!((pair.model.as_str(), pair.other.as_str(), pair.is_shown()), ("b:y", "a:x", true));
        assert_eq!(pair.cases, PairedCases { better: 6, equal: 0, worse: 0 });
        assert_eq!(
            pair.sentence(Language::English),
            "b:y does better than a:x: better in 6 cases, equal in 0, worse in 0 (p = 0.031)."
        );
        let five = pairs(&report(&[("a:x", &["p"; 5]), ("b:y", &["f"; 5])]));
        assert!(!five[0].is_shown() && five[0].sentence(Language::Chinese).contains("没有显著差异"));
    }

    #[test]
    fn only_cases_on_which_both_were_judged_count() {
        let found = pairs(&report(&[("a:x", &["p", "e", "f"]), ("b:y", &["f", "p", "f"])]));
        assert_eq!(found[0].cases, PairedCases { better: 1, equal: 1, worse: 0 });
        assert_eq!(pairs(&report(&[("a:x", &["p", "e"]), ("b:y", &["e", "p"])])), []);
        assert_eq!(pairs(&report(&[("a:x", &["p"])])), []);
        let many = report(&[("a:x", &["p"]), ("b:y", &["p"]), ("c:z", &["p"])]);
        assert_eq!(pairs(&many).len(), 3);
    }
}
