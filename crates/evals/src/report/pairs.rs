//! The models of a report beside each other: which does better in the cases on which both were judged.

use sidecar_protocol::settings::Language;

use crate::report::EvalReport;
use crate::report::matrix::EvalMatrix;
use crate::statistics::{PairedCases, SIGNIFICANT, holm};
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
    /// The p-value of their sign test, corrected for the number of pairs.
    pub p: f64,
}

impl ModelPair {
    /// Whether a difference between the models is shown.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.p <= SIGNIFICANT
    }

    /// What is shown: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = if self.is_shown() { word::PAIR_BETTER } else { word::PAIR_SAME };
        let [better, equal, worse, p] = self.cases.told(self.p);
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

/// The pairs of models that have cases in common, in the order of the models; none of a report of one. The more pairs there
/// are, the more must be shown of each ([`holm`]).
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
            true => ModelPair { model: second, other: first, cases: cases.turned(), p: 1.0 },
            false => ModelPair { model: first, other: second, cases, p: 1.0 },
        };
        (pair.cases != PairedCases::default()).then_some(pair)
    };
    let mut pairs: Vec<_> = all.filter_map(of).collect();
    let corrected = holm(&pairs.iter().map(|pair| pair.cases.p()).collect::<Vec<_>>());
    for (pair, p) in pairs.iter_mut().zip(corrected) {
        pair.p = p;
    }
    pairs
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

    #[test]
    fn what_is_shown_of_two_models_is_not_shown_among_three() {
        let of = |models: &[(&str, &[&str])]| pairs(&report(models));
        let (fails, passes): ([&str; 6], [&str; 6]) = (["f"; 6], ["p"; 6]);
        assert!(of(&[("a:x", &fails), ("b:y", &passes)])[0].is_shown());
        let three = of(&[("a:x", &fails), ("b:y", &passes), ("c:z", &fails)]);
        assert_eq!(three.iter().filter(|pair| pair.is_shown()).count(), 0, "{three:?}");
        let (fails, passes): ([&str; 8], [&str; 8]) = (["f"; 8], ["p"; 8]);
        let three = of(&[("a:x", &fails), ("b:y", &passes), ("c:z", &fails)]);
        assert_eq!(three.iter().map(ModelPair::is_shown).collect::<Vec<_>>(), [true, false, true]);
    }
}
