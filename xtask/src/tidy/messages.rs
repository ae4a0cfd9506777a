//! The messages of the page are the same in `sidecar_protocol::page`, in the modules that the JavaScript
//! files share, and in `docs/protocol.md`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use regex_lite::Regex;
use sidecar_protocol::PROTOCOL_VERSION;
use sidecar_protocol::page::{TEST_BRIDGE, caps, names};

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

const DOCS: &str = "docs/protocol.md";

/// The modules from which every JavaScript file in the page imports message names, caps and version.
const NAMES: &str = "extension/shared/names.js";
const CAPS: &str = "extension/shared/caps.js";
const VERSION: &str = "extension/shared/version.js";

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let text = |path: &str| tree.get(path).with_context(|| format!("{path} is missing"));
    let docs = text(DOCS)?;
    let mut findings = unknown_names(tree)?;
    findings.extend(copied_names(tree)?);
    findings.extend(documented_names(docs)?);
    findings.extend(documented_caps(docs)?);
    findings.extend(stated(NAMES, text(NAMES)?, &names_in_javascript())?);
    findings.extend(stated(CAPS, text(CAPS)?, &caps_in_javascript())?);
    findings.extend(stated(
        VERSION,
        text(VERSION)?,
        &[("VERSION".to_owned(), PROTOCOL_VERSION.to_string())],
    )?);
    Ok(findings)
}

/// A message name that occurs anywhere must be one of the protocol's.
fn unknown_names(tree: &Tree) -> Result<Vec<Finding>> {
    let name = Regex::new(r"__wmcp_[a-z_]*[a-z]")?;
    let places = ["crates/", "extension/", "docs/", "tests/"];
    let files = tree.all().filter(|(path, _)| places.iter().any(|place| path.starts_with(place)));
    let mut findings = Vec::new();
    for (path, text) in files {
        let written: BTreeSet<_> = name.find_iter(text).map(|found| found.as_str()).collect();
        let unknown = written.into_iter().filter(|name| !names::ALL.contains(name) && *name != TEST_BRIDGE);
        findings
            .extend(unknown.map(|name| Finding::new(path, format!("{name} is no message of the protocol"))));
    }
    Ok(findings)
}

/// Every message has a row in the table, and every row a message.
fn documented_names(docs: &str) -> Result<Vec<Finding>> {
    let row = Regex::new(r"(?m)^\| `(__wmcp_\w+)` \|")?;
    let rows: BTreeSet<_> =
        row.captures_iter(docs).filter_map(|row| row.get(1)).map(|name| name.as_str()).collect();
    let missing = names::ALL.into_iter().filter(|name| !rows.contains(name));
    Ok(missing
        .map(|name| Finding::new(DOCS, format!("{name} has no row in the table of messages")))
        .collect())
}

fn documented_caps(docs: &str) -> Result<Vec<Finding>> {
    let row = Regex::new(r"(?m)^\| `([A-Z_]+)` \| ([\d_]+) \|")?;
    let stated = numbers(&row, docs);
    let mut findings = wrong_caps(DOCS, &stated);
    let missing = caps::ALL.into_iter().filter(|(name, _)| !stated.contains_key(*name));
    findings.extend(
        missing.map(|(name, _)| Finding::new(DOCS, format!("{name} has no row in the table of caps"))),
    );
    Ok(findings)
}

/// A name is written once, and imported elsewhere.
fn copied_names(tree: &Tree) -> Result<Vec<Finding>> {
    let name = Regex::new(r"__wmcp_\w*")?;
    let is_copy = |text: &str| name.find_iter(text).any(|found| found.as_str() != TEST_BRIDGE);
    let scripts = tree.below("extension/", ".js").filter(|(path, text)| *path != NAMES && is_copy(text));
    Ok(scripts
        .map(|(path, _)| Finding::new(path, format!("must import the names of messages from {NAMES}")))
        .collect())
}

/// What `names.js` must define: `__wmcp_list_tools` is `LIST_TOOLS` there.
fn names_in_javascript() -> Vec<(String, String)> {
    let constant = |name: &str| name.trim_start_matches("__wmcp_").to_uppercase();
    names::ALL.iter().map(|name| (constant(name), format!("'{name}'"))).collect()
}

fn caps_in_javascript() -> Vec<(String, String)> {
    caps::ALL.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect()
}

/// Checks that a module defines these constants, each once and correctly, and no others.
fn stated(path: &str, script: &str, right: &[(String, String)]) -> Result<Vec<Finding>> {
    let constant = Regex::new(r"(?m)^export const (\w+) = (.*);$")?;
    let said: Vec<_> =
        constant.captures_iter(script).map(|said| (said[1].to_owned(), said[2].to_owned())).collect();
    let missing = right.iter().filter(|one| !said.contains(one));
    let wrong = said.iter().filter(|one| !right.contains(one));
    Ok(missing
        .map(|(name, value)| Finding::new(path, format!("must say `export const {name} = {value};`")))
        .chain(
            wrong.map(|(name, value)| Finding::new(path, format!("{name} is not {value} in the protocol"))),
        )
        .collect())
}

fn numbers(pattern: &Regex, text: &str) -> BTreeMap<String, usize> {
    let number = |digits: &str| digits.replace('_', "").parse().ok();
    pattern.captures_iter(text).filter_map(|row| Some((row[1].to_owned(), number(&row[2])?))).collect()
}

fn wrong_caps(path: &str, stated: &BTreeMap<String, usize>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, value) in stated {
        match caps::ALL.iter().find(|(known, _)| known == name) {
            Some((_, right)) if right == value => {}
            Some((_, right)) => findings.push(Finding::new(path, format!("{name} is {value}, not {right}"))),
            None => findings.push(Finding::new(path, format!("{name} is no cap of the protocol"))),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(findings: impl IntoIterator<Item = Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| finding.what).collect()
    }

    /// Correct documentation.
    fn docs() -> String {
        let messages = names::ALL.map(|name| format!("| `{name}` | way | load |\n"));
        let caps = caps::ALL.map(|(name, value)| format!("| `{name}` | {value} | cut |\n"));
        messages.concat() + &caps.concat()
    }

    #[test]
    fn name_that_nobody_else_knows_is_found() {
        let tree = Tree::of([("extension/relay.js", "port.postMessage({ type: '__wmcp_shout' })")]);
        assert_eq!(whats(unknown_names(&tree).unwrap()), ["__wmcp_shout is no message of the protocol"]);
    }

    #[test]
    fn message_without_a_row_is_found() {
        assert_eq!(documented_names(&docs()).unwrap(), []);
        let without = docs().replace(&format!("`{}`", names::CALL_TOOL), "`gone`");
        let expected = format!("{} has no row in the table of messages", names::CALL_TOOL);
        assert_eq!(whats(documented_names(&without).unwrap()), [expected]);
    }

    #[test]
    fn cap_that_differs_or_is_missing_in_the_docs_is_found() {
        assert_eq!(documented_caps(&docs()).unwrap(), []);
        let wrong = docs().replace("| 1000 |", "| 999 |").replace("`ERROR`", "`ERRORS`");
        assert_eq!(
            whats(documented_caps(&wrong).unwrap()),
            [
                "ERRORS is no cap of the protocol",
                "TOOLS is 999, not 1000",
                "ERROR has no row in the table of caps"
            ]
        );
    }

    /// A module that defines constants.
    fn module(constants: &[(String, String)]) -> String {
        constants.iter().map(|(name, value)| format!("export const {name} = {value};\n")).collect()
    }

    #[test]
    fn constant_that_differs_in_a_script_is_found() {
        let right = caps_in_javascript();
        assert_eq!(stated(CAPS, &module(&right), &right).unwrap(), []);
        let wrong = module(&right).replace("TOOLS = 1000", "TOOLS = 10 * 100");
        assert_eq!(
            whats(stated(CAPS, &wrong, &right).unwrap()),
            ["must say `export const TOOLS = 1000;`", "TOOLS is not 10 * 100 in the protocol"]
        );
        assert_eq!(stated(NAMES, "", &names_in_javascript()).unwrap().len(), names::ALL.len());
    }

    #[test]
    fn names_of_javascript_are_those_of_rust() {
        let right = names_in_javascript();
        assert!(right.contains(&("LIST_TOOLS".to_owned(), format!("'{}'", names::LIST_TOOLS))));
    }

    #[test]
    fn name_that_is_copied_is_found() {
        let tree = Tree::of([
            (NAMES, "export const LIST_TOOLS = '__wmcp_list_tools';"),
            ("extension/relay/worker.js", "const LIST = '__wmcp_list_tools';"),
            ("extension/test-bridge/main.js", "const NAME = '__wmcp_bridge';"),
        ]);
        assert_eq!(copied_names(&tree).unwrap().len(), 1);
        assert_eq!(unknown_names(&tree).unwrap(), Vec::new());
    }
}
