//! Makes the expected calls of a suite in a page, without a model.

use std::time::Instant;

use anyhow::Result;
use sidecar_evals::EvalSuite;
use sidecar_evals::exchange::smoke_steps::next_of;
use sidecar_evals::exchange::{LedInput, LedStep};
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::smoke::{MODEL, SmokeCase};
use sidecar_protocol::settings::Language;

use super::options::RunOptions;
use super::output;
use super::page::PageProgram;
use super::service::ms;
use crate::e2e::SuiteSetup;

/// Makes the calls of each case in a page that is loaded anew for it. The names of the page's tools, as they were at first,
/// come with what is kept of the cases.
pub(super) fn perform(
    suite: &EvalSuite,
    cases: &[SmokeCase],
    options: &RunOptions,
    language: Language,
) -> Result<(Vec<RunRecord>, Vec<String>)> {
    let node = SuiteSetup::without_extension()?.node();
    let mut page = PageProgram::start(node, options.page(suite), &["--native"])?;
    let started = Instant::now();
    let mut records: Vec<RunRecord> = Vec::new();
    let mut tools = None;
    for case in cases {
        let began = Instant::now();
        let opened = page.open().map(|_| ());
        let record = make(case, options.allow_consequential, opened, |step| {
            let input = take(step, &mut page)?;
            if let LedInput::Listed(listed) = &input {
                tools.get_or_insert_with(|| listed.iter().map(|tool| tool.name().to_owned()).collect());
            }
            Ok(input)
        });
        let record = RunRecord { ms: ms(began.elapsed()), ..record };
        let name = suite.cases[case.case].name();
        output::progress(&record, name, records.len() + 1, cases.len(), started.elapsed(), language);
        records.push(record);
    }
    let is_held = |reason: &RunReason| matches!(reason, RunReason::Consequential { .. });
    if records.iter().flat_map(|record| &record.reasons).any(is_held) {
        eprintln!(
            "  · cases with a consequential tool are skipped; --allow-consequential lets its calls reach the page"
        );
    }
    Ok((records, tools.unwrap_or_default()))
}

/// Makes the calls of a case, up to the first that fails, or before one that is held back.
pub(super) fn make(
    case: &SmokeCase,
    allow_consequential: bool,
    opened: Result<(), RunReason>,
    mut take: impl FnMut(LedStep) -> Result<LedInput, RunReason>,
) -> RunRecord {
    let mut inputs: Vec<_> = opened.err().map(LedInput::Failed).into_iter().collect();
    loop {
        match next_of(case, allow_consequential, &inputs) {
            LedStep::Over(led) => return led.record,
            LedStep::Unknown => {
                let reason = RunReason::NotJudged { why: "this program failed".to_owned() };
                let record = RunRecord::unjudged(reason);
                return RunRecord { case: case.case, model: MODEL.to_owned(), ..record };
            }
            step => inputs.push(take(step).unwrap_or_else(LedInput::Failed)),
        }
    }
}

/// Takes a step.
pub(super) fn take(step: LedStep, page: &mut PageProgram) -> Result<LedInput, RunReason> {
    match step {
        LedStep::List => page.list().map(LedInput::Listed),
        LedStep::Call { name, arguments, .. } => {
            Ok(page.call(&name, &arguments)?.map_or(LedInput::Changed, LedInput::Returned))
        }
        LedStep::Ask { .. } | LedStep::Look(_) | LedStep::Over(_) | LedStep::Unknown => {
            Err(RunReason::NotJudged { why: "a smoke run has no such step".to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use sidecar_evals::RunOutcome;
    use sidecar_evals::page::PageResult;
    use sidecar_evals::smoke::SmokeCall;

    use super::*;

    /// Makes the calls in a page with these tools; the names of the tools that were called besides.
    fn made(
        calls: &[&str],
        allow_consequential: bool,
        opened: Result<(), RunReason>,
    ) -> (RunRecord, Vec<String>) {
        let call = |name: &&str| SmokeCall { name: (*name).to_owned(), arguments: Map::new() };
        let case = SmokeCase { case: 2, calls: calls.iter().map(call).collect() };
        let mut called = Vec::new();
        let tools = json!([{"name": "find"}, {"name": "buy"}, {"name": "look"}]);
        let record = make(&case, allow_consequential, opened, |step| match step {
            LedStep::List => Ok(LedInput::Listed(serde_json::from_value(tools.clone()).unwrap())),
            LedStep::Call { name, .. } => {
                called.push(name);
                Ok(LedInput::Returned(PageResult::Answered(json!("done"))))
            }
            other => panic!("{other:?}"),
        });
        (record, called)
    }

    #[test]
    fn inspector_case_28_command_line_makes_no_consequential_call_without_consent() {
        let (held, called) = made(&["find", "buy"], false, Ok(()));
        assert_eq!((held.outcome, held.case, &*held.model), (RunOutcome::Skipped, 2, MODEL));
        assert_eq!(held.reasons, [RunReason::Consequential { tool: "buy".to_owned() }]);
        assert!(called.is_empty(), "{called:?}");
        let (allowed, called) = made(&["find", "buy"], true, Ok(()));
        assert_eq!((allowed.outcome, called), (RunOutcome::Pass, vec!["find".to_owned(), "buy".to_owned()]));
        let (harmless, called) = made(&["find", "look"], false, Ok(()));
        assert_eq!((harmless.outcome, called.len()), (RunOutcome::Pass, 2));
    }

    #[test]
    fn page_that_does_not_open_is_asked_nothing() {
        let gone = RunReason::PageGone { why: "no network".to_owned() };
        let (record, called) = made(&["find"], false, Err(gone.clone()));
        assert_eq!((record.outcome, record.reasons, called.len()), (RunOutcome::Error, vec![gone], 0));
    }
}
