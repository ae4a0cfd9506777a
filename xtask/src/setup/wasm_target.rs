//! The wasm32 standard library: found, installed by rustup, or built from Debian's source.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::run;
use crate::setup::{apt, debian_std};
use crate::toolchain::{self, Toolchain, WASM};

/// rustup gives up by itself without a network, but not always soon.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(180);

/// The toolchain that builds for WASM here. It is not recorded but tried out, which takes 0.1 s.
pub fn find() -> Option<Toolchain> {
    [Toolchain::Active, Toolchain::Debian].into_iter().find(|toolchain| works(*toolchain))
}

/// The toolchain that builds for WASM, or what to do to get one.
pub fn require() -> Result<Toolchain> {
    match find() {
        Some(toolchain) => Ok(toolchain),
        None => bail!("no Rust toolchain here builds for {WASM}; `cargo xtask setup` brings one"),
    }
}

/// Make sure that a toolchain builds for WASM.
pub fn ensure() -> Result<String> {
    if let Some(toolchain) = find() {
        return Ok(format!("{WASM} is there, in {toolchain}"));
    }
    let by_rustup = match by_rustup() {
        Ok(()) if find().is_some() => return Ok(format!("{WASM} added by rustup")),
        Ok(()) => "it brought a target that does not compile".to_owned(),
        Err(error) => format!("{error:#}"),
    };
    let by_debian = match debian_std::make() {
        Ok(()) if find().is_some() => return Ok(format!("{WASM} made from Debian's source")),
        Ok(()) => "what was made does not compile".to_owned(),
        Err(error) => format!("{error:#}"),
    };
    bail!(
        "No Rust toolchain here builds for {WASM}.\n\
         - rustup was asked for it: {by_rustup}\n\
         - Debian's compiler was tried: {by_debian}\n\
         With internet, run `rustup target add {WASM}`; on Debian 12, as root, `{}`; then run this again.",
        apt::command(&debian_std::PACKAGES)
    )
}

fn by_rustup() -> Result<()> {
    let mut command = toolchain::clean("rustup");
    run::quietly(
        &format!("asking rustup for {WASM}"),
        command.args(["target", "add", WASM]).env("RUSTUP_MAX_RETRIES", "1"),
        DOWNLOAD_LIMIT,
    )
}

/// Whether an empty crate compiles: that takes a standard library built by this very compiler.
fn works(toolchain: Toolchain) -> bool {
    let mut rustc = toolchain.rustc();
    rustc.args(["-", "--crate-name=probe", "--crate-type=lib", "--emit=metadata=-", "--target", WASM]);
    let compiles = run::captured(&mut rustc).is_ok();
    match toolchain {
        Toolchain::Active => compiles,
        // The linker is not Debian's own, and may have been removed with its toolchain.
        Toolchain::Debian => compiles && debian_std::has_linker(),
    }
}
