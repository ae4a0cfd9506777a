//! A type's name is unique in the workspace, tests included, so that a search for it finds one thing.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};

use crate::tidy::Finding;
use crate::tidy::modules::braces;
use crate::tidy::tree::Tree;

/// Names that may occur several times, and why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Keywords that declare a type.
const KEYWORDS: [&str; 5] = ["struct", "enum", "union", "trait", "type"];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in tree.below("", ".rs") {
        let tokens: TokenStream = text.parse().map_err(|why| anyhow!("{file} is no Rust: {why}"))?;
        for (name, line) in declared(tokens) {
            places.entry(name).or_default().push(format!("{file}:{line}"));
        }
    }
    let is_excepted = |name: &str| EXCEPTIONS.iter().any(|(known, _)| *known == name);
    let doubled = places.iter().filter(|(name, places)| places.len() > 1 && !is_excepted(name));
    let mut findings: Vec<_> = doubled
        .map(|(name, places)| {
            let others = places[1..].join(", ");
            Finding::new(&places[0], format!("{name} is also the name of a type in {others}"))
        })
        .collect();
    let idle = EXCEPTIONS.iter().filter(|(name, _)| places.get(*name).is_none_or(|places| places.len() < 2));
    findings.extend(
        idle.map(|(name, _)| Finding::new(file!(), format!("{name} stands once and needs no exception"))),
    );
    Ok(findings)
}

/// The types that a file declares outside functions, each with its line.
fn declared(tokens: TokenStream) -> Vec<(String, usize)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let [TokenTree::Ident(keyword), TokenTree::Ident(name)] = pair else { continue };
        if KEYWORDS.iter().any(|known| keyword == known) {
            found.push((name.to_string(), name.span().start().line));
        } else if keyword == "mod"
            && let Some(body) = tokens.get(at + 2).and_then(braces)
        {
            found.extend(declared(body.stream()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
        check(&Tree::of(files)).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn name_of_two_types_is_found_whatever_kind_they_are() {
        let found = findings([
            ("crates/a/src/lib.rs", "pub struct Entry;\nmod inner { enum Row {} }"),
            ("crates/b/src/lib.rs", "type Entry = u8;"),
            ("crates/b/src/row.rs", "trait Row {}"),
        ]);
        assert_eq!(
            found,
            [
                "crates/a/src/lib.rs:1: Entry is also the name of a type in crates/b/src/lib.rs:1",
                "crates/a/src/lib.rs:2: Row is also the name of a type in crates/b/src/row.rs:1",
            ]
        );
    }

    #[test]
    fn name_of_two_types_is_found_in_tests_and_testing_modules() {
        let found = findings([
            ("crates/a/src/lib.rs", "struct Disk;"),
            ("crates/a/src/testing.rs", "pub struct Reply;"),
            ("crates/b/src/lib.rs", "#[cfg(test)] mod tests { struct Disk; }"),
            ("crates/b/src/tests.rs", "struct Reply;"),
            ("crates/b/tests/it.rs", "struct Disk;"),
        ]);
        assert_eq!(
            found,
            [
                "crates/a/src/lib.rs:1: Disk is also the name of a type in crates/b/src/lib.rs:1, crates/b/tests/it.rs:1",
                "crates/a/src/testing.rs:1: Reply is also the name of a type in crates/b/src/tests.rs:1",
            ]
        );
    }

    #[test]
    fn types_within_functions_and_traits_are_left_out() {
        let found = findings([
            (
                "crates/a/src/lib.rs",
                "struct Entry; trait T { type Item; } impl T for Entry { type Item = u8; }",
            ),
            ("crates/b/src/lib.rs", "fn f() { struct Entry; } trait U { type Item; }"),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }
}
