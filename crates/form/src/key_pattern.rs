//! Patterns of keys that are plain enough to be judged without an engine for expressions.

/// Whether a key matches a pattern; `None` if only an engine can say.
pub(crate) fn is_match(pattern: &str, key: &str) -> Option<bool> {
    if matches!(pattern, "" | "^" | "$" | ".*" | "^.*" | ".*$" | "^.*$") {
        return Some(true);
    }
    let (is_begun, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (is_ended, text) = rest.strip_suffix('$').map_or((false, rest), |text| (true, text));
    let is_plain =
        |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | ' ' | ':' | '/' | '@' | '#');
    if !text.chars().all(is_plain) {
        return None;
    }
    Some(match (is_begun, is_ended) {
        (true, true) => key == text,
        (true, false) => key.starts_with(text),
        (false, true) => key.ends_with(text),
        (false, false) => key.contains(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_are_judged_and_others_are_not() {
        assert_eq!(is_match("^x-", "x-a"), Some(true));
        assert_eq!(is_match("^x-", "a-x-"), Some(false));
        assert_eq!((is_match("_id$", "a_id"), is_match("_id$", "_ids")), (Some(true), Some(false)));
        assert_eq!((is_match("b", "abc"), is_match("^ab$", "abc")), (Some(true), Some(false)));
        assert_eq!(is_match("^.*$", "anything"), Some(true));
        assert_eq!(
            (is_match("^[a-z]+$", "a"), is_match("a\\$", "a$"), is_match("a|b", "a")),
            (None, None, None)
        );
    }
}
