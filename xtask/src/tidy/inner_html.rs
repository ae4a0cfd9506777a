//! Our pages and their widgets build their documents from views. Text of a page or a model never becomes
//! HTML.

use anyhow::Result;
use regex_lite::Regex;

use crate::tidy::tree::Tree;
use crate::tidy::{Finding, source};

/// Where views are made.
const VIEWS: [&str; 3] = ["crates/panel/src/", "crates/ui/src/", "crates/workbench/src/"];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let writes = Regex::new(
        r"(?i)\b(set_)?(inner|outer)_?html\b|\binsert_adjacent_html\b|\binsertAdjacentHTML\b|\bdocument\.write\b|\bset_srcdoc\b",
    )?;
    let rust = VIEWS.into_iter().flat_map(|folder| tree.below(folder, ".rs"));
    let scripts = ["extension/page.js", "extension/panel.html", "extension/workbench.html"].into_iter();
    let scripts = scripts.filter_map(|path| Some((path, tree.get(path)?)));
    let mut findings = Vec::new();
    for (path, text) in rust.chain(scripts) {
        let lines = source::code(text).filter(|(_, code)| writes.is_match(code));
        findings.extend(lines.map(|(line, code)| {
            Finding::new(
                format!("{path}:{line}"),
                format!("`{}` makes HTML of text: build a view", code.trim()),
            )
        }));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_from_text_is_found() {
        let tree = Tree::of([
            ("crates/panel/src/a.rs", "view! { <div inner_html=text/> }"),
            ("crates/ui/src/b.rs", "element.set_inner_html(&text);"),
            ("extension/page.js", "root.innerHTML = text;"),
            ("tests/e2e/c.test.mjs", "page.evaluate(() => document.body.innerHTML)"),
        ]);
        let places: Vec<_> = check(&tree).unwrap().into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["crates/panel/src/a.rs:1", "crates/ui/src/b.rs:1", "extension/page.js:1"]);
    }
}
