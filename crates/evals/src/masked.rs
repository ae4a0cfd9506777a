//! What is kept of runs, without what looks secret: names of values and words that look like keys.

use serde_json::Value;
use sidecar_protocol::secret::{MASK, is_secret_name, masked_words};

use crate::matcher::Difference;
use crate::reason::RunReason;

/// A value with secrets masked.
pub(crate) fn masked(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(key, value): (String, Value)| {
                let value = if is_secret_name(&key) { hidden(value) } else { masked(value) };
                (key, value)
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(masked).collect()),
        Value::String(text) => Value::String(masked_words(&text).0),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A value with all its texts and numbers masked.
fn hidden(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, value)| (key, hidden(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(hidden).collect()),
        Value::String(text) if text.is_empty() => Value::String(text),
        Value::String(_) | Value::Number(_) => Value::from(MASK),
        Value::Null | Value::Bool(_) => value,
    }
}

/// A reason without the secrets that a model sent, or a page showed.
pub(crate) fn masked_reason(mut reason: RunReason) -> RunReason {
    match &mut reason {
        RunReason::WrongArguments { difference, .. }
        | RunReason::WrongResult { difference, .. }
        | RunReason::Assertion { difference, .. } => {
            let Difference { pointer, actual, .. } = &mut **difference;
            let is_secret = pointer.split('/').any(is_secret_name);
            let mask = if is_secret { hidden } else { masked };
            *actual = actual.take().map(mask);
        }
        RunReason::ToolError { text, .. } => *text = masked_words(text).0,
        RunReason::NoCall
        | RunReason::WrongTool { .. }
        | RunReason::MissingCall { .. }
        | RunReason::ExtraCall { .. }
        | RunReason::WrongOrder
        | RunReason::UnknownTool { .. }
        | RunReason::InvalidArguments { .. }
        | RunReason::StepLimit { .. }
        | RunReason::NotJudged { .. }
        | RunReason::Incomplete
        | RunReason::PageGone { .. }
        | RunReason::NoTools
        | RunReason::TimeLimit { .. }
        | RunReason::Consequential { .. }
        | RunReason::NeedsPage
        | RunReason::Model { .. }
        | RunReason::CostLimit
        | RunReason::Stopped => {}
    }
    reason
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_by_their_names_and_looks() {
        let kept = masked(json!({
            "user": "ann", "password": "hunter22", "card": {"number": 4111, "ok": true},
            "said": ["key sk-a1b2c3d4e5f6a1b2c3d4e5f6"],
        }));
        assert_eq!((&kept["user"], &kept["password"]), (&json!("ann"), &json!(MASK)));
        assert!(!kept.to_string().contains("sk-a1b2"), "{kept}");
        let difference = Difference {
            pointer: "/login/password".to_owned(),
            operator: None,
            expected: json!({"$any": true}),
            actual: Some(json!("hunter22")),
        };
        let reason = RunReason::WrongArguments { tool: "t".to_owned(), difference: Box::new(difference) };
        let text = serde_json::to_string(&masked_reason(reason)).unwrap();
        assert!(!text.contains("hunter22"), "{text}");
    }
}
