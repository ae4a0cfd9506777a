//! The `data-testid`s of the panel and its widgets are those that `docs/testing.md` lists.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use regex_lite::Regex;

use crate::tidy::tree::Tree;
use crate::tidy::{Finding, source};

const DOCS: &str = "docs/testing.md";
const VIEWS: [&str; 3] = ["crates/panel/src/", "crates/ui/src/", "crates/workbench/src/"];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let docs = tree.get(DOCS).with_context(|| format!("{DOCS} is missing"))?;
    let promised = promised(docs)?;
    let used = used(tree)?;

    let undocumented = used.iter().filter(|(id, _)| !promised.contains(id));
    let mut findings: Vec<_> = undocumented
        .map(|(id, place)| Finding::new(place, format!("data-testid \"{id}\" is not in {DOCS}")))
        .collect();
    let unused = promised.iter().filter(|id| !used.contains_key(*id));
    findings.extend(unused.map(|id| Finding::new(DOCS, format!("no data-testid \"{id}\" in the panel"))));
    Ok(findings)
}

/// The ids of the table: the text in backticks in the second column, without brackets (other attributes,
/// their values).
fn promised(docs: &str) -> Result<Vec<String>> {
    let brackets = Regex::new(r"\([^)]*\)")?;
    let id = Regex::new(r"`([a-z][a-z0-9-]*)`")?;
    let table = docs.lines().skip_while(|line| !line.contains("| `data-testid` |")).skip(2);
    let mut ids = Vec::new();
    for row in table.take_while(|line| line.starts_with('|')) {
        let cell =
            row.split('|').nth(2).with_context(|| format!("a row of {DOCS} has no second column: {row}"))?;
        let cell = brackets.replace_all(cell, "");
        ids.extend(id.captures_iter(&cell).map(|found| found[1].to_owned()));
    }
    Ok(ids)
}

/// Each id in the source of the views, with its first place.
fn used(tree: &Tree) -> Result<BTreeMap<String, String>> {
    let attribute = Regex::new(
        r#"(?:(?:data-testid|test_?id)\s*[=:]\s*|(?:small_button|plain_button|question_card)\(\s*)"([a-z][a-z0-9-]*)""#,
    )?;
    let mut ids = BTreeMap::new();
    for (path, text) in VIEWS.into_iter().flat_map(|folder| tree.below(folder, ".rs")) {
        for (line, code) in source::code(text) {
            for found in attribute.captures_iter(code) {
                ids.entry(found[1].to_owned()).or_insert_with(|| format!("{path}:{line}"));
            }
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| where | `data-testid` |\n| --- | --- |\n\
                         | chat | `send` (with `data-thread`; `data-state`: `done`), `stop` |\n\n`later`\n";

    fn whats(panel: &str) -> Vec<String> {
        whats_of(panel, "")
    }

    fn whats_of(panel: &str, widgets: &str) -> Vec<String> {
        let tree = Tree::of([
            (DOCS, TABLE),
            ("crates/panel/src/x.rs", panel),
            ("crates/ui/src/widgets/y.rs", widgets),
        ]);
        check(&tree).unwrap().into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn same_ids_pass() {
        let panel = "<button data-testid=\"send\"/>\n<button data-testid=\"stop\"/>";
        assert_eq!(whats(panel), Vec::<String>::new());
    }

    #[test]
    fn ids_of_widgets_count() {
        let stop = "<button data-testid=\"stop\"/>";
        assert_eq!(whats_of("<button data-testid=\"send\"/>", stop), Vec::<String>::new());
    }

    #[test]
    fn ids_that_only_one_side_has_are_found() {
        assert_eq!(
            whats("<button data-testid=\"send\"/>\n<button data-testid=\"go\"/>"),
            [
                "crates/panel/src/x.rs:2: data-testid \"go\" is not in docs/testing.md",
                "docs/testing.md: no data-testid \"stop\" in the panel",
            ]
        );
    }
}
