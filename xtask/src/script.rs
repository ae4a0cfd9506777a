//! The programs under `tests/` that have a command of their own: demo, bench, chaos, screenshots.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::e2e::SuiteSetup;
use crate::setup::node;
use crate::{paths, run, say};

/// Environment variables with the paths that a program needs.
pub type ScriptVariables = Vec<(&'static str, PathBuf)>;

/// Run a program with its arguments, after `prepare` has installed what only it needs. Its exit code
/// becomes ours.
pub fn run(
    file: &str,
    arguments: &[String],
    prepare: impl FnOnce() -> Result<ScriptVariables>,
) -> Result<ExitCode> {
    // `--help` needs no build.
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
    // A program that was ended by a signal has no exit code.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
