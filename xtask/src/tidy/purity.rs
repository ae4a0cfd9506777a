//! Pure crates use no browser, read no clock, start no thread and do no I/O, so that the same code runs in
//! the worker and in a native test.

use anyhow::Result;
use regex_lite::Regex;

use crate::tidy::tree::Tree;
use crate::tidy::{Finding, source};
use crate::toolchain::{Toolchain, WASM};
use crate::{paths, run};

const PURE: [&str; 11] =
    ["protocol", "schema", "webmcp", "llm", "skills", "evals", "form", "lint", "runs", "agent", "session"];

/// Packages that bind JavaScript.
const BROWSER: [&str; 5] = ["wasm-bindgen", "wasm-bindgen-futures", "js-sys", "web-sys", "wasm-streams"];
const BROWSER_PREFIX: &str = "gloo";

/// Gets random seeds for the hash maps of libraries, in WASM from JavaScript. What it depends on serves
/// nothing else.
const SEEDS: &str = "getrandom";

/// What their source must not contain, and what to do instead.
const FORBIDDEN: [(&str, &str); 6] = [
    (r"\b(SystemTime|Instant)\b", "reads a clock: take the time as an argument"),
    (r"\bstd\s*::\s*fs\b", "reads files: take the text as an argument"),
    // Addresses are plain values; sockets and name lookups are not.
    (r"\b(Tcp\w+|Udp\w+|ToSocketAddrs)\b", "talks to the network: leave that to a trait of the agent"),
    (r"\bstd\s*::\s*(thread|process|env)\b", "reaches for the system"),
    (r"\bunsafe\b", "is unsafe"),
    (r"\bstd\s*::\s*\{[^}]*\b(fs|thread|process|env)\b", "reaches for the system"),
];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let mut findings = in_source(tree)?;
    for name in PURE {
        findings.extend(among_packages(name, &packages(name)?));
    }
    Ok(findings)
}

fn in_source(tree: &Tree) -> Result<Vec<Finding>> {
    let mut rules = Vec::new();
    for (pattern, reason) in FORBIDDEN {
        rules.push((Regex::new(pattern)?, reason));
    }
    let mut findings = Vec::new();
    for name in PURE {
        for (path, text) in tree.below(&format!("crates/{name}/src/"), ".rs") {
            for (line, code) in source::code(text) {
                let broken = rules.iter().filter(|(pattern, _)| pattern.is_match(code));
                findings.extend(broken.map(|(_, reason)| {
                    Finding::new(format!("{path}:{line}"), format!("`{}` {reason}", code.trim()))
                }));
            }
        }
    }
    Ok(findings)
}

fn among_packages(name: &str, packages: &[String]) -> Vec<Finding> {
    let browser =
        |package: &&String| BROWSER.contains(&package.as_str()) || package.starts_with(BROWSER_PREFIX);
    let finding = |package| Finding::new(format!("crates/{name}/Cargo.toml"), format!("brings in {package}"));
    packages.iter().filter(browser).map(finding).collect()
}

/// The direct and indirect dependencies of a crate when built for WASM. Asked for each crate alone:
/// together, crates share features.
fn packages(name: &str) -> Result<Vec<String>> {
    let crate_name = format!("sidecar-{name}");
    let arguments =
        ["tree", "--edges", "normal", "--prefix", "depth", "--format", " {p}", "--target", WASM, "--package"];
    let listed =
        run::captured(Toolchain::Active.cargo().args(arguments).arg(crate_name).current_dir(paths::root()))?;
    let mut names = without_seeds(&listed);
    names.sort();
    names.dedup();
    Ok(names)
}

/// The packages of a tree (each line is a depth and a package) without what [`SEEDS`] depends on.
fn without_seeds(tree: &str) -> Vec<String> {
    let mut seeds_at = None;
    let mut names = Vec::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        let (Some(depth), Some(name)) =
            (words.next().and_then(|depth| depth.parse::<usize>().ok()), words.next())
        else {
            continue;
        };
        if seeds_at.is_some_and(|at| depth > at) {
            continue;
        }
        seeds_at = (name == SEEDS).then_some(depth);
        names.push(name.to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(source: &str) -> Vec<String> {
        let found = in_source(&Tree::of([("crates/agent/src/x.rs", source)])).unwrap();
        found.into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn clocks_files_nets_threads_and_unsafe_are_found() {
        for bad in [
            "let now = std::time::Instant::now();",
            "use std::time::{Duration, SystemTime};",
            "let text = std::fs::read_to_string(path)?;",
            "use std::net::TcpStream;",
            "std::thread::spawn(work);",
            "use std::{fmt, fs};",
            "unsafe { *pointer }",
        ] {
            assert_eq!(places(bad), ["crates/agent/src/x.rs:1"], "{bad}");
        }
    }

    #[test]
    fn comments_tests_and_other_crates_may_say_it() {
        assert_eq!(
            places("// unlike std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"),
            Vec::<String>::new()
        );
        let native = Tree::of([("crates/testkit/src/x.rs", "use std::net::TcpStream;")]);
        assert_eq!(in_source(&native).unwrap(), []);
    }

    #[test]
    fn seeds_may_depend_on_javascript_and_nothing_else_may() {
        let tree = "0 sidecar-webmcp v0.1.0\n1 hashes v1.0.0\n2 getrandom v0.3.4\n3 wasm-bindgen v0.2.1\n\
                    4 once v1.0.0\n2 once v1.0.0\n1 timers v1.0.0\n2 js-sys v0.3.0\n";
        let expected = ["sidecar-webmcp", "hashes", "getrandom", "once", "timers", "js-sys"];
        assert_eq!(without_seeds(tree), expected);
    }

    #[test]
    fn package_that_reaches_into_javascript_is_found() {
        let packages = ["serde", "gloo-timers", "js-sys"].map(str::to_owned);
        let found: Vec<_> =
            among_packages("llm", &packages).into_iter().map(|finding| finding.what).collect();
        assert_eq!(found, ["brings in gloo-timers", "brings in js-sys"]);
    }
}
