//! A report as one HTML file: no scripts, nothing from elsewhere.

use std::fmt::Write;

use sidecar_locales::Word;
use sidecar_protocol::settings::Language;

use crate::judged::RunOutcome;
use crate::record::{RecordedRow, RunRecord};
use crate::report::EvalReport;
use crate::report::compare::ReportComparison;
use crate::report::escape::html as escaped;
use crate::report::matrix::{EvalMatrix, MatrixCell};
use crate::report::pairs::pairs;
use crate::report::plot::bars;
use crate::report::summary::ModelSummary;
use crate::report::words::{facts, needed, repeats, verdict};
use crate::statistics::CellVerdict;
use crate::wording::word;

const STYLE: &str = include_str!("html/style.css");

/// The report.
#[must_use]
pub fn html(report: &EvalReport, comparison: Option<&ReportComparison>, language: Language) -> String {
    let page = HtmlPage { report, matrix: EvalMatrix::of(report), language };
    let name = escaped(&report.suite.name);
    let code = match language {
        Language::English => "en",
        Language::Chinese => "zh-CN",
    };
    let rates: Vec<_> =
        report.summary.models.iter().map(|summary| (summary.model.as_str(), summary.rate)).collect();
    let plot = bars(page.text(word::REPORT_RATE), &rates);
    let compared = comparison.map(|comparison| page.comparison(comparison)).unwrap_or_default();
    format!(
        include_str!("html/page.html"),
        code = code,
        name = name,
        style = STYLE,
        facts = escaped(&facts(report, language)),
        plot = plot,
        models = page.models(),
        without_case =
            page.sentences(word::REPORT_WITHOUT_CASE, report.environment.tools_without_case.iter().cloned()),
        pairs = page.sentences(word::REPORT_PAIRS, pairs(report).iter().map(|pair| pair.sentence(language))),
        compared = compared,
        heading = page.text(word::REPORT_CASES),
        cases = page.cases(),
    )
}

struct HtmlPage<'r> {
    report: &'r EvalReport,
    matrix: EvalMatrix<'r>,
    language: Language,
}

impl HtmlPage<'_> {
    fn text(&self, word: Word) -> &'static str {
        word.text(self.language)
    }

    fn head(&self, words: &[Word]) -> String {
        let cells: String =
            words.iter().map(|word| format!("<th scope=\"col\">{}</th>", self.text(*word))).collect();
        format!("<thead><tr>{cells}</tr></thead>")
    }

    /// The table of models.
    fn models(&self) -> String {
        let head = self.head(&[
            word::REPORT_MODEL,
            word::REPORT_RATE,
            word::VERDICT_PASS,
            word::VERDICT_FAIL,
            word::VERDICT_INCONCLUSIVE_SHORT,
            word::REPORT_FLAKY,
            word::REPORT_ERRORS,
            word::REPORT_PRECISION,
            word::REPORT_RECALL,
            word::REPORT_VALID,
            word::REPORT_TOKENS,
            word::REPORT_COST,
            word::REPORT_TIME,
        ]);
        let rows: String = self.report.summary.models.iter().map(|summary| self.model(summary)).collect();
        format!("<div class=\"wide models\"><table>{head}<tbody>{rows}</tbody></table></div>\n")
    }

    fn model(&self, summary: &ModelSummary) -> String {
        let unknown = || "–".to_owned();
        let share =
            |share: Option<f64>| share.map_or_else(unknown, |share| format!("{:.0} %", share * 100.0));
        let costs: Vec<_> =
            summary.costs.iter().map(|cost| format!("{} {:.4}", cost.currency, cost.amount)).collect();
        let tokens = summary.usage.map_or_else(unknown, |usage| {
            let cached = if usage.cached > 0 { format!(" ({})", usage.cached) } else { String::new() };
            format!("{}{cached} + {}", usage.input, usage.output)
        });
        let cells = [
            summary.rate.map_or_else(unknown, |rate| rate.to_string()),
            summary.passed.to_string(),
            summary.failed.to_string(),
            summary.inconclusive.to_string(),
            summary.flaky.to_string(),
            summary.errors.to_string(),
            share(summary.precision),
            share(summary.recall),
            share(summary.valid_arguments),
            tokens,
            if costs.is_empty() { unknown() } else { costs.join(", ") },
            summary
                .time
                .map_or_else(unknown, |time| format!("{} / {}", seconds(time.p50), seconds(time.p95))),
        ];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escaped(&summary.model))
    }

    fn comparison(&self, comparison: &ReportComparison) -> String {
        let models = comparison.models.iter().map(|model| model.sentence(self.language));
        let worse = comparison.worse.iter().map(|case| case.sentence(self.language));
        self.sentences(word::REPORT_COMPARED, models.chain(worse))
    }

    /// A list under its heading; nothing if it is empty.
    fn sentences(&self, heading: Word, sentences: impl Iterator<Item = String>) -> String {
        let items: String = sentences.map(|sentence| format!("<li>{}</li>", escaped(&sentence))).collect();
        if items.is_empty() {
            return items;
        }
        format!("<h2>{}</h2>\n<ul>{items}</ul>\n", self.text(heading))
    }

    /// Each case: its cells side by side, and what is in them.
    fn cases(&self) -> String {
        let mut page = String::new();
        for case in self.matrix.cases() {
            let facts = &self.report.suite.cases[case];
            let differs = if self.matrix.differs(case) {
                format!(" <small>{}</small>", self.text(word::REPORT_DIFFERS))
            } else {
                String::new()
            };
            let _ = writeln!(page, "<section><h3>{}{differs}</h3>", escaped(&facts.name));
            for (at, model) in self.report.models.iter().enumerate() {
                page.push_str(&self.cell(&model.name, &self.matrix.cell(case, at)));
            }
            page.push_str("</section>\n");
        }
        page
    }

    fn cell(&self, model: &str, cell: &MatrixCell<'_, '_>) -> String {
        let class = match cell.verdict() {
            CellVerdict::Pass => "pass",
            CellVerdict::Fail => "fail",
            CellVerdict::Inconclusive => "unclear",
        };
        let runs: String = cell.runs.iter().map(|run| self.run(run)).collect();
        let needed = if cell.verdict() == CellVerdict::Pass {
            String::new()
        } else {
            format!("<p>{}</p>", needed(cell, self.language))
        };
        let repeats = repeats(cell).map_or_else(String::new, |told| {
            format!("<p>{told} <small>{}</small></p>", self.text(word::REPORT_REPEATS))
        });
        format!(
            "<details><summary><span class=\"{class}\">{} {}</span> {}</summary>{needed}{repeats}<div class=\"runs\">{runs}</div></details>\n",
            cell.count(),
            verdict(cell, self.language),
            escaped(model),
        )
    }

    fn run(&self, run: &RunRecord) -> String {
        let outcome = self.text(outcome_word(run.outcome));
        let mut text = format!("<article><h4>{} · {outcome} · {}</h4>", run.run, seconds(run.ms));
        if !run.reasons.is_empty() {
            let reasons: String = run
                .reasons
                .iter()
                .map(|reason| format!("<li>{}</li>", escaped(&reason.sentence(self.language))))
                .collect();
            let _ = write!(text, "<ul>{reasons}</ul>");
        }
        if !run.rows.is_empty() {
            let rows: String = run.rows.iter().map(|row| self.row(run, row)).collect();
            let head = self.head(&[word::REPORT_EXPECTED, word::REPORT_MADE, word::REPORT_RESULT]);
            let _ = write!(text, "<div class=\"wide\"><table>{head}<tbody>{rows}</tbody></table></div>");
        }
        if !run.text.is_empty() {
            let _ = write!(text, "<p class=\"said\">{}</p>", escaped(&run.text));
        }
        text + "</article>"
    }

    fn row(&self, run: &RunRecord, row: &RecordedRow) -> String {
        let none = || "–".to_owned();
        let expected = row.expected.as_ref().map_or_else(none, |call| {
            let arguments = call.arguments.as_ref().map(ToString::to_string);
            format!("{} {}", call.name, arguments.unwrap_or_default())
        });
        let made = row.made.and_then(|made| run.calls.get(made));
        let result = made.map_or_else(none, |call| call.result.to_string());
        let made = made.map_or_else(none, |call| format!("{} {}", call.name, call.arguments));
        let class = match row.outcome {
            RunOutcome::Pass => "pass",
            RunOutcome::Fail => "fail",
            RunOutcome::Error | RunOutcome::Skipped | RunOutcome::Cancelled => "unclear",
        };
        format!(
            "<tr><td><code>{}</code></td><td><code class=\"{class}\">{} {}</code></td><td><code>{}</code></td></tr>",
            escaped(&expected),
            self.text(outcome_word(row.outcome)),
            escaped(&made),
            escaped(&result),
        )
    }
}

fn outcome_word(outcome: RunOutcome) -> Word {
    match outcome {
        RunOutcome::Pass => word::VERDICT_PASS,
        RunOutcome::Fail => word::VERDICT_FAIL,
        RunOutcome::Error => word::VERDICT_ERROR,
        RunOutcome::Skipped => word::VERDICT_NOT_RUN,
        RunOutcome::Cancelled => word::VERDICT_CANCELLED,
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::testing::report;

    #[test]
    fn inspector_case_66_texts_of_others_make_no_element() {
        let evil = "<img src=x onerror=alert(1)>\"'><script>\u{202e}";
        let mut report = report(&[("a:x", &["pf"])]);
        let plain = html(&report, None, Language::English);
        report.suite.name = evil.to_owned();
        report.environment.tools_without_case = vec![evil.to_owned()];
        report.suite.cases[0].name = evil.to_owned();
        report.models[0].name = evil.to_owned();
        for record in &mut report.cells {
            record.model = evil.to_owned();
            record.text = evil.to_owned();
            record.calls[0].arguments = json!({ "n": evil });
            record.calls[0].result = json!(evil);
        }
        let report = report.complete();
        let tags = |page: &str| {
            let mut tags: Vec<_> = page
                .match_indices('<')
                .map(|(at, _)| page[at..].split(['>', ' ']).next().unwrap().to_owned())
                .collect();
            tags.sort();
            tags.dedup();
            tags
        };
        for language in [Language::English, Language::Chinese] {
            let page = html(&report, None, language);
            assert!(!page.contains("<img") && !page.contains("<script") && !page.contains('\u{202e}'));
            assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&gt;&lt;script&gt;⟨U+202E⟩"));
            assert!(page.contains(match language {
                Language::English => "<h2>Tools without a case</h2>\n<ul><li>&lt;img",
                Language::Chinese => "<h2>没有用例的工具</h2>\n<ul><li>&lt;img",
            }));
            let known = tags(&plain);
            assert!(
                tags(&page)
                    .iter()
                    .all(|tag| known.contains(tag)
                        || ["<p", "<ul", "</ul", "<li", "</li"].contains(&tag.as_str())),
                "{:?}",
                tags(&page)
            );
        }
        assert!(plain.contains("<p>pass@2 100 %, pass^2 0 % <small>"), "several runs are told together");
        assert!(plain.contains("default-src 'none'") && !plain.contains("<script"));
    }
}
