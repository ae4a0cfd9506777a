//! A report as Markdown, for a comment or a summary of a build.

use std::fmt::Write;

use sidecar_locales::fill;
use sidecar_protocol::settings::Language;

use crate::report::EvalReport;
use crate::report::compare::ReportComparison;
use crate::report::escape::{cut, markdown as escaped};
use crate::report::matrix::EvalMatrix;
use crate::report::pairs::pairs;
use crate::report::words::{facts, needed, repeats, verdict};
use crate::statistics::CellVerdict;
use crate::wording::word;

/// Maximum size, in bytes: what GitHub takes as the summary of a step.
const MOST_BYTES: usize = 1 << 20;

/// Maximum characters of a name in the table.
const MOST_NAME: usize = 80;

/// Maximum characters of a reason.
const MOST_REASON: usize = 400;

/// The report: models, cases, and why those that failed did. What is too long is left out, and that is said.
#[must_use]
pub fn markdown(report: &EvalReport, comparison: Option<&ReportComparison>, language: Language) -> String {
    let matrix = EvalMatrix::of(report);
    let text = |word: sidecar_locales::Word| word.text(language);
    let mut page = GrowingText::default();
    page.add(&format!("# {}\n\n{}\n\n", escaped(&report.suite.name), escaped(&facts(report, language))));
    page.row(&[
        text(word::REPORT_MODEL),
        text(word::REPORT_RATE),
        text(word::VERDICT_PASS),
        text(word::VERDICT_FAIL),
        text(word::VERDICT_INCONCLUSIVE_SHORT),
        text(word::REPORT_ERRORS),
    ]);
    page.row(&["---"; 6]);
    for summary in &report.summary.models {
        let rate = summary.rate.map_or("–".to_owned(), |rate| rate.to_string());
        let counts =
            [summary.passed, summary.failed, summary.inconclusive, summary.errors].map(|n| n.to_string());
        page.row(&[&escaped(&summary.model), &rate, &counts[0], &counts[1], &counts[2], &counts[3]]);
    }
    let without_case = &report.environment.tools_without_case;
    page.list(
        text(word::REPORT_WITHOUT_CASE),
        without_case.iter().map(|tool| cut(tool, MOST_NAME).into_owned()),
    );
    page.list(text(word::REPORT_PAIRS), pairs(report).iter().map(|pair| pair.sentence(language)));
    if let Some(comparison) = comparison {
        let models = comparison.models.iter().map(|model| model.sentence(language));
        let worse = comparison.worse.iter().map(|case| case.sentence(language));
        page.list(text(word::REPORT_COMPARED), models.chain(worse));
    }
    page.add("\n");
    let names = report.models.iter().map(|model| escaped(&model.name));
    let head: Vec<_> = [text(word::REPORT_CASE).to_owned()].into_iter().chain(names).collect();
    page.row(&head);
    page.row(&vec!["---"; head.len()]);
    let mut has_repeats = false;
    for case in matrix.cases() {
        let name = escaped(&cut(&report.suite.cases[case].name, MOST_NAME));
        let cells = (0..report.models.len()).map(|model| {
            let cell = matrix.cell(case, model);
            let told = format!("{} {}", cell.count(), verdict(&cell, language));
            // Where all runs pass, or none does, it is plain.
            match repeats(&cell).filter(|_| cell.tally.is_flaky()) {
                Some(repeats) => {
                    has_repeats = true;
                    format!("{told}; {repeats}")
                }
                None => told,
            }
        });
        let row: Vec<_> = [name].into_iter().chain(cells).collect();
        page.row(&row);
    }
    if has_repeats {
        page.add(&format!("\n{}\n", text(word::REPORT_REPEATS)));
    }
    for (at, model) in report.models.iter().enumerate() {
        for cell in matrix.of_model(at).filter(|cell| cell.verdict() != CellVerdict::Pass) {
            let mut part = format!(
                "\n### {}: {}\n\n{}\n\n",
                escaped(&cut(&cell.case.name, MOST_NAME)),
                escaped(&model.name),
                needed(&cell, language)
            );
            for run in cell.runs {
                for reason in &run.reasons {
                    let reason = escaped(&cut(&reason.sentence(language), MOST_REASON));
                    let values = [("run", run.run.to_string()), ("reason", reason)];
                    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
                    let _ = writeln!(part, "- {}", fill(text(word::REPORT_RUN_REASON), &values));
                }
            }
            page.add(&part);
        }
    }
    page.end(text(word::REPORT_CUT))
}

/// A text that grows up to its limit.
#[derive(Default)]
struct GrowingText {
    text: String,
    is_cut: bool,
}

impl GrowingText {
    fn add(&mut self, part: &str) {
        // The note at the end needs room, too.
        self.is_cut |= self.text.len() + part.len() + 200 > MOST_BYTES;
        if !self.is_cut {
            self.text.push_str(part);
        }
    }

    fn row(&mut self, cells: &[impl AsRef<str>]) {
        let cells: Vec<_> = cells.iter().map(AsRef::as_ref).collect();
        self.add(&format!("| {} |\n", cells.join(" | ")));
    }

    /// A list under its heading; nothing if it is empty.
    fn list(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        for (at, item) in items.enumerate() {
            if at == 0 {
                self.add(&format!("\n## {heading}\n\n"));
            }
            self.add(&format!("- {}\n", escaped(&item)));
        }
    }

    fn end(mut self, cut: &str) -> String {
        if self.is_cut {
            let _ = writeln!(self.text, "\n{cut}");
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;
    use crate::report::testing::report;

    #[test]
    fn models_are_compared_under_a_heading_of_their_own() {
        let two = report(&[("a:x", &["p", "p"]), ("b:y", &["f", "p"])]);
        let text = markdown(&two, None, Language::English);
        assert!(
            text.contains("## Models compared with each other\n\n- No difference shown between a:x and b:y"),
            "{text}"
        );
        assert!(!markdown(&report(&[("a:x", &["p"])]), None, Language::English).contains("compared"));
    }

    #[test]
    fn tools_without_a_case_are_named_under_a_heading_of_their_own() {
        let mut report = report(&[("a:x", &["p"])]);
        assert!(!markdown(&report, None, Language::English).contains("without a case"));
        report.environment.tools_without_case = vec!["pay".to_owned(), "<b>".to_owned()];
        let text = markdown(&report, None, Language::English);
        assert!(text.contains("\n## Tools without a case\n\n- pay\n- &#60;b&#62;\n"), "{text}");
    }

    #[test]
    fn inspector_case_67_pipes_and_backticks_keep_the_columns() {
        let mut report = report(&[("a:x|y", &["pp", "pf"]), ("b:`", &["ff", "ee"])]);
        report.product = "<b>[x](y)".to_owned();
        report.suite.cases[0].name = "a|b`c` \\| <script>alert(1)</script> [x](y)\nnext".to_owned();
        for language in [Language::English, Language::Chinese] {
            let text = markdown(&report, None, language);
            let mut columns = Vec::new();
            for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
                match event {
                    Event::Start(Tag::TableHead | Tag::TableRow) => columns.push(0),
                    Event::End(TagEnd::TableCell) => *columns.last_mut().unwrap() += 1,
                    Event::Html(_)
                    | Event::InlineHtml(_)
                    | Event::Code(_)
                    | Event::Start(Tag::Link { .. }) => {
                        panic!("{event:?} in {text}")
                    }
                    _ => {}
                }
            }
            assert_eq!(columns, [6, 6, 6, 3, 3, 3]);
        }
        let text = markdown(&report, None, Language::English);
        assert!(
            text.contains("2/2 pass") && text.contains("1/2 fail, flaky") && text.contains("0/0 too few")
        );
    }

    #[test]
    fn several_runs_that_differ_are_told_together() {
        let text = |runs: &str, language| markdown(&report(&[("a:x", &[runs, "ppppp"])]), None, language);
        let flaky = text("ppfff", Language::English);
        assert!(
            flaky.contains("| 2/5 fail, flaky; pass@2 70 %, pass^2 10 %, pass@3 90 %, pass^3 0 % |"),
            "{flaky}"
        );
        assert!(flaky.contains("| 5/5 pass |") && flaky.contains("70 % (11–100 %, n = 2)"), "{flaky}");
        assert!(
            flaky.contains("at least one of k runs") && !text("fffff", Language::English).contains("pass@")
        );
        assert!(text("ppfff", Language::Chinese).contains("pass^2 10 %"));
    }

    #[test]
    fn what_is_too_long_is_left_out_and_that_is_said() {
        let mut report = report(&[("a:x", &["ffffffffffffffffffffffffffffffffffffffff", &"f".repeat(40)])]);
        for record in &mut report.cells {
            let why = "long ".repeat(100);
            record.reasons = vec![crate::reason::RunReason::NotJudged { why }; 200];
        }
        let text = markdown(&report, None, Language::English);
        assert!(text.len() <= MOST_BYTES && text.ends_with("The rest is left out.\n"), "{}", text.len());
    }
}
