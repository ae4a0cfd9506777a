//! All languages have the same texts, with the same placeholders.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use regex_lite::Regex;
use serde_json::Value;

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

/// The panel's texts: flat JSON, key to text. The other files are compared with the first one.
const PANEL: [&str; 2] = ["crates/panel/locales/en.json", "crates/panel/locales/zh-CN.json"];

/// The texts of the widgets, in the same format.
const UI: [&str; 2] = ["crates/ui/locales/en.json", "crates/ui/locales/zh-CN.json"];

/// The texts for Chrome: key to `{ message, … }`.
const EXTENSION: [&str; 2] =
    ["extension/_locales/en/messages.json", "extension/_locales/zh_CN/messages.json"];

const MANIFEST: &str = "extension/manifest.json";

/// Texts by key.
type Texts = BTreeMap<String, String>;

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let placeholder = Regex::new(r"\{\w+\}|\$\w+\$?")?;
    let mut findings = Vec::new();
    for files in [PANEL, UI, EXTENSION] {
        let [first, other] = files.map(|path| read(tree, path));
        findings.extend(compare(files, &first?, &other?, &placeholder));
    }
    findings.extend(named_by_manifest(tree)?);
    Ok(findings)
}

fn read(tree: &Tree, path: &str) -> Result<Texts> {
    let text = tree.get(path).with_context(|| format!("{path} is missing"))?;
    let words: BTreeMap<String, Value> =
        serde_json::from_str(text).with_context(|| format!("{path} is no JSON object"))?;
    let text = |key: &str, value: &Value| {
        let text = value.as_str().or_else(|| value.get("message").and_then(Value::as_str));
        text.map(str::to_owned).with_context(|| format!("{path}: {key} is no text"))
    };
    words.iter().map(|(key, value)| Ok((key.clone(), text(key, value)?))).collect()
}

fn compare(files: [&str; 2], first: &Texts, other: &Texts, placeholder: &Regex) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, words, all) in [(files[1], other, first), (files[0], first, other)] {
        let missing = all.keys().filter(|key| !words.contains_key(*key));
        findings.extend(missing.map(|key| Finding::new(path, format!("{key} is missing"))));
        let empty = words.iter().filter(|(_, text)| text.trim().is_empty());
        findings.extend(empty.map(|(key, _)| Finding::new(path, format!("{key} is empty"))));
    }
    let holes = |text: &str| {
        placeholder.find_iter(text).map(|hole| hole.as_str().to_owned()).collect::<BTreeSet<_>>()
    };
    for (key, text) in first {
        let (wanted, given) = (holes(text), other.get(key).map(|text| holes(text)));
        if let Some(given) = given.filter(|given| *given != wanted) {
            findings
                .push(Finding::new(files[1], format!("{key} has {}, not {}", list(&given), list(&wanted))));
        }
    }
    findings
}

fn list(holes: &BTreeSet<String>) -> String {
    if holes.is_empty() {
        return "no placeholder".to_owned();
    }
    holes.iter().cloned().collect::<Vec<_>>().join(" ")
}

/// Every text to which the manifest refers must exist.
fn named_by_manifest(tree: &Tree) -> Result<Vec<Finding>> {
    let manifest = tree.get(MANIFEST).with_context(|| format!("{MANIFEST} is missing"))?;
    let words = read(tree, EXTENSION[0])?;
    let name = Regex::new(r"__MSG_(\w+?)__")?;
    let named = name.captures_iter(manifest).map(|found| found[1].to_owned());
    let missing = named.filter(|key| !words.contains_key(key));
    Ok(missing
        .map(|key| Finding::new(MANIFEST, format!("names {key}, which {} lacks", EXTENSION[0])))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(en: &str, zh: &str) -> Vec<String> {
        let messages = r#"{"name": {"message": "x"}}"#;
        let tree = Tree::of([
            (PANEL[0], en),
            (PANEL[1], zh),
            (UI[0], "{}"),
            (UI[1], "{}"),
            (EXTENSION[0], messages),
            (EXTENSION[1], messages),
            (MANIFEST, "\"__MSG_name__\""),
        ]);
        check(&tree)
            .unwrap()
            .into_iter()
            .map(|finding| format!("{}: {}", finding.place, finding.what))
            .collect()
    }

    #[test]
    fn equal_keys_and_placeholders_pass() {
        assert_eq!(whats(r#"{"a": "{n} tools"}"#, r#"{"a": "{n} 个工具"}"#), Vec::<String>::new());
    }

    #[test]
    fn key_that_one_language_lacks_is_found() {
        assert_eq!(
            whats(r#"{"a": "x"}"#, r#"{"b": "x"}"#),
            [format!("{}: a is missing", PANEL[1]), format!("{}: b is missing", PANEL[0])]
        );
    }

    #[test]
    fn placeholder_that_one_language_lacks_is_found() {
        let found = whats(r#"{"a": "{n} tools"}"#, r#"{"a": "工具"}"#);
        assert_eq!(found, [format!("{}: a has no placeholder, not {{n}}", PANEL[1])]);
    }

    #[test]
    fn empty_text_is_found() {
        assert_eq!(whats(r#"{"a": "x"}"#, r#"{"a": " "}"#), [format!("{}: a is empty", PANEL[1])]);
    }

    #[test]
    fn word_that_the_manifest_misses_is_found() {
        let messages = (EXTENSION[0], r#"{"name": {"message": "x"}}"#);
        let tree = Tree::of([messages, (MANIFEST, "\"__MSG_name__\", \"__MSG_gone__\"")]);
        let found = named_by_manifest(&tree).unwrap();
        assert_eq!(found, [Finding::new(MANIFEST, format!("names gone, which {} lacks", EXTENSION[0]))]);
    }
}
