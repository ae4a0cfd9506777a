//! The texts of a crate in every language: [`Word`], and for its build script [`generate`], which makes constants of
//! its locale files. A text missing in one language or a placeholder that differs fails the build; an unused word is a
//! compiler warning.
#![allow(clippy::print_stdout, reason = "a build script talks to cargo so")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

mod word;

pub use word::{Word, fill, quoted};

/// The locale files, in the order of the texts in `Word::new`.
const FILES: [&str; 2] = ["locales/en.json", "locales/zh-CN.json"];

/// Texts by key.
type LocaleTexts = BTreeMap<String, String>;

/// Writes `words.rs` into `OUT_DIR` of the crate being built. The including module needs [`Word`] in scope.
///
/// # Panics
/// Panics, and so fails the build, if a file cannot be read or the languages differ.
pub fn generate() {
    let texts = FILES.map(read);
    let code = constants(&texts).unwrap_or_else(|why| panic!("{why}"));
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("words.rs"), code).expect("OUT_DIR can be written");
}

fn read(path: &str) -> LocaleTexts {
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// One constant for each text, or an error message if the languages differ.
fn constants([english, chinese]: &[LocaleTexts; 2]) -> Result<String, String> {
    if let Some(key) = chinese.keys().find(|key| !english.contains_key(*key)) {
        return Err(format!("{} lacks {key:?}", FILES[0]));
    }
    let mut code = String::new();
    for (key, text) in english {
        let other = chinese.get(key).ok_or_else(|| format!("{} lacks {key:?}", FILES[1]))?;
        if placeholders(text) != placeholders(other) {
            return Err(format!("{key:?} has different placeholders"));
        }
        let name = constant(key);
        let _ = writeln!(code, "/// {text:?}\npub const {name}: Word = Word::new(&[{text:?}, {other:?}]);");
    }
    Ok(code)
}

/// `settings.baseUrl` → `SETTINGS_BASE_URL`.
fn constant(key: &str) -> String {
    let mut name = String::new();
    for char in key.chars() {
        match char {
            '.' => name.push('_'),
            upper if upper.is_uppercase() => name.extend(['_', upper]),
            lower => name.extend(lower.to_uppercase()),
        }
    }
    name
}

/// The placeholder names: the parts in braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(english: &[(&str, &str)], chinese: &[(&str, &str)]) -> Result<String, String> {
        let texts = |list: &[(&str, &str)]| {
            list.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
        };
        constants(&[texts(english), texts(chinese)])
    }

    #[test]
    fn constant_holds_every_language() {
        let code = made(&[("tab.newChat", "New chat")], &[("tab.newChat", "新对话")]).unwrap();
        assert_eq!(
            code,
            "/// \"New chat\"\npub const TAB_NEW_CHAT: Word = Word::new(&[\"New chat\", \"新对话\"]);\n"
        );
    }

    #[test]
    fn build_fails_when_a_language_lacks_a_text() {
        let (here, none) = ([("a", "x")], []);
        assert_eq!(made(&here, &none), Err("locales/zh-CN.json lacks \"a\"".to_owned()));
        assert_eq!(made(&none, &here), Err("locales/en.json lacks \"a\"".to_owned()));
    }

    #[test]
    fn build_fails_when_placeholders_differ() {
        let differs = Err("\"a\" has different placeholders".to_owned());
        assert_eq!(made(&[("a", "{n} tools")], &[("a", "工具")]), differs);
        assert_eq!(made(&[("a", "{n} of {m}")], &[("a", "{m} 中的 {m}")]), differs);
        assert!(made(&[("a", "{n} of {m}")], &[("a", "{m} 中的 {n}")]).is_ok(), "the order may differ");
    }
}
