//! The files of `extension/` that ship unchanged, and the manifest with the version filled in.

use std::path::Path;

use anyhow::{Context, Result};

use crate::bundle::{Package, manifest};

/// The version of the workspace, which is the extension's.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What npm uses to install the libraries that are bundled.
const NPM: [&str; 3] = ["node_modules/", "package.json", "package-lock.json"];

/// Read the hand-written files, without notes for developers, hidden files and npm packages.
pub fn read(folder: &Path) -> Result<Package> {
    let mut package = Package::read(folder)?;
    package.retain(|path| {
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        !path.ends_with(".md") && !is_hidden && !NPM.iter().any(|name| path.starts_with(name))
    });
    let source = package.get(manifest::FILE).context("extension/manifest.json is missing")?;
    let built = manifest::with_version(source, VERSION)?;
    package.insert(manifest::FILE, built);
    Ok(package)
}
