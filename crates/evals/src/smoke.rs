//! Smoke runs: the expected calls of a suite are made in a page, without a model. Do the tools work at all?
//!
//! As with webmcp-evals: expectations become arguments, operators values that roughly hold, and a result that looks like a
//! failure is one.

use serde_json::{Map, Value, json};
use sidecar_form::{Fill, example};
use sidecar_locales::fill;
use sidecar_protocol::settings::Language;

use crate::expected::{CallNode, ExpectedNode};
use crate::judged::RunOutcome;
use crate::masked::{masked, masked_reason};
use crate::page::PageResult;
use crate::pattern;
use crate::reason::RunReason;
use crate::record::{RecordedCall, RecordedNode, RecordedRow, RunRecord, kept, kept_text};
use crate::simulation::SetupCall;
use crate::suite::EvalSuite;
use crate::wording::word;

/// What stands for a text that any will do for.
const SAMPLE: &str = "sample";

/// The calls of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct SmokeCase {
    /// Number of the case, from 0.
    pub case: usize,
    /// Its calls, in the order of the file, groups flattened; first those that prepare the page.
    pub calls: Vec<SmokeCall>,
}

/// A call to make.
#[derive(Debug, Clone, PartialEq)]
pub struct SmokeCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Why a suite cannot be run without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmokeFault {
    /// The first case that cannot, by number from 0.
    pub case: usize,
    /// What is wrong with it.
    pub problem: SmokeProblem,
}

/// What is wrong with a case without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmokeProblem {
    /// It has no call that is required.
    NoCall,
    /// A call has no arguments.
    NoArguments,
    /// The calls that prepare the page cannot be read.
    Setup,
}

impl SmokeFault {
    /// What is wrong, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = match self.problem {
            SmokeProblem::NoCall => word::SMOKE_NO_CALL,
            SmokeProblem::NoArguments => word::SMOKE_NO_ARGUMENTS,
            SmokeProblem::Setup => word::SMOKE_SETUP,
        };
        fill(word.text(language), &[("case", &(self.case + 1).to_string())])
    }
}

/// The calls of a suite. The whole file is checked first. `tomorrow` is a date, as `2026-11-27`.
///
/// # Errors
/// [`SmokeFault`]
pub fn plan(suite: &EvalSuite, tomorrow: &str) -> Result<Vec<SmokeCase>, SmokeFault> {
    let case = |number| {
        let (setup, calls) = required(suite, number)?;
        let prepare = |SetupCall { name, arguments }: &SetupCall| SmokeCall {
            name: name.clone(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
        };
        let call = |(name, expected): NamedExpectation<'_>| {
            let arguments = expected.iter().map(|(key, value)| (key.clone(), value_of(key, value, tomorrow)));
            SmokeCall { name: name.clone(), arguments: arguments.collect() }
        };
        let calls = setup.iter().map(prepare).chain(calls.into_iter().map(call));
        Ok(SmokeCase { case: number, calls: calls.collect() })
    };
    (0..suite.cases.len()).map(case).collect()
}

/// Why these cases cannot be run without a model; nothing if they can.
#[must_use]
pub fn fault(suite: &EvalSuite, cases: &[usize]) -> Option<SmokeFault> {
    cases.iter().find_map(|number| required(suite, *number).err())
}

/// Name of a tool, and what is expected of its arguments.
type NamedExpectation<'s> = (&'s String, &'s Map<String, Value>);

/// The calls that prepare the page for a case, and its required ones.
fn required<'s>(
    suite: &'s EvalSuite,
    number: usize,
) -> Result<(&'s [SetupCall], Vec<NamedExpectation<'s>>), SmokeFault> {
    let fault = |problem| SmokeFault { case: number, problem };
    let case = suite.cases.get(number).ok_or(fault(SmokeProblem::NoCall))?;
    let nodes: Vec<&'s CallNode> = case.expected.nodes().iter().flat_map(ExpectedNode::calls).collect();
    if nodes.iter().all(|node| node.is_optional) {
        return Err(fault(SmokeProblem::NoCall));
    }
    let setup = case.extras.setup.as_deref().map_err(|_| fault(SmokeProblem::Setup))?;
    let call = |node: &'s CallNode| match &node.arguments {
        Some(Value::Object(expected)) => Ok((&node.name, expected)),
        Some(_) | None => Err(fault(SmokeProblem::NoArguments)),
    };
    let calls = nodes.into_iter().filter(|node| !node.is_optional).map(call).collect::<Result<_, _>>()?;
    Ok((setup, calls))
}

/// A value that roughly is as expected.
fn value_of(key: &str, expected: &Value, tomorrow: &str) -> Value {
    match expected {
        Value::Object(members) if members.keys().all(|key| key.starts_with('$')) => {
            // The first operator decides; without one, it is an object without members.
            let first = members.iter().next();
            first.map_or_else(
                || json!({}),
                |(operator, operand)| operator_value(key, operator, operand, tomorrow),
            )
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| (key.clone(), value_of(key, member, tomorrow)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| value_of(key, item, tomorrow)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => expected.clone(),
    }
}

fn operator_value(key: &str, operator: &str, operand: &Value, tomorrow: &str) -> Value {
    match (operator, operand) {
        ("$pattern", Value::String(pattern)) => text_of(pattern),
        ("$type", Value::String(kind)) => match kind.as_str() {
            "string" if key.to_lowercase().contains("date") => tomorrow.into(),
            "number" | "integer" => 1.into(),
            "boolean" => true.into(),
            "array" => json!([]),
            "object" => json!({}),
            "null" => Value::Null,
            _ => SAMPLE.into(),
        },
        ("$eq" | "$contains" | "$gt" | "$gte" | "$lt" | "$lte", operand) => operand.clone(),
        _ => SAMPLE.into(),
    }
}

/// A text in which a pattern is found, as far as one can be made up.
fn text_of(pattern: &str) -> Value {
    let (_, plain) = pattern::parts(pattern);
    let made = example(
        &json!({"type": "object", "properties": {"text": {"type": "string", "pattern": plain}}}),
        Fill::All,
    );
    let made: Value = serde_json::from_str(&made.text).unwrap_or_default();
    made.get("text").filter(|text| text.is_string()).cloned().unwrap_or_else(|| SAMPLE.into())
}

/// Why a result is a failure; `None` if it is none.
#[must_use]
pub fn failure(call: &SmokeCall, result: &PageResult) -> Option<RunReason> {
    let tool = || call.name.clone();
    match result {
        PageResult::Missing => Some(RunReason::UnknownTool { tool: tool() }),
        PageResult::Failed(text) => {
            Some(masked_reason(RunReason::ToolError { tool: tool(), text: kept_text(text) }))
        }
        PageResult::Answered(value) => looks_failed(value).then(|| RunReason::ToolError {
            tool: tool(),
            text: kept_text(&masked(value.clone()).to_string()),
        }),
    }
}

fn looks_failed(value: &Value) -> bool {
    let has_error = |text: &str| text.trim_start().to_lowercase().starts_with("error");
    match value {
        Value::String(text) => has_error(text),
        Value::Object(members) => {
            let is = |key: &str, wanted: bool| members.get(key) == Some(&Value::Bool(wanted));
            is("success", false)
                || is("isError", true)
                || members
                    .get("error")
                    .is_some_and(|error| error.as_str().is_some_and(|text| !text.is_empty()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// What is kept of a case whose calls were made, up to the first that failed.
#[must_use]
pub fn record(case: &SmokeCase, results: &[PageResult], ms: u64) -> RunRecord {
    let pairs = || case.calls.iter().zip(results);
    let reasons: Vec<_> = pairs().filter_map(|(call, result)| failure(call, result)).collect();
    let call = |(call, result): (&SmokeCall, &PageResult)| {
        let result = result.clone().into_value().unwrap_or_default();
        let arguments = Value::Object(call.arguments.clone());
        RecordedCall { name: call.name.clone(), arguments, result, mistake: None }.kept()
    };
    let row = |(made, (wanted, result)): (usize, (&SmokeCall, &PageResult))| RecordedRow {
        expected: Some(RecordedNode {
            name: wanted.name.clone(),
            arguments: Some(kept(Value::Object(wanted.arguments.clone()))),
        }),
        made: Some(made),
        outcome: if failure(wanted, result).is_some() { RunOutcome::Fail } else { RunOutcome::Pass },
    };
    let rows: Vec<_> = pairs().enumerate().map(row).collect();
    let passed = rows.iter().filter(|row| row.outcome == RunOutcome::Pass).count();
    RunRecord {
        case: case.case,
        model: MODEL.to_owned(),
        outcome: if reasons.is_empty() { RunOutcome::Pass } else { RunOutcome::Fail },
        reasons,
        calls: pairs().map(call).collect(),
        rows,
        required: u32::try_from(case.calls.len()).unwrap_or(u32::MAX),
        matched: u32::try_from(passed).unwrap_or(u32::MAX),
        ms,
        ..RunRecord::default()
    }
}

/// What is kept of a case that nobody can judge: the calls that were made until then. The last one may have no result.
#[must_use]
pub fn unjudged(case: &SmokeCase, results: &[PageResult], reason: RunReason, ms: u64) -> RunRecord {
    RunRecord {
        outcome: reason.unjudged(),
        reasons: vec![reason],
        matched: 0,
        rows: Vec::new(),
        ..record(case, results, ms)
    }
}

/// What stands for the model in a report of a smoke run.
pub const MODEL: &str = "smoke";

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(expected: &Value) -> EvalSuite {
        crate::suite::read(json!([{"messages": [], "expectedCall": expected}]).to_string().as_bytes())
            .unwrap()
    }

    fn arguments(expected: Value) -> Value {
        let nodes = json!([{"functionName": "a", "arguments": expected}]);
        Value::Object(plan(&suite(&nodes), "2026-11-27").unwrap()[0].calls[0].arguments.clone())
    }

    #[test]
    fn expectations_become_arguments() {
        let expected = json!({
            "group": {"$pattern": "(?:red|blue)-\\d"}, "flags": {"$pattern": "(?i)^ab$"}, "plain": [1, {"x": {"$eq": 2}}], "text": {"$pattern": "^(?:AB|CD)\\d{2}$"}, "part": {"$contains": "tea"},
            "most": {"$lt": 5}, "startDate": {"$type": "string"}, "name": {"$type": "string"},
            "count": {"$type": "number"}, "on": {"$type": "boolean"}, "list": {"$type": "array"}, "any": {"$any": true},
        });
        let made = arguments(expected);
        assert_eq!(made["plain"], json!([1, {"x": 2}]));
        let text = made["text"].as_str().unwrap();
        assert!(text.starts_with("AB") && text.len() == 4, "{text}");
        let group = made["group"].as_str().unwrap();
        assert!(group.starts_with("red-") && group.len() == 5, "{group}");
        assert_eq!(made["flags"], "ab");
        for (key, value) in [
            ("part", json!("tea")),
            ("most", json!(5)),
            ("startDate", json!("2026-11-27")),
            ("name", json!("sample")),
            ("count", json!(1)),
            ("on", json!(true)),
            ("list", json!([])),
            ("any", json!("sample")),
        ] {
            assert_eq!(made[key], value, "{key}");
        }
    }

    #[test]
    fn whole_file_is_checked_first_and_optional_calls_are_left_out() {
        let optional = json!([{"functionName": "a", "arguments": {}, "optional": true}]);
        for (expected, problem) in [
            (json!(null), SmokeProblem::NoCall),
            (optional, SmokeProblem::NoCall),
            (json!([{"functionName": "a"}]), SmokeProblem::NoArguments),
            (json!([{"functionName": "a", "arguments": [1]}]), SmokeProblem::NoArguments),
        ] {
            assert_eq!(plan(&suite(&expected), ""), Err(SmokeFault { case: 0, problem }), "{expected}");
        }
        let mixed = json!([
            {"messages": [], "expectedCall": [{"functionName": "a", "arguments": {}}]}, {"messages": [], "expectedCall": null},
        ]);
        let mixed = crate::suite::read(mixed.to_string().as_bytes()).unwrap();
        assert_eq!(super::fault(&mixed, &[0]), None);
        assert_eq!(
            super::fault(&mixed, &[0, 1]),
            Some(SmokeFault { case: 1, problem: SmokeProblem::NoCall })
        );
        let group = json!([{"unordered": [
            {"functionName": "a", "arguments": {}}, {"functionName": "b", "arguments": {}, "optional": true},
        ]}, {"functionName": "c", "arguments": {}}]);
        let planned = plan(&suite(&group), "").unwrap();
        let names: Vec<_> = planned[0].calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        for problem in [SmokeProblem::NoCall, SmokeProblem::NoArguments, SmokeProblem::Setup] {
            assert!(SmokeFault { case: 3, problem }.sentence(Language::English).contains('4'));
        }
    }

    #[test]
    fn calls_that_prepare_the_page_come_first() {
        let planned = |setup: Value| {
            let expected = json!([{"functionName": "a", "arguments": {}}]);
            let case = json!([{"messages": [], "expectedCall": expected, "x-sidecar": {"setup": setup}}]);
            plan(&crate::suite::read(case.to_string().as_bytes()).unwrap(), "")
        };
        let made = planned(json!([{"functionName": "clear", "arguments": {"all": {"$any": true}}}])).unwrap();
        let call = |name: &str, arguments: Value| SmokeCall {
            name: name.to_owned(),
            arguments: arguments.as_object().unwrap().clone(),
        };
        assert_eq!(made[0].calls, [call("clear", json!({"all": {"$any": true}})), call("a", json!({}))]);
        let unread = planned(json!([{"functionName": "clear"}]));
        assert_eq!(unread, Err(SmokeFault { case: 0, problem: SmokeProblem::Setup }));
    }

    #[test]
    fn inspector_case_73_result_that_looks_like_a_failure_fails_by_the_tools_name() {
        let call = SmokeCall { name: "buy".to_owned(), arguments: Map::new() };
        for (value, fails) in [
            (json!({"success": false}), true),
            (json!({"isError": true, "content": []}), true),
            (json!({"error": "no stock"}), true),
            (json!("Error: no stock"), true),
            (json!({"success": true, "error": ""}), false),
            (json!("no errors"), false),
            (json!(null), false),
            (json!([{"error": "x"}]), false),
        ] {
            assert_eq!(failure(&call, &PageResult::Answered(value.clone())).is_some(), fails, "{value}");
        }
        let case = SmokeCase { case: 0, calls: vec![call.clone(), call] };
        let record = record(&case, &[PageResult::Failed("out of tea".to_owned())], 5);
        assert_eq!((record.outcome, record.calls.len(), record.ms), (RunOutcome::Fail, 1, 5));
        assert_eq!((record.rows.len(), record.required, record.matched), (1, 2, 0));
        let gone = RunReason::PageGone { why: "no network".to_owned() };
        let made = unjudged(&case, &[PageResult::Answered(json!(1))], gone, 1);
        assert_eq!((made.outcome, made.calls.len(), made.reasons.len()), (RunOutcome::Error, 1, 1));
        let secret = json!({"success": false, "token": "sk-abcdefghijklmnop1234"});
        let told =
            failure(&case.calls[0], &PageResult::Answered(secret)).unwrap().sentence(Language::English);
        assert!(!told.contains("abcdefgh"), "{told}");
        let sentence = record.reasons[0].sentence(Language::English);
        assert!(sentence.contains("buy") && sentence.contains("out of tea"), "{sentence}");
        let missing = self::record(&case, &[PageResult::Missing], 5);
        assert_eq!(missing.reasons, [RunReason::UnknownTool { tool: "buy".to_owned() }]);
    }
}
