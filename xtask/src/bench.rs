//! Runs `tests/bench.mjs`, with what it measures beyond the extension itself.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use cargo_metadata::Artifact;

use crate::bundle::wasm;
use crate::matrix::{Matrix, WasmCrate};
use crate::script::ScriptVariables;
use crate::setup::{node, wasm_target};
use crate::toolchain::Toolchain;
use crate::{artifact, paths, say, script, setup};

/// The decoder alone, as a WASM module and as a native program, and a native program for the Inspector.
const BENCH: &str = "sidecar-bench";

/// Build that, and measure.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    let mut arguments = arguments.to_vec();
    // The script runs in another folder.
    if let Some(at) = arguments.iter().position(|argument| argument == "--against")
        && let Some(folder) = arguments.get_mut(at + 1)
    {
        let whole = std::path::absolute(&*folder).with_context(|| format!("{folder} is no folder"))?;
        *folder = whole.display().to_string();
    }
    let part = arguments.first().cloned();
    script::run("bench.mjs", &arguments, || match part.as_deref() {
        Some("wake" | "memory" | "skills") => Ok(Vec::new()),
        Some("inspector") => {
            setup::for_build()?;
            Ok(vec![("SIDECAR_BENCH_INSPECTOR", inspector()?)])
        }
        Some("pages") => {
            say::step("what is compared with", || node::ensure_packages(&paths::peers()))?;
            Ok(Vec::new())
        }
        _ => {
            setup::for_build()?;
            say::stage("what is measured by itself", prepare)
        }
    })
}

/// Build what measures the Inspector natively. It is optimised as what ships.
fn inspector() -> Result<PathBuf> {
    let mut program = PathBuf::new();
    say::step("the Inspector for this machine", || {
        let mut cargo = Toolchain::Active.cargo();
        cargo.args(["build", "--package", BENCH, "--bench", "inspector", "--release"]);
        program = artifact::build(&mut cargo, benchmark)?;
        Ok(program.display().to_string())
    })?;
    Ok(program)
}

/// The program of a benchmark. The package's other programs are built with it, before or after it.
fn benchmark(artifact: Artifact) -> Option<PathBuf> {
    if artifact.target.is_bench() { artifact.executable.map(Into::into) } else { None }
}

fn prepare() -> Result<ScriptVariables> {
    let matrix = Matrix::read(&paths::matrix())?;
    let toolchain = wasm_target::require()?;
    let shipped = &matrix.profile.release;
    let folder = paths::scratch("bench");
    let (module, worker) = (folder.join("decoder"), folder.join("worker-named.wasm"));
    let (mut program, mut context) = (PathBuf::new(), PathBuf::new());

    say::step("the decoder for WASM, built as the worker is", || {
        let decoder = WasmCrate {
            name: BENCH.to_owned(),
            path: "crates/bench".to_owned(),
            out_dir: String::new(),
            out_name: "decoder".to_owned(),
            reset_state: false,
            has_parts: false,
        };
        wasm::module(&decoder, shipped, toolchain)?.write_to(&module)?;
        Ok(module.display().to_string())
    })?;
    say::step("the decoder for this machine", || {
        let mut cargo = Toolchain::Active.cargo();
        cargo.args(["build", "--package", BENCH, "--bin", "decode", "--release"]);
        cargo.args(["--config", "profile.release.opt-level=3"]);
        program = artifact::build(&mut cargo, |artifact| artifact.executable.map(Into::into))?;
        Ok(program.display().to_string())
    })?;
    say::step("estimates of the context for this machine", || {
        let mut cargo = Toolchain::Active.cargo();
        cargo.args(["build", "--package", "sidecar-agent", "--bench", "context", "--release"]);
        context = artifact::build(&mut cargo, benchmark)?;
        Ok(context.display().to_string())
    })?;
    say::step("the worker with the names of its functions", || {
        let shipping = matrix.crates.iter().find(|one| one.name == "sidecar-worker");
        let shipping = shipping.context("the build matrix has no worker")?;
        let out_name = "worker-named".to_owned();
        let named = WasmCrate { out_name, has_parts: false, ..shipping.clone() }; // all parts in one file
        let mut profile = shipped.clone();
        profile.wasm_opt.push("--debuginfo".to_owned());
        let built = wasm::module(&named, &profile, toolchain)?;
        fs::write(&worker, built.get("worker-named_bg.wasm").context("wasm-bindgen gave no module")?)?;
        Ok(worker.display().to_string())
    })?;
    Ok(vec![
        ("SIDECAR_BENCH_MODULE", module),
        ("SIDECAR_BENCH_PROGRAM", program),
        ("SIDECAR_BENCH_CONTEXT", context),
        ("SIDECAR_BENCH_WORKER", worker),
    ])
}
