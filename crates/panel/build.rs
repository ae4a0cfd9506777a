//! Makes `enum Word` from the two word files, so that a word that is missing in a language, or a placeholder that
//! differs, is a failed build, and a word nobody uses is a warning.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

type Texts = BTreeMap<String, String>;

fn main() {
    let english = read("locales/en.json");
    let chinese = read("locales/zh-CN.json");
    for (key, text) in &english {
        let other = chinese.get(key).unwrap_or_else(|| panic!("locales/zh-CN.json lacks {key:?}"));
        assert_eq!(placeholders(text), placeholders(other), "{key:?} has different placeholders");
    }
    for key in chinese.keys() {
        assert!(english.contains_key(key), "locales/en.json lacks {key:?}");
    }

    let mut code = String::from(
        "/// A text of the panel, in every language.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum Word {\n",
    );
    for (key, text) in &english {
        let _ = writeln!(code, "    /// {text:?}\n    {},", variant(key));
    }
    code.push_str("}\n\nimpl Word {\n    /// The text, with its `{placeholders}`.\n    pub fn text(self, language: Language) -> &'static str {\n        match (self, language) {\n");
    for (key, text) in &english {
        let name = variant(key);
        let _ = writeln!(code, "            (Self::{name}, Language::English) => {text:?},");
        let _ = writeln!(code, "            (Self::{name}, Language::Chinese) => {:?},", chinese[key]);
    }
    code.push_str("        }\n    }\n}\n");

    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("words.rs"), code).expect("OUT_DIR can be written");
}

fn read(path: &str) -> Texts {
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `header.tools.one` → `HeaderToolsOne`.
fn variant(key: &str) -> String {
    key.split('.')
        .map(|part| {
            let (first, rest) = part.split_at(1);
            first.to_uppercase() + rest
        })
        .collect()
}

/// The names in braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}
