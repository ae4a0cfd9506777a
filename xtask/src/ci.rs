//! Everything that a change must pass. `.ci/run` calls it.

use anyhow::Result;

use crate::matrix::Matrix;
use crate::setup::{self, wasm_target};
use crate::toolchain::{Toolchain, WASM, clean};
use crate::{budget, paths, run, say, tidy};

/// WASM crates that ship in no module of their own, so that the build matrix does not name them.
const OTHER_CRATES: [&str; 3] = ["sidecar-chrome", "sidecar-ui", "sidecar-bench"];

/// Run every check, the quick ones first; the first that fails ends it.
pub fn run() -> Result<()> {
    say::stage("ci", || {
        say::stage("format", || {
            run::shown(Toolchain::Active.cargo().args(["fmt", "--all", "--check"]).current_dir(paths::root()))
        })?;
        tidy::check()?;
        setup::everything()?;
        clippy()?;
        budget::check()?;
        // The very command of the README, as a person would run it.
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
