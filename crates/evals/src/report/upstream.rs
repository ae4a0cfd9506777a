//! A report in the shape of webmcp-evals: an entry for each row of each run of one model.

use serde_json::{Value, json};

use crate::judged::RunOutcome;
use crate::record::{RecordedRow, RunRecord};
use crate::report::{EvalMode, EvalReport};
use crate::suite::EvalSuite;

/// The report of a model. The suite has to be the one that was run.
#[must_use]
pub fn upstream(report: &EvalReport, suite: &EvalSuite, model: &str) -> Value {
    let runs: Vec<_> = report.cells.iter().filter(|record| record.model == model).collect();
    let is_simulation = report.environment.mode == EvalMode::Simulation;
    let entries: Vec<_> = runs.iter().flat_map(|record| entries(suite, record, is_simulation)).collect();
    let count = |outcome: &str| entries.iter().filter(|entry| entry["outcome"] == outcome).count();
    let (pass, fail, error) = (count("pass"), count("fail"), count("error"));
    json!({
        "config": {
            "model": model, "runs": report.settings.runs, "maxSteps": report.settings.max_steps,
        },
        "results": {
            "results": entries, "testCount": runs.len(), "passCount": pass, "failCount": fail, "errorCount": error,
        },
    })
}

/// A simulation has one entry for each run: no call is expected.
fn entries(suite: &EvalSuite, record: &RunRecord, is_simulation: bool) -> Vec<Value> {
    let case = suite.cases.get(record.case).map(|case| case.json());
    let messages = case.and_then(|case| case.get("messages")).cloned().unwrap_or_else(|| json!([]));
    let name = case.and_then(|case| case.get("name")).cloned();
    let trajectory: Vec<_> =
        record.calls.iter().map(|call| json!({"functionName": call.name, "args": call.arguments})).collect();
    let entry = |step: usize, expected: Value, response: Value, outcome: &str| {
        let mut test = json!({"messages": messages, "expectedCall": expected});
        if let Some(name) = &name {
            test["name"] = name.clone();
        }
        json!({
            "test": test, "response": response, "outcome": outcome, "trajectory": trajectory,
            "runIndex": record.run - 1, "stepIndex": step,
        })
    };
    match record.outcome {
        RunOutcome::Skipped | RunOutcome::Cancelled => Vec::new(),
        RunOutcome::Error if record.rows.is_empty() => vec![entry(0, Value::Null, Value::Null, "error")],
        outcome @ (RunOutcome::Pass | RunOutcome::Fail) if is_simulation => {
            let is_passed = outcome == RunOutcome::Pass;
            vec![entry(0, json!([]), Value::Null, if is_passed { "pass" } else { "fail" })]
        }
        RunOutcome::Pass | RunOutcome::Fail | RunOutcome::Error => {
            let row = |(step, row): (usize, &RecordedRow)| {
                let expected = row.expected.as_ref().map_or(
                    Value::Null,
                    |call| json!([{"functionName": call.name, "arguments": call.arguments}]),
                );
                let made = row.made.and_then(|made| record.calls.get(made));
                let response = made.map_or(
                    Value::Null,
                    |call| json!({"functionName": call.name, "args": call.arguments, "result": call.result}),
                );
                entry(step, expected, response, word(row.outcome))
            };
            record.rows.iter().enumerate().map(row).collect()
        }
    }
}

fn word(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Pass => "pass",
        RunOutcome::Fail => "fail",
        RunOutcome::Error | RunOutcome::Skipped | RunOutcome::Cancelled => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extras::VerdictKind;
    use crate::record::RecordedCall;
    use crate::report::testing::report;
    use crate::verdict::EvalVerdict;

    fn run(suite: &EvalSuite, case: usize, run: u32, calls: &[&str]) -> RunRecord {
        let call = |name: &&str| RecordedCall {
            name: (*name).to_owned(),
            arguments: json!({}),
            result: json!({"ok": true}),
            mistake: None,
        };
        let calls: Vec<_> = calls.iter().map(call).collect();
        let verdict = EvalVerdict::of(&suite.cases[case], VerdictKind::Exact, &calls);
        let (outcome, rows) = (verdict.outcome, verdict.rows);
        RunRecord { case, model: "a:x".to_owned(), run, outcome, rows, calls, ..RunRecord::default() }
    }

    #[test]
    fn inspector_case_17_rows_are_entries_and_counters_count_them() {
        let said = json!({"role": "user", "type": "message", "content": "Go"});
        let node = |name: &str| json!({"functionName": name, "arguments": {}});
        let file = json!([
            {"name": "abc", "messages": [said], "expectedCall": [node("a"), node("b"), node("c")]},
            {"messages": [said], "expectedCall": null},
            {"name": "empty", "messages": [], "expectedCall": []},
        ]);
        let suite = crate::suite::read(file.to_string().as_bytes()).unwrap();
        let mut report = report(&[("a:x", &["pp", "pp", "pp"])]);
        report.cells = vec![
            run(&suite, 0, 1, &["a", "x", "b", "c"]),
            run(&suite, 0, 2, &["a"]),
            run(&suite, 1, 1, &[]),
            run(&suite, 1, 2, &["a", "b"]),
            run(&suite, 2, 1, &[]),
            RunRecord { outcome: RunOutcome::Error, rows: vec![], ..run(&suite, 2, 2, &[]) },
        ];
        let shape = upstream(&report, &suite, "a:x");
        let results = &shape["results"];
        let counters = ["testCount", "passCount", "failCount", "errorCount"].map(|key| results[key].clone());
        assert_eq!(counters, [json!(6), json!(3), json!(7), json!(1)]);
        let entries = results["results"].as_array().unwrap();
        let outcomes: Vec<_> = entries.iter().map(|entry| entry["outcome"].as_str().unwrap()).collect();
        assert_eq!(
            outcomes,
            ["pass", "fail", "fail", "fail", "pass", "fail", "fail", "pass", "fail", "fail", "error"]
        );
        assert_eq!(entries[0]["test"]["expectedCall"], json!([node("a")]));
        assert_eq!(entries[0]["response"], json!({"functionName": "a", "args": {}, "result": {"ok": true}}));
        assert_eq!(
            (&entries[3]["test"]["expectedCall"], &entries[5]["response"]),
            (&json!(null), &json!(null))
        );
        assert_eq!((&entries[4]["runIndex"], &entries[5]["stepIndex"]), (&json!(1), &json!(1)));
        assert_eq!(entries[7]["test"], json!({"messages": [said], "expectedCall": null}));
        assert_eq!(upstream(&report, &suite, "b:y")["results"]["testCount"], 0);
        report.environment.mode = EvalMode::Simulation;
        report.cells = report.cells.split_off(4);
        report.cells[0].outcome = RunOutcome::Fail;
        let results = &upstream(&report, &suite, "a:x")["results"];
        assert_eq!((&results["failCount"], &results["errorCount"]), (&json!(1), &json!(1)));
        assert_eq!(results["results"][0]["test"]["expectedCall"], json!([]));
    }
}
