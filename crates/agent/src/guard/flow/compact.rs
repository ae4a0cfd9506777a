//! A text reduced to its letters and digits, so that hyphens, spaces and splitting hide nothing.

use std::ops::Range;

use super::plain::is_chinese;

/// Minimum length of a code: a number, password or address that cannot be chance.
const LEAST_CODE: usize = 6;

/// Maximum length of a code that is compared with one letter added or removed.
const MOST_CODE: usize = 64;

/// Characters that split an address into its parts.
const IN_ADDRESSES: [char; 5] = ['/', '?', '&', '=', '#'];

/// Characters within a word that mark it as a secret.
const IN_SECRETS: [char; 9] = ['@', '!', '$', '%', '^', '*', '~', '+', '&'];

/// The letters and digits of a plain text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Compact {
    pub(super) characters: Vec<char>,
    /// Ranges of the codes in it.
    pub(super) codes: Vec<Range<usize>>,
    /// Ranges of the dates in it, which many texts share.
    pub(super) dates: Vec<Range<usize>>,
}

impl Compact {
    pub(super) fn of(plain: &str) -> Self {
        let mut compact = Self::default();
        for token in
            plain.split(|c: char| c.is_whitespace() || is_chinese_mark(c) || r#""'<>()[]{}|,;:"#.contains(c))
        {
            let is_address = token.starts_with('/') || token.starts_with("www.");
            match is_address {
                true => token.split(IN_ADDRESSES).for_each(|part| compact.push(part)),
                false => compact.push(token),
            }
        }
        compact
    }

    fn push(&mut self, token: &str) {
        let start = self.characters.len();
        self.characters.extend(token.chars().filter(|c| c.is_alphanumeric()));
        let place = start..self.characters.len();
        if place.is_empty() {
            return;
        }
        if is_date(token) {
            self.dates.push(place);
        } else if place.len() >= LEAST_CODE && is_code(token) {
            self.codes.push(place);
        }
    }

    /// Those of its codes or dates that overlap a range.
    pub(super) fn overlapping<'p>(places: &'p [Range<usize>], part: &Range<usize>) -> &'p [Range<usize>] {
        let first = places.partition_point(|place| place.end <= part.start);
        let end = places.partition_point(|place| place.start < part.end);
        &places[first..end.max(first)]
    }

    /// The codes that are short enough to be compared letter by letter.
    pub(super) fn short_codes(&self) -> impl Iterator<Item = &Range<usize>> {
        self.codes.iter().filter(|code| code.len() <= MOST_CODE)
    }
}

/// Where a code stands in a text with one letter added or removed.
pub(super) fn nearly(code: &[char], text: &[char]) -> Option<Range<usize>> {
    (0..text.len()).find_map(|start| {
        let rest = &text[start..];
        let same = code.iter().zip(rest).take_while(|(a, b)| a == b).count();
        let behind = |left: usize, more: usize| {
            let (code, rest) = (code.get(left..)?, rest.get(more..)?);
            rest.starts_with(code).then(|| start..start + more + code.len())
        };
        // One removed, or one added.
        behind(same + 1, same).or_else(|| behind(same, same + 1))
    })
}

fn is_chinese_mark(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3011}')
}

/// Whether a word is a code: it contains digits, or the characters of addresses and passwords.
fn is_code(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let letters = token.chars().filter(|c| is_chinese(*c)).count();
    letters == 0 && token.contains(|c: char| c.is_numeric() || IN_SECRETS.contains(&c))
}

/// 2026-11-23, 23.11.2026, 11/23/2026, with or without a time after it.
fn is_date(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let date = token.split_once('t').map_or(token, |(date, _)| date);
    let groups: Vec<&str> = date.split(['-', '.', '/']).collect();
    let is_number = |group: &str| group.chars().all(|c| c.is_ascii_digit());
    let is_short = |group: &str| matches!(group.len(), 1 | 2);
    let is_year = |group: &str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    match groups[..] {
        [a, b, c] if [a, b, c].into_iter().all(is_number) => {
            is_short(b) && (is_year(a) && is_short(c) || is_short(a) && is_year(c))
        }
        _ => false,
    }
}
