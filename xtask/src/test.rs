//! Runs all tests: those of the crates, then the end-to-end suite in a real browser.

mod cases;
mod lane;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::e2e::SuiteSetup;
use crate::test::cases::{CaseDocument, CaseSuite};
use crate::test::lane::{LaneRun, Report};
use crate::toolchain::{Toolchain, clean};
use crate::{paths, run, say};

/// nextest's exit code if there were no tests to run.
const NEXTEST_FOUND_NONE: i32 = 4;

/// Which tests.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TestOptions {
    /// One suite alone
    #[arg(value_enum, conflicts_with_all = ["only", "filter", "unit", "e2e"])]
    suite: Option<Suite>,
    /// Only the end-to-end file, or the crate's unit tests, of exactly this name, with the set-up and the builds that
    /// these need
    #[arg(long, value_name = "NAME", conflicts_with_all = ["unit", "e2e"])]
    only: Option<String>,
    /// Only tests whose name (end to end also: whose file's name) contains this
    #[arg(long, value_name = "PATTERN")]
    filter: Option<String>,
    /// Only the unit tests of the crates
    #[arg(long, conflicts_with = "e2e")]
    unit: bool,
    /// Only the end-to-end suite
    #[arg(long)]
    e2e: bool,
}

/// A suite with a name and a document of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Suite {
    /// WebMCP by its numbered cases; writes docs/webmcp-conformance.md
    Webmcp,
    /// Page actions by their numbered cases; writes docs/page-actions.md
    PageActions,
    /// SKILLs by their numbered cases; writes docs/skills-conformance.md
    Skills,
    /// Inspector and evals by their numbered cases; writes docs/inspector-conformance.md
    Inspector,
}

impl Suite {
    /// Run its files, and let it write its document.
    fn run(self) -> Result<Vec<Report>> {
        let stage = SuiteSetup::ready()?;
        let run = LaneRun { stage: &stage, pattern: None, writes: None };
        match self {
            Self::Webmcp => {
                LaneRun { writes: Some("SIDECAR_WRITE_CONFORMANCE"), ..run }.files(&named("conformance")?)
            }
            Self::PageActions => numbered(CaseSuite::PageActions, run),
            Self::Skills => numbered(CaseSuite::Skills, run),
            Self::Inspector => numbered(CaseSuite::Inspector, run),
        }
    }
}

/// Run the files with tests of numbered cases, and write their document.
fn numbered(suite: CaseSuite, run: LaneRun<'_>) -> Result<Vec<Report>> {
    let mut reports = run.files(&suite.files()?)?;
    reports.push(suite.compare(run.stage, CaseDocument::Written)?);
    Ok(reports)
}

/// The result of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestOutcome {
    Passed,
    Failed,
    /// No test ran.
    Empty,
}

impl TestOutcome {
    fn of(passed: bool, ran: u64) -> Self {
        match (passed, ran) {
            (false, _) => Self::Failed,
            (true, 0) => Self::Empty,
            (true, _) => Self::Passed,
        }
    }
}

/// Run them. Both suites run even if the first one fails, so that one run reports everything.
pub fn run(selection: &TestOptions) -> Result<()> {
    let filter = selection.filter.as_deref();
    if let Some(suite) = selection.suite {
        return judge(&suite.run()?, None);
    }
    if let Some(name) = &selection.only {
        return judge(&only(name, filter)?, filter);
    }
    let stage = if selection.unit { None } else { Some(SuiteSetup::ready()?) };
    let mut reports = Vec::new();
    if !selection.e2e {
        reports.push(unit(&["--workspace"], filter)?);
    }
    if let Some(stage) = stage {
        reports.extend(say::stage("end-to-end tests", || end_to_end(&stage, filter))?);
        if filter.is_none() {
            for suite in CaseSuite::ALL {
                reports.push(suite.compare(&stage, CaseDocument::Compared)?);
            }
        }
    }
    judge(&reports, filter)
}

/// One file, or one crate.
fn only(name: &str, filter: Option<&str>) -> Result<Vec<Report>> {
    let files: Vec<_> = lane::files()?.into_iter().filter(|file| lane::name(file) == Some(name)).collect();
    if !files.is_empty() {
        return LaneRun { stage: &SuiteSetup::quick()?, pattern: filter, writes: None }.files(&files);
    }
    let package =
        [format!("sidecar-{name}"), name.to_owned()].into_iter().find(|package| is_package(package));
    match package {
        Some(package) => Ok(vec![unit(&["--package", &package], filter)?]),
        None => bail!("no file in tests/e2e and no crate is called {name:?}"),
    }
}

fn is_package(name: &str) -> bool {
    let folder = name
        .strip_prefix("sidecar-")
        .map_or_else(|| paths::root().join(name), |short| paths::root().join("crates").join(short));
    folder.join("Cargo.toml").is_file()
}

/// The files whose names contain the filter; if there are none, all files, with only the tests whose names
/// do.
fn end_to_end(stage: &SuiteSetup, filter: Option<&str>) -> Result<Vec<Report>> {
    let named = filter.map(named).transpose()?.unwrap_or_default();
    if named.is_empty() {
        LaneRun { stage, pattern: filter, writes: None }.files(&lane::files()?)
    } else {
        LaneRun { stage, pattern: None, writes: None }.files(&named)
    }
}

fn named(part: &str) -> Result<Vec<PathBuf>> {
    let is_named = |file: &PathBuf| lane::name(file).is_some_and(|name| name.contains(part));
    Ok(lane::files()?.into_iter().filter(is_named).collect())
}

fn judge(reports: &[Report], filter: Option<&str>) -> Result<()> {
    let all_of = |wanted| {
        let titles =
            reports.iter().filter(move |report| report.outcome == wanted).map(|report| report.title.as_str());
        titles.collect::<Vec<_>>()
    };
    let (failed, empty) = (all_of(TestOutcome::Failed), all_of(TestOutcome::Empty));
    if !failed.is_empty() {
        let names =
            reports.iter().flat_map(|report| report.failed.lines()).map(|name| format!("\n  ✗ {name}"));
        bail!("{} failed{}", failed.join(" and "), names.collect::<String>());
    }
    match filter {
        Some(filter) if empty.len() == reports.len() => bail!("no test is called {filter:?}"),
        Some(_) => Ok(()),
        // Without a filter every suite has tests: if they were lost, it would pass for ever.
        None if !empty.is_empty() => bail!("not a single one of the {} ran", empty.join(" and the ")),
        None => Ok(()),
    }
}

/// The tests of crates, including those that ship as WASM.
fn unit(packages: &[&str], filter: Option<&str>) -> Result<Report> {
    let title = "unit tests".to_owned();
    let (outcome, failed) = say::stage(&title, || native(packages, filter))?;
    Ok(Report { title, outcome, failed })
}

/// With nextest if it is installed, otherwise with cargo. nextest does not run examples in documentation,
/// so cargo does. Also returns the names of the tests that failed.
fn native(packages: &[&str], filter: Option<&str>) -> Result<(TestOutcome, String)> {
    if run::captured(clean("cargo").args(["nextest", "--version"])).is_err() {
        return by_cargo(&["test"], packages, filter);
    }
    let (tests, mut failed) = by_nextest(packages, filter)?;
    let (examples, failed_examples) = by_cargo(&["test", "--doc"], packages, filter)?;
    failed.push_str(&failed_examples);
    let outcome = match examples {
        TestOutcome::Failed => TestOutcome::Failed,
        TestOutcome::Passed if tests == TestOutcome::Empty => TestOutcome::Passed,
        TestOutcome::Passed | TestOutcome::Empty => tests,
    };
    Ok((outcome, failed))
}

fn by_nextest(packages: &[&str], filter: Option<&str>) -> Result<(TestOutcome, String)> {
    let colour = if io::stderr().is_terminal() { "--color=always" } else { "--color=never" };
    let mut nextest = in_workspace(&["nextest", "run", "--no-fail-fast", colour]);
    nextest.args(packages).args(filter);
    let (mut is_over, mut failed) = (false, String::new());
    let status = run::watched_errors(&mut nextest, |line| {
        eprintln!("{line}");
        let line = without_colour(line);
        is_over |= line.trim_start().starts_with("Summary [");
        if let Some(name) = failed_by_nextest(&line).filter(|_| is_over) {
            failed.push_str(&format!("{name}\n"));
        }
    })?;
    let outcome = match status.code() {
        Some(0) => TestOutcome::Passed,
        Some(NEXTEST_FOUND_NONE) => TestOutcome::Empty,
        Some(_) | None => TestOutcome::Failed,
    };
    Ok((outcome, failed))
}

fn by_cargo(arguments: &[&str], packages: &[&str], filter: Option<&str>) -> Result<(TestOutcome, String)> {
    let (mut ran, mut failed) = (0, String::new());
    let mut cargo = in_workspace(arguments);
    let status = run::echoed(cargo.args(packages).arg("--no-fail-fast").args(filter), |line| {
        ran += ran_by_cargo(line);
        if let Some(name) = failed_by_cargo(line) {
            failed.push_str(&format!("{name}\n"));
        }
    })?;
    Ok((TestOutcome::of(status.success(), ran), failed))
}

fn in_workspace(arguments: &[&str]) -> Command {
    let mut cargo = Toolchain::Active.cargo();
    cargo.args(arguments).current_dir(paths::root());
    cargo
}

/// The number of tests that passed, from the closing line of a test program.
fn ran_by_cargo(line: &str) -> u64 {
    count_after("test result: ok. ", line)
}

/// The test in a line of a test program that reports a failure.
fn failed_by_cargo(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// The test in a line like `FAIL [   0.004s] (1/9) sidecar-agent run::tests::one`, from nextest's summary.
/// Instead of `FAIL` there may be the name of a signal.
fn failed_by_nextest(line: &str) -> Option<&str> {
    let (word, rest) = line.trim_start().split_once(" [")?;
    let (_, name) = rest.split_once("] ")?;
    let name = name.strip_prefix('(').and_then(|count| count.split_once(") ")).map_or(name, |(_, name)| name);
    (word != "Summary" && word.chars().all(|letter| letter.is_ascii_uppercase())).then_some(name.trim())
}

/// A line without the escape sequences of colours.
fn without_colour(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

fn count_after(start: &str, line: &str) -> u64 {
    let count = line.strip_prefix(start).and_then(|rest| rest.split_whitespace().next());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_cargo_are_counted_and_failures_named() {
        assert_eq!(ran_by_cargo("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured"), 3);
        assert_eq!(ran_by_cargo("running 3 tests"), 0);
        assert_eq!(failed_by_cargo("test run::tests::one ... FAILED"), Some("run::tests::one"));
        assert_eq!(failed_by_cargo("test run::tests::one ... ok"), None);
        let example = "test crates/testkit/src/lib.rs - (line 7) - compile ... FAILED";
        assert_eq!(failed_by_cargo(example), Some("crates/testkit/src/lib.rs - (line 7) - compile"));
    }

    #[test]
    fn failures_of_nextest_are_named() {
        let named = |line: &str| failed_by_nextest(&without_colour(line)).map(str::to_owned);
        let line = "        \u{1b}[31;1mFAIL\u{1b}[0m [   0.004s] (1/9) sidecar-agent run::tests::one";
        assert_eq!(named(line).as_deref(), Some("sidecar-agent run::tests::one"));
        assert_eq!(named("  SIGABRT [   0.004s] xtask test::one").as_deref(), Some("xtask test::one"));
        assert_eq!(named("     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 3 skipped"), None);
        assert_eq!(named("error: test run failed"), None);
    }

    #[test]
    fn tests_that_failed_or_did_not_run_are_an_error() {
        let report = |title: &str, outcome, failed: &str| Report {
            title: title.to_owned(),
            outcome,
            failed: failed.to_owned(),
        };
        let judged = |reports: &[(&str, TestOutcome, &str)], filter| {
            let reports: Vec<_> = reports.iter().map(|one| report(one.0, one.1, one.2)).collect();
            judge(&reports, filter).map_err(|error| error.to_string())
        };
        let (passed, empty) = (("a", TestOutcome::Passed, ""), ("c", TestOutcome::Empty, ""));
        let failed = ("b", TestOutcome::Failed, "x.mjs › one\nx.mjs › two\n");
        assert_eq!(judged(&[passed], None), Ok(()));
        assert_eq!(
            judged(&[passed, failed], None),
            Err("b failed\n  ✗ x.mjs › one\n  ✗ x.mjs › two".to_owned())
        );
        assert_eq!(judged(&[passed, empty], None), Err("not a single one of the c ran".to_owned()));
        assert_eq!(judged(&[passed, empty], Some("x")), Ok(()));
        assert_eq!(judged(&[empty, empty], Some("x")), Err("no test is called \"x\"".to_owned()));
    }

    #[test]
    fn crate_is_known_by_its_folder() {
        assert!(is_package("sidecar-agent") && is_package("xtask"));
        assert!(!is_package("agent") && !is_package("sidecar-xtask"));
    }
}
