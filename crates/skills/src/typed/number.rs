//! Numbers as pages print them.

use serde_json::Number;

/// A number as it was printed: `units` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) is_negative: bool,
    units: u64,
    exponent: i32,
}

/// Most digits of a number with decimals: so many are kept as they are (IEEE 754, double).
const EXACT_DIGITS: usize = 15;

/// Most digits of a number: so many fit in 64 bits.
const MOST_DIGITS: usize = 18;

impl Decimal {
    /// The whole number, if it is one and was printed as one: `12.0` was not, `1.2万` was.
    pub(super) fn whole(self) -> Option<i64> {
        let factor = 10_u64.checked_pow(self.exponent.unsigned_abs())?;
        let size = if self.exponent < 0 { None } else { self.units.checked_mul(factor) };
        let size = i64::try_from(size?).ok()?;
        Some(if self.is_negative { -size } else { size })
    }

    /// The number, which prints as it was printed, but for zeros at its end.
    pub(super) fn value(mut self) -> Option<Number> {
        while self.exponent < 0 && self.units.is_multiple_of(10) {
            self.units /= 10;
            self.exponent += 1;
        }
        if self.exponent >= 0 {
            return self.whole().map(Number::from);
        }
        let sign = if self.is_negative { "-" } else { "" };
        let text = format!("{sign}{}e{}", self.units, self.exponent);
        let is_exact = self.units.to_string().len() <= EXACT_DIGITS;
        Number::from_f64(text.parse().ok().filter(|_| is_exact)?)
    }

    /// Without the decimals that the factor makes whole.
    fn times_ten_to(mut self, power: i32) -> Self {
        self.exponent += power;
        while self.exponent < 0 && power > 0 && self.units.is_multiple_of(10) {
            self.units /= 10;
            self.exponent += 1;
        }
        self
    }
}

/// What commas and dots may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// A dot is the decimal point, commas group.
    Dots,
    /// Whichever it can only be.
    Either,
}

/// The only number in a text, if there is one, and it does not stand for about so many.
pub(super) fn only(text: &str) -> Option<Decimal> {
    let start = text.find(|char: char| char.is_ascii_digit())?;
    let (before, rest) = text.split_at(start);
    let (number, after) = leading(rest, Points::Dots)?;
    let (number, after) = scaled(number, after)?;
    // Digits of other scripts and fractions are numbers too; `m²` is a word.
    let is_number = |char: char| char.is_numeric() && !matches!(char, '²' | '³');
    if before.contains(is_number) || after.contains(is_number) || after.starts_with(['²', '³']) {
        return None;
    }
    if after.trim_start().starts_with(['+', '多', '余', '餘', '几', '~']) {
        return None;
    }
    Some(Decimal { is_negative: is_negative(before)?, ..number })
}

/// Whether what stands before a number ends with a minus. `None` if it belongs to the number in another way.
fn is_negative(before: &str) -> Option<bool> {
    let before = before.trim_end_matches(['$', '¥', '€', '£']);
    let is_apart =
        |before: &str| before.chars().next_back().is_none_or(|char| char.is_whitespace() || char == '(');
    if let Some(before) = before.strip_suffix('-') {
        return is_apart(before).then_some(true);
    }
    if let Some(before) = before.strip_suffix('+') {
        return is_apart(before).then_some(false);
    }
    let about = ['-', '+', '–', '<', '>', '≤', '≥', '~', '≈', '≠', '±', '^'];
    let is_cased = |char: char| char.is_lowercase() || char.is_uppercase();
    let belongs =
        before.trim_end().ends_with(about) || before.ends_with(['.', ',', '/', '*', '×', '_', '\'']);
    (!belongs && !before.ends_with(is_cased)).then_some(false)
}

/// The number that a text begins with, and what follows it.
pub(super) fn leading(text: &str, points: Points) -> Option<(Decimal, &str)> {
    let (first, mut rest) = digits(text);
    let mut groups = vec![first];
    let mut signs = Vec::new();
    while let Some(sign) = rest.chars().next() {
        let is_space = matches!(sign, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
        let (group, after) = digits(&rest[sign.len_utf8()..]);
        let is_part =
            if is_space { group.len() == 3 } else { matches!(sign, '.' | ',') && !group.is_empty() };
        if !is_part {
            break;
        }
        signs.push(sign);
        groups.push(group);
        rest = after;
    }
    let decimals = decimals(&groups, &signs, points)?;
    let all = groups.concat();
    let digits = all.trim_start_matches('0');
    if first.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let units = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let exponent = -i32::try_from(decimals).ok().filter(|count| *count <= 18)?;
    Some((Decimal { is_negative: false, units, exponent }, rest))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len()))
}

/// How many digits are decimals. `None` if the groups are of no kind, or of two.
fn decimals(groups: &[&str], signs: &[char], points: Points) -> Option<usize> {
    let is_grouped = |groups: &[&str], signs: &[char]| {
        let (first, others) = (groups[0], &groups[1..]);
        others.is_empty()
            || (1..=3).contains(&first.len())
                && !first.starts_with('0')
                && others.iter().all(|group| group.len() == 3)
                && signs.iter().all(|sign| *sign == signs[0])
    };
    let (Some(sign), Some(end)) = (signs.last(), groups.last()) else { return Some(0) };
    let (wholes, between) = (&groups[..groups.len() - 1], &signs[..signs.len() - 1]);
    let is_decimal = is_grouped(wholes, between) && !between.contains(sign);
    let is_whole = is_grouped(groups, signs);
    match (sign, points) {
        ('.', Points::Dots) => is_decimal.then_some(end.len()),
        ('.', Points::Either) if is_whole => (signs.len() > 1).then_some(0),
        ('.', Points::Either) => is_decimal.then_some(end.len()),
        (',', Points::Either) if end.len() < 3 => is_decimal.then_some(end.len()),
        _ => is_whole.then_some(0),
    }
}

/// A number with the word after it that multiplies it. `None` if that word can be read in two ways.
pub(super) fn scaled(number: Decimal, after: &str) -> Option<(Decimal, &str)> {
    let word = after.strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{2009}']).unwrap_or(after);
    let is_apart = word.len() < after.len();
    let (chinese, rest) = split(word, |char| "十百千万萬亿億兆".contains(char));
    if !chinese.is_empty() {
        let power = match chinese {
            "千" => 3,
            "万" | "萬" => 4,
            "十万" | "十萬" => 5,
            "百万" | "百萬" => 6,
            "千万" | "千萬" => 7,
            "亿" | "億" => 8,
            "十亿" | "十億" => 9,
            "百亿" | "百億" => 10,
            "千亿" | "千億" => 11,
            "万亿" | "萬億" => 12,
            _ => return None,
        };
        return Some((number.times_ten_to(power), rest));
    }
    let (word, rest) = split(word, |char| char.is_ascii_alphabetic());
    let power = match (word, word.to_ascii_lowercase().as_str()) {
        ("K" | "k", _) if !is_apart => 3,
        ("M", _) if !is_apart => 6,
        (_, "thousand") => 3,
        (_, "million") => 6,
        (_, "billion") => 9,
        (
            _,
            "k" | "m" | "b" | "t" | "e" | "w" | "mm" | "mn" | "bn" | "tn" | "mil" | "mill" | "mio" | "mrd"
            | "cr",
        )
        | (
            _,
            "thousands" | "millions" | "billions" | "trillion" | "trillions" | "hundred" | "hundreds"
            | "dozen",
        )
        | (_, "lakh" | "lakhs" | "lac" | "crore" | "crores") => return None,
        _ => return Some((number, after)),
    };
    Some((number.times_ten_to(power), rest))
}

fn split(text: &str, fits: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|char| !fits(char)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::definition::step::ValueType;
    use crate::typed::typed;

    #[test]
    fn case_39_whole_numbers_are_read_as_pages_print_them() {
        for (text, expected) in [
            ("0", 0_i64),
            ("12", 12),
            (" 007\n", 7),
            ("3,456", 3456),
            ("3 456", 3456),
            ("3\u{a0}456", 3456),
            ("3\u{2009}456\u{2009}789", 3_456_789),
            ("12\u{202f}345", 12345),
            ("1,234,567", 1_234_567),
            ("1.2万", 12_000),
            ("1.2 万", 12_000),
            ("3亿", 300_000_000),
            ("3.5億", 350_000_000),
            ("2千", 2000),
            ("1.5千万", 15_000_000),
            ("2万亿次播放", 2_000_000_000_000),
            ("1.2k", 1200),
            ("1.2K views", 1200),
            ("3M", 3_000_000),
            ("1,234K", 1_234_000),
            ("1.5 million", 1_500_000),
            ("2 Billion", 2_000_000_000),
            ("1.50万", 15_000),
            ("１２", 12),
            ("３４５6 条", 3456),
            ("-5", -5),
            ("+5", 5),
            ("−1,000", -1000),
            ("(-5)", -5),
            ("-$5", -5),
            ("3,456 comments", 3456),
            ("3456 条评论", 3456),
            ("3456条评论", 3456),
            ("共 12 个", 12),
            ("共12个", 12),
            ("Comments (5)", 5),
            ("There are 5.", 5),
            ("5, at most", 5),
            ("5-star", 5),
            ("45%", 45),
            ("30 km²", 30),
            ("第3页，很多", 3),
            ("5 kg", 5),
            ("5kg", 5),
            ("12 Minutes", 12),
            ("999,999,999,999,999,999", 999_999_999_999_999_999),
            ("3\n456k".trim_start_matches("3\n"), 456_000),
        ] {
            assert_eq!(typed(text, ValueType::Integer, 0), Some(json!(expected)), "{text:?}");
        }
    }

    #[test]
    fn case_39_what_is_no_plain_whole_number_is_none() {
        for text in [
            "",
            "none",
            "无",
            "三",
            "三万",
            "3.456",
            "3.0",
            "12.5",
            "1.25k5",
            "1.2345k",
            "3.456.789",
            "1,23",
            "1,2345",
            "12,34,567",
            "0,123",
            "1234,567",
            "1,234.5",
            "1,234 567",
            "3\n456",
            "3  456",
            "3 to 5",
            "3-5",
            "3–5",
            "3/5",
            "4:30",
            "1.2.3",
            "2026-11-24",
            "24 Nov 2026",
            "1万2千",
            "99+",
            "1万+",
            "100多人",
            "10余个",
            "~5",
            "> 5",
            "≥5",
            "about ≈ 5",
            "3 ½",
            "1½",
            "½",
            "5²",
            "①5",
            "٣",
            "٣ of 5",
            "Covid-19",
            "- 5",
            "a – 5",
            "v2",
            "B12",
            "H2O",
            ".5",
            "No.5",
            "3m",
            "3 M",
            "300 K",
            "30 m",
            "3b",
            "3B",
            "1.2w",
            "3bn",
            "2 dozen",
            "3 hundred",
            "5 lakh",
            "3百",
            "3兆",
            "3万万",
            "1e5",
            "0x10",
            "3，456",
            "3'456",
            "9999999999999999999",
            "９".repeat(30).as_str(),
            "10亿亿",
            "x5",
            "100 +",
            "9,223,372,036,854,775,808",
        ] {
            assert_eq!(typed(text, ValueType::Integer, 0), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_print_as_they_stood() {
        for (text, expected) in [
            ("8.9", "8.9"),
            ("8.9 分", "8.9"),
            ("评分：8.90", "8.9"),
            ("12.0", "12"),
            ("0.1", "0.1"),
            ("0.30", "0.3"),
            ("-0.5", "-0.5"),
            ("-0", "0"),
            ("0.000", "0"),
            ("99.5%", "99.5"),
            ("９９．５％", "99.5"),
            ("3.456", "3.456"),
            ("1,234.56", "1234.56"),
            ("1 234.5", "1234.5"),
            ("12345.678", "12345.678"),
            ("1.2345k", "1234.5"),
            ("1.23456万", "12345.6"),
            ("4.35", "4.35"),
            ("123456789012.345", "123456789012.345"),
            ("1,234", "1234"),
            ("5.", "5"),
        ] {
            let value = typed(text, ValueType::Number, 0).map(|value| value.to_string());
            assert_eq!(value.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "3,5",
            "12,50",
            "1.234,56",
            "1.2.3",
            "4.5/5",
            "4.5 of 5",
            "0.1234567890123456789",
            "1234567890123.4567",
            "½",
            "1.5–2",
            "..5",
            "n/a",
            "NaN",
            "inf",
        ] {
            assert_eq!(typed(text, ValueType::Number, 0), None::<Value>, "{text}");
        }
    }
}
