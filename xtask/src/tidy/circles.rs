//! Modules of a crate do not use each other in circles, so that each can be read with only those below it in mind.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::tidy::Finding;
use crate::tidy::modules::{self, Module};
use crate::tidy::tree::Tree;

type Modules = BTreeMap<String, Module>;

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (manifest, _) in tree.below("", "Cargo.toml") {
        let source = format!("{}src/", manifest.trim_end_matches("Cargo.toml"));
        findings.extend(in_crate(tree, &source)?);
    }
    Ok(findings)
}

fn in_crate(tree: &Tree, source: &str) -> Result<Vec<Finding>> {
    let modules = modules::read(tree, source)?;
    Ok(circles(&modules).iter().map(|circle| finding(&modules, circle)).collect())
}

/// The sets of modules in which each module leads to all others.
fn circles(modules: &Modules) -> BTreeSet<BTreeSet<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|name| (name.as_str(), reach(modules, name))).collect();
    let leads = |from: &str, to: &str| reach.get(from).is_some_and(|reached| reached.contains(to));
    let on_circles = reach.iter().filter(|(name, reached)| reached.contains(*name));
    on_circles
        .map(|(name, reached)| reached.iter().copied().filter(|other| leads(other, name)).collect())
        .collect()
}

/// All modules to which a module leads.
fn reach<'a>(modules: &'a Modules, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        next.extend(uses(modules, module).map(|(used, _)| used).filter(|used| reached.insert(*used)));
    }
    reached
}

/// The modules that a module uses, with the place, except its parent and its children: a child may use its
/// parent's private items.
fn uses<'a>(modules: &'a Modules, name: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
    let uses = modules.get(name).into_iter().flat_map(|module| &module.uses);
    let uses = uses.map(|(used, line)| (used.as_str(), *line));
    uses.filter(move |(used, _)| parent(used) != Some(name) && parent(name) != Some(used))
}

fn parent(name: &str) -> Option<&str> {
    (!name.is_empty()).then(|| name.rsplit_once("::").map_or("", |(parent, _)| parent))
}

fn finding(modules: &Modules, circle: &BTreeSet<&str>) -> Finding {
    let shown = |name: &str| if name.is_empty() { "crate".to_owned() } else { name.to_owned() };
    let names: Vec<_> = circle.iter().map(|name| shown(name)).collect();
    let edges: Vec<_> = circle
        .iter()
        .flat_map(|name| uses(modules, name).map(move |(used, line)| (*name, used, line)))
        .filter(|(_, used, _)| circle.contains(used))
        .map(|(name, used, line)| format!("{} uses {} (line {line})", shown(name), shown(used)))
        .collect();
    let place = circle.first().and_then(|name| modules.get(*name)).map_or("", |module| &module.file);
    Finding::new(place, format!("{} form a circle: {}", names.join(", "), edges.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings for a crate with these files.
    fn found<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
        let found = in_crate(&Tree::of(files), "").unwrap();
        found.into_iter().map(|finding| finding.to_string()).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn circle_of_two_is_found_with_its_edges() {
        let found = found([
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a.rs", "//! A.\nuse crate::b::B;\npub struct A;"),
            ("b.rs", "pub struct B(super::a::A, crate::c::C);"),
            ("c.rs", "pub struct C;"),
        ]);
        assert_eq!(found, ["a.rs: a, b form a circle: a uses b (line 2), b uses a (line 1)"]);
    }

    #[test]
    fn circle_of_three_is_found() {
        let found = found([
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;"),
            ("d.rs", "use crate::a::A;"),
        ]);
        assert_eq!(
            found,
            ["a.rs: a, b, c form a circle: a uses b (line 1), b uses c (line 1), c uses a (line 1)"]
        );
    }

    #[test]
    fn each_crate_is_looked_at_by_itself() {
        let tree = Tree::of([
            ("crates/x/Cargo.toml", ""),
            ("crates/x/src/a.rs", "use crate::b::B;"),
            ("crates/x/src/b.rs", ""),
            ("y/Cargo.toml", ""),
            ("y/src/a.rs", "use crate::b::B;"),
            ("y/src/b.rs", "use crate::a::A;"),
        ]);
        let places: Vec<_> = check(&tree).unwrap().into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["y/src/a.rs"]);
    }

    #[test]
    fn two_circles_of_a_crate_are_two_findings() {
        let found = found([
            ("a.rs", "use crate::b::B; use crate::c::C;"),
            ("b.rs", "use crate::a::A;"),
            ("c.rs", "use crate::d::D;"),
            ("d.rs", "use crate::c::C;"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn child_and_its_parent_may_use_each_other() {
        let root_and_child = [("lib.rs", "pub use self::a::A;"), ("a.rs", "use crate::Error;")];
        assert_eq!(found(root_and_child), NONE);
        let parent_and_child = [("a.rs", "mod b;\nuse self::b::B;"), ("a/b.rs", "use super::A;")];
        assert_eq!(found(parent_and_child), NONE);
    }

    #[test]
    fn circle_of_siblings_and_one_by_way_of_a_child_are_found() {
        let siblings = [("a/b.rs", "use super::c::C;"), ("a/c.rs", "use crate::a::b::B;")];
        assert_eq!(
            found(siblings),
            ["a/b.rs: a::b, a::c form a circle: a::b uses a::c (line 1), a::c uses a::b (line 1)"]
        );
        let by_way_of_a_child = [("a/b.rs", "use crate::c::C;"), ("c.rs", "use crate::a::b::B;")];
        assert_eq!(found(by_way_of_a_child).len(), 1);
    }

    #[test]
    fn tests_may_use_anything() {
        let found = found([
            ("lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod testing;"),
            ("a.rs", "use crate::b::B;\nuse crate::testing;\npub struct A;"),
            (
                "b.rs",
                "#[cfg(test)]\nuse crate::a::{A};\nimpl B {\n#[cfg(test)]\nfn f() -> crate::a::A { todo!() }\n}\n#[cfg(all(test, unix))]\nmod on_unix { use crate::a::A; }\n#[cfg(test)]\nmod tests { use super::*; use crate::a::A; }",
            ),
            ("testing.rs", "use crate::a::A;"),
            ("b/tests.rs", "use crate::a::A;"),
            ("b/tests/one.rs", "use super::two::Two;"),
            ("b/tests/two.rs", "use super::one::One;"),
        ]);
        assert_eq!(found, NONE);
    }

    #[test]
    fn code_behind_a_test_counts() {
        let found = found([
            ("a.rs", "#[cfg(test)]\nfn f() {}\n#[cfg(not(test))]\nuse crate::b::B;"),
            ("b.rs", "#[cfg(test)]\nmod tests {}\nuse crate::a::A;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    /// Whether `a`, whose source this is, uses `b::c`, which uses `a`.
    fn a_uses_c(source: &str) -> bool {
        let files = [
            ("a.rs", source),
            ("a/deep/er.rs", "fn f() {}"),
            ("b.rs", "mod c;"),
            ("b/c.rs", "use crate::a::A;"),
        ];
        match found(files).as_slice() {
            [] => false,
            [finding] => finding.contains("a, b::c form a circle"),
            more => panic!("{more:?}"),
        }
    }

    #[test]
    fn uses_are_found_however_they_are_written() {
        for source in [
            "use crate::{x::X, b::{self, Y, c::{C as D}}, Z};",
            "use {crate::b::c, std::fmt};",
            "pub(crate) use super::b::{c::*};",
            "use self::super::b::c::C;",
            "fn f(x: crate::b::c::C) {}",
            "fn f() { let v = Vec::<super::b::c::C>::new(); }",
            "fn f() { show!(<b a={crate::b::c::f()}/>) }",
            "macro_rules! m { () => { $crate::b::c::f() } }",
            "use crate::b;\nfn f() { b::c::f() }",
            "use crate::b as other;\nuse other::c::C;",
            "mod inside { use super::super::b::c::C; }",
            "fn f() { <T as crate::b::c::C>::f() }",
        ] {
            assert!(a_uses_c(source), "{source}");
        }
    }

    #[test]
    fn paths_that_use_no_module_are_left_out() {
        for source in [
            "// use crate::b::c::C;\n/// [`crate::b::c::C`]\nfn f() {}",
            "const TEXT: &str = \"use crate::b::c::C;\";",
            "use other::{b::c::C, crate_name};",
            "use ::b::c::C;",
            "fn f() { other::b::c::f(); self.b.c; }",
            "pub(in crate::b::c) fn f() {}",
            "use crate::b::C;",
            "mod inside { use super::b::c::C; }",
        ] {
            assert!(!a_uses_c(source), "{source}");
        }
    }

    #[test]
    fn super_of_super_is_resolved() {
        let two_up = [("a/b/c.rs", "use super::super::d::D;"), ("a/d.rs", "use crate::a::b::c::C;")];
        assert_eq!(
            found(two_up),
            ["a/b/c.rs: a::b::c, a::d form a circle: a::b::c uses a::d (line 1), a::d uses a::b::c (line 1)"]
        );
    }
}
