//! The files of `extension/` that ship unchanged, and the manifest with the version filled in.

use std::path::Path;

use anyhow::{Context, Result};

use crate::bundle::{Package, manifest};

/// The version of the workspace, which is the extension's.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Read the hand-written files, without notes for developers and hidden files.
pub fn read(folder: &Path) -> Result<Package> {
    let mut package = Package::read(folder)?;
    package.retain(|path| !path.ends_with(".md") && !path.split('/').any(|part| part.starts_with('.')));
    let source = package.get(manifest::FILE).context("extension/manifest.json is missing")?;
    let built = manifest::with_version(source, VERSION)?;
    package.insert(manifest::FILE, built);
    Ok(package)
}
