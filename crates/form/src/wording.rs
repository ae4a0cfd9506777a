//! The texts of this crate.

use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::settings::Language;

pub(crate) mod word {
    use sidecar_locales::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// Maximum characters of a page's own text in a sentence.
const QUOTED: usize = 120;

/// A sentence with values of a page in it.
pub(crate) fn say(language: Language, word: Word, values: &[(&str, &str)]) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, quoted(value, QUOTED))).collect();
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fill(word.text(language), &values)
}
