//! The numbered cases of page actions, and the document with what a run saw of them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::e2e::SuiteSetup;
use crate::test::TestOutcome;
use crate::test::lane::{self, Report};
use crate::{run, say};

/// What happens to the document after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseDocument {
    /// It must be as the run saw it.
    Compared,
    Written,
}

/// The files of the suite with a test whose title begins with the number of a case.
pub fn files() -> Result<Vec<PathBuf>> {
    let mut numbered = Vec::new();
    for file in lane::files()? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        if text.contains("test('case ") || text.contains("test(`case ") {
            numbered.push(file);
        }
    }
    Ok(numbered)
}

/// Compare the document with the results of the last run, or write it.
pub fn compare(stage: &SuiteSetup, document: CaseDocument) -> Result<Report> {
    let title = "docs/page-actions.md".to_owned();
    let mut node = stage.node();
    node.arg("page-cases.mjs").args(lane::results());
    if document == CaseDocument::Written {
        node.arg("--write");
    }
    let mut failed = String::new();
    let status = say::stage(&title, || {
        run::watched(&mut node, |line| {
            println!("{line}");
            if let Some(problem) = line.strip_prefix("✗ ") {
                failed.push_str(&format!("{problem}\n"));
            }
        })
    })?;
    Ok(Report { title, outcome: TestOutcome::of(status.success(), 1), failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_numbered_tests_are_found() {
        let files = files().unwrap();
        assert!(files.iter().any(|file| lane::name(file) == Some("page-click")));
        assert!(!files.iter().any(|file| lane::name(file) == Some("echo")));
    }
}
