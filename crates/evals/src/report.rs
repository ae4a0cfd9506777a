//! Reports: what models reached on a suite, and under which circumstances.

use serde::{Deserialize, Serialize};
use sidecar_protocol::page::Backend;
use sidecar_protocol::settings::Language;

use crate::extras::VerdictKind;
use crate::record::RunRecord;
use crate::shard::Shard;
use crate::suite::EvalSuite;
use crate::wording::{Sentence, word};

pub mod compare;
pub mod console;
mod escape;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod matrix;
pub mod merge;
pub mod pairs;
mod plot;
pub mod summary;
pub mod upstream;
mod words;

use matrix::EvalMatrix;
use summary::ReportSummary;

/// The `format` of a report.
pub const REPORT_FORMAT: &str = "sidecar-evals-report";
/// The version of the format.
pub const REPORT_VERSION: u32 = 1;
/// Maximum size of a report that is read, in bytes.
pub const MOST_REPORT: usize = 64 << 20;
/// Maximum number of runs of one case with one model.
pub const MOST_RUNS: u32 = 50;
/// Maximum number of models.
pub const MOST_MODELS: usize = 8;
/// Maximum number of runs that are made at once.
pub const MOST_CELLS: usize = 5_000;
/// Maximum number of runs in a report, which may be merged of those of many shards.
pub const MOST_RECORDS: usize = 400_000;

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalReport {
    /// [`REPORT_FORMAT`].
    pub format: String,
    /// [`REPORT_VERSION`].
    pub version: u32,
    /// Version of the product.
    pub product: String,
    /// When it was made: seconds since 1970.
    pub taken: u64,
    /// The suite.
    pub suite: SuiteFacts,
    /// Where and how its tools were offered.
    pub environment: EvalEnvironment,
    /// The models, in the order in which they are shown.
    pub models: Vec<ModelFacts>,
    /// How it was run.
    pub settings: EvalSettings,
    /// The part that was run; absent for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The runs: by case, model and number.
    pub cells: Vec<RunRecord>,
    /// What the runs say; worked out anew when a report is read.
    #[serde(default)]
    pub summary: ReportSummary,
}

/// What a report says of its suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteFacts {
    /// Its name.
    pub name: String,
    /// [`EvalSuite::hash`].
    pub hash: String,
    /// All its cases, in their order.
    pub cases: Vec<CaseFacts>,
}

/// What a report says of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseFacts {
    /// Its name.
    pub name: String,
    /// [`crate::EvalCase::hash`].
    pub hash: String,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Least rate of runs that have to pass.
    pub minimum: f64,
    /// The verdict that counts.
    pub verdict: VerdictKind,
}

/// Where and how tools were offered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalEnvironment {
    /// Whether tools were called in a page.
    pub mode: EvalMode,
    /// The page, where they were and it is known.
    #[serde(flatten)]
    pub page: Option<SiteFacts>,
    /// SHA-256 of the tools as the site has them.
    pub tools_hash: String,
    /// The tools of which no case of the suite expects a call, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools_without_case: Vec<String>,
    /// The system prompt.
    pub prompt: PromptFacts,
    /// The day that the model was told, as `2026-11-26`. It belongs to the times.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
}

/// What a report says of the page with the tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFacts {
    /// The browser and its version.
    pub browser: String,
    /// How the page's tools are reached.
    pub backend: Backend,
    /// The origin of the page.
    pub origin: String,
}

/// How calls are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EvalMode {
    /// By what the case has for them.
    #[default]
    Static,
    /// By the page.
    Live,
    /// By the page, which is judged in the end by what it shows.
    Simulation,
    /// By the page, and no model makes them.
    Smoke,
}

/// What a report says of the system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptFacts {
    /// Which one it is.
    pub profile: PromptProfile,
    /// Its SHA-256, without the date in it.
    pub hash: String,
}

/// A system prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PromptProfile {
    /// That of the product's chat.
    #[default]
    Product,
    /// A short one.
    Bare,
}

/// What a report says of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFacts {
    /// `provider:model`.
    pub name: String,
    /// SHA-256 of the tools as the model was told of them.
    pub sent: String,
    /// What their schemas lost on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

/// How a suite was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalSettings {
    /// Runs of each case with each model.
    pub runs: u32,
    /// Answers that a model had in a run.
    pub max_steps: u32,
    /// Tokens of an answer at most, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Only cases with one of these tags; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Why a file is no report that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportFault {
    /// It is too large: its bytes.
    Size(usize),
    /// It is not such JSON: the reader's message.
    Json(String),
    /// It is of another format or version.
    Format,
    /// It speaks of cases or models that it does not have, has a run twice, or more than it may.
    Inconsistent,
}

impl ReportFault {
    /// What is wrong, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let (word, values) = match self {
            Self::Size(found) => (word::REPORT_SIZE, vec![("found", found.to_string())]),
            Self::Json(error) => (word::REPORT_JSON, vec![("error", error.clone())]),
            Self::Format => (word::REPORT_FORMAT, vec![]),
            Self::Inconsistent => (word::REPORT_INCONSISTENT, vec![]),
        };
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Sentence::new(word, &values).text(language)
    }
}

impl SuiteFacts {
    /// Those of a suite.
    #[must_use]
    pub fn of(suite: &EvalSuite, name: &str) -> Self {
        let case = |case: &crate::EvalCase| CaseFacts {
            name: case.name().to_owned(),
            hash: case.hash(),
            tags: case.extras.tags.clone(),
            minimum: case.extras.minimum.unwrap_or(1.0),
            verdict: suite.verdict_of(case),
        };
        let name = if suite.name.is_empty() { name } else { &suite.name };
        Self { name: name.to_owned(), hash: suite.hash(), cases: suite.cases.iter().map(case).collect() }
    }
}

impl EvalReport {
    /// Reads a report.
    ///
    /// # Errors
    /// [`ReportFault`]
    pub fn read(file: &[u8]) -> Result<Self, ReportFault> {
        if file.len() > MOST_REPORT {
            return Err(ReportFault::Size(file.len()));
        }
        let json: serde_json::Value =
            serde_json::from_slice(file).map_err(|error| ReportFault::Json(error.to_string()))?;
        if json["format"] != REPORT_FORMAT || json["version"] != REPORT_VERSION {
            return Err(ReportFault::Format);
        }
        let report: Self =
            serde_json::from_value(json).map_err(|error| ReportFault::Json(error.to_string()))?;
        if !report.is_sound() {
            return Err(ReportFault::Inconsistent);
        }
        Ok(report.complete())
    }

    /// The report with its runs in order and its summary worked out.
    #[must_use]
    pub fn complete(mut self) -> Self {
        let place = |model: &str| self.models.iter().position(|facts| facts.name == model);
        self.cells.sort_by_key(|record| (record.case, place(&record.model), record.run));
        self.summary = ReportSummary::of(&EvalMatrix::of(&self));
        self
    }

    /// The text of its file.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report without what differs from one time to the next: what two runs of the same suite share if the models
    /// answer the same.
    #[must_use]
    pub fn without_times(mut self) -> Self {
        self.taken = 0;
        self.environment.date.clear();
        for record in &mut self.cells {
            (record.ms, record.first_token_ms) = (0, None);
        }
        self.complete()
    }

    fn is_sound(&self) -> bool {
        let names: Vec<_> = self.models.iter().map(|model| model.name.as_str()).collect();
        let mut places: Vec<_> =
            self.cells.iter().map(|record| (record.case, &record.model, record.run)).collect();
        places.sort_unstable();
        self.cells.len() <= MOST_RECORDS
            && names.len() <= MOST_MODELS
            && names.iter().enumerate().all(|(at, name)| !names[..at].contains(name))
            && (1..=MOST_RUNS).contains(&self.settings.runs)
            && self.shard.is_none_or(Shard::is_sound)
            && places.windows(2).all(|pair| pair[0] != pair[1])
            && self.cells.iter().all(|record| {
                record.case < self.suite.cases.len()
                    && names.contains(&record.model.as_str())
                    && (1..=self.settings.runs).contains(&record.run)
                    && record.rows.iter().all(|row| row.made.is_none_or(|made| made < record.calls.len()))
            })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Reports for the tests.

    use serde_json::json;

    use super::*;
    use crate::judged::RunOutcome;
    use crate::record::{RecordedCall, RecordedNode, RecordedRow};

    /// A report of models on cases `one`, `two` …: for each model and case a letter for each run: `p`ass, `f`ail, `e`rror.
    pub(crate) fn report(models: &[(&str, &[&str])]) -> EvalReport {
        let count = models[0].1.len();
        let names = ["one", "two", "three", "four", "five", "six", "seven"];
        let cases = names.iter().take(count).map(|name| CaseFacts {
            name: (*name).to_owned(),
            hash: format!("hash of {name}"),
            tags: Vec::new(),
            minimum: 1.0,
            verdict: VerdictKind::Exact,
        });
        let facts = |(name, _): &(&str, &[&str])| ModelFacts {
            name: (*name).to_owned(),
            sent: "s".to_owned(),
            lost: Vec::new(),
        };
        let mut cells = Vec::new();
        for (model, cases) in models {
            for (case, runs) in cases.iter().enumerate() {
                cells.extend(runs.chars().zip(1..).map(|(letter, run)| record(case, model, run, letter)));
            }
        }
        let runs = models[0].1[0].len();
        EvalReport {
            format: REPORT_FORMAT.to_owned(),
            version: REPORT_VERSION,
            product: "0.1.0".to_owned(),
            taken: 1_795_000_000,
            suite: SuiteFacts { name: "Suite".to_owned(), hash: "hash".to_owned(), cases: cases.collect() },
            environment: EvalEnvironment::default(),
            models: models.iter().map(facts).collect(),
            settings: EvalSettings {
                runs: u32::try_from(runs).unwrap(),
                max_steps: 6,
                ..EvalSettings::default()
            },
            shard: None,
            cells,
            summary: ReportSummary::default(),
        }
        .complete()
    }

    pub(crate) fn record(case: usize, model: &str, run: u32, letter: char) -> RunRecord {
        let call = RecordedCall {
            name: "find".to_owned(),
            arguments: json!({"n": run}),
            result: json!({}),
            mistake: None,
        };
        let node = RecordedNode { name: "find".to_owned(), arguments: Some(json!({"n": run})) };
        let base = RunRecord { case, model: model.to_owned(), run, ms: 100, ..RunRecord::default() };
        let made = |outcome| RunRecord {
            outcome,
            exact: Some(outcome == RunOutcome::Pass),
            lenient: Some(outcome == RunOutcome::Pass),
            calls: vec![call.clone()],
            rows: vec![RecordedRow { expected: Some(node.clone()), made: Some(0), outcome }],
            required: 1,
            matched: u32::from(outcome == RunOutcome::Pass),
            steps: 2,
            ..base.clone()
        };
        let reason = |reason| vec![reason];
        match letter {
            'p' => made(RunOutcome::Pass),
            'f' => {
                RunRecord { reasons: reason(crate::reason::RunReason::WrongOrder), ..made(RunOutcome::Fail) }
            }
            _ => RunRecord {
                outcome: RunOutcome::Error,
                reasons: reason(crate::reason::RunReason::Model {
                    class: sidecar_protocol::error::ErrorClass::Auth,
                    message: "no".to_owned(),
                }),
                ..base
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::report;
    use super::*;

    #[test]
    fn report_that_is_written_is_read_again() {
        let mut report = report(&[("a:x", &["pf", "ee"]), ("b:y", &["pp", "fp"])]);
        assert_eq!(EvalReport::read(report.text().as_bytes()), Ok(report.clone()));
        let (browser, origin) = ("Chrome/150".to_owned(), "https://site.example".to_owned());
        report.environment.page = Some(SiteFacts { browser, backend: Backend::Polyfill, origin });
        report.environment.tools_without_case = vec!["pay".to_owned()];
        assert_eq!(EvalReport::read(report.text().as_bytes()), Ok(report));
    }

    #[test]
    fn what_is_no_report_is_refused_and_a_summary_is_not_believed() {
        let good = report(&[("a:x", &["pf"])]);
        let read = |report: &EvalReport| EvalReport::read(report.text().as_bytes());
        assert!(matches!(EvalReport::read(b"{"), Err(ReportFault::Json(_))));
        assert_eq!(EvalReport::read(b"{}"), Err(ReportFault::Format));
        assert_eq!(read(&EvalReport { version: 2, ..good.clone() }), Err(ReportFault::Format));
        let changed = |change: &dyn Fn(&mut EvalReport)| {
            let mut report = good.clone();
            change(&mut report);
            read(&report)
        };
        let inconsistent = Err(ReportFault::Inconsistent);
        assert_eq!(changed(&|report| report.cells[0].case = 1), inconsistent);
        assert_eq!(changed(&|report| report.cells[0].run = 2), inconsistent);
        assert_eq!(changed(&|report| report.cells[0].model.clear()), inconsistent);
        assert_eq!(changed(&|report| report.cells[0].calls.clear()), inconsistent);
        assert_eq!(changed(&|report| report.settings.runs = 0), inconsistent);
        assert_eq!(changed(&|report| report.models.push(report.models[0].clone())), inconsistent);
        assert_eq!(changed(&|report| report.summary = ReportSummary::default()), Ok(good.clone()));
    }
}
