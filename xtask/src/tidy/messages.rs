//! The messages of the page are the same in `sidecar_protocol::page`, in the JavaScript files and in
//! `docs/protocol.md`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use regex_lite::Regex;
use sidecar_protocol::PROTOCOL_VERSION;
use sidecar_protocol::page::{caps, names};

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

const DOCS: &str = "docs/protocol.md";

/// The two files in the page. Each states the caps that it applies.
const SCRIPTS: [&str; 2] = [BRIDGE, "extension/relay.js"];

/// The one that tells the protocol's version to the other.
const BRIDGE: &str = "extension/bridge.js";

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let docs = tree.get(DOCS).with_context(|| format!("{DOCS} is missing"))?;
    let mut findings = unknown_names(tree)?;
    findings.extend(documented_names(docs)?);
    findings.extend(documented_caps(docs)?);
    for path in SCRIPTS {
        let script = tree.get(path).with_context(|| format!("{path} is missing"))?;
        findings.extend(stated_caps(path, script)?);
        findings.extend(stated_version(path, script)?);
    }
    Ok(findings)
}

/// A message name that is written anywhere must be one of the protocol's.
fn unknown_names(tree: &Tree) -> Result<Vec<Finding>> {
    let name = Regex::new(r"__wmcp_[a-z_]*[a-z]")?;
    let places = ["crates/", "extension/", "docs/", "tests/"];
    let files = tree.all().filter(|(path, _)| places.iter().any(|place| path.starts_with(place)));
    let mut findings = Vec::new();
    for (path, text) in files {
        let written: BTreeSet<_> = name.find_iter(text).map(|found| found.as_str()).collect();
        let unknown = written.into_iter().filter(|name| !names::ALL.contains(name));
        findings
            .extend(unknown.map(|name| Finding::new(path, format!("{name} is no message of the protocol"))));
    }
    Ok(findings)
}

/// Every message has its row, and no row has a message that is not there.
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

fn stated_version(path: &str, script: &str) -> Result<Option<Finding>> {
    let version = Regex::new(r"\bconst VERSION = (\d+);")?;
    let stated = version.captures(script).map(|found| found[1].to_owned());
    let right = match &stated {
        Some(stated) => *stated == PROTOCOL_VERSION.to_string(),
        None => path != BRIDGE,
    };
    Ok((!right).then(|| Finding::new(path, format!("must say `const VERSION = {PROTOCOL_VERSION};`"))))
}

fn stated_caps(path: &str, script: &str) -> Result<Vec<Finding>> {
    let block = Regex::new(r"(?s)\bconst CAPS = (?:[\w.]+\()*\{(.*?)\}")?;
    let entry = Regex::new(r"\b([A-Z_]+):\s*([\d_]+)\s*(?:,|$)")?;
    let Some(block) = block.captures(script) else {
        return Ok(vec![Finding::new(path, "must state the caps that it applies, as `const CAPS = { … }`")]);
    };
    let stated = numbers(&entry, block[1].trim());
    let written = block[1].matches(':').count();
    if written != stated.len() {
        return Ok(vec![Finding::new(path, "every cap in CAPS must be a plain number after a plain name")]);
    }
    Ok(wrong_caps(path, &stated))
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

    /// Documentation that is right.
    fn docs() -> String {
        let messages = names::ALL.map(|name| format!("| `{name}` | way | load |\n"));
        let caps = caps::ALL.map(|(name, value)| format!("| `{name}` | {value} | cut |\n"));
        messages.concat() + &caps.concat()
    }

    #[test]
    fn a_name_that_nobody_else_knows_is_found() {
        let tree = Tree::of([("extension/relay.js", "port.postMessage({ type: '__wmcp_shout' })")]);
        assert_eq!(whats(unknown_names(&tree).unwrap()), ["__wmcp_shout is no message of the protocol"]);
    }

    #[test]
    fn a_message_without_a_row_is_found() {
        assert_eq!(documented_names(&docs()).unwrap(), []);
        let without = docs().replace(&format!("`{}`", names::CALL_TOOL), "`gone`");
        let expected = format!("{} has no row in the table of messages", names::CALL_TOOL);
        assert_eq!(whats(documented_names(&without).unwrap()), [expected]);
    }

    #[test]
    fn a_cap_that_differs_or_is_missing_in_the_docs_is_found() {
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

    #[test]
    fn a_cap_that_differs_in_a_script_is_found() {
        let right = "const CAPS = Object.freeze({\n  TOOLS: 1000,\n  RESULT: 4_194_304,\n});";
        assert_eq!(stated_caps("bridge.js", right).unwrap(), []);
        let wrong = right.replace("1000", "10");
        assert_eq!(whats(stated_caps("bridge.js", &wrong).unwrap()), ["TOOLS is 10, not 1000"]);
        let clever = right.replace("1000", "10 * 100");
        assert_eq!(stated_caps("bridge.js", &clever).unwrap().len(), 1);
        assert_eq!(stated_caps("bridge.js", "no caps").unwrap().len(), 1);
    }

    #[test]
    fn another_version_in_a_script_is_found() {
        let script = |version| format!("const VERSION = {version};");
        assert_eq!(stated_version(BRIDGE, &script(PROTOCOL_VERSION)).unwrap(), None);
        for (path, wrong) in
            [(BRIDGE, script(PROTOCOL_VERSION + 1)), ("relay.js", script(0)), (BRIDGE, String::new())]
        {
            let expected = format!("must say `const VERSION = {PROTOCOL_VERSION};`");
            assert_eq!(whats(stated_version(path, &wrong).unwrap()), [expected], "{path} {wrong}");
        }
    }
}
