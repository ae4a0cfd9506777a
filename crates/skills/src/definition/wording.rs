//! Texts by language: what a SKILL says, and words that stand on a page.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A text of the SKILL: one, or one for each language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ByLanguage {
    /// One for all.
    One(String),
    /// By language tag (BCP 47).
    Many(BTreeMap<String, String>),
}

/// By hand, because every worker reads the titles of SKILLs when it wakes: what serde makes of `untagged` first copies the
/// value, with code that would make the worker's first module a tenth larger.
impl<'de> Deserialize<'de> for ByLanguage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = ByLanguage;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or texts by language")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ByLanguage, E> {
                Ok(ByLanguage::One(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByLanguage, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((language, text)) = map.next_entry()? {
                    texts.insert(language, text);
                }
                Ok(ByLanguage::Many(texts))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

impl ByLanguage {
    /// The text for a language: that of the tag, of its first part, English, or the first there is.
    #[must_use]
    pub fn text(&self, language: &str) -> &str {
        match self {
            Self::One(text) => text,
            Self::Many(texts) => of_language(texts, language)
                .or_else(|| of_language(texts, "en"))
                .or_else(|| texts.values().next())
                .map_or("", String::as_str),
        }
    }

    /// All of them.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (one, many) = match self {
            Self::One(text) => (Some(text.as_str()), None),
            Self::Many(texts) => (None, Some(texts.values().map(String::as_str))),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// Words that stand on a page: one text, several of which one fits, or these by language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Wording {
    /// In any language.
    Any(WordChoice),
    /// By language tag.
    By(BTreeMap<String, WordChoice>),
}

/// One text, or several of which one fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WordChoice {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Wording {
    /// The texts for a page in a language (its `html lang`). `None` if the page's language is not among them: then
    /// nothing is guessed.
    #[must_use]
    pub fn on(&self, language: &str) -> Option<Vec<&str>> {
        match self {
            Self::Any(words) => Some(words.list()),
            Self::By(words) => of_language(words, language).map(WordChoice::list),
        }
    }
}

impl Wording {
    /// All of them.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (any, by) = match self {
            Self::Any(words) => (Some(words), None),
            Self::By(words) => (None, Some(words.values())),
        };
        any.into_iter().chain(by.into_iter().flatten()).flat_map(WordChoice::list)
    }
}

impl WordChoice {
    fn list(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Several(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// That of the tag, or of the longest beginning of it: `zh-Hant-TW`, `zh-Hant`, `zh`. Case means nothing.
fn of_language<'t, T>(texts: &'t BTreeMap<String, T>, language: &str) -> Option<&'t T> {
    let mut tag = language;
    loop {
        if let Some((_, text)) = texts.iter().find(|(known, _)| known.eq_ignore_ascii_case(tag)) {
            return Some(text);
        }
        tag = tag.rsplit_once('-')?.0;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_of_the_nearest_language_is_taken() {
        let texts: ByLanguage = serde_json::from_value(json!({"en": "a", "zh": "b", "zh-TW": "c"})).unwrap();
        for (language, text) in [("en-GB", "a"), ("zh-CN", "b"), ("zh-tw", "c"), ("fr", "a"), ("", "a")] {
            assert_eq!(texts.text(language), text, "{language}");
        }
        let none: ByLanguage = serde_json::from_value(json!({"fr": "d"})).unwrap();
        assert_eq!(none.text("de"), "d");
        assert_eq!(ByLanguage::One("x".to_owned()).text("de"), "x");
        assert_eq!(texts.texts().count(), 3);
    }

    #[test]
    fn words_on_a_page_are_never_guessed() {
        let words: Wording = serde_json::from_value(json!({"en": ["Search", "Find"], "zh": "搜索"})).unwrap();
        assert_eq!(words.on("en-US"), Some(vec!["Search", "Find"]));
        assert_eq!(words.on("zh-CN"), Some(vec!["搜索"]));
        assert_eq!(words.on("fr"), None);
        let any: Wording = serde_json::from_value(json!("Go")).unwrap();
        assert_eq!(any.on(""), Some(vec!["Go"]));
    }
}
