//! Numbers and PINs that are too short to be telling within a text, but are when they are a whole value.

use std::collections::HashSet;

use super::plain::is_chinese;

/// Minimum number of digits.
const LEAST: usize = 4;

/// Minimum digits without trailing zeros: 1,500 and 20,000 are common numbers.
const LEAST_TELLING: usize = 3;

/// Characters that can separate the digits of one number.
const SEPARATORS: [char; 4] = ['.', ',', '\'', '’'];

/// The telling numbers in a plain text, without separators and cents.
pub(super) fn numbers(plain: &str) -> HashSet<String> {
    let mut numbers = HashSet::new();
    let is_part = |c: char| c.is_ascii_digit() || SEPARATORS.contains(&c);
    let mut rest = plain;
    let mut before = None;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        before = rest[..start].chars().last().or(before);
        let run = &rest[start..];
        let end = run.find(|c| !is_part(c)).unwrap_or(run.len());
        let after = run[end..].chars().next();
        let is_in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_chinese(c));
        if !is_in_word(before) && !is_in_word(after) {
            numbers.extend(read(&run[..end]));
        }
        before = run[..end].chars().last();
        rest = &run[end..];
    }
    numbers.retain(|number| tells(number));
    numbers
}

/// The number that a whole value is, if it is one.
pub(super) fn number(plain: &str) -> Option<String> {
    let value = plain.trim();
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let is_spelt = value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '_' | '.' | ','));
    // 4-7-1-1
    let is_spaced = is_spelt && value.split(|c: char| !c.is_ascii_digit()).all(|group| group.len() <= 1);
    if is_spaced {
        return Some(digits).filter(|digits| tells(digits));
    }
    let value = value.replace(char::is_whitespace, ",");
    let is_number = value.chars().all(|c| c.is_ascii_digit() || SEPARATORS.contains(&c));
    let mut all = if is_number { read(&value) } else { Vec::new() };
    all.pop().filter(|number| all.is_empty() && tells(number))
}

/// Digits with separators between them, read as one number or several.
fn read(run: &str) -> Vec<String> {
    let run = run.trim_end_matches(SEPARATORS);
    let mut groups: Vec<&str> = run.split(SEPARATORS).collect();
    let are_thousands = |groups: &[&str]| groups.iter().skip(1).all(|group| group.len() == 3);
    if groups.len() > 1
        && groups.last().is_some_and(|cents| cents.len() < 3)
        && are_thousands(&groups[..groups.len() - 1])
    {
        groups.pop();
    }
    match are_thousands(&groups) {
        true => vec![groups.concat()],
        false => groups.into_iter().map(str::to_owned).collect(),
    }
}

/// Whether it is not a quantity, a year or a round sum.
fn tells(number: &str) -> bool {
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    number.len() >= LEAST && number.trim_end_matches('0').len() >= LEAST_TELLING && !is_year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_without_separators_and_cents() {
        for (text, expected) in [
            ("balance: 15,230.00 EUR", vec!["15230"]),
            ("15.230,50 and 4711.", vec!["15230", "4711"]),
            ("1'483'920", vec!["1483920"]),
            ("密码4711。", vec!["4711"]),
            ("2 of 12, in 2026, for 1500 or 20,000", vec![]),
            ("a4711 4711b", vec![]),
            ("12.11.2026 10:30", vec![]),
        ] {
            let mut found: Vec<_> = numbers(text).into_iter().collect();
            found.sort();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn value_is_a_number_when_it_is_nothing_else() {
        for (text, expected) in [
            ("4711", Some("4711")),
            (" 15,230.00 ", Some("15230")),
            ("4-7-1-1", Some("4711")),
            ("15 230", Some("15230")),
            ("4711 15230", None),
            ("15230.5", Some("15230")),
            ("PIN 4711", None),
            ("2026-11-23", None),
            ("1984", None),
            ("2", None),
        ] {
            assert_eq!(number(text).as_deref(), expected, "{text}");
        }
    }
}
