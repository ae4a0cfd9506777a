//! What is said of runs: their progress, reports, and the exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use sidecar_evals::EvalSuite;
use sidecar_evals::judged::RunOutcome;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::report::compare::{ReportComparison, compare};
use sidecar_evals::report::html::html;
use sidecar_evals::report::junit::junit;
use sidecar_evals::report::markdown::markdown;
use sidecar_evals::report::matrix::EvalMatrix;
use sidecar_evals::report::merge::merge as merged;
use sidecar_evals::report::upstream::upstream;
use sidecar_evals::report::{EvalReport, console};
use sidecar_evals::{statistics::CellVerdict, suite};
use sidecar_locales::quoted;
use sidecar_protocol::settings::Language;

use super::files::{read, refused, report, unusable};

/// A case is below its minimum, or got worse.
pub(super) const BELOW: u8 = 1;
/// No run was judged.
pub(super) const NOTHING_JUDGED: u8 = 3;

/// A mean of rates that is met exactly may miss its threshold by a float's last digits.
const SLACK: f64 = 1e-9;

/// Maximum characters of a case's name in a line.
const MOST_NAME: usize = 60;

#[derive(Args)]
pub(super) struct OutputOptions {
    /// Write the report, and what --reporter names, into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// What is written into the folder besides the report; several with commas
    #[arg(long = "reporter", value_enum, value_delimiter = ',')]
    reporters: Vec<Reporter>,
    /// Let a model pass if its mean rate is at least this, from 0 to 1, whatever single cases reach
    #[arg(long, value_name = "RATE", value_parser = read_rate)]
    min_pass: Option<f64>,
    /// Compare with an earlier report
    #[arg(long, value_name = "REPORT")]
    baseline: Option<PathBuf>,
    /// End with 1 if a case got worse than in the earlier report, and that is more than chance
    #[arg(long, requires = "baseline")]
    fail_on_regression: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reporter {
    /// What is always printed
    Console,
    /// The report itself, which is always written
    Json,
    /// XML for build servers
    Junit,
    /// For a comment or the summary of a build
    Markdown,
    /// One page to look at
    Html,
    /// A file for each model in the form of webmcp-evals
    WebmcpEvals,
}

impl OutputOptions {
    /// Whether nothing is asked for besides what is printed.
    pub fn is_plain(&self) -> bool {
        let Self { out, reporters, min_pass, baseline, fail_on_regression } = self;
        out.is_none()
            && reporters.is_empty()
            && min_pass.is_none()
            && baseline.is_none()
            && !fail_on_regression
    }

    /// Makes the folder, before anything is paid for.
    pub fn prepare(&self) -> Result<()> {
        let Some(folder) = &self.out else { return Ok(()) };
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
    }

    /// The earlier report, if one is named.
    pub fn baseline(&self, language: Language) -> Result<Result<Option<EvalReport>, ExitCode>> {
        let read = self.baseline.as_deref().map(|file| report(file, language)).transpose()?;
        Ok(read.transpose())
    }
}

fn read_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| "a rate is a number from 0 to 1".to_owned())
}

/// Says that a run is made.
pub(super) fn progress(
    record: &RunRecord,
    case: &str,
    count: usize,
    all: usize,
    time: Duration,
    language: Language,
) {
    let mark = match record.outcome {
        RunOutcome::Pass => "✓",
        RunOutcome::Fail => "✗",
        RunOutcome::Error => "!",
        RunOutcome::Skipped | RunOutcome::Cancelled => "·",
    };
    let why = record.reasons.first().map(|reason| format!(": {}", reason.sentence(language)));
    let left = time.as_secs_f64() / count as f64 * (all - count) as f64;
    eprintln!(
        "  {mark} {count}/{all} {} · {} ({}) {:.1} s{} [{} left]",
        quoted(&record.model, MOST_NAME),
        quoted(case, MOST_NAME),
        record.run,
        record.ms as f64 / 1_000.0,
        why.unwrap_or_default(),
        shown_time(left),
    );
}

fn shown_time(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// Prints what came of runs, writes the reports, and says how the command ends.
pub(super) fn finish(
    report: &EvalReport,
    suite: Option<&EvalSuite>,
    baseline: Option<&EvalReport>,
    options: &OutputOptions,
    language: Language,
) -> Result<ExitCode> {
    let comparison = match baseline.map(|baseline| compare(baseline, report)).transpose() {
        Ok(comparison) => comparison,
        Err(fault) => {
            eprintln!("  ! {}", fault.sentence(language));
            None
        }
    };
    // Files first: whoever reads what is printed may have gone.
    if let Some(folder) = &options.out {
        write(report, suite, comparison.as_ref(), folder, options, language)?;
    }
    println!("{}", console::console(report, comparison.as_ref(), language));
    Ok(ExitCode::from(code(report, comparison.as_ref(), options)))
}

fn write(
    report: &EvalReport,
    suite: Option<&EvalSuite>,
    comparison: Option<&ReportComparison>,
    folder: &Path,
    options: &OutputOptions,
    language: Language,
) -> Result<()> {
    let name = report.shard.map_or_else(|| "report.json".to_owned(), |shard| shard.file());
    let stem = name.trim_end_matches(".json").to_owned();
    let mut files = vec![(name, report.text())];
    for reporter in &options.reporters {
        match reporter {
            Reporter::Console | Reporter::Json => {}
            Reporter::Junit => files.push((format!("{stem}.junit.xml"), junit(report, language))),
            Reporter::Markdown => files.push((format!("{stem}.md"), markdown(report, comparison, language))),
            Reporter::Html => files.push((format!("{stem}.html"), html(report, comparison, language))),
            Reporter::WebmcpEvals => files.extend(suite.into_iter().flat_map(|suite| {
                report.models.iter().map(|model| {
                    let text = upstream(report, suite, &model.name).to_string();
                    (format!("{stem}.webmcp-evals.{}.json", file_name(&model.name)), text)
                })
            })),
        }
    }
    for (name, text) in files {
        let file = folder.join(name);
        // A file that is not whole never has the name of one that is.
        let part = file.with_extension("part");
        fs::write(&part, text)
            .and_then(|()| fs::rename(&part, &file))
            .with_context(|| format!("cannot write {}", file.display()))?;
        eprintln!("  {}", file.display());
    }
    Ok(())
}

/// A model's name as a part of a file's name.
fn file_name(model: &str) -> String {
    model
        .chars()
        .map(|char| if char.is_alphanumeric() || "-._".contains(char) { char } else { '-' })
        .collect()
}

/// How the command ends: 0, 1 if something is below its minimum or got worse, 3 if nothing was judged.
fn code(report: &EvalReport, comparison: Option<&ReportComparison>, options: &OutputOptions) -> u8 {
    let models = &report.summary.models;
    // A shard may have no case at all.
    let is_empty_shard = report.shard.is_some() && report.cells.is_empty();
    if !is_empty_shard && models.iter().all(|model| model.judged == 0) {
        return NOTHING_JUDGED;
    }
    let matrix = EvalMatrix::of(report);
    let is_below = match options.min_pass {
        Some(least) => models.iter().any(|model| model.rate.is_none_or(|rate| rate.value < least - SLACK)),
        None => (0..report.models.len()).flat_map(|model| matrix.of_model(model)).any(|cell| {
            let is_left = |run: &RunRecord| run.reasons.contains(&RunReason::CostLimit);
            let is_run = cell.runs.iter().any(|run| run.outcome != RunOutcome::Skipped || is_left(run));
            cell.verdict() != CellVerdict::Pass && is_run
        }),
    };
    let got_worse = options.fail_on_regression
        && comparison.is_none_or(|found| found.worse.iter().any(|case| case.is_shown()));
    if is_below || got_worse { BELOW } else { 0 }
}

/// Makes one report of those of the shards. The suite is needed only for a report in the form of webmcp-evals.
pub(super) fn merge(
    files: &[PathBuf],
    suite: Option<&Path>,
    is_partial: bool,
    options: &OutputOptions,
    language: Language,
) -> Result<ExitCode> {
    let mut reports = Vec::new();
    for file in files {
        match report(file, language)? {
            Ok(report) => reports.push(report),
            Err(code) => return Ok(code),
        }
    }
    let suite = match suite {
        None if options.reporters.contains(&Reporter::WebmcpEvals) => {
            return Ok(unusable(
                "a report in the form of webmcp-evals needs the suite; give it with --suite FILE",
            ));
        }
        None => None,
        Some(file) => match suite::read(&read(file)?) {
            Ok(suite) => Some(suite),
            Err(fault) => return Ok(refused(file, &fault.sentence(language))),
        },
    };
    let baseline = match options.baseline(language)? {
        Ok(baseline) => baseline,
        Err(code) => return Ok(code),
    };
    options.prepare()?;
    let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
    match merged(reports, is_partial) {
        Ok(report) if suite.as_ref().is_some_and(|suite| suite.hash() != report.suite.hash) => {
            Ok(unusable("the suite is not the one that was run; give that with --suite FILE"))
        }
        Ok(report) => finish(&report, suite.as_ref(), baseline.as_ref(), options, language),
        Err(fault) => Ok(unusable(&fault.sentence(&names, language))),
    }
}
