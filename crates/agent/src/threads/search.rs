//! Searches threads for what was said in them.

use sidecar_protocol::history::{Excerpt, QUERY_LIMIT};

use crate::log::{Entry, Event};

/// Characters shown before a match.
const BEFORE: usize = 24;

/// Characters shown after a match.
const BEHIND: usize = 80;

/// A search: words that must all occur in one text, in any case and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    words: Vec<Vec<char>>,
}

impl SearchQuery {
    /// Parses what the user typed; `None` if it contains no word.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text: String = text.chars().take(QUERY_LIMIT).collect();
        let words: Vec<_> = text.split_whitespace().map(|word| word.chars().map(folded).collect()).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// Lower-case texts that the JSON text of an entry must contain for [`SearchQuery::find_in`] to match.
    /// Most entries can be skipped with them.
    #[must_use]
    pub fn needles(&self) -> Vec<String> {
        let needle = |word: &Vec<char>| {
            let json = serde_json::to_string(&word.iter().collect::<String>()).unwrap_or_default();
            json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned()
        };
        self.words.iter().map(needle).collect()
    }

    /// The text around the first of the words, if all of them occur in it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Excerpt> {
        let chars: Vec<char> = text.chars().collect();
        let plain: Vec<char> = chars.iter().copied().map(folded).collect();
        let places: Option<Vec<_>> =
            self.words.iter().map(|word| Some((place_of(&plain, word)?, word.len()))).collect();
        let (at, length) = places?.into_iter().min()?;
        let end = at + length;
        let (from, to) = (at.saturating_sub(BEFORE), (end + BEHIND).min(chars.len()));
        let dots = |is_cut: bool| if is_cut { "…" } else { "" };
        Some(Excerpt {
            before: format!("{}{}", dots(from > 0), one_line(&chars[from..at])),
            matched: one_line(&chars[at..end]),
            after: format!("{}{}", one_line(&chars[end..to]), dots(to < chars.len())),
        })
    }

    /// The same for an entry: what the user or the model says in it, and what the user attached.
    #[must_use]
    pub fn find_in(&self, entry: &Entry) -> Option<Excerpt> {
        match &entry.event {
            Event::TurnStarted { text, attached, .. } => {
                self.find(text).or_else(|| attached.iter().find_map(|attached| self.find(&attached.text)))
            }
            Event::ModelAnswered { text, .. } | Event::ModelFailed { text, .. } => self.find(text),
            _ => None,
        }
    }
}

/// A letter in the one case in which letters are compared. It stays one letter, so that positions stay the
/// same.
fn folded(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

fn place_of(text: &[char], word: &[char]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

fn one_line(chars: &[char]) -> String {
    chars.iter().map(|char| if char.is_whitespace() { ' ' } else { *char }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sidecar_protocol::TurnId;

    use super::*;
    use crate::log::PageRef;

    fn found(query: &str, text: &str) -> Option<[String; 3]> {
        let Excerpt { before, matched, after } = SearchQuery::of(query).unwrap().find(text)?;
        Some([before, matched, after])
    }

    fn parts(before: &str, matched: &str, after: &str) -> Option<[String; 3]> {
        Some([before, matched, after].map(str::to_owned))
    }

    #[test]
    fn search_finds_words_in_any_case_and_order() {
        assert_eq!(found("sofia", "To Sofia,\nplease"), parts("To ", "Sofia", ", please"));
        assert_eq!(found("PLEASE sofia", "To Sofia, please"), parts("To ", "Sofia", ", please"));
        assert_eq!(found("sofia tomorrow", "To Sofia, please"), None);
        assert_eq!(found("直飞", "帮我搜直飞航班"), parts("帮我搜", "直飞", "航班"));
        assert_eq!(found("ÉTÉ", "un été"), parts("un ", "été", ""));
    }

    #[test]
    fn search_excerpt_is_short_and_marks_cuts() {
        let text = format!("{} needle {}", "a".repeat(200), "b".repeat(200));
        let [before, matched, after] = found("needle", &text).unwrap();
        assert_eq!((before.chars().count(), matched.as_str(), after.chars().count()), (25, "needle", 81));
        assert!(before.starts_with('…') && after.ends_with('…'));
    }

    #[test]
    fn search_query_is_none_without_words() {
        assert_eq!(SearchQuery::of(" \n "), None);
    }

    proptest! {
        #[test]
        fn search_needles_are_in_every_matching_entry(text in ".{0,60}", from in 0usize..40, length in 1usize..8) {
            let word: String = text.chars().skip(from).take(length).collect();
            if let Some(query) = SearchQuery::of(&word) {
                let page = PageRef::default();
                let event = Event::TurnStarted { turn: TurnId::from("t"), text, attached: Vec::new(), pictures: Vec::new(), page };
                let entry = Entry { at: 0, event };
                let is_found = query.find_in(&entry).is_some();
                let json: String = serde_json::to_string(&entry).unwrap().chars().map(folded).collect();
                let is_read = query.needles().iter().all(|needle| json.contains(needle));
                prop_assert!(is_found, "a part of the text stands in the text");
                prop_assert!(is_read);
            }
        }
    }
}
