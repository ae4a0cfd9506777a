//! The arguments of a call in every form in which they can contain data.

use std::ops::Range;

use serde_json::Value;

use super::compact::Compact;
use super::numbers::number;
use super::plain::{Nfkc, plain};
use super::substrings::Substrings;
use super::words::WordSequence;
use super::{LEAST_PART, LEAST_SPELT, Shared};
use crate::guard::json_leaves::leaves;

/// Maximum letters and digits of all arguments, decoded forms included.
const MOST: usize = 32_000;

/// Maximum number of arguments that are also joined in reverse order.
const MOST_TURNED: usize = 8;

/// Separates texts that do not belong together. No compact text contains it.
const GAP: char = ' ';

/// Minimum length of a run of letters that is read as Base64.
const LEAST_BASE64: usize = 8;

/// A text in the arguments, or a decoded one.
pub(super) struct ArgumentText {
    /// Path of the argument that contains it.
    pub(super) argument: String,
    /// The text as it stands there.
    pub(super) text: String,
    pub(super) plain: String,
    pub(super) words: WordSequence,
    /// Its value if it is a number.
    pub(super) number: Option<String>,
}

/// The arguments of a call.
pub(super) struct ArgumentTexts {
    pub(super) list: Vec<ArgumentText>,
    pub(super) forwards: Joined,
    pub(super) backwards: Joined,
}

/// All arguments as one compact text.
pub(super) struct Joined {
    pub(super) characters: Vec<char>,
    pub(super) substrings: Substrings,
    pub(super) is_backwards: bool,
    /// The range of each form in it, in order; a form is an index into the list.
    places: Vec<(Range<usize>, usize)>,
}

impl ArgumentTexts {
    pub(super) fn of(arguments: &Value, nfkc: Nfkc<'_>) -> Self {
        let mut list = Vec::new();
        leaves(arguments, &mut |argument, text| list.push(ArgumentText::of(argument, text.to_owned(), nfkc)));
        let as_they_stand = list.len();
        for at in 0..as_they_stand {
            let ArgumentText { argument, text, .. } = &list[at];
            let decoded = decoded(text).into_iter().map(|text| ArgumentText::of(argument, text, nfkc));
            list.extend(decoded.collect::<Vec<_>>());
        }
        let forwards = Joined::of(&list, as_they_stand);
        let backwards = forwards.backwards();
        Self { list, forwards, backwards }
    }
}

impl ArgumentText {
    fn of(argument: &str, text: String, nfkc: Nfkc<'_>) -> Self {
        let plain = plain(&text, nfkc);
        Self {
            argument: argument.to_owned(),
            words: WordSequence::of(&plain),
            number: number(&plain),
            text,
            plain,
        }
    }
}

impl Joined {
    fn of(list: &[ArgumentText], as_they_stand: usize) -> Self {
        let (mut characters, mut places) = (Vec::new(), Vec::new());
        let mut push = |at: usize, before: Option<char>| {
            let compact = Compact::of(&list[at].plain).characters;
            characters.extend(before);
            let start = characters.len();
            characters.extend(compact.into_iter().take(MOST.saturating_sub(start)));
            places.push((start..characters.len(), at));
        };
        (0..as_they_stand).for_each(|at| push(at, None));
        if (2..=MOST_TURNED).contains(&as_they_stand) {
            (0..as_they_stand).rev().for_each(|at| push(at, (at + 1 == as_they_stand).then_some(GAP)));
        }
        (as_they_stand..list.len()).for_each(|at| push(at, Some(GAP)));
        let substrings = Substrings::of(&characters);
        Self { characters, substrings, is_backwards: false, places }
    }

    fn backwards(&self) -> Self {
        let length = self.characters.len();
        let characters: Vec<char> = self.characters.iter().rev().copied().collect();
        let turned = |place: &Range<usize>| length - place.end..length - place.start;
        let places = self.places.iter().rev().map(|(place, form)| (turned(place), *form)).collect();
        let substrings = Substrings::of(&characters);
        Self { characters, substrings, is_backwards: true, places }
    }

    /// Whether a range contains a whole value.
    pub(super) fn has_value_within(&self, part: &Range<usize>) -> bool {
        let first = self.places.partition_point(|(place, _)| place.start < part.start);
        self.places[first..]
            .iter()
            .take_while(|(place, _)| place.end <= part.end)
            .any(|(place, _)| !place.is_empty())
    }

    /// The whole values in a range, and runs of single-letter values.
    pub(super) fn values_within(&self, part: &Range<usize>) -> Vec<Range<usize>> {
        let first = self.places.partition_point(|(place, _)| place.start < part.start);
        let within =
            || self.places[first..].iter().map(|(place, _)| place).take_while(|place| place.end <= part.end);
        let mut values: Vec<_> = within().filter(|place| place.len() >= LEAST_PART).cloned().collect();
        let single: Vec<_> = within().filter(|place| place.len() == 1).collect();
        if let (Some(first), Some(last)) = (single.first(), single.last())
            && single.len() >= LEAST_SPELT
            && last.end - first.start == single.len()
        {
            values.push(first.start..last.end);
        }
        values
    }

    /// The data in a range, as shown to the user.
    pub(super) fn shared<'f>(&self, part: &Range<usize>, list: &'f [ArgumentText]) -> Shared<'f> {
        let holds = |(place, _): &&(Range<usize>, usize)| place.start < part.end && part.start < place.end;
        let forms = || self.places.iter().filter(holds).map(|(_, form)| &list[*form]);
        let mut arguments: Vec<&str> = Vec::new();
        for form in forms() {
            if !arguments.contains(&form.argument.as_str()) {
                arguments.push(&form.argument);
            }
        }
        Shared { arguments, data: self.characters[part.clone()].iter().collect() }
    }
}

/// A text decoded from percent-encoding or Base64, or from one within the other.
pub(super) fn decoded(text: &str) -> Vec<String> {
    let mut found: Vec<String> = percent_decoded(text).into_iter().collect();
    let texts: Vec<String> = found.iter().cloned().chain([text.to_owned()]).collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    for text in &texts {
        let runs = text.split(|c| !is_letter(c)).filter(|run| run.len() >= LEAST_BASE64);
        found.extend(runs.filter_map(base64_decoded));
    }
    let again: Vec<String> = found.iter().filter_map(|text| percent_decoded(text)).collect();
    found.extend(again);
    found
}

fn percent_decoded(text: &str) -> Option<String> {
    let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let (mut bytes, mut rest, mut is_encoded) = (Vec::new(), text.as_bytes(), false);
    while let [first, after @ ..] = rest {
        let byte = after.get(..2).filter(|_| *first == b'%').and_then(hex);
        is_encoded |= byte.is_some();
        rest = if byte.is_some() { &after[2..] } else { after };
        bytes.push(byte.unwrap_or(if *first == b'+' { b' ' } else { *first }));
    }
    is_encoded.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text that a run of Base64, of either alphabet, decodes to, if any.
fn base64_decoded(run: &str) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in run.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains(|c: char| c.is_control() && !c.is_whitespace())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_decoded_from_percent_encoding_and_base64() {
        for (text, expected) in [
            ("ZK-483920", vec![]),
            ("information", vec![]),
            ("https://a.example/?q=ZK%2D483920", vec!["https://a.example/?q=ZK-483920"]),
            ("q=%5a%4b+1", vec!["q=ZK 1"]),
            ("WkstNDgzOTIw", vec!["ZK-483920"]),
            ("see WkstNDgzOTIwIQ== there", vec!["ZK-483920!"]),
            ("5bm456aP6Lev", vec!["幸福路"]),
            ("100%", vec![]),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }
}
