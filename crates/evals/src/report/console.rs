//! A report for a terminal.

use std::fmt::Write;

use sidecar_locales::quoted;
use sidecar_protocol::settings::Language;

use crate::report::EvalReport;
use crate::report::compare::ReportComparison;
use crate::report::matrix::EvalMatrix;
use crate::report::pairs::pairs;
use crate::report::words::{facts, verdict};
use crate::statistics::CellVerdict;
use crate::wording::word;

/// Maximum characters of a name.
const MOST_NAME: usize = 60;

/// The report: a line for each case with each model, and one for each model.
#[must_use]
pub fn console(report: &EvalReport, comparison: Option<&ReportComparison>, language: Language) -> String {
    let matrix = EvalMatrix::of(report);
    let mut text = format!("{}: {}\n", quoted(&report.suite.name, MOST_NAME), facts(report, language));
    for (at, summary) in report.summary.models.iter().enumerate() {
        let rate = summary.rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string());
        let _ = writeln!(
            text,
            "\n{}: {rate}; {} {}, {} {}, {} {}, {} {}",
            quoted(&summary.model, MOST_NAME),
            summary.passed,
            word::VERDICT_PASS.text(language),
            summary.failed,
            word::VERDICT_FAIL.text(language),
            summary.inconclusive,
            word::VERDICT_INCONCLUSIVE_SHORT.text(language),
            summary.errors,
            word::REPORT_ERRORS.text(language),
        );
        for cell in matrix.of_model(at) {
            let mark = match cell.verdict() {
                CellVerdict::Pass => "✓",
                CellVerdict::Fail => "✗",
                CellVerdict::Inconclusive => "?",
            };
            let name = quoted(&cell.case.name, MOST_NAME);
            let _ = writeln!(text, "  {mark} {} {}: {name}", cell.count(), verdict(&cell, language));
        }
    }
    let without_case = &report.environment.tools_without_case;
    if !without_case.is_empty() {
        let _ = writeln!(text, "\n{}", word::REPORT_WITHOUT_CASE.text(language));
        for tool in without_case {
            let _ = writeln!(text, "  · {}", quoted(tool, MOST_NAME));
        }
    }
    let pairs = pairs(report);
    if !pairs.is_empty() {
        let _ = writeln!(text, "\n{}", word::REPORT_PAIRS.text(language));
        for pair in pairs {
            let _ = writeln!(text, "  · {}", pair.sentence(language));
        }
    }
    if let Some(comparison) = comparison {
        let _ = writeln!(text, "\n{}", word::REPORT_COMPARED.text(language));
        let models = comparison.models.iter().map(|model| model.sentence(language));
        let worse = comparison.worse.iter().map(|case| case.sentence(language));
        for sentence in models.chain(worse) {
            let _ = writeln!(text, "  · {sentence}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::compare::compare;
    use crate::report::testing::report;

    #[test]
    fn each_case_and_each_model_has_a_line_in_both_languages() {
        let mut report = report(&[("a:x", &["ppp", "pff", "eep"])]);
        report.suite.cases[1].name = "two\u{1b}[31m".to_owned();
        report.environment.tools_without_case = vec!["pay\u{1b}[31m".to_owned()];
        let comparison = compare(&report, &report).unwrap();
        let text = console(&report, Some(&comparison), Language::English);
        for line in [
            "✓ 3/3 pass: one",
            "✗ 1/3 fail, flaky: two [31m",
            "? 1/1 too few: three",
            "a:x: 78 % (34–100 %, n = 3); 1 pass, 1 fail, 1 too few, 2 Errors",
            "a:x: no difference shown",
            "Tools without a case\n  · pay [31m\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        let chinese = console(&report, None, Language::Chinese);
        assert!(chinese.contains("不稳定") && chinese.contains("没有用例的工具"), "{chinese}");
        report.environment.tools_without_case.clear();
        assert!(!console(&report, None, Language::English).contains("without a case"));
    }
}
