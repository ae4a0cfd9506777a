//! What is kept of a run: the calls of a model, beside those that were expected, and what that means.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidecar_protocol::thread::{Cost, Usage};

use crate::expected::CallNode;
use crate::judged::{CallMade, JudgedRow, RowOutcome, RunOutcome};
use crate::masked::masked;
use crate::reason::RunReason;

/// Maximum bytes of arguments, results and texts that are kept; what is longer is cut.
pub const MOST_KEPT: usize = 4 * 1024;

/// One run of a case with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Number of the case in the suite, from 0.
    pub case: usize,
    /// The model, as `provider:model`.
    pub model: String,
    /// Number of the run, from 1.
    pub run: u32,
    /// How it ended, by the verdict that counts.
    pub outcome: RunOutcome,
    /// The verdict of webmcp-evals; absent if nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// The lenient verdict; absent if nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lenient: Option<bool>,
    /// Why it did not pass; empty if it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<RunReason>,
    /// The calls, in their order.
    #[serde(default)]
    pub calls: Vec<RecordedCall>,
    /// Expected calls beside those that were made.
    #[serde(default)]
    pub rows: Vec<RecordedRow>,
    /// Expected calls that may not be missing.
    #[serde(default)]
    pub required: u32,
    /// Those of them that were made, in whatever order.
    #[serde(default)]
    pub matched: u32,
    /// How many answers the model gave.
    #[serde(default)]
    pub steps: u32,
    /// What the model said last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Tokens of all answers; absent if the service told none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What they cost; absent if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// How long it took until the model's first answer began, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
}

/// A call as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments; a text if they were not to be read.
    pub arguments: Value,
    /// What it was answered.
    pub result: Value,
    /// What is wrong with the arguments by the tool's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
}

/// An expected call beside one that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedRow {
    /// The expected call; absent for one too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<RecordedNode>,
    /// Number of the call in [`RunRecord::calls`]; absent for one that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<usize>,
    /// Pass, fail or error.
    pub outcome: RunOutcome,
}

/// An expected call as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedNode {
    /// Name of the tool.
    pub name: String,
    /// What the arguments have to match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

impl Default for RunRecord {
    /// One in which nothing happened.
    fn default() -> Self {
        Self {
            case: 0,
            model: String::new(),
            run: 1,
            outcome: RunOutcome::Skipped,
            exact: None,
            lenient: None,
            reasons: Vec::new(),
            calls: Vec::new(),
            rows: Vec::new(),
            required: 0,
            matched: 0,
            steps: 0,
            text: String::new(),
            usage: None,
            cost: None,
            ms: 0,
            first_token_ms: None,
        }
    }
}

impl RunRecord {
    /// One that nobody can judge, for this reason.
    #[must_use]
    pub fn unjudged(reason: RunReason) -> Self {
        Self { outcome: reason.unjudged(), reasons: vec![reason], ..Self::default() }
    }
}

impl RecordedCall {
    /// The call as it is judged.
    #[must_use]
    pub(crate) fn made(&self) -> CallMade {
        CallMade {
            name: self.name.clone(),
            arguments: self.arguments.clone(),
            result: Some(self.result.clone()),
        }
    }

    /// The call without secrets, and with what is too long cut.
    #[must_use]
    pub(crate) fn kept(mut self) -> Self {
        self.arguments = kept(masked(self.arguments));
        self.result = kept(masked(self.result));
        self.mistake = self.mistake.map(|mistake| kept_text(&mistake));
        self
    }
}

impl RecordedRow {
    pub(crate) fn of(row: &JudgedRow<'_>) -> Self {
        let node = |call: &CallNode| RecordedNode {
            name: call.name.clone(),
            arguments: call.arguments.clone().map(kept),
        };
        let outcome = match row.outcome {
            RowOutcome::Pass => RunOutcome::Pass,
            RowOutcome::Fail(_) => RunOutcome::Fail,
            RowOutcome::Error(_) => RunOutcome::Error,
        };
        Self { expected: row.expected.map(node), made: row.made, outcome }
    }
}

/// A value, or the beginning of its text if it is too long.
pub(crate) fn kept(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= MOST_KEPT { value } else { Value::String(kept_text(&text)) }
}

/// The beginning of a text, with an ellipsis if something is cut.
#[must_use]
pub(crate) fn kept_text(text: &str) -> String {
    if text.len() <= MOST_KEPT {
        return text.to_owned();
    }
    let end = (0..=MOST_KEPT).rev().find(|at| text.is_char_boundary(*at));
    format!("{}…", &text[..end.unwrap_or_default()])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let call = RecordedCall {
            name: "a".to_owned(),
            arguments: json!({"x": 1}),
            result: json!("好".repeat(3_000)),
            mistake: None,
        };
        let kept = call.clone().kept();
        assert_eq!(kept.arguments, call.arguments);
        let text = kept.result.as_str().unwrap();
        assert!(text.len() <= MOST_KEPT + 3 && text.starts_with("\"好") && text.ends_with("好…"));
    }
}
