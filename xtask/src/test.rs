//! All tests: those of the crates, then the end-to-end suite in a real browser.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::e2e::Stage;
use crate::toolchain::{Toolchain, clean};
use crate::{paths, run, say};

/// nextest's exit code when no test was to be run.
const NEXTEST_FOUND_NONE: i32 = 4;

/// Which tests.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Selection {
    /// One suite alone
    #[arg(value_enum, conflicts_with_all = ["filter", "unit", "e2e"])]
    suite: Option<Suite>,
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

/// A suite that has a name and a document of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Suite {
    /// WebMCP by its numbered cases; writes docs/webmcp-conformance.md
    Webmcp,
}

impl Suite {
    /// The part of its files' names that tells them, and the variable that lets them write.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Webmcp => ("conformance", "SIDECAR_WRITE_CONFORMANCE"),
        }
    }
}

/// What came of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// No test ran.
    Empty,
}

/// Run them. Both suites are run, even when the first one fails, so that one run tells all.
pub fn run(selection: &Selection) -> Result<()> {
    if let Some(suite) = selection.suite {
        let (file, writes) = suite.file();
        let stage = Stage::ready()?;
        let ran = say::stage("end-to-end tests", || end_to_end(&stage, Some(file), Some(writes)))?;
        return judge(&[("end-to-end tests", ran)], Some(file));
    }
    let filter = selection.filter.as_deref();
    let stage = if selection.unit { None } else { Some(Stage::ready()?) };
    let mut outcomes = Vec::new();
    if !selection.e2e {
        outcomes.push(("unit tests", say::stage("unit tests", || unit(filter))?));
    }
    if let Some(stage) = stage {
        outcomes
            .push(("end-to-end tests", say::stage("end-to-end tests", || end_to_end(&stage, filter, None))?));
    }
    judge(&outcomes, filter)
}

fn judge(outcomes: &[(&str, Outcome)], filter: Option<&str>) -> Result<()> {
    let all_of = |wanted| {
        let suites = outcomes.iter().filter(move |(_, outcome)| *outcome == wanted).map(|(suite, _)| *suite);
        suites.collect::<Vec<_>>()
    };
    let (failed, empty) = (all_of(Outcome::Failed), all_of(Outcome::Empty));
    if !failed.is_empty() {
        bail!("{} failed", failed.join(" and "));
    }
    match filter {
        Some(filter) if empty.len() == outcomes.len() => bail!("no test is called {filter:?}"),
        Some(_) => Ok(()),
        // A suite that lost its tests would pass for ever.
        None if !empty.is_empty() => bail!("not a single one of the {} ran", empty.join(" and the ")),
        None => Ok(()),
    }
}

/// The tests of all crates, those that ship as WASM too: by nextest where it is installed, else by cargo alone. nextest
/// leaves out the examples in documentation, so cargo runs those.
fn unit(filter: Option<&str>) -> Result<Outcome> {
    if run::captured(clean("cargo").args(["nextest", "--version"])).is_err() {
        return by_cargo(&["test", "--workspace"], filter);
    }
    let mut nextest = in_workspace(&["nextest", "run", "--workspace", "--no-fail-fast"]);
    let status = nextest.args(filter).status().context("cannot start nextest")?;
    let tests = match status.code() {
        Some(0) => Outcome::Passed,
        Some(NEXTEST_FOUND_NONE) => Outcome::Empty,
        Some(_) | None => Outcome::Failed,
    };
    Ok(match by_cargo(&["test", "--workspace", "--quiet", "--doc"], filter)? {
        Outcome::Failed => Outcome::Failed,
        Outcome::Passed if tests == Outcome::Empty => Outcome::Passed,
        Outcome::Passed | Outcome::Empty => tests,
    })
}

fn by_cargo(arguments: &[&str], filter: Option<&str>) -> Result<Outcome> {
    let mut ran = 0;
    let mut cargo = in_workspace(arguments);
    let status = run::echoed(cargo.arg("--no-fail-fast").args(filter), |line| ran += ran_by_cargo(line))?;
    Ok(outcome(status.success(), ran))
}

fn in_workspace(arguments: &[&str]) -> Command {
    let mut cargo = Toolchain::Active.cargo();
    cargo.args(arguments).current_dir(paths::root());
    cargo
}

/// The end-to-end suite: one file after the other, because each has the screen and the processor to itself.
/// `writes` names the variable that lets the suite write its document instead of only comparing it.
fn end_to_end(stage: &Stage, filter: Option<&str>, writes: Option<&str>) -> Result<Outcome> {
    let all = suite_files()?;
    let mut node = stage.node();
    if let Some(writes) = writes {
        node.env(writes, "1");
    }
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    match filter {
        None => node.args(&all),
        Some(filter) => {
            let named = |file: &&PathBuf| {
                file.file_name().is_some_and(|name| name.to_string_lossy().contains(filter))
            };
            let files: Vec<_> = all.iter().filter(named).collect();
            if files.is_empty() {
                node.arg(format!("--test-name-pattern={}", regex_lite::escape(filter))).args(&all)
            } else {
                node.args(files)
            }
        }
    };
    let mut ran = 0;
    let status = run::echoed(&mut node, |line| ran += ran_by_node(line))?;
    Ok(outcome(status.success() && !all.is_empty(), ran))
}

fn suite_files() -> Result<Vec<PathBuf>> {
    let folder = paths::tests().join("e2e");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let is_test = |file: &PathBuf| {
        file.extension() == Some(OsStr::new("mjs"))
            && file.with_extension("").extension() == Some(OsStr::new("test"))
    };
    let mut tests: Vec<_> = files.into_iter().filter(is_test).collect();
    tests.sort();
    Ok(tests)
}

fn outcome(passed: bool, ran: u64) -> Outcome {
    match (passed, ran) {
        (false, _) => Outcome::Failed,
        (true, 0) => Outcome::Empty,
        (true, _) => Outcome::Passed,
    }
}

/// How many tests passed, in the closing line of each of cargo's test programs.
fn ran_by_cargo(line: &str) -> u64 {
    count_after("test result: ok. ", line)
}

/// How many tests passed, in the closing line of Node.js's test runner. Those that a filter left out are none of them.
fn ran_by_node(line: &str) -> u64 {
    count_after("ℹ pass ", line)
}

fn count_after(start: &str, line: &str) -> u64 {
    let count = line.strip_prefix(start).and_then(|rest| rest.split_whitespace().next());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        assert_eq!(ran_by_node("ℹ pass 12"), 12);
        assert_eq!(ran_by_node("ℹ tests 14"), 0);
        assert_eq!(ran_by_node("✔ pass 3 by reference (2ms)"), 0);
        assert_eq!(ran_by_cargo("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured"), 3);
        assert_eq!(ran_by_cargo("running 3 tests"), 0);
    }

    #[test]
    fn a_suite_that_failed_or_ran_nothing_is_an_error() {
        let judged =
            |outcomes: &[(&str, Outcome)], filter| judge(outcomes, filter).map_err(|error| error.to_string());
        let (passed, failed, empty) = (("a", Outcome::Passed), ("b", Outcome::Failed), ("c", Outcome::Empty));
        assert_eq!(judged(&[passed], None), Ok(()));
        assert_eq!(judged(&[passed, failed], None), Err("b failed".to_owned()));
        assert_eq!(judged(&[passed, empty], None), Err("not a single one of the c ran".to_owned()));
        assert_eq!(judged(&[passed, empty], Some("x")), Ok(()));
        assert_eq!(judged(&[empty, empty], Some("x")), Err("no test is called \"x\"".to_owned()));
    }
}
