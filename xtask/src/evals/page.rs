//! A browser with a page whose tools are tried out: the program `tests/evals-page.mjs`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sidecar_evals::page::{ListedTool, PageResult};
use sidecar_evals::reason::RunReason;
use sidecar_evals::report::SiteFacts;
use sidecar_evals::scripted::{ElementLook, SeenElement};

/// How long the browser may take to close.
const CLOSING: Duration = Duration::from_secs(10);

/// A browser with the page.
pub(super) struct PageProgram {
    program: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl PageProgram {
    /// Starts the browser, with this Node.js.
    pub fn start(mut node: Command, url: &str, more: &[&str]) -> Result<Self> {
        let mut program = node
            .args(["evals-page.mjs", "--url", url])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js does not start")?;
        let asks = program.stdin.take();
        let answers = program.stdout.take().context("the program's output was asked for")?;
        Ok(Self { program, asks, answers: BufReader::new(answers) })
    }

    /// Loads the page anew.
    pub fn open(&mut self) -> Result<SiteFacts, RunReason> {
        self.ask(&json!({"open": true}), "opened")
    }

    /// Its tools, when their list is quiet.
    pub fn list(&mut self) -> Result<Vec<ListedTool>, RunReason> {
        self.ask(&json!({"list": true}), "tools")
    }

    /// Makes a call of a tool that is as it was when the tools were last listed; `None` if it is not.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Result<Option<PageResult>, RunReason> {
        let answer = self.answer(&json!({"call": {"name": name, "arguments": arguments}}))?;
        Ok((answer["changed"] != true).then(|| result(answer)))
    }

    /// What elements are like.
    pub fn look(&mut self, looks: &[ElementLook]) -> Result<Vec<SeenElement>, RunReason> {
        self.ask(&json!({ "look": looks }), "seen")
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &Value, key: &str) -> Result<T, RunReason> {
        let mut answer = self.answer(question)?;
        serde_json::from_value(answer[key].take())
            .map_err(|error| RunReason::PageGone { why: error.to_string() })
    }

    fn answer(&mut self, question: &Value) -> Result<Value, RunReason> {
        let answer = self.line(question).map_err(|error| RunReason::PageGone { why: error.to_string() })?;
        match answer["gone"].as_str() {
            Some(why) => Err(RunReason::PageGone { why: why.to_owned() }),
            None => Ok(answer),
        }
    }

    fn line(&mut self, question: &Value) -> Result<Value> {
        let asks = self.asks.as_mut().context("the browser is closed")?;
        writeln!(asks, "{question}")?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the browser ended; what it printed says why");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

/// What came of a call.
fn result(answer: Value) -> PageResult {
    if answer["missing"] == true {
        PageResult::Missing
    } else if answer["waiting"] == true {
        PageResult::waiting()
    } else if let Some(address) = answer["left"].as_str() {
        PageResult::left(address)
    } else if let Some(why) = answer["failed"].as_str() {
        PageResult::Failed(why.to_owned())
    } else {
        PageResult::read(answer["returned"].as_str())
    }
}

impl Drop for PageProgram {
    fn drop(&mut self) {
        // Without questions it closes its browser and ends.
        drop(self.asks.take());
        let until = Instant::now() + CLOSING;
        while Instant::now() < until {
            if let Ok(Some(_)) = self.program.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
