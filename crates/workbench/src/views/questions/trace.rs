//! What was asked and what was done, as texts to take along.

use serde_json::{Value, json};
use sidecar_evals::record::RunRecord;
use sidecar_protocol::eval::EvalPlan;

/// The question of a plan.
pub fn question_of(plan: &EvalPlan) -> String {
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

/// A suite of one case that expects the calls that were made: text of a file.
pub fn as_suite(question: &str, record: &RunRecord) -> String {
    let calls = record.calls.iter().map(
        |call| json!({"functionName": call.name, "arguments": call.arguments, "mockOutput": call.result}),
    );
    let case = json!({
        "messages": [{"role": "user", "type": "message", "content": question}],
        "expectedCall": calls.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&json!([case])).unwrap_or_default()
}
