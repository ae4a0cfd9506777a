//! Minifies JavaScript with esbuild.
//!
//! Each file is transformed alone: a module stays a module, a classic script a classic script. Files that
//! are bundled are minified in [`parts`](super::parts) and [`modules`](super::modules).

use std::fs;

use anyhow::{Context, Result};

use crate::bundle::Package;
use crate::setup::node;
use crate::{paths, run};

/// Minify every script of a package.
pub fn all(package: &mut Package) -> Result<()> {
    let mut sources = package.clone();
    sources.retain(|path| path.ends_with(".js"));
    let (before, after) = (paths::scratch("minify/source"), paths::scratch("minify/minified"));
    sources.write_to(&before)?;
    if after.exists() {
        fs::remove_dir_all(&after)?;
    }

    let mut esbuild = node::tool(&paths::tools(), "esbuild");
    esbuild
        .args(sources.iter().map(|(path, _)| path))
        .args(["--minify", "--charset=utf8", "--legal-comments=none", "--log-level=warning", "--outbase=."])
        .arg(format!("--outdir={}", after.display()))
        .current_dir(&before);
    run::captured(&mut esbuild)?;

    let minified = Package::read(&after)?;
    for (path, _) in sources.iter() {
        let small = minified.get(path).with_context(|| format!("esbuild gave nothing for {path}"))?;
        package.insert(path, small.to_vec());
    }
    Ok(())
}
