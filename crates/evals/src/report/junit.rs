//! A report as JUnit's XML, which build servers show: a test suite for each model, a test case for each case.

use std::collections::HashSet;
use std::fmt::Write;

use sidecar_protocol::settings::Language;

use crate::judged::RunOutcome;
use crate::report::EvalReport;
use crate::report::escape::xml;
use crate::report::matrix::{EvalMatrix, MatrixCell};
use crate::report::words::needed;
use crate::statistics::CellVerdict;
use crate::wording::word;

/// The report. A case below its minimum is a failure; one of which too few runs were judged is an error; one that was not
/// run at all is skipped.
#[must_use]
pub fn junit(report: &EvalReport, language: Language) -> String {
    let matrix = EvalMatrix::of(report);
    let mut suites = String::new();
    let mut all = Counts::default();
    for (at, model) in report.models.iter().enumerate() {
        let (mut cases, mut counts, mut names) = (String::new(), Counts::default(), HashSet::new());
        for cell in matrix.of_model(at) {
            let name = free(&cell.case.name, &mut names);
            test_case(&mut cases, &name, &model.name, &cell, &mut counts, language);
        }
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{}\" {}>\n{cases}  </testsuite>",
            xml(&model.name),
            counts.attributes()
        );
        all.add(&counts);
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{suites}</testsuites>\n",
        xml(&report.suite.name),
        all.attributes()
    )
}

/// How many cases ended how.
#[derive(Debug, Default)]
struct Counts {
    tests: u32,
    failures: u32,
    errors: u32,
    skipped: u32,
    ms: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.ms += other.ms;
    }

    fn attributes(&self) -> String {
        let Self { tests, failures, errors, skipped, ms } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{}\"",
            seconds(*ms)
        )
    }
}

fn test_case(
    xml_text: &mut String,
    name: &str,
    model: &str,
    cell: &MatrixCell<'_, '_>,
    counts: &mut Counts,
    language: Language,
) {
    let ms = cell.runs.iter().map(|run| run.ms).sum();
    counts.tests += 1;
    counts.ms += ms;
    let _ = write!(
        xml_text,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{}\"",
        xml(name),
        xml(model),
        seconds(ms)
    );
    let is_run = |outcome| outcome != RunOutcome::Skipped && outcome != RunOutcome::Cancelled;
    let (tag, message) = match cell.verdict() {
        CellVerdict::Pass => {
            xml_text.push_str("/>\n");
            return;
        }
        CellVerdict::Fail => {
            counts.failures += 1;
            ("failure", needed(cell, language))
        }
        CellVerdict::Inconclusive if cell.runs.iter().any(|run| is_run(run.outcome)) => {
            counts.errors += 1;
            ("error", word::VERDICT_INCONCLUSIVE.text(language).to_owned())
        }
        CellVerdict::Inconclusive => {
            counts.skipped += 1;
            ("skipped", word::VERDICT_NOT_RUN.text(language).to_owned())
        }
    };
    let reasons =
        cell.runs.iter().find(|run| !run.reasons.is_empty()).map(|run| {
            run.reasons.iter().map(|reason| reason.sentence(language)).collect::<Vec<_>>().join("\n")
        });
    let text = reasons.unwrap_or_default();
    let _ = writeln!(
        xml_text,
        ">\n      <{tag} message=\"{}\">{}</{tag}>\n    </testcase>",
        xml(&message),
        xml(&text)
    );
}

/// A name that no other case of the model has.
fn free(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = |number: usize| if number == 1 { name.to_owned() } else { format!("{name} ({number})") };
    let free = (1..).map(numbered).find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;
    use crate::report::testing::report;

    #[test]
    fn inspector_case_65_names_of_any_kind_are_xml_and_counts_are_those_of_the_report() {
        let mut report =
            report(&[("a:x", &["pp", "pf", "ee", "pp", "pp"]), ("b:<y>", &["ff", "ff", "fe", "pp", "pp"])]);
        for (case, name) in ["<&\"", "]]>", "nul\0", "two\nlines", "]]>"].iter().enumerate() {
            report.suite.cases[case].name = (*name).to_owned();
        }
        let text = junit(&report, Language::English);
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        let counts = |node: roxmltree::Node<'_, '_>| {
            ["tests", "failures", "errors", "skipped", "time"]
                .map(|key| node.attribute(key).unwrap().to_owned())
        };
        assert_eq!(counts(root), ["10", "4", "1", "0", "2.000"].map(str::to_owned));
        let suites: Vec<_> = root.children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(counts(suites[0]), ["5", "1", "1", "0", "1.000"].map(str::to_owned));
        assert_eq!(suites[1].attribute("name"), Some("b:<y>"));
        let names: Vec<_> = suites[0]
            .children()
            .filter(roxmltree::Node::is_element)
            .map(|case| case.attribute("name").unwrap())
            .collect();
        assert_eq!(names, ["<&\"", "]]>", "nul\u{fffd}", "two\nlines", "]]> (2)"]);
        let failed = suites[0].descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failed.attribute("message"), Some("1/2 passed, 2/2 are needed."));
        assert!(failed.text().unwrap().contains("another order"));
        let summary = &report.summary.models;
        assert_eq!((summary[0].failed, summary[0].inconclusive), (1, 1));
        assert_eq!((summary[1].failed, summary[1].inconclusive), (3, 0));
    }
}
