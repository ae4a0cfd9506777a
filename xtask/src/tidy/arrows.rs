//! Crates depend only on crates below them.

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

/// Each crate and the crates of the workspace that it may use. From `ARCHITECTURE.md`.
const ARROWS: [(&str, &[&str]); 26] = [
    ("sidecar-protocol", &[]),
    ("sidecar-schema", &["sidecar-protocol"]),
    ("sidecar-webmcp", &["sidecar-protocol"]),
    ("sidecar-llm", &["sidecar-protocol"]),
    ("sidecar-agent", &["sidecar-llm", "sidecar-schema", "sidecar-webmcp", "sidecar-protocol"]),
    (
        "sidecar-session",
        &[
            "sidecar-agent",
            "sidecar-evals",
            "sidecar-skills",
            "sidecar-webmcp",
            "sidecar-schema",
            "sidecar-llm",
            "sidecar-protocol",
        ],
    ),
    ("sidecar-skills", &["sidecar-webmcp", "sidecar-schema", "sidecar-protocol", "sidecar-locales"]),
    (
        "sidecar-evals",
        &[
            "sidecar-form",
            "sidecar-llm",
            "sidecar-schema",
            "sidecar-webmcp",
            "sidecar-protocol",
            "sidecar-locales",
        ],
    ),
    ("sidecar-form", &["sidecar-protocol", "sidecar-locales"]),
    (
        "sidecar-lint",
        &["sidecar-agent", "sidecar-schema", "sidecar-webmcp", "sidecar-protocol", "sidecar-locales"],
    ),
    ("sidecar-runs", &["sidecar-evals", "sidecar-form", "sidecar-protocol", "sidecar-locales"]),
    ("sidecar-chrome", &[]),
    ("sidecar-disk", &["sidecar-session", "sidecar-agent", "sidecar-chrome", "sidecar-protocol"]),
    (
        "sidecar-worker",
        &[
            "sidecar-disk",
            "sidecar-session",
            "sidecar-agent",
            "sidecar-evals",
            "sidecar-webmcp",
            "sidecar-schema",
            "sidecar-llm",
            "sidecar-chrome",
            "sidecar-protocol",
        ],
    ),
    ("sidecar-validator", &["sidecar-schema"]),
    (
        "sidecar-inspector",
        &["sidecar-agent", "sidecar-evals", "sidecar-form", "sidecar-lint", "sidecar-runs", "sidecar-schema"],
    ),
    ("sidecar-importer", &["sidecar-skills"]),
    ("sidecar-ui", &["sidecar-webmcp", "sidecar-protocol", "sidecar-locales"]),
    ("sidecar-link", &["sidecar-ui", "sidecar-chrome", "sidecar-protocol"]),
    (
        "sidecar-panel",
        &["sidecar-link", "sidecar-ui", "sidecar-chrome", "sidecar-protocol", "sidecar-locales"],
    ),
    (
        "sidecar-workbench",
        &[
            "sidecar-evals",
            "sidecar-form",
            "sidecar-link",
            "sidecar-runs",
            "sidecar-ui",
            "sidecar-protocol",
            "sidecar-locales",
        ],
    ),
    ("sidecar-locales", &["sidecar-protocol"]),
    ("sidecar-testkit", &["sidecar-protocol"]),
    ("sidecar-golden", &[]),
    ("sidecar-bench", &["sidecar-llm", "sidecar-evals", "sidecar-form", "sidecar-lint"]),
    (
        "xtask",
        &[
            "sidecar-agent",
            "sidecar-evals",
            "sidecar-form",
            "sidecar-lint",
            "sidecar-llm",
            "sidecar-locales",
            "sidecar-protocol",
            "sidecar-schema",
            "sidecar-skills",
        ],
    ),
];

/// Crates that the tests of any crate may use as well; `sidecar-schema` and `sidecar-evals` judge what others make.
const FOR_TESTS: [&str; 4] = ["sidecar-testkit", "sidecar-golden", "sidecar-schema", "sidecar-evals"];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, text) in tree.below("", "Cargo.toml") {
        let manifest: Table = toml::from_str(text).with_context(|| format!("{path} is no TOML"))?;
        let Some(package) =
            manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str)
        else {
            continue; // the workspace itself
        };
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package) else {
            findings.push(Finding::new(
                path,
                format!("{package} has no place yet in the list of crates in {}", file!()),
            ));
            continue;
        };
        for (kind, dependency) in dependencies(&manifest) {
            let ours = ARROWS.iter().any(|(name, _)| *name == dependency);
            let for_tests = kind == "dev-dependencies"
                && FOR_TESTS.contains(&dependency.as_str())
                && !FOR_TESTS.contains(&package);
            if ours && !for_tests && !allowed.contains(&dependency.as_str()) {
                findings.push(Finding::new(path, format!("{package} must not depend on {dependency}")));
            }
        }
    }
    Ok(findings)
}

/// Kind and package of each dependency, including those for some targets only.
fn dependencies(manifest: &Table) -> Vec<(&'static str, String)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    let mut found = Vec::new();
    for table in tables.chain([manifest]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let entries = table.get(kind).and_then(Value::as_table).into_iter().flatten();
            found.extend(entries.map(|(name, value)| {
                let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
                (kind, package.to_owned())
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(package: &str, dependencies: &str) -> Vec<String> {
        let manifest = format!("[package]\nname = \"{package}\"\n{dependencies}");
        let found = check(&Tree::of([("crates/x/Cargo.toml", &manifest)])).unwrap();
        found.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn arrow_upwards_is_found() {
        let found =
            findings("sidecar-llm", "[dependencies]\nsidecar-agent.workspace = true\nserde = \"1\"\n");
        assert_eq!(found, ["sidecar-llm must not depend on sidecar-agent"]);
    }

    #[test]
    fn arrow_is_found_behind_a_target_and_behind_another_name() {
        let hidden =
            "[target.'cfg(unix)'.dependencies]\nx = { package = \"sidecar-chrome\", path = \"..\" }\n";
        assert_eq!(findings("sidecar-agent", hidden), ["sidecar-agent must not depend on sidecar-chrome"]);
    }

    #[test]
    fn tests_may_use_the_testkit_and_golden_files_but_nothing_else_from_above() {
        let dev = "[dev-dependencies]\nsidecar-testkit.workspace = true\nsidecar-golden.workspace = true\nsidecar-worker.workspace = true\n";
        assert_eq!(findings("sidecar-llm", dev), ["sidecar-llm must not depend on sidecar-worker"]);
        let normal = "[dependencies]\nsidecar-testkit.workspace = true\n";
        assert_eq!(findings("sidecar-llm", normal), ["sidecar-llm must not depend on sidecar-testkit"]);
    }

    #[test]
    fn crate_without_a_place_is_found() {
        assert_eq!(findings("sidecar-new", "").len(), 1);
    }
}
