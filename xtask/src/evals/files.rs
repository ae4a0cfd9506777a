//! Files that are given, and what is said of those that cannot be used.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use sidecar_evals::report::EvalReport;
use sidecar_protocol::settings::Language;

/// A file, or what was asked for, cannot be used.
pub(super) const UNREADABLE: u8 = 2;

pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Says what is wrong with a file.
pub(super) fn refused(file: &Path, why: &str) -> ExitCode {
    eprintln!("  ✗ {}: {why}", file.display());
    ExitCode::from(UNREADABLE)
}

/// Says what is wrong with what was asked for.
pub(super) fn unusable(why: &str) -> ExitCode {
    eprintln!("  ✗ {why}");
    ExitCode::from(UNREADABLE)
}

/// Reads a report, or says what is wrong with it.
pub(super) fn report(file: &Path, language: Language) -> Result<Result<EvalReport, ExitCode>> {
    Ok(EvalReport::read(&read(file)?).map_err(|fault| refused(file, &fault.sentence(language))))
}
