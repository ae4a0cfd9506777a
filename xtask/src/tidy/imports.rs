//! Modules of a script in the page do not import each other in circles.

use std::collections::BTreeMap;

use anyhow::Result;
use regex_lite::Regex;

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let import = Regex::new(r"(?m)^(?:import|\}) [^;]*?from '(\.[^']*)';$")?;
    let imports: BTreeMap<&str, Vec<String>> = tree
        .below("extension/", ".js")
        .map(|(path, text)| {
            (path, import.captures_iter(text).map(|found| resolved(path, &found[1])).collect())
        })
        .collect();
    let mut done = Vec::new();
    let mut findings = Vec::new();
    for path in imports.keys() {
        follow(path, &imports, &mut Vec::new(), &mut done, &mut findings);
    }
    Ok(findings)
}

/// A path in the repository, from one that is relative to a file.
fn resolved(file: &str, import: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn follow<'a>(
    path: &'a str,
    imports: &'a BTreeMap<&str, Vec<String>>,
    way: &mut Vec<&'a str>,
    done: &mut Vec<&'a str>,
    findings: &mut Vec<Finding>,
) {
    if let Some(start) = way.iter().position(|earlier| *earlier == path) {
        findings
            .push(Finding::new(path, format!("imports itself by way of {}", way[start + 1..].join(", "))));
        return;
    }
    if done.contains(&path) {
        return;
    }
    way.push(path);
    for next in imports.get(path).into_iter().flatten() {
        follow(next, imports, way, done, findings);
    }
    way.pop();
    done.push(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(tree: &Tree) -> Vec<String> {
        check(tree).unwrap().into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn circle_is_found() {
        let tree = Tree::of([
            ("extension/a/one.js", "import { x } from './two.js';\nimport * as C from '../c.js';"),
            ("extension/a/two.js", "import {\n  y,\n} from '../b/three.js';"),
            ("extension/b/three.js", "import { z } from '../a/one.js';"),
            ("extension/c.js", "export const c = 1;"),
        ]);
        let expected =
            "extension/a/one.js: imports itself by way of extension/a/two.js, extension/b/three.js";
        assert_eq!(whats(&tree), [expected]);
    }

    #[test]
    fn modules_that_import_downwards_pass() {
        let tree = Tree::of([
            ("extension/a.js", "import { b } from './b.js';\nimport { c } from './c.js';"),
            ("extension/b.js", "import { c } from './c.js';"),
            ("extension/c.js", ""),
        ]);
        assert_eq!(whats(&tree), [""; 0]);
    }
}
