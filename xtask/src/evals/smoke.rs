//! Makes the expected calls of a suite in a page, without a model.

use std::time::Instant;

use anyhow::Result;
use serde_json::Value;
use sidecar_evals::EvalSuite;
use sidecar_evals::page::PageResult;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::smoke::{SmokeCase, failure, record, unjudged};
use sidecar_protocol::settings::Language;

use super::output;
use super::page::PageProgram;
use crate::e2e::SuiteSetup;

/// Makes the calls of each case in a page that is loaded anew for it.
pub(super) fn perform(
    suite: &EvalSuite,
    cases: &[SmokeCase],
    url: &str,
    language: Language,
) -> Result<Vec<RunRecord>> {
    let mut page = PageProgram::start(SuiteSetup::without_extension()?.node(), url, &["--native"])?;
    let started = Instant::now();
    let mut records = Vec::new();
    for case in cases {
        let began = Instant::now();
        let made = make(&mut page, case);
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let record = match made {
            Ok(results) => record(case, &results, ms),
            Err((results, reason)) => unjudged(case, &results, reason, ms),
        };
        let name = suite.cases[case.case].name();
        output::progress(&record, name, records.len() + 1, cases.len(), started.elapsed(), language);
        records.push(record);
    }
    Ok(records)
}

/// Makes the calls of a case, up to the first that fails.
fn make(page: &mut PageProgram, case: &SmokeCase) -> Result<Vec<PageResult>, (Vec<PageResult>, RunReason)> {
    let mut results = Vec::new();
    page.open().map_err(|reason| (Vec::new(), reason))?;
    for call in &case.calls {
        let arguments = Value::Object(call.arguments.clone());
        let result = match page.call_anyhow(&call.name, &arguments) {
            Ok(result) => result,
            Err(reason) => return Err((results, reason)),
        };
        let failed = failure(call, &result).is_some();
        results.push(result);
        if failed {
            break;
        }
    }
    Ok(results)
}
