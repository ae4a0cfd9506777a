//! Makes the expected calls of a suite in a page, without a model.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sidecar_evals::EvalSuite;
use sidecar_evals::record::RunRecord;
use sidecar_evals::smoke::{SmokeCall, SmokeCase, SmokeResult, failure, record, unopened};
use sidecar_protocol::settings::Language;

use super::output;
use crate::e2e::SuiteSetup;

/// Makes the calls of each case in a page that is loaded anew for it.
pub(super) fn perform(
    suite: &EvalSuite,
    cases: &[SmokeCase],
    url: &str,
    language: Language,
) -> Result<Vec<RunRecord>> {
    let mut page = SmokePage::open(url)?;
    let started = Instant::now();
    let mut records = Vec::new();
    for case in cases {
        let began = Instant::now();
        let made = page.make(case)?;
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let record = match made {
            Ok(results) => record(case, &results, ms),
            Err(why) => unopened(case, &why, ms),
        };
        let name = suite.cases[case.case].name();
        output::progress(&record, name, records.len() + 1, cases.len(), started.elapsed(), language);
        records.push(record);
    }
    Ok(records)
}

/// A browser with the page.
struct SmokePage {
    program: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl SmokePage {
    fn open(url: &str) -> Result<Self> {
        let mut program = SuiteSetup::without_extension()?
            .node()
            .args(["evals-page.mjs", "--url", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js does not start")?;
        let asks = program.stdin.take();
        let answers = program.stdout.take().context("the program's output was asked for")?;
        Ok(Self { program, asks, answers: BufReader::new(answers) })
    }

    /// Makes the calls of a case, up to the first that fails; `Err` inside if the page cannot be opened.
    fn make(&mut self, case: &SmokeCase) -> Result<Result<Vec<SmokeResult>, String>> {
        let opened = self.ask(&json!({"open": true}))?;
        if opened["opened"] != true {
            return Ok(Err(opened["failed"].as_str().unwrap_or_default().to_owned()));
        }
        let mut results = Vec::new();
        for call in &case.calls {
            let result = self.call(call)?;
            let failed = failure(call, &result).is_some();
            results.push(result);
            if failed {
                break;
            }
        }
        Ok(Ok(results))
    }

    fn call(&mut self, call: &SmokeCall) -> Result<SmokeResult> {
        let mut answer = self.ask(&json!({"call": {"name": call.name, "arguments": call.arguments}}))?;
        Ok(if answer["missing"] == true {
            SmokeResult::Missing
        } else if let Some(why) = answer["failed"].as_str() {
            SmokeResult::Failed(why.to_owned())
        } else {
            SmokeResult::Answered(answer["answered"].take())
        })
    }

    fn ask(&mut self, question: &Value) -> Result<Value> {
        let asks = self.asks.as_mut().context("the browser is closed")?;
        writeln!(asks, "{question}")?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the browser ended; what it printed says why");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for SmokePage {
    fn drop(&mut self) {
        // Without questions it closes its browser and ends.
        drop(self.asks.take());
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if let Ok(Some(_)) = self.program.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
