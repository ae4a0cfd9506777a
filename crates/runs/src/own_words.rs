//! The user's own words, and what of them stands in a text.

use std::ops::Range;

/// Maximum number of words that are looked at, on both sides.
const MOST_WORDS: usize = 1_000;

/// The user's own words.
pub(crate) struct OwnWords<'t>(Vec<SaidWord<'t>>);

/// A word with the place at which it stands. Of Chinese, Japanese and Korean text each character is one.
#[derive(Clone)]
struct SaidWord<'t> {
    /// What stands between it and the word before.
    gap: &'t str,
    text: &'t str,
    /// In bytes of the text that it is in.
    at: Range<usize>,
}

impl<'t> OwnWords<'t> {
    pub(crate) fn of(said: &'t str) -> Self {
        Self(words(said))
    }

    /// Whether the user said a text as it is, as whole words.
    pub(crate) fn say(&self, text: &str) -> bool {
        !text.is_empty() && self.longest(text) == Some(text)
    }

    /// The longest run of the user's words that stands in a text, as whole words there as well: three characters or more,
    /// two if there is Chinese, Japanese or Korean among them.
    pub(crate) fn shared<'v>(&self, text: &'v str) -> Option<&'v str> {
        self.longest(text).filter(|run| run.chars().nth(2).is_some() || is_two_signs(run))
    }

    fn longest<'v>(&self, text: &'v str) -> Option<&'v str> {
        let there = words(text);
        let mut best: Range<usize> = 0..0;
        // Where the runs begin that end at each word of the text, for the word of the user before and for this one.
        let mut before: Vec<Option<usize>> = vec![None; there.len()];
        for said in &self.0 {
            let mut ends: Vec<Option<usize>> = Vec::with_capacity(there.len());
            let mut diagonal = None;
            for (word, straight) in there.iter().zip(&before) {
                let start = (word.text == said.text)
                    .then(|| diagonal.filter(|_| word.gap == said.gap).unwrap_or(word.at.start));
                if let Some(start) = start.filter(|start| word.at.end - start > best.len()) {
                    best = start..word.at.end;
                }
                ends.push(start);
                diagonal = *straight;
            }
            before = ends;
        }
        text.get(best).filter(|run| !run.is_empty())
    }
}

fn words(text: &str) -> Vec<SaidWord<'_>> {
    let mut words: Vec<SaidWord<'_>> = Vec::new();
    let mut push = |at: Range<usize>| {
        let end = words.last().map_or(0, |word| word.at.end);
        let (gap, text) = (text.get(end..at.start), text.get(at.clone()));
        words.push(SaidWord { gap: gap.unwrap_or_default(), text: text.unwrap_or_default(), at });
        words.len() == MOST_WORDS
    };
    let mut start = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_sign = is_sign(char);
        if char.is_alphanumeric() && !is_sign {
            start.get_or_insert(at);
            continue;
        }
        let is_full =
            start.take().is_some_and(|start| push(start..at)) || is_sign && push(at..at + char.len_utf8());
        if is_full {
            break;
        }
    }
    words
}

/// Whether a text has two characters of which one needs no spaces around it.
fn is_two_signs(text: &str) -> bool {
    text.chars().count() == 2 && text.contains(is_sign)
}

/// Whether a character is of a script that does not put spaces between words.
pub(crate) fn is_sign(char: char) -> bool {
    matches!(
        char,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn longest_run_of_whole_words_is_found() {
        for (said, text, shared) in [
            ("Find a flight to New York, please", "New York, NY", Some("New York")),
            ("Find flights", "flight", None),
            ("the cat", "concatenate", None),
            ("go to it", "it is", None),
            ("New  York", "New York", Some("York")),
            ("one two, three four five", "three four one two", Some("three four")),
            ("查找关于爵士乐的书", "爵士乐", Some("爵士乐")),
            ("查找书", "图书", None),
            ("找上海的酒店", "上海市", Some("上海")),
            ("学 Rust 语言", "Rust 语言教程", Some("Rust 语言")),
            ("", "abc", None),
            ("abc", "", None),
            ("a😀b", "😀", None),
        ] {
            assert_eq!(OwnWords::of(said).shared(text), shared, "{said} / {text}");
        }
    }

    #[test]
    fn text_is_said_only_as_whole_words() {
        let words = OwnWords::of("Cancel order A-1042, and 42.");
        assert!(words.say("A-1042") && words.say("42"));
        assert!(!words.say("A-104") && !words.say("1042-A") && !words.say("42.") && !words.say(""));
    }

    #[test]
    fn long_texts_are_bounded() {
        let long = "word ".repeat(100_000);
        assert_eq!(OwnWords::of(&long).shared(&long).unwrap().len(), MOST_WORDS * 5 - 1);
    }

    proptest! {
        #[test]
        fn what_is_shared_stands_in_both(said in "[ab中文, é]{0,20}", text in "[ab中文, é]{0,20}") {
            if let Some(run) = OwnWords::of(&said).shared(&text) {
                prop_assert!(said.contains(run) && text.contains(run));
            }
        }
    }
}
