//! Numbers as text: they are kept as they were typed, and compared without rounding.

/// The largest whole number up to which a page's numbers are exact.
const EXACT: &str = "9007199254740991";

/// How many bytes at the start of a text are a JSON number; 0 if none are.
pub fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    match digits(at) {
        0 => return 0,
        _ if bytes[at] == b'0' => at += 1,
        count => at += count,
    }
    if bytes.get(at) == Some(&b'.') {
        match digits(at + 1) {
            0 => return at,
            count => at += 1 + count,
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        match digits(at + 1 + sign) {
            0 => return at,
            count => at += 1 + sign + count,
        }
    }
    at
}

/// Whether a text is a JSON number and nothing else.
#[must_use]
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && length(text) == text.len()
}

/// A number as sign, significant digits without zeros around them, and the power of ten of the last one.
#[derive(Debug, PartialEq, Eq)]
struct Digits {
    is_negative: bool,
    digits: String,
    power: i64,
}

fn digits(text: &str) -> Option<Digits> {
    if !is_number(text) {
        return None;
    }
    let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, power) = match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let shown = all.trim_start_matches('0');
    let short = shown.trim_end_matches('0');
    if short.is_empty() {
        return Some(Digits { is_negative: false, digits: String::new(), power: 0 });
    }
    let moved = i64::try_from(shown.len() - short.len()).ok()? - i64::try_from(part.len()).ok()?;
    Some(Digits { is_negative, digits: short.to_owned(), power: power.checked_add(moved)? })
}

/// A number in a form that all equal ones share.
pub fn canonical(text: &str) -> String {
    match digits(text) {
        Some(Digits { is_negative, digits, power }) => {
            format!("{}{digits}e{power}", if is_negative { "-" } else { "" })
        }
        None => text.to_owned(),
    }
}

/// Whether two numbers are the same one: `1`, `1.0` and `1e0` are.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || digits(one).is_some_and(|one| Some(one) == digits(other))
}

/// Whether a number has no fraction.
#[must_use]
pub fn is_whole(text: &str) -> bool {
    digits(text).is_some_and(|number| number.power >= 0)
}

/// Whether a page would round a number: a whole one beyond 2^53 - 1.
#[must_use]
pub fn is_rounded(text: &str) -> bool {
    if !is_number(text) || !is_whole(text) {
        return is_number(text) && digits(text).is_none();
    }
    let Some(Digits { digits, power, .. }) = digits(text) else { return false };
    let Some(places) = i64::try_from(digits.len()).ok().and_then(|count| count.checked_add(power)) else {
        return true;
    };
    match usize::try_from(places) {
        Ok(places) if places <= EXACT.len() => {
            let full = format!("{digits:0<places$}");
            full.len() == EXACT.len() && full.as_str() > EXACT
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inspector_case_36_a_number_is_what_json_says_and_a_draft_is_none() {
        for text in ["0", "-0", "1e3", "1E+3", "-1.50", "9007199254740993", "10"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "1.", ".5", "+1", "01", "1e", "1,5", "0x1", "NaN", " 1"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_what_they_mean() {
        assert!(
            is_same("1", "1.0") && is_same("100", "1e2") && is_same("-0", "0") && is_same("0.10", "1e-1")
        );
        assert!(!is_same("1", "-1") && !is_same("9007199254740992", "9007199254740993"));
        assert_eq!(
            (canonical("10.0"), canonical("-0.10"), canonical("-0.0")),
            ("1e1".to_owned(), "-1e-1".to_owned(), "e0".to_owned())
        );
        assert!(is_whole("1e3") && is_whole("2.0") && is_whole("0.5e1") && !is_whole("0.5"));
    }

    #[test]
    fn inspector_case_36_only_a_large_whole_number_is_rounded() {
        for text in
            ["9007199254740992", "-9007199254740993", "1e16", "1e999999999999", "1e99999999999999999999"]
        {
            assert!(is_rounded(text), "{text}");
        }
        for text in ["9007199254740991", "-9007199254740991", "0.1", "1e3", "1.", "0e999"] {
            assert!(!is_rounded(text), "{text}");
        }
    }
}
