//! Names of tools as models write them.

use proptest::prelude::*;
use sidecar_llm::names::resolve;

use crate::time::{hurry, spend};

const PARTS: [&str; 18] = [
    "search",
    "Search",
    "flights",
    "_",
    "-",
    "__",
    ".",
    "/",
    ":",
    "0",
    "()",
    "functions.",
    "mcp",
    " ",
    "`",
    "\"",
    "é",
    "İ",
];

fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => prop::sample::select(&PARTS[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => (prop::sample::select(&PARTS[..]), 1..500_usize).prop_map(|(part, times)| part.repeat(times)),
    ];
    prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
}

#[test]
fn name_means_an_offered_tool_or_none() {
    let cases = (name(), prop::collection::btree_set(name(), 0..6));
    spend(&cases, |(written, offered)| {
        let found = hurry(|| resolve(&written, offered.iter().map(String::as_str)));
        prop_assert!(found.is_none_or(|name| offered.contains(name)), "{:?}", found);
        prop_assert_eq!(
            found,
            resolve(&written, offered.iter().rev().map(String::as_str)),
            "it does not depend on the order in which they are offered"
        );
        for name in offered.iter().filter(|name| name.len() <= 200) {
            let itself = resolve(name, offered.iter().map(String::as_str));
            prop_assert_eq!(itself, Some(name.as_str()), "a tool is itself, whatever else is offered");
        }
        Ok(())
    });
}
