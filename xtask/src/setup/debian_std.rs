//! Builds the wasm32 standard library from Debian's source.
//!
//! Debian's security archive has a recent Rust (for its browsers) with source, but without a library for
//! `wasm32-unknown-unknown`. cargo's `build-std` compiles one. With its files in the target's library
//! folder, `cargo +debian build --target wasm32-unknown-unknown` is an ordinary build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::setup::apt;
use crate::toolchain::{self, DEBIAN, Toolchain, WASM};
use crate::{paths, run};

/// Compiler, cargo, the library's source, and clippy.
pub const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"];

/// The prefix of Debian's Rust.
const PREFIX: &str = "/usr";
const RUSTLIB: &str = "/usr/lib/rustlib";
const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";

/// Name of the empty package that cargo builds the library for.
const EMPTY: &str = "nothing";

const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Build the library and link Debian's Rust to rustup. Steps that an earlier run finished are skipped,
/// except the library itself: this is called when it does not work.
pub fn make() -> Result<()> {
    let missing: Vec<_> = PACKAGES.into_iter().filter(|package| !apt::installed(package)).collect();
    if !missing.is_empty() {
        apt::install(&missing).with_context(|| format!("{} not installed", missing.join(", ")))?;
    }
    install_library(&build_library()?)?;
    link_linker()?;
    run::captured(toolchain::clean("rustup").args(["toolchain", "link", DEBIAN, PREFIX]))?;
    Ok(())
}

/// Whether Debian's compiler finds a linker for WASM.
pub fn has_linker() -> bool {
    linker().is_ok_and(|linker| linker.exists())
}

/// Build the library and list its files.
fn build_library() -> Result<Vec<PathBuf>> {
    let package = paths::scratch("wasm-std");
    // Files of another compiler's library must not be mixed in.
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(package.join("src"))?;
    fs::write(package.join("src/lib.rs"), "#![no_std]\n")?;
    fs::write(package.join("Cargo.toml"), manifest())?;

    let target = package.join("target");
    run::quietly(
        &format!("compiling the standard library for {WASM}, about a minute"),
        toolchain::clean(CARGO)
            .current_dir(&package)
            .args(["build", "--release", "--target", WASM])
            .args(["-Z", "build-std=std,panic_abort,panic_unwind"])
            .env("RUSTC", RUSTC)
            .env("RUSTC_BOOTSTRAP", "1")
            // Without bitcode in the library, link-time optimisation fails later on.
            .env("CARGO_ENCODED_RUSTFLAGS", "-Cembed-bitcode=yes")
            .env("CARGO_TARGET_DIR", &target)
            .env_remove("RUSTFLAGS"),
        BUILD_LIMIT,
    )?;

    let own = format!("lib{EMPTY}-");
    let mut library = Vec::new();
    for entry in fs::read_dir(target.join(WASM).join("release/deps"))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".rlib") && !name.starts_with(&own) {
            library.push(file);
        }
    }
    if library.is_empty() {
        bail!("cargo built no library for {WASM}");
    }
    Ok(library)
}

fn manifest() -> String {
    // A workspace of its own, in case the scratch folder is inside another one.
    format!(
        "[package]\nname = \"{EMPTY}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [profile.release]\npanic = \"abort\"\nlto = true\n\n[workspace]\n"
    )
}

/// Put the library where the compiler looks for it, completely or not at all.
fn install_library(library: &[PathBuf]) -> Result<()> {
    let target = Path::new(RUSTLIB).join(WASM);
    let (finished, growing) = (target.join("lib"), target.join("lib.new"));
    for folder in [&growing, &finished] {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
        }
    }
    fs::create_dir_all(&growing).with_context(|| format!("cannot write to {RUSTLIB}"))?;
    for file in library {
        fs::copy(file, growing.join(file.file_name().unwrap_or_default()))?;
    }
    fs::rename(growing, finished)?;
    Ok(())
}

/// Debian has no `rust-lld`: use the one of the active toolchain. A link, because it finds its own
/// libraries beside its real path.
fn link_linker() -> Result<()> {
    let ours = linker()?;
    if ours.exists() {
        return Ok(());
    }
    let theirs = PathBuf::from(run::captured(Toolchain::Active.rustc().args(["--print", "sysroot"]))?)
        .join(linker_in_sysroot(&host(&mut Toolchain::Active.rustc())?));
    if !theirs.exists() {
        bail!("the active toolchain has no rust-lld ({} is missing)", theirs.display());
    }
    if let Some(folder) = ours.parent() {
        fs::create_dir_all(folder)?;
    }
    if ours.is_symlink() {
        fs::remove_file(&ours)?; // leads nowhere: the toolchain it came from is gone
    }
    symlink(&theirs, &ours)
}

fn linker() -> Result<PathBuf> {
    Ok(Path::new(PREFIX).join(linker_in_sysroot(&host(&mut Command::new(RUSTC))?)))
}

fn linker_in_sysroot(host: &str) -> PathBuf {
    Path::new("lib/rustlib").join(host).join("bin/rust-lld")
}

fn host(rustc: &mut Command) -> Result<String> {
    let version = run::captured(rustc.arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say for which host it is")
}

#[cfg(unix)]
fn symlink(to: &Path, at: &Path) -> Result<()> {
    std::os::unix::fs::symlink(to, at).with_context(|| format!("cannot link {}", at.display()))
}

#[cfg(not(unix))]
fn symlink(_to: &Path, at: &Path) -> Result<()> {
    bail!("{} can be made on Debian only", at.display())
}
