//! Builds one crate into a WASM module with its JavaScript: cargo, wasm-split, wasm-bindgen, wasm-opt.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::camino::Utf8PathBuf;
use wasm_bindgen_cli_support::Bindgen;

use crate::bundle::{Package, wasm_parts};
use crate::matrix::{Profile, WasmCrate};
use crate::setup::node;
use crate::toolchain::{Toolchain, WASM};
use crate::{artifact, paths, run};

/// Build a crate and return the files that ship. cargo decides what to compile; the later steps run only if
/// the compiled module or the recipe changed.
pub fn module(one: &WasmCrate, profile: &Profile, toolchain: Toolchain) -> Result<Package> {
    let compiled = compile(one, profile, toolchain)?;
    let folder = compiled.with_file_name("bundled").join(&one.out_name);
    let input = fs::read(&compiled)?;
    let recipe = recipe(one, profile)?;

    let memory = BuildInputs { input: folder.join("input.wasm"), recipe: folder.join("recipe.txt") };
    let out = folder.join("out");
    if !memory.holds(&input, &recipe) {
        memory.forget()?;
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        fs::create_dir_all(&out)?;
        let main = if one.has_parts { wasm_parts::split(&input, one, &out)? } else { input.clone() };
        bindgen(one, main, &out)?;
        if !profile.wasm_opt.is_empty() {
            for module in Package::read(&out)?.paths().filter(|path| path.ends_with(".wasm")) {
                wasm_opt(&out.join(module), &profile.wasm_opt)?;
            }
        }
        memory.keep(&input, &recipe)?;
    }
    Package::read(&out)
}

/// Compile the crate alone: built together, crates would share their features.
fn compile(one: &WasmCrate, profile: &Profile, toolchain: Toolchain) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    cargo.args(["build", "--package", &one.name, "--lib", "--target", WASM, "--profile", &profile.cargo]);
    cargo.args(["--config", &without_local_paths()]);
    let target = one.name.replace('-', "_");
    artifact::build(&mut cargo, |artifact| {
        let is_module = |file: &Utf8PathBuf| file.extension() == Some("wasm");
        let module = artifact.filenames.into_iter().find(is_module);
        module.filter(|_| artifact.target.name == target).map(Utf8PathBuf::into_std_path_buf)
    })
    .with_context(|| format!("{} gave no WASM module", one.name))
}

/// The cargo setting that keeps local paths out of the module's panic messages, so that builds are private
/// and reproducible.
fn without_local_paths() -> String {
    let home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let sources = std::env::var_os("CARGO_HOME").map_or(home, PathBuf::from).join("registry/src");
    let folders = fs::read_dir(sources).into_iter().flatten().flatten().map(|entry| entry.path());
    let flags: Vec<String> = folders
        .chain([paths::root().to_path_buf()])
        .map(|folder| format!("--remap-path-prefix={}/=", folder.display()))
        .collect();
    let flags = flags.iter().map(|flag| format!("{flag:?}")).collect::<Vec<_>>().join(", ");
    format!("target.{WASM}.rustflags = [{flags}]")
}

/// Everything except the compiled module that determines the files that ship.
fn recipe(one: &WasmCrate, profile: &Profile) -> Result<String> {
    let tools = if profile.wasm_opt.is_empty() {
        String::new()
    } else {
        fs::read_to_string(paths::tools().join("package-lock.json"))?
    };
    let lock = fs::read_to_string(paths::root().join("Cargo.lock"))?; // it has the versions of the linked tools
    Ok(format!("{one:?}\n{profile:?}\n{tools}\n{lock}\n{}", wasm_parts::LOADER))
}

fn bindgen(one: &WasmCrate, module: Vec<u8>, out: &Path) -> Result<()> {
    Bindgen::new()
        .input_bytes(&one.out_name, module)
        .web(true)?
        .keep_lld_exports(one.has_parts) // parts import memory and table
        .typescript(false)
        .reset_state_function(one.reset_state)
        .generate(out)
        .with_context(|| format!("wasm-bindgen cannot process {}", one.name))
}

fn wasm_opt(module: &Path, arguments: &[String]) -> Result<()> {
    let mut wasm_opt = node::tool(&paths::tools(), "wasm-opt");
    run::captured(wasm_opt.args(arguments).arg(module).arg("-o").arg(module)).map(drop)
}

/// The inputs of the existing files, byte for byte.
struct BuildInputs {
    input: PathBuf,
    recipe: PathBuf,
}

impl BuildInputs {
    fn holds(&self, input: &[u8], recipe: &str) -> bool {
        fs::read(&self.input).is_ok_and(|old| old == input)
            && fs::read_to_string(&self.recipe).is_ok_and(|old| old == recipe)
    }

    fn forget(&self) -> Result<()> {
        if self.recipe.exists() {
            fs::remove_file(&self.recipe)?;
        }
        Ok(())
    }

    /// The recipe is written last: without it nothing counts as kept.
    fn keep(&self, input: &[u8], recipe: &str) -> Result<()> {
        fs::write(&self.input, input)?;
        fs::write(&self.recipe, recipe)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_again_when_module_or_recipe_differ() {
        let folder = tempfile::tempdir().unwrap();
        let memory = BuildInputs { input: folder.path().join("input"), recipe: folder.path().join("recipe") };
        assert!(!memory.holds(b"module", "recipe"), "nothing was done yet");
        memory.keep(b"module", "recipe").unwrap();
        assert!(memory.holds(b"module", "recipe"));
        assert!(!memory.holds(b"other", "recipe"));
        assert!(!memory.holds(b"module", "other"));
        memory.forget().unwrap();
        assert!(!memory.holds(b"module", "recipe"), "an interrupted run leaves nothing that counts");
    }
}
