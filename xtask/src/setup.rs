//! Installs what is missing on this machine. Each step checks first, so that a second run takes almost no
//! time.

pub mod apt;
pub mod browser;
pub mod debian_std;
pub mod fonts;
pub mod node;
pub mod python;
pub mod wasm_target;

use anyhow::Result;

use crate::{paths, say};

/// What all commands together need.
pub fn everything() -> Result<()> {
    say::stage("set-up", || {
        wasm_step()?;
        tools_step()?;
        tests_step()
    })
}

/// What building the extension needs.
pub fn for_build() -> Result<()> {
    wasm_step()?;
    tools_step()
}

fn wasm_step() -> Result<()> {
    say::step("WebAssembly target", wasm_target::ensure)
}

fn tools_step() -> Result<()> {
    say::step("Node.js", node::ensure)?;
    say::step("build tools", || node::ensure_packages(&paths::tools()))?;
    say::step("libraries that ship", || node::ensure_packages(&paths::extension_source()))
}

fn tests_step() -> Result<()> {
    say::step("test tools", || node::ensure_packages(&paths::tests()))?;
    say::step("browser", browser::ensure)?;
    say::step("Chinese font", fonts::ensure)
}
