//! Bundles a script whose files come into a document one after the other: the first one, and later ones that are put in
//! when they are needed.
//!
//! esbuild divides the modules: what all later files use, and all that the first one imports, is in the first. What some of
//! them use the first one therefore has to import.
//! It connects files by imports, which classic scripts have not; here these become properties of the isolated world's
//! global object, one for each file. Values are taken once, when a file is put in: a variable that changes cannot be shared.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::bundle::Package;
use crate::setup::node;
use crate::{paths, run};

/// The first file, without its ending.
const FIRST: &str = "actions";

/// The later files, without their ending, and their entries. Each entry imports that of the first file.
const LATER: [(&str, &str); 3] = [
    ("actions-act", "actions/main-act.js"),
    ("actions-skill", "actions/main-skill.js"),
    ("actions-snapshot", "actions/main-snapshot.js"),
];

/// Bundle the page actions from these sources.
pub fn join(sources: &Package, minify: bool) -> Result<Package> {
    for (path, text) in sources.iter().filter(|(path, _)| path.starts_with("actions/")) {
        let changes = String::from_utf8_lossy(text).lines().any(|line| line.starts_with("export let "));
        ensure!(!changes, "{path} exports a variable that may change, which files cannot share");
    }
    let (before, after) = (paths::scratch("linked/source"), paths::scratch("linked/joined"));
    sources.write_to(&before)?;
    if after.exists() {
        fs::remove_dir_all(&after)?;
    }
    let mut esbuild = node::tool(&paths::tools(), "esbuild");
    esbuild
        .args(LATER.map(|(file, entry)| format!("{file}={entry}")))
        .args(["--bundle", "--splitting", "--format=esm", "--charset=utf8", "--legal-comments=none"])
        .args(minify.then_some("--minify"))
        // A second common file would have the same name, which esbuild refuses.
        .args([&format!("--chunk-names={FIRST}"), "--log-level=warning"])
        .arg(format!("--outdir={}", after.display()))
        .current_dir(&before);
    run::captured(&mut esbuild)?;

    let mut joined = Package::default();
    for name in LATER.map(|(file, _)| file).into_iter().chain([FIRST]) {
        let file = format!("{name}.js");
        let module =
            fs::read_to_string(after.join(&file)).with_context(|| format!("esbuild made no {file}"))?;
        joined.insert(&file, classic(name, &module)?.into_bytes());
    }
    Ok(joined)
}

/// A module of esbuild's as a classic script. It runs once in a document, however often it is put in.
fn classic(name: &str, module: &str) -> Result<String> {
    let (mut imports, mut rest) = (String::new(), module.trim());
    while let Some(after) = rest.strip_prefix("import").filter(|after| after.starts_with([' ', '{', '"'])) {
        let (statement, next) = after.split_once(';').context("an import without an end")?;
        // `import { names } from "./file.js"` or `import "./file.js"`, and nothing else.
        let (names, path) = statement.rsplit_once('}').unwrap_or(("{", statement));
        let path = path.trim().trim_start_matches("from").trim();
        let from = path.strip_prefix("\"./").and_then(|path| path.strip_suffix(".js\""));
        let names = names.trim_start().strip_prefix('{');
        let (Some(from), Some(names)) = (from, names) else { bail!("{name}.js imports {statement}") };
        let from = place(from);
        imports.push_str(&format!("const{{{}}}={from};\n", renamed(names, |there, here| (there, here))?));
        rest = next.trim_start();
    }
    let (body, exports) = match rest.rsplit_once("export") {
        Some((body, list)) if list.trim_start().starts_with('{') => {
            let list = list.trim().strip_prefix('{').and_then(|list| list.strip_suffix("};"));
            (
                body,
                renamed(
                    list.with_context(|| format!("{name}.js does not end with exports"))?,
                    |here, there| (there, here),
                )?,
            )
        }
        Some(_) | None => (rest, String::new()),
    };
    ensure!(!body.is_empty(), "{name}.js is empty");
    // The browser gives the last value to who put the file in: it is none.
    Ok(format!(
        "'use strict';\n{} ??= (() => {{\n{imports}{}\nreturn {{{exports}}};\n}})();\nundefined;\n",
        place(name),
        body.trim()
    ))
}

/// Where a file leaves what the others use.
fn place(name: &str) -> String {
    format!("globalThis['webmcp-sidecar-{name}']")
}

/// `a as b, c` as properties of an object.
fn renamed<'a>(names: &'a str, order: impl Fn(&'a str, &'a str) -> (&'a str, &'a str)) -> Result<String> {
    let mut properties = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let (first, second) = name.split_once(" as ").unwrap_or((name, name));
        if first.contains(char::is_whitespace) || second.contains(char::is_whitespace) {
            bail!("{name:?} is no name");
        }
        let (property, value) = order(first, second);
        properties.push(if property == value { value.to_owned() } else { format!("{property}:{value}") });
    }
    Ok(properties.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_another_file_come_from_its_place() {
        let text = "import{a as x,$ as b,from}from\"./actions.js\";import\"./actions.js\";\nx(b);\n";
        assert_eq!(
            classic("late", text).unwrap(),
            "'use strict';\nglobalThis['webmcp-sidecar-late'] ??= (() => {\nconst{a:x,$:b,from}=globalThis['webmcp-sidecar-actions'];\n\
             const{}=globalThis['webmcp-sidecar-actions'];\nx(b);\nreturn {};\n})();\nundefined;\n"
        );
    }

    #[test]
    fn exports_are_left_at_the_place_of_the_file() {
        let text = "// a.js\nvar x = 'export', y;\nexport {\n  x as z,\n  y\n};\n";
        assert_eq!(
            classic("actions", text).unwrap(),
            "'use strict';\nglobalThis['webmcp-sidecar-actions'] ??= (() => {\n// a.js\nvar x = 'export', y;\nreturn {z:x,y};\n})();\nundefined;\n"
        );
    }

    #[test]
    fn module_that_is_not_as_expected_is_refused() {
        for text in [
            "import * as a from \"./b.js\";a()",
            "import{a}from\"b\";a()",
            "import{a}from\"./b.js\";",
            "a();export{a as \"b c\"};",
        ] {
            assert!(classic("late", text).is_err(), "{text}");
        }
    }
}
