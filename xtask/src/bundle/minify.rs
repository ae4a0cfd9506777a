//! JavaScript and styles made smaller by esbuild.
//!
//! Each file is transformed alone, never bundled: a module stays a module, a classic script a classic script, and
//! what ships can be compared with its source.

use std::fs;

use anyhow::{Context, Result};

use crate::bundle::Package;
use crate::setup::node;
use crate::{paths, run};

/// Minify every script and style sheet of a package.
pub fn all(package: &mut Package) -> Result<()> {
    let mut sources = package.clone();
    sources.retain(|path| path.ends_with(".js") || path.ends_with(".css"));
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
    for (path, source) in sources.iter() {
        let small = minified.get(path).with_context(|| format!("esbuild gave nothing for {path}"))?;
        package.insert(path, with_source_url(source, small));
    }
    Ok(())
}

/// What was minified, with the name that its source gives itself in stack traces. To esbuild that is a comment like any
/// other; without it, pages would see the extension's address there.
fn with_source_url(source: &[u8], minified: &[u8]) -> Vec<u8> {
    let last = source.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut whole = minified.to_vec();
    if last.starts_with(b"//# sourceURL=") {
        whole.extend_from_slice(last);
        whole.push(b'\n');
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_script_survives() {
        let source = b"(() => {\n  go();\n})();\n//# sourceURL=name.js\n";
        assert_eq!(with_source_url(source, b"go();\n"), b"go();\n//# sourceURL=name.js\n");
        assert_eq!(with_source_url(b"go(); // a comment\n", b"go();\n"), b"go();\n");
    }
}
