//! Storage for evals. The worker implements it with the browser's database, tests in memory.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde_json::Value;
use sidecar_agent::StoreError;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, SavedEval};

/// How many evals of one suite, and how many questions, are kept: the oldest go.
pub const MOST_KEPT: usize = 20;

/// Most bytes that are kept of the runs of an eval, as JSON text.
pub const MOST_BYTES_KEPT: usize = 20 << 20;

/// A run as it is kept beside others of so many bytes, and their bytes with it: what would be too much is left out of it, how it
/// ended stays.
pub fn fitting(mut led: Value, kept: usize) -> (Value, usize) {
    let mut bytes = led.to_string().len();
    if kept + bytes > MOST_BYTES_KEPT
        && let Some(record) = led["record"].as_object_mut()
    {
        for part in ["calls", "rows"] {
            record.insert(part.to_owned(), Value::Array(Vec::new()));
        }
        record.remove("text");
        if let Some(reasons) = record.get_mut("reasons").and_then(Value::as_array_mut) {
            reasons.truncate(1);
        }
        bytes = led.to_string().len();
    }
    (led, kept + bytes)
}

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

/// The evals that go for one that came: of its suite, with models or without as it is, or the questions if it is one.
pub fn outdated(evals: &[EvalEntry], new: &EvalEntry) -> Vec<EvalId> {
    let is_alike = |entry: &&EvalEntry| {
        let of_suite = |entry: &EvalEntry| (entry.name.clone(), entry.is_smoke);
        entry.is_question == new.is_question && (new.is_question || of_suite(entry) == of_suite(new))
    };
    let mut of_suite: Vec<_> = evals.iter().filter(is_alike).collect();
    of_suite.sort_by_key(|entry| std::cmp::Reverse(entry.started));
    of_suite.into_iter().skip(MOST_KEPT).map(|entry| entry.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_goes_and_how_a_run_ended_stays() {
        let led = serde_json::json!({"record": {"case": 3, "outcome": "pass", "calls": [{"name": "a"}], "rows": [{}], "text": "Done."}});
        let (kept, bytes) = fitting(led.clone(), 0);
        assert_eq!((&kept, bytes), (&led, led.to_string().len()));
        let (kept, after) = fitting(led, MOST_BYTES_KEPT);
        let short = serde_json::json!({"record": {"case": 3, "outcome": "pass", "calls": [], "rows": []}});
        assert_eq!((&kept, after), (&short, MOST_BYTES_KEPT + short.to_string().len()));
    }

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
        let gone = |new: EvalEntry, evals: &[EvalEntry]| {
            outdated(evals, &new).into_iter().map(|id| id.0).collect::<Vec<_>>()
        };
        assert_eq!(gone(entry(22, "shop"), &evals), ["1"]);
        assert!(gone(entry(22, "flights"), &evals).is_empty());
        let smoke = EvalEntry { is_smoke: true, ..entry(22, "shop") };
        assert!(gone(smoke, &evals).is_empty());
        let question = |entry: EvalEntry| EvalEntry { is_question: true, ..entry };
        assert!(gone(question(entry(22, "shop")), &evals).is_empty());
        let asked: Vec<_> = (1..=21).map(|at| question(entry(at, &format!("question {at}")))).collect();
        assert_eq!(gone(question(entry(22, "another")), &asked), ["1"]);
    }
}
