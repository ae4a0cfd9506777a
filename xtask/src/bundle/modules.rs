//! Bundles the modules that a start of the worker and of the panel needs into one file each: every file takes time.

use std::fs;

use anyhow::{Context, Result};

use crate::bundle::Package;
use crate::setup::node;
use crate::{paths, run};

/// A module, and those that become part of it and are imported by no other.
struct Bundled {
    file: &'static str,
    imports: &'static [&'static str],
}

const BUNDLED: [Bundled; 2] = [
    Bundled {
        file: "background.js",
        imports: &[
            "worker-module.js",
            "first-values.js",
            "wasm/worker.js",
            "wasm/worker_parts.js",
            "wasm/validator.js",
            "wasm/inspector.js",
            "wasm/importer.js",
        ],
    },
    Bundled { file: "wasm/panel.js", imports: &["wasm/panel_parts.js"] },
];

/// Replace the modules of a package by their bundles. Minified here, they lose the names that only one module knows.
pub fn bundle(package: &mut Package, minify: bool) -> Result<()> {
    let mut sources = package.clone();
    sources.retain(|path| path.ends_with(".js"));
    let (before, after) = (paths::scratch("modules/source"), paths::scratch("modules/bundled"));
    sources.write_to(&before)?;
    for Bundled { file, imports } in BUNDLED {
        let out = after.join(file);
        let mut esbuild = node::tool(&paths::tools(), "esbuild");
        esbuild
            .args([file, "--bundle", "--format=esm", "--charset=utf8", "--legal-comments=none"])
            .args(minify.then_some("--minify"))
            .args(["--log-level=warning", &format!("--outfile={}", out.display())])
            .current_dir(&before);
        run::captured(&mut esbuild)?;
        package.insert(file, fs::read(&out).with_context(|| format!("esbuild made no {file}"))?);
        package.retain(|path| !imports.contains(&path));
    }
    Ok(())
}
