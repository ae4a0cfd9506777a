//! The next step of a smoke run.

use serde_json::Value;
use sidecar_form::moment;

use super::{LedInput, LedRecord, LedStep};
use crate::lead::{CHANGES, LISTINGS};
use crate::page::{ListedTool, PageResult};
use crate::reason::RunReason;
use crate::record::RunRecord;
use crate::smoke::{self, SmokeCall, SmokeCase, failure, record, unjudged};
use crate::suite::EvalSuite;

/// What comes after these steps, in the only case of a suite.
pub(super) fn next(
    suite: &EvalSuite,
    today: &str,
    allow_consequential: bool,
    inputs: &[LedInput],
) -> LedStep {
    let tomorrow = moment::day_after(today).unwrap_or_default();
    let Ok(planned) = smoke::plan(suite, &tomorrow) else { return LedStep::Unknown };
    planned.first().map_or(LedStep::Unknown, |case| next_of(case, allow_consequential, inputs))
}

/// What comes after these steps of a case. The page's tools are listed before each call, so that those are found that came
/// with the one before; unless consequential ones are allowed, the case ends before a call of one.
#[must_use]
pub fn next_of(case: &SmokeCase, allow_consequential: bool, inputs: &[LedInput]) -> LedStep {
    let (mut results, mut listed, mut tries) = (Vec::new(), None, 0);
    for input in inputs {
        match input {
            LedInput::Listed(tools) => listed = Some(tools),
            LedInput::Changed if tries + 1 < LISTINGS => (listed, tries) = (None, tries + 1),
            LedInput::Changed => {
                results.push(PageResult::Failed(CHANGES.to_owned()));
                (listed, tries) = (None, 0);
            }
            LedInput::Returned(result) => {
                results.push(result.clone());
                (listed, tries) = (None, 0);
            }
            LedInput::Failed(reason) => {
                // The call that was under way may have acted.
                if listed.is_some() && results.len() < case.calls.len() {
                    results.push(PageResult::Answered(Value::Null));
                }
                return over(unjudged(case, &results, reason.clone(), 0));
            }
            LedInput::Answered(_) | LedInput::Seen(_) => return LedStep::Unknown,
        }
    }
    let last = results.last().zip(case.calls.get(results.len().saturating_sub(1)));
    let has_failed = last.is_some_and(|(result, call)| failure(call, result).is_some());
    if has_failed || results.len() >= case.calls.len() {
        return over(record(case, &results, 0));
    }
    let Some(tools) = listed else { return LedStep::List };
    if tools.is_empty() && results.is_empty() {
        return over(unjudged(case, &results, RunReason::NoTools, 0));
    }
    let left = &case.calls[results.len()..];
    if let Some(tool) = held(left, tools).filter(|_| !allow_consequential) {
        return over(unjudged(case, &results, RunReason::Consequential { tool }, 0));
    }
    let call = &left[0];
    LedStep::Call { name: call.name.clone(), arguments: call.arguments.clone().into(), is_repaired: false }
}

/// The first tool of the calls that is consequential.
fn held(calls: &[SmokeCall], tools: &[ListedTool]) -> Option<String> {
    let is_held = |name: &str| tools.iter().any(|tool| tool.name() == name && tool.is_consequential());
    calls.iter().find(|call| is_held(&call.name)).map(|call| call.name.clone())
}

fn over(record: RunRecord) -> LedStep {
    LedStep::Over(LedRecord { record, ..LedRecord::default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judged::RunOutcome;

    fn step(allow_consequential: bool, inputs: &[LedInput]) -> LedStep {
        let expected = json!([
            {"functionName": "find", "arguments": {"date": {"$type": "string"}}},
            {"functionName": "buy", "arguments": {"count": {"$gte": 2}}},
        ]);
        let file = json!([{"messages": [], "expectedCall": expected}]);
        let suite = crate::suite::read(file.to_string().as_bytes()).unwrap();
        next(&suite, "2026-11-27", allow_consequential, inputs)
    }

    fn listed() -> LedInput {
        let tools = json!([{"name": "find"}, {"name": "buy"}]);
        LedInput::Listed(serde_json::from_value(tools).unwrap())
    }

    fn ended(step: LedStep) -> RunRecord {
        match step {
            LedStep::Over(led) => led.record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn inspector_case_73_calls_are_made_one_after_the_other_each_of_a_tool_just_listed() {
        let call = |name: &str, arguments| {
            let name = name.to_owned();
            LedStep::Call { name, arguments, is_repaired: false }
        };
        let mut inputs = Vec::new();
        assert_eq!(step(true, &inputs), LedStep::List);
        inputs.push(listed());
        assert_eq!(step(true, &inputs), call("find", json!({"date": "2026-11-28"})));
        inputs.push(LedInput::Returned(PageResult::Answered(json!(["tea"]))));
        assert_eq!(step(true, &inputs), LedStep::List);
        inputs.extend([listed(), LedInput::Changed]);
        assert_eq!(step(true, &inputs), LedStep::List);
        inputs.push(listed());
        assert_eq!(step(true, &inputs), call("buy", json!({"count": 2})));
        let mut failed = inputs.clone();
        failed.push(LedInput::Returned(PageResult::Answered(json!({"success": false}))));
        let record = ended(step(true, &failed));
        assert_eq!((record.outcome, record.calls.len(), record.matched), (RunOutcome::Fail, 2, 1));
        inputs.push(LedInput::Returned(PageResult::Answered(json!("bought"))));
        let record = ended(step(true, &inputs));
        assert_eq!((record.outcome, record.calls.len(), record.matched), (RunOutcome::Pass, 2, 2));
    }

    #[test]
    fn inspector_case_28_smoke_run_with_a_consequential_tool_is_skipped_before_its_first_call() {
        let record = ended(step(false, &[listed()]));
        assert_eq!(record.reasons, [RunReason::Consequential { tool: "buy".to_owned() }]);
        assert!(record.calls.is_empty());
        let found = serde_json::from_value(json!([{"name": "find"}])).unwrap();
        let made = LedInput::Returned(PageResult::Answered(json!(["tea"])));
        let late = ended(step(false, &[LedInput::Listed(found), made, listed()]));
        assert_eq!((late.outcome, late.calls.len()), (record.outcome, 1), "what was done stays known");
    }

    #[test]
    fn page_that_cannot_be_used_and_a_tool_that_keeps_changing_end_a_smoke_run() {
        let none = ended(step(true, &[LedInput::Listed(Vec::new())]));
        assert_eq!(none.reasons, [RunReason::NoTools]);
        let gone = RunReason::PageGone { why: "closed".to_owned() };
        let failed = LedInput::Failed(gone.clone());
        let record = ended(step(true, &[listed(), failed.clone()]));
        assert_eq!((record.reasons.as_slice(), record.calls.len()), (&[gone][..], 1), "it may have acted");
        assert_eq!(ended(step(true, &[failed])).calls.len(), 0);
        let changing = (0..LISTINGS).flat_map(|_| [listed(), LedInput::Changed]).collect::<Vec<_>>();
        assert_eq!(ended(step(true, &changing)).outcome, RunOutcome::Fail);
        assert_eq!(step(true, &changing[..changing.len() - 1]), step(true, &[listed()]));
    }
}
