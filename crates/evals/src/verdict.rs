//! Both verdicts on the calls of a run, and the one that counts.

use crate::extras::VerdictKind;
use crate::judged::{self, CallMade, JudgedRow, RowOutcome, RunOutcome, Wrong, judge};
use crate::lenient;
use crate::matcher::Difference;
use crate::reason::RunReason;
use crate::record::{RecordedCall, RecordedRow, kept, kept_text};
use crate::suite::EvalCase;

/// A verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalVerdict {
    /// How the run ended, by the verdict that counts.
    pub outcome: RunOutcome,
    /// Whether webmcp-evals would let it pass; absent if it cannot say.
    pub exact: Option<bool>,
    /// Whether it passes leniently; absent if nobody can say.
    pub lenient: Option<bool>,
    /// Why it did not pass; empty if it did.
    pub reasons: Vec<RunReason>,
    /// Expected calls beside those that were made.
    pub rows: Vec<RecordedRow>,
    /// As in [`crate::record::RunRecord::required`] and the field behind it.
    pub matched: (u32, u32),
}

impl EvalVerdict {
    /// Judges the calls of a run.
    #[must_use]
    pub fn of(case: &EvalCase, counts: VerdictKind, calls: &[RecordedCall]) -> Self {
        let made: Vec<CallMade> = calls.iter().map(RecordedCall::made).collect();
        let Some(rows) = judge(&case.expected, &made) else {
            let (outcome, reasons) = (RunOutcome::Skipped, vec![RunReason::Incomplete]);
            return Self { outcome, exact: None, lenient: None, reasons, rows: Vec::new(), matched: (0, 0) };
        };
        let exact_outcome = judged::outcome(&rows);
        let exact = match exact_outcome {
            RunOutcome::Pass => Some(true),
            RunOutcome::Fail => Some(false),
            RunOutcome::Error | RunOutcome::Skipped | RunOutcome::Cancelled => None,
        };
        let lenient = lenient::passes(&case.expected, &made);
        let outcome = match (counts, lenient) {
            (VerdictKind::Exact, _) => exact_outcome,
            (VerdictKind::Lenient, Some(true)) => RunOutcome::Pass,
            (VerdictKind::Lenient, Some(false)) if exact_outcome == RunOutcome::Error => RunOutcome::Error,
            (VerdictKind::Lenient, Some(false)) => RunOutcome::Fail,
            (VerdictKind::Lenient, None) => RunOutcome::Error,
        };
        let reasons = if outcome == RunOutcome::Pass { Vec::new() } else { reasons_of(&rows, calls) };
        let matched = lenient::matched(&case.expected, &made);
        Self { outcome, exact, lenient, reasons, rows: rows.iter().map(RecordedRow::of).collect(), matched }
    }
}

/// What rows that did not pass say, and what is known of the calls besides.
fn reasons_of(rows: &[JudgedRow<'_>], calls: &[RecordedCall]) -> Vec<RunReason> {
    let name = |row: &JudgedRow<'_>| {
        row.made.and_then(|made| calls.get(made)).map(|call| call.name.clone()).unwrap_or_default()
    };
    let expected = |row: &JudgedRow<'_>| row.expected.map(|call| call.name.clone()).unwrap_or_default();
    let mut reasons = Vec::new();
    if calls.is_empty() && rows.iter().any(|row| row.expected.is_some()) {
        reasons.push(RunReason::NoCall);
    }
    if has_other_order(rows, calls) {
        reasons.push(RunReason::WrongOrder);
    }
    reasons.extend(rows.iter().filter_map(|row| match &row.outcome {
        RowOutcome::Pass => None,
        RowOutcome::Fail(Wrong::Tool) => {
            Some(RunReason::WrongTool { expected: expected(row), made: name(row) })
        }
        RowOutcome::Fail(Wrong::Arguments(difference)) => Some(RunReason::WrongArguments {
            tool: expected(row),
            difference: Box::new(kept_difference(difference)),
        }),
        RowOutcome::Fail(Wrong::Result(difference)) => Some(RunReason::WrongResult {
            tool: expected(row),
            difference: Box::new(kept_difference(difference)),
        }),
        RowOutcome::Fail(Wrong::Missing) => Some(RunReason::MissingCall { tool: expected(row) }),
        RowOutcome::Fail(Wrong::Extra) => Some(RunReason::ExtraCall { tool: name(row) }),
        RowOutcome::Error(fault) => Some(RunReason::NotJudged { why: fault.to_string() }),
    }));
    reasons.extend(calls.iter().filter_map(|call| {
        let why = kept_text(call.mistake.as_deref()?);
        Some(RunReason::InvalidArguments { tool: call.name.clone(), why })
    }));
    // A model that does the same again and again has one reason.
    let mut told = Vec::new();
    reasons.retain(|reason| {
        let is_new = !told.contains(reason);
        told.extend(is_new.then(|| reason.clone()));
        is_new
    });
    reasons
}

/// A difference with what is too long cut.
fn kept_difference(difference: &Difference) -> Difference {
    let Difference { pointer, operator, expected, actual } = difference.clone();
    Difference { pointer: kept_text(&pointer), operator, expected: kept(expected), actual: actual.map(kept) }
}

/// Whether the tools that were called are those that were expected, in another order.
fn has_other_order(rows: &[JudgedRow<'_>], calls: &[RecordedCall]) -> bool {
    let is_wrong = rows.iter().any(|row| row.outcome == RowOutcome::Fail(Wrong::Tool));
    let mut expected: Vec<_> =
        rows.iter().filter_map(|row| row.expected).map(|call| call.name.as_str()).collect();
    let mut made: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
    expected.sort_unstable();
    made.sort_unstable();
    is_wrong && expected == made
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sidecar_protocol::settings::Language;

    use super::*;

    fn verdict(expected: Value, made: &Value, counts: VerdictKind) -> EvalVerdict {
        let file = json!([{"messages": [], "expectedCall": expected}]).to_string();
        let suite = crate::suite::read(file.as_bytes()).unwrap();
        let call = |call: &Value| RecordedCall {
            name: call[0].as_str().unwrap().to_owned(),
            arguments: call[1].clone(),
            result: json!({}),
            mistake: call[2].as_str().map(str::to_owned),
        };
        let calls: Vec<_> = made.as_array().unwrap().iter().map(call).collect();
        EvalVerdict::of(&suite.cases[0], counts, &calls)
    }

    fn node(name: &str) -> Value {
        json!({"functionName": name, "arguments": {"x": 1}})
    }

    fn call(name: &str) -> Value {
        json!([name, {"x": 1}])
    }

    #[test]
    fn inspector_case_4_suite_says_which_verdict_counts() {
        let (expected, made) = (json!([node("a"), node("b")]), json!([call("a"), call("x"), call("b")]));
        let exact = verdict(expected.clone(), &made, VerdictKind::Exact);
        let lenient = verdict(expected, &made, VerdictKind::Lenient);
        assert_eq!((exact.outcome, lenient.outcome), (RunOutcome::Fail, RunOutcome::Pass));
        assert_eq!((exact.exact, exact.lenient), (Some(false), Some(true)));
        assert_eq!((lenient.exact, lenient.lenient), (Some(false), Some(true)));
        assert_eq!((exact.reasons.len(), lenient.reasons.len(), lenient.rows.len()), (2, 0, 3));
    }

    #[test]
    fn each_reason_is_a_sentence_in_both_languages() {
        let told = |expected: Value, made: Value| {
            let verdict = verdict(expected, &made, VerdictKind::Exact);
            let sentences = |language| -> Vec<_> {
                verdict.reasons.iter().map(|reason| reason.sentence(language)).collect()
            };
            assert_eq!(sentences(Language::English).len(), sentences(Language::Chinese).len());
            sentences(Language::English)
        };
        assert_eq!(told(json!([node("a")]), json!([])), ["No tool was called.", "a was not called."]);
        assert_eq!(told(json!([node("a")]), json!([call("b")])), ["b was called, and not a."]);
        assert_eq!(
            told(json!([node("a")]), json!([["a", {"x": 2}, "x must be 1"]])),
            ["Arguments of a at /x: 1 was expected, 2 came.", "Arguments that a does not take: x must be 1"]
        );
        assert_eq!(
            told(json!([{"functionName": "a", "result": {"ok": {"$gt": 1}}}]), json!([["a", {}]])),
            ["Result of a at /ok: {\"$gt\":1} was expected, nothing came."]
        );
        assert_eq!(
            told(json!([node("a"), node("b")]), json!([call("b"), call("a")]))[0],
            "The right tools were called in another order."
        );
        assert_eq!(
            told(json!(null), json!([call("a")])),
            ["a was called, and nothing was expected any more."]
        );
        let pattern = json!([{"functionName": "a", "arguments": {"x": {"$pattern": "("}}}]);
        assert!(told(pattern, json!([["a", {"x": "y"}]]))[0].starts_with("Nobody can say: "));
    }

    #[test]
    fn inspector_case_13_incomplete_case_is_skipped() {
        let suite = crate::suite::read(br#"[{"messages": []}]"#).unwrap();
        let verdict = EvalVerdict::of(&suite.cases[0], VerdictKind::Exact, &[]);
        assert_eq!((verdict.outcome, verdict.reasons), (RunOutcome::Skipped, vec![RunReason::Incomplete]));
    }
}
