//! Runs the fuzz tests for longer than the normal test run does.

use anyhow::Result;

use crate::toolchain::Toolchain;
use crate::{paths, run, say};

/// How long, and which targets.
#[derive(Debug, Clone, clap::Args)]
pub struct FuzzOptions {
    /// Seconds for each target; as many targets run at once as there are processors
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// Only targets whose name contains this
    #[arg(long, value_name = "PATTERN")]
    filter: Option<String>,
}

/// Run them, optimised but with all debug assertions.
pub fn run(selection: &FuzzOptions) -> Result<()> {
    say::stage("fuzz", || {
        let mut cargo = Toolchain::Active.cargo();
        cargo.args([
            "test",
            "--package",
            "sidecar-llm",
            "--test",
            "fuzz",
            "--config",
            "profile.test.opt-level=2",
        ]);
        cargo.args(&selection.filter).args(["--no-fail-fast"]).current_dir(paths::root());
        run::shown(cargo.env("FUZZ_SECONDS", selection.seconds.to_string()))
    })
}
