//! Suites of numbered cases, and their documents with what a run saw of them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::e2e::SuiteSetup;
use crate::test::TestOutcome;
use crate::test::lane::{self, Report};
use crate::{run, say};

/// A suite of numbered cases: the tests whose titles begin with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseSuite {
    PageActions,
    Skills,
    Inspector,
}

/// What happens to the document after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseDocument {
    /// It must be as the run saw it.
    Compared,
    Written,
}

impl CaseSuite {
    pub const ALL: [Self; 3] = [Self::PageActions, Self::Skills, Self::Inspector];

    /// As `cases.mjs` knows it.
    fn name(self) -> &'static str {
        match self {
            Self::PageActions => "page-actions",
            Self::Skills => "skills",
            Self::Inspector => "inspector",
        }
    }

    fn document(self) -> &'static str {
        match self {
            Self::PageActions => "docs/page-actions.md",
            Self::Skills => "docs/skills-conformance.md",
            Self::Inspector => "docs/inspector-conformance.md",
        }
    }

    /// What the titles of its tests begin with.
    fn mark(self) -> &'static str {
        match self {
            Self::PageActions => "case ",
            Self::Skills => "SKILL case",
            Self::Inspector => "inspector case",
        }
    }

    /// The files of the suite with a test of a case.
    pub fn files(self) -> Result<Vec<PathBuf>> {
        let mut numbered = Vec::new();
        for file in lane::files()? {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let has = |quote: char| text.contains(&format!("test({quote}{}", self.mark()));
            if has('\'') || has('`') {
                numbered.push(file);
            }
        }
        Ok(numbered)
    }

    /// Compare the document with the results of the last run, or write it.
    pub fn compare(self, stage: &SuiteSetup, document: CaseDocument) -> Result<Report> {
        let title = self.document().to_owned();
        let mut node = stage.node();
        node.arg("cases.mjs").args(["--suite", self.name()]).args(lane::results());
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_numbered_tests_are_found() {
        let named =
            |suite: CaseSuite, name| suite.files().unwrap().iter().any(|file| lane::name(file) == Some(name));
        assert!(named(CaseSuite::PageActions, "page-click") && named(CaseSuite::Skills, "skill-fixtures"));
        assert!(!named(CaseSuite::PageActions, "echo") && !named(CaseSuite::Skills, "page-click"));
    }
}
