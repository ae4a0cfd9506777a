//! Comparing two texts word by word.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::plain::is_chinese;

/// Maximum number of words of an argument that are compared.
const MOST_WORDS: usize = 4_000;

/// Maximum length of a run of words: longer ones are no more telling.
const LONGEST_RUN: usize = 64;

/// Minimum characters of a whole value, and of one of Chinese characters only.
const LEAST: usize = 6;
const LEAST_CHINESE: usize = 4;

/// Minimum characters and words of a part of a longer value, and the minimum of one of Chinese characters
/// only.
const LEAST_PART: usize = 16;
const LEAST_PART_WORDS: usize = 3;
const LEAST_PART_CHINESE: usize = 8;

/// The words of a plain text, without separators. Each Chinese character is a word.
pub(super) struct WordSequence {
    list: Vec<String>,
    /// All of them, each surrounded by spaces.
    text: String,
    /// Hashes of each word and each pair of adjacent words. They rule out most phrases quickly.
    pairs: HashSet<u64>,
}

impl WordSequence {
    pub(super) fn of(plain: &str) -> Self {
        let mut spaced = String::with_capacity(plain.len() + 2);
        for c in plain.chars() {
            match c {
                _ if is_chinese(c) => spaced.extend([' ', c, ' ']),
                _ if c.is_alphanumeric() => spaced.push(c),
                _ => spaced.push(' '),
            }
        }
        let list: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        let text = format!(" {} ", list.join(" "));
        let pairs = list.windows(2).chain(list.chunks(1)).map(digest).collect();
        Self { list, text, pairs }
    }

    fn has(&self, words: &[String]) -> bool {
        let last = &words[words.len().saturating_sub(2)..];
        self.pairs.contains(&digest(last)) && self.text.contains(&format!(" {} ", words.join(" ")))
    }

    /// Whether the text consists of exactly these words.
    pub(super) fn are(&self, phrase: &str) -> bool {
        self::phrase(&self.list) == phrase
    }

    /// The longest run of these words that occurs in `others`, is telling, and does not occur in `known`.
    pub(super) fn shared<'k>(&self, others: &Self, known: impl Fn() -> &'k [Self]) -> Option<String> {
        let list = &self.list[..self.list.len().min(MOST_WORDS)];
        let tells = |run: &[String]| tells(run, run.len() == self.list.len());
        let is_new = |run: &[String]| !known().iter().any(|words| words.has(run));
        let mut best: &[String] = &[];
        let mut end = 0;
        for start in 0..list.len() {
            end = end.max(start);
            // The run from this word on is at least the run from the previous word without that word.
            while end < list.len() && end - start < LONGEST_RUN && others.has(&list[start..=end]) {
                end += 1;
            }
            let run = &list[start..end];
            if run.len() > best.len() && tells(run) && is_new(run) {
                best = run;
            }
        }
        let telling = || {
            list.iter()
                .find(|word| is_code(word) && others.has(&[(*word).clone()]) && is_new(&[(*word).clone()]))
        };
        match best.is_empty() {
            false => Some(phrase(best)),
            true => telling().cloned(),
        }
    }
}

/// Words as they are read: without spaces between Chinese characters.
fn phrase(words: &[String]) -> String {
    let mut phrase = String::new();
    for word in words {
        let is_chinese_end = |c: Option<char>| c.is_none_or(is_chinese);
        if !(is_chinese_end(phrase.chars().last()) && is_chinese_end(word.chars().next())) {
            phrase.push(' ');
        }
        phrase.push_str(word);
    }
    phrase.trim_start().to_owned()
}

fn digest(words: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Whether a run of words is too long to be shared by chance; a whole value may be shorter.
fn tells(run: &[String], is_whole: bool) -> bool {
    let characters: usize = run.iter().map(|word| word.chars().count()).sum();
    let chinese = run.iter().all(|word| word.chars().all(is_chinese));
    match (chinese, is_whole) {
        (true, true) => characters >= LEAST_CHINESE,
        (true, false) => characters >= LEAST_PART_CHINESE,
        (false, true) => characters >= LEAST,
        (false, false) => characters >= LEAST_PART && run.len() >= LEAST_PART_WORDS,
    }
}

/// Whether a single word is a code: a number or code of some length.
fn is_code(word: &str) -> bool {
    word.chars().count() >= LEAST && word.chars().any(|c| c.is_ascii_digit())
}
