//! What was asked and what was done, as texts to take along.

use serde_json::{Value, json};
use sidecar_evals::record::RunRecord;
use sidecar_protocol::eval::EvalPlan;
use sidecar_protocol::secret::MASK;

/// The question of a plan.
pub fn asked_in(plan: &EvalPlan) -> String {
    let suite: Value = serde_json::from_str(&plan.suite).unwrap_or_default();
    suite[0]["messages"][0]["content"].as_str().unwrap_or_default().to_owned()
}

/// All of it: JSON text.
pub fn trace(question: &str, record: &RunRecord) -> String {
    let calls = record.calls.iter().map(|call| {
        json!({"name": call.name, "arguments": call.arguments, "result": call.result, "mistake": call.mistake})
    });
    let whole = json!({
        "question": question,
        "model": record.model,
        "calls": calls.collect::<Vec<_>>(),
        "answer": record.text,
        "usage": record.usage,
        "ms": record.ms,
    });
    serde_json::to_string_pretty(&whole).unwrap_or_default()
}

/// A suite of one case that expects the calls that were made: text of a file. What was masked may be anything; a call that
/// could not be read, or was too long to be kept, is left out.
pub fn as_suite(question: &str, record: &RunRecord) -> String {
    let calls = record.calls.iter().filter(|call| call.arguments.is_object()).map(|call| {
        let mut node = json!({"functionName": call.name, "arguments": expected(&call.arguments)});
        if !call.result.is_null() {
            node["mockOutput"] = call.result.clone();
        }
        node
    });
    let case = json!({
        "messages": [{"role": "user", "type": "message", "content": question}],
        "expectedCall": calls.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&json!([case])).unwrap_or_default()
}

/// What arguments have to be like.
fn expected(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains(MASK) => json!({"$any": true}),
        Value::Array(values) => values.iter().map(expected).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), expected(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
