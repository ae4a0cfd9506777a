//! The texts of this crate.

use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::settings::Language;
use sidecar_webmcp::visible;

pub(crate) mod word {
    use sidecar_locales::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// Maximum characters of a page's own text in a sentence.
const QUOTED: usize = 80;

/// Maximum characters of an excerpt.
const EXCERPT: usize = 120;

/// Characters shown before what an excerpt is about.
const BEFORE: usize = 30;

/// A sentence with values filled in.
pub(crate) fn filled(word: Word, values: &[(&'static str, String)], language: Language) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fill(word.text(language), &values)
}

/// A page's text in a sentence: on one line, invisible characters written out, cut.
pub(crate) fn shown(text: &str) -> String {
    cut(text, QUOTED)
}

/// A page's text beside a finding.
pub(crate) fn excerpt(text: &str) -> String {
    cut(text, EXCERPT)
}

fn cut(text: &str, most: usize) -> String {
    // What is written out takes more room than it took before.
    let end = text.char_indices().nth(most + 1).map_or(text.len(), |(end, _)| end);
    quoted(&visible(&text[..end]), most)
}

/// The place of the first invisible character of a text, if it has one.
pub(crate) fn hidden(text: &str) -> Option<String> {
    let seen = visible(text);
    let at = seen.char_indices().zip(text.char_indices()).find(|((_, one), (_, other))| one != other);
    let (at, _) =
        at.map(|(seen, _)| seen).or_else(|| (seen.len() > text.len()).then_some((text.len(), ' ')))?;
    let start = seen[..at].char_indices().rev().nth(BEFORE).map_or(0, |(start, _)| start);
    Some(quoted(&seen[start..], EXCERPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_begins_before_what_is_hidden_and_writes_it_out() {
        let long = "x".repeat(200);
        for text in [format!("{long}\u{202e}b"), "a\u{200b}".to_owned(), "\u{e0041}".repeat(99)] {
            let excerpt = hidden(&text).unwrap();
            assert!(excerpt.contains("⟨U+") && excerpt.chars().count() <= EXCERPT + 1, "{excerpt}");
            assert_eq!(visible(&excerpt), excerpt);
        }
        assert_eq!(hidden("a ❤\u{fe0f} ⟨U+200B⟩\n"), None);
    }
}
