//! The programs under `tests/` that are run by a command of their own: demo, bench, chaos, screenshots, a small
//! real model.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::e2e::SuiteSetup;
use crate::setup::node;
use crate::{paths, run, say};

/// Where things are that a program alone needs, by the variables in which it is told.
pub type ScriptVariables = Vec<(&'static str, PathBuf)>;

/// Run one with its arguments, once `prepare` has brought what it alone needs. Its exit code is ours.
pub fn run(
    file: &str,
    arguments: &[String],
    prepare: impl FnOnce() -> Result<ScriptVariables>,
) -> Result<ExitCode> {
    // It explains itself; nothing needs to be built for that.
    let mut node = if arguments.iter().any(|argument| argument == "--help") {
        say::step("test tools", || node::ensure_packages(&paths::tests()))?;
        let mut node = Command::new("node");
        node.current_dir(paths::tests());
        node
    } else {
        let places = prepare()?;
        let mut node = SuiteSetup::ready()?.node();
        node.envs(places);
        node
    };
    let status = node.arg(file).args(arguments).status();
    let status = status.with_context(|| format!("cannot start `{}`", run::line_of(&node)))?;
    // A program that a signal ended has no code of its own.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
