//! Builds the extension into `dist/extension/`: WASM modules with their JavaScript, and the hand-written
//! files.

mod hand_written;
mod linked;
pub mod manifest;
mod minify;
mod modules;
mod package;
mod parts;
pub mod skills;
pub mod stamp;
pub mod wasm;
mod wasm_parts;

use std::time::SystemTime;

use anyhow::Result;

pub use self::package::Package;
use crate::matrix::{ByteSize, Matrix};
use crate::setup::wasm_target;
use crate::{paths, say, setup};

/// Which of the two kinds of build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For daily work: quick to build.
    Dev,
    /// What ships: small.
    Release,
}

/// Build the extension into `dist/extension/`, doing only what changed sources require.
pub fn build(kind: Kind) -> Result<()> {
    say::stage("build", || {
        let begun = SystemTime::now();
        let matrix = Matrix::read(&paths::matrix())?;
        let profile = match kind {
            Kind::Dev => &matrix.profile.dev,
            Kind::Release => &matrix.profile.release,
        };
        setup::for_build()?;
        let toolchain = wasm_target::require()?;

        let mut package = Package::default();
        for one in &matrix.crates {
            say::step(&one.name, || {
                let module = wasm::module(one, profile, toolchain)?;
                let size = module.get(&format!("{}_bg.wasm", one.out_name)).map_or(0, |bytes| bytes.len());
                package.add_all(&one.out_dir, module);
                Ok(ByteSize(size as u64).to_string())
            })?;
        }
        say::step("hand-written files", || {
            let mut written = hand_written::read(&paths::extension_source())?;
            let joined = parts::join(&mut written, profile.minify)?;
            package.add_all("", written);
            modules::bundle(&mut package, profile.minify)?;
            if profile.minify {
                minify::all(&mut package)?;
            }
            package.add_all("", joined);
            Ok(format!("{} files in all", package.len()))
        })?;
        say::step("SKILLs", || {
            let shipped = skills::shipped(&paths::skills())?;
            let summary = format!("{} that ship", shipped.len() / 2);
            package.add_all("skills", shipped);
            Ok(summary)
        })?;
        say::step("dist/extension", || {
            let changed = package.write_to(&paths::extension())?;
            Ok(match changed {
                0 => "nothing changed".to_owned(),
                1 => "1 file changed".to_owned(),
                many => format!("{many} files changed"),
            })
        })?;
        stamp::set(begun)
    })
}
