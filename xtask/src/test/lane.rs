//! Runs the end-to-end suite in lanes. Most files share the processor two at a time; beside them run files
//! that mostly wait, or that alone take as long as many others; files that measure milliseconds run alone
//! afterwards.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use anyhow::{Context, Result, bail};

use crate::e2e::SuiteSetup;
use crate::test::TestOutcome;
use crate::{paths, run, say};

/// How a file is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Two files at a time.
    Shared,
    /// All files at once, beside the shared lane: they mostly wait, or take as long as many files of that lane.
    Beside,
    /// One file after the other, when the other lanes are done.
    Alone,
}

/// A file names its lane on a line that begins like this, followed by the reason. The default is the shared
/// lane.
const MARK: &str = "// lane: ";

impl Lane {
    const ALL: [Self; 3] = [Self::Shared, Self::Beside, Self::Alone];

    fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Beside => "beside",
            Self::Alone => "alone",
        }
    }

    fn of(text: &str) -> Result<Self> {
        let Some(mark) = text.lines().find_map(|line| line.strip_prefix(MARK)) else {
            return Ok(Self::Shared);
        };
        let word = mark.split_whitespace().next().unwrap_or_default();
        match Self::ALL.into_iter().find(|lane| lane.name() == word) {
            Some(lane) => Ok(lane),
            None => bail!("{word:?} is no lane; there are shared, beside and alone"),
        }
    }

    fn concurrency(self, files: usize) -> usize {
        match self {
            Self::Shared => 2,
            Self::Beside => files,
            Self::Alone => 1,
        }
    }
}

/// The result of one lane.
#[derive(Debug)]
pub struct Report {
    /// The lane's title.
    pub title: String,
    /// The result.
    pub outcome: TestOutcome,
    /// The names of the tests that failed, a line each.
    pub failed: String,
}

/// A run of files of the suite.
#[derive(Clone, Copy)]
pub struct LaneRun<'a> {
    /// The set-up of the suite.
    pub stage: &'a SuiteSetup,
    /// Only tests whose name contains this.
    pub pattern: Option<&'a str>,
    /// The variable that lets the suite write its document instead of only comparing it.
    pub writes: Option<&'static str>,
}

impl LaneRun<'_> {
    /// Run files, each in its lane. Lanes without a file are left out.
    pub fn files(self, files: &[PathBuf]) -> Result<Vec<Report>> {
        for file in results() {
            fs::remove_file(&file).with_context(|| format!("cannot delete {}", file.display()))?;
        }
        let mut lanes = Lane::ALL.map(|lane| (lane, Vec::new()));
        for file in files {
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
            let own = Lane::of(&text).with_context(|| file.display().to_string())?;
            let (_, files) =
                lanes.iter_mut().find(|(lane, _)| *lane == own).context("every lane is listed")?;
            files.push(file.clone());
        }
        let [shared, beside, alone] = lanes;
        let (shared, beside) = thread::scope(|scope| {
            let beside = scope.spawn(|| self.out_of_sight(beside.0, &beside.1));
            let shared = self.in_sight(shared.0, &shared.1);
            (shared, beside.join())
        });
        let (shared, Ok(beside)) = (shared?, beside) else {
            bail!("the watch of the lane beside the shared one broke down")
        };
        let alone = self.in_sight(alone.0, &alone.1)?;
        Ok([shared, beside?, alone].into_iter().flatten().collect())
    }

    fn in_sight(self, lane: Lane, files: &[PathBuf]) -> Result<Option<Report>> {
        if files.is_empty() {
            return Ok(None);
        }
        say::stage(&title(lane), || self.lane(lane, files, |line| println!("{line}"))).map(Some)
    }

    /// Its output would mix with that of the lane beside it, so it is shown at the end.
    fn out_of_sight(self, lane: Lane, files: &[PathBuf]) -> Result<Option<Report>> {
        if files.is_empty() {
            return Ok(None);
        }
        let mut lines = Vec::new();
        let report = self.lane(lane, files, |line| lines.push(line.to_owned()));
        println!("▸ {}\n{}\n▸ {}: done", title(lane), lines.join("\n"), title(lane));
        report.map(Some)
    }

    fn lane(self, lane: Lane, files: &[PathBuf], mut show: impl FnMut(&str)) -> Result<Report> {
        let failures = paths::scratch(&format!("failed-{}", lane.name()));
        fs::create_dir_all(failures.parent().context("scratch files have a folder")?)?;
        let mut node = self.node(lane, files, &failures);
        let mut ran = 0;
        let status = run::watched(&mut node, |line| {
            ran += ran_by_node(line);
            show(line);
        })?;
        // A runner that did not start wrote no file.
        let failed = fs::read_to_string(&failures).unwrap_or_default();
        Ok(Report { title: title(lane), outcome: TestOutcome::of(status.success(), ran), failed })
    }

    fn node(self, lane: Lane, files: &[PathBuf], failures: &Path) -> Command {
        let mut node = self.stage.node();
        if let Some(writes) = self.writes {
            node.env(writes, "1");
        }
        node.arg("--test").arg(format!("--test-concurrency={}", lane.concurrency(files.len())));
        node.args(["--test-reporter=spec", "--test-reporter-destination=stdout"]);
        node.arg("--test-reporter=./lib/failures.mjs");
        node.arg(format!("--test-reporter-destination={}", failures.display()));
        node.arg("--test-reporter=./lib/results.mjs");
        node.arg(format!("--test-reporter-destination={}", results_of(lane).display()));
        if let Some(pattern) = self.pattern {
            node.arg(format!("--test-name-pattern={}", regex_lite::escape(pattern)));
        }
        node.args(files);
        node
    }
}

/// What the lanes of the last run wrote about each test, for documents that a run writes.
pub fn results() -> Vec<PathBuf> {
    Lane::ALL.into_iter().map(results_of).filter(|file| file.exists()).collect()
}

fn results_of(lane: Lane) -> PathBuf {
    paths::scratch(&format!("results-{}", lane.name()))
}

fn title(lane: Lane) -> String {
    format!("end-to-end tests, {} lane", lane.name())
}

/// The files of the suite, in order.
pub fn files() -> Result<Vec<PathBuf>> {
    let folder = paths::tests().join("e2e");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut tests: Vec<_> = files.into_iter().filter(|file| name(file).is_some()).collect();
    tests.sort();
    Ok(tests)
}

/// The name of a file of the suite: `approvals` for `approvals.test.mjs`.
pub fn name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(".test.mjs")
}

/// The number of tests that passed, from the closing line of Node.js's test runner, without those that a
/// filter skipped.
fn ran_by_node(line: &str) -> u64 {
    super::count_after("ℹ pass ", line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_is_read_from_the_line_that_names_it() {
        let lane = |text: &str| Lane::of(text).map_err(|error| error.to_string());
        assert_eq!(lane("/** A file. */\n\nimport x from 'y';\n"), Ok(Lane::Shared));
        assert_eq!(lane("// lane: beside (it waits for alarms)\n"), Ok(Lane::Beside));
        assert_eq!(lane("// lane: alone\n"), Ok(Lane::Alone));
        assert!(lane("// lane: fast\n").is_err());
    }

    #[test]
    fn every_lane_has_a_file() {
        let lanes: Vec<_> = files()
            .unwrap()
            .iter()
            .map(|file| Lane::of(&fs::read_to_string(file).unwrap()).unwrap())
            .collect();
        for lane in Lane::ALL {
            assert!(lanes.contains(&lane), "{lane:?}");
        }
    }

    #[test]
    fn closing_line_of_the_runner_is_counted() {
        assert_eq!(ran_by_node("ℹ pass 12"), 12);
        assert_eq!(ran_by_node("ℹ tests 14"), 0);
        assert_eq!(ran_by_node("✔ pass 3 by reference (2ms)"), 0);
    }
}
