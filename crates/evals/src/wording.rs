//! The texts of this crate.

use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::settings::Language;

pub(crate) mod word {
    use sidecar_locales::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// Maximum characters of a file's own text in a sentence.
const QUOTED: usize = 80;

/// A sentence with values of a file in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    word: Word,
    values: Vec<(&'static str, String)>,
}

impl Sentence {
    pub(crate) fn new(word: Word, values: &[(&'static str, &str)]) -> Self {
        Self { word, values: values.iter().map(|(name, value)| (*name, quoted(value, QUOTED))).collect() }
    }

    pub(crate) fn text(&self, language: Language) -> String {
        let values: Vec<_> = self.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fill(self.word.text(language), &values)
    }
}
