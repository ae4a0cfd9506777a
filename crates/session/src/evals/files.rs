//! Storage for evals. The worker implements it with the browser's database, tests in memory.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde_json::Value;
use sidecar_agent::StoreError;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, SavedEval};

/// How many evals of one suite are kept: the oldest go.
pub const MOST_KEPT: usize = 20;

/// What is kept of evals.
pub trait EvalFiles {
    /// All, in no order.
    ///
    /// # Errors
    /// If they cannot be read.
    async fn evals(&self) -> Result<Vec<EvalEntry>, StoreError>;

    /// One with all its runs; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    async fn eval(&self, id: &EvalId) -> Result<Option<SavedEval>, StoreError>;

    /// Keeps a new one.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn keep_eval(&self, entry: &EvalEntry, plan: &EvalPlan) -> Result<(), StoreError>;

    /// Keeps how far one is, and the run of this name, if one was made. Both are there or neither is. A run of the same name is
    /// replaced.
    ///
    /// # Errors
    /// If it cannot be written, or was forgotten.
    async fn note_eval(&self, entry: &EvalEntry, run: Option<(&str, &Value)>) -> Result<(), StoreError>;

    /// Forgets one. Nothing happens if there is none.
    ///
    /// # Errors
    /// If that cannot be written.
    async fn forget_eval(&self, id: &EvalId) -> Result<(), StoreError>;
}

/// The error for an eval that was forgotten.
pub fn forgotten() -> StoreError {
    StoreError::other("the eval was forgotten")
}

/// The evals of this name that go.
pub fn outdated(evals: &[EvalEntry], name: &str) -> Vec<EvalId> {
    let mut of_suite: Vec<_> = evals.iter().filter(|entry| entry.name == name).collect();
    of_suite.sort_by_key(|entry| std::cmp::Reverse(entry.started));
    of_suite.into_iter().skip(MOST_KEPT).map(|entry| entry.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_evals_of_a_suite_go() {
        let entry = |number: u64, name: &str| EvalEntry {
            id: EvalId(number.to_string()),
            name: name.to_owned(),
            started: number,
            ..EvalEntry::default()
        };
        let mut evals: Vec<_> = (1..=21).map(|number| entry(number, "shop")).collect();
        evals.push(entry(0, "flights"));
        let gone: Vec<_> = outdated(&evals, "shop").into_iter().map(|id| id.0).collect();
        assert_eq!(gone, ["1"]);
        assert!(outdated(&evals, "flights").is_empty());
    }
}
