//! Runs `cargo build` for one package and finds the built file.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Artifact, Message};

use crate::{paths, run};

/// Run `cargo build …` and return the file that `pick` selects from the artifacts. cargo prints its
/// progress and the compiler's messages itself.
pub fn build(cargo: &mut Command, pick: impl Fn(Artifact) -> Option<PathBuf>) -> Result<PathBuf> {
    cargo
        .arg("--message-format=json-render-diagnostics")
        .current_dir(paths::root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = cargo.spawn().context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo's output was asked for")?;

    let mut file = None;
    for message in Message::parse_stream(BufReader::new(stdout)) {
        // cargo also prints other messages, and artifacts of dependencies.
        if let Message::CompilerArtifact(artifact) = message? {
            file = pick(artifact).or(file);
        }
    }
    if !child.wait()?.success() {
        bail!("the build failed: `{}`", run::line_of(cargo));
    }
    file.with_context(|| {
        format!(
            "`{}` built nothing of the kind that is needed: see the package's crate-type",
            run::line_of(cargo)
        )
    })
}
