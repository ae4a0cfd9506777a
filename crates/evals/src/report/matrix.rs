//! The runs of a report by case and model.

use crate::judged::RunOutcome;
use crate::record::RunRecord;
use crate::report::{CaseFacts, EvalReport};
use crate::statistics::{CellVerdict, EvalCell};

/// Cases by models.
#[derive(Debug)]
pub struct EvalMatrix<'r> {
    /// The report.
    pub report: &'r EvalReport,
    /// For each case, for each model the runs.
    cells: Vec<Vec<Vec<&'r RunRecord>>>,
}

/// One case with one model.
#[derive(Debug, Clone, Copy)]
pub struct MatrixCell<'m, 'r> {
    /// The case.
    pub case: &'r CaseFacts,
    /// Its runs, in order.
    pub runs: &'m [&'r RunRecord],
    /// How many passed and failed.
    pub tally: EvalCell,
}

impl<'r> EvalMatrix<'r> {
    /// The matrix of a report.
    #[must_use]
    pub fn of(report: &'r EvalReport) -> Self {
        let mut cells = vec![vec![Vec::new(); report.models.len()]; report.suite.cases.len()];
        for record in &report.cells {
            let model = report.models.iter().position(|model| model.name == record.model);
            if let (Some(model), Some(row)) = (model, cells.get_mut(record.case)) {
                row[model].push(record);
            }
        }
        Self { report, cells }
    }

    /// The cell of a case (from 0) and a model (from 0).
    #[must_use]
    pub fn cell(&self, case: usize, model: usize) -> MatrixCell<'_, 'r> {
        let runs = self.cells[case][model].as_slice();
        let count = |outcome| runs.iter().fold(0, |sum, run| sum + u32::from(run.outcome == outcome));
        let tally = EvalCell {
            planned: self.report.settings.runs,
            passed: count(RunOutcome::Pass),
            failed: count(RunOutcome::Fail),
        };
        MatrixCell { case: &self.report.suite.cases[case], runs, tally }
    }

    /// The cells of a model, in the order of the cases that were run.
    pub fn of_model(&self, model: usize) -> impl Iterator<Item = MatrixCell<'_, 'r>> {
        self.cases().map(move |case| self.cell(case, model))
    }

    /// The numbers of the cases that were run.
    pub fn cases(&self) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(|case| self.cells[*case].iter().any(|runs| !runs.is_empty()))
    }

    /// Whether the models differ in a case: one passes it, and another does not.
    #[must_use]
    pub fn differs(&self, case: usize) -> bool {
        let passes = |model| self.cell(case, model).verdict() == CellVerdict::Pass;
        (1..self.report.models.len()).any(|model| passes(model) != passes(0))
    }
}

impl MatrixCell<'_, '_> {
    /// What the runs say, by the case's own minimum.
    #[must_use]
    pub fn verdict(&self) -> CellVerdict {
        self.tally.verdict(self.case.minimum)
    }

    /// Runs that ended with an error.
    #[must_use]
    pub fn errors(&self) -> u32 {
        self.runs.iter().fold(0, |sum, run| sum + u32::from(run.outcome == RunOutcome::Error))
    }

    /// `2/3`: passes of judged runs.
    #[must_use]
    pub fn count(&self) -> String {
        format!("{}/{}", self.tally.passed, self.tally.judged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::report;

    #[test]
    fn inspector_case_23_matrix_has_each_run_and_says_where_models_differ() {
        let report = report(&[("a:x", &["ppp", "pfp", "ppp"]), ("b:y", &["ppp", "fff", "fef"])]);
        let matrix = EvalMatrix::of(&report);
        assert_eq!(report.cells.len(), 18);
        let counts: Vec<_> = matrix.of_model(1).map(|cell| (cell.count(), cell.errors())).collect();
        assert_eq!(counts, [("3/3".to_owned(), 0), ("0/3".to_owned(), 0), ("0/2".to_owned(), 1)]);
        let differing: Vec<_> = matrix.cases().filter(|case| matrix.differs(*case)).collect();
        assert_eq!(differing, [2], "the second case passes with neither");
    }
}
