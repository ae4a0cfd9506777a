//! Bundles what is written in parts: the modules of each page script become one classic script, the style
//! sheets of the views one style sheet.

use std::fs;

use anyhow::{Context, Result};

use crate::bundle::{Package, linked};
use crate::setup::node;
use crate::{paths, run};

/// A file that ships, and its entry file.
struct Whole {
    file: &'static str,
    entry: &'static str,
    /// Text before and after it.
    around: (&'static str, &'static str),
}

/// Modules are strict, a classic script has to say so. Only secure contexts have WebMCP: elsewhere a script
/// does nothing but this check.
const SECURE_ONLY: &str = "'use strict';\nif (isSecureContext) {";
const STRICT: &str = "'use strict';\n{";

/// Of the script that a reading puts into a document: `texts()`, which the worker takes.
const LAST_VALUE: &str = "}\nglobalThis.webmcpSidecarReader.texts();";

const WHOLES: [Whole; 6] = [
    Whole {
        file: "bridge.js",
        entry: "bridge/main.js",
        // Stack traces in the page show this name, not the address of an extension.
        around: (SECURE_ONLY, "}\n//# sourceURL=webmcp.js"),
    },
    Whole { file: "relay.js", entry: "relay/main.js", around: (SECURE_ONLY, "}") },
    // Where there is no WebMCP it says so.
    Whole {
        file: "test-bridge.js",
        entry: "test-bridge/main.js",
        around: (STRICT, "}\n//# sourceURL=webmcp-test-bridge.js"),
    },
    // It reads pages of every kind, also those without WebMCP.
    Whole { file: "reader.js", entry: "reader/main.js", around: (STRICT, LAST_VALUE) },
    Whole { file: "panel.css", entry: "styles/panel.css", around: ("", "") },
    Whole { file: "workbench.css", entry: "styles/workbench.css", around: ("", "") },
];

/// Folders of parts, which do not ship themselves.
const FOLDERS: [&str; 7] = ["actions/", "bridge/", "reader/", "relay/", "shared/", "styles/", "test-bridge/"];

/// Remove the parts from a package and return the bundles.
pub fn join(package: &mut Package, minify: bool) -> Result<Package> {
    let is_part = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
    let mut sources = package.clone();
    sources.retain(is_part);
    package.retain(|path| !is_part(path));

    let (before, after) = (paths::scratch("parts/source"), paths::scratch("parts/joined"));
    sources.write_to(&before)?;
    let mut joined = linked::join(&sources, minify)?;
    for Whole { file, entry, around: (head, foot) } in WHOLES {
        let kind = if file.ends_with(".css") { "css" } else { "js" };
        let out = after.join(file);
        let mut esbuild = node::tool(&paths::tools(), "esbuild");
        esbuild
            .args([entry, "--bundle", "--charset=utf8", "--legal-comments=none", "--log-level=warning"])
            .args((kind == "js").then_some("--format=iife"))
            .args(minify.then_some("--minify"))
            .args([format!("--banner:{kind}={head}"), format!("--footer:{kind}={foot}")])
            .arg(format!("--outfile={}", out.display()))
            .env("NODE_PATH", paths::extension_source().join("node_modules"))
            .current_dir(&before);
        run::captured(&mut esbuild)?;
        joined.insert(file, fs::read(&out).with_context(|| format!("esbuild made no {file}"))?);
    }
    Ok(joined)
}
