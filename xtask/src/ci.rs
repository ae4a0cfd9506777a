//! Everything that a change must pass. `.ci/run` calls it.

use anyhow::Result;

use crate::matrix::Matrix;
use crate::setup::{self, wasm_target};
use crate::toolchain::{Toolchain, WASM, clean};
use crate::{budget, paths, run, say, tidy};

/// WASM crates without a module of their own, which the build matrix does not name.
const OTHER_CRATES: [&str; 3] = ["sidecar-chrome", "sidecar-ui", "sidecar-bench"];

/// Run every check, the fast ones first; stop at the first failure.
pub fn run() -> Result<()> {
    say::stage("ci", || {
        say::stage("format", || {
            run::shown(Toolchain::Active.cargo().args(["fmt", "--all", "--check"]).current_dir(paths::root()))
        })?;
        tidy::check()?;
        setup::everything()?;
        clippy()?;
        budget::check()?;
        // The same command as in the README.
        run::shown(clean("cargo").args(["xtask", "test"]).current_dir(paths::root()))
    })
}

fn clippy() -> Result<()> {
    say::stage("clippy, native", || clippy_with(Toolchain::Active, &["--workspace", "--all-targets"]))?;
    let wasm = wasm_target::require()?;
    let matrix = Matrix::read(&paths::matrix())?;
    let modules = matrix.crates.iter().map(|one| one.name.as_str());
    for name in OTHER_CRATES.into_iter().chain(modules) {
        say::stage(&format!("clippy, {name} for WASM"), || {
            clippy_with(wasm, &["--package", name, "--target", WASM])
        })?;
    }
    Ok(())
}

fn clippy_with(toolchain: Toolchain, arguments: &[&str]) -> Result<()> {
    let mut cargo = toolchain.cargo();
    cargo.arg("clippy").args(arguments).args(["--", "-D", "warnings"]);
    run::shown(cargo.current_dir(paths::root()))
}
