//! Finds marks of markup in all their spellings.
//!
//! Special tokens of models come out with other characters than in training: `｜` as `|` or `‖`, doubled,
//! followed by spaces, `▁` as `_`. Marks are given in a normal form, in which `|` stands for one or more
//! bars of any kind and the white space after them, and `_` for both underscores; case is ignored.

use memchr::memchr2;

/// Maximum bytes of a mark.
pub(super) const MARK_LIMIT: usize = 64;

/// How a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkMatch {
    /// With the mark, of this many bytes.
    With(usize),
    /// With the beginning of the mark, where the text ends.
    Perhaps,
    /// With something else.
    Not,
}

/// Whether a text begins with a mark.
pub(super) fn begins(text: &str, mark: &str) -> MarkMatch {
    let mut rest = text;
    for expected in mark.chars() {
        let Some(c) = rest.chars().next() else {
            return if text.len() <= MARK_LIMIT { MarkMatch::Perhaps } else { MarkMatch::Not };
        };
        let is_it = match expected {
            '|' => is_bar(c),
            '_' => matches!(c, '_' | '▁'),
            _ => c.eq_ignore_ascii_case(&expected),
        };
        if !is_it {
            return MarkMatch::Not;
        }
        rest = match expected {
            '|' => rest.trim_start_matches(is_bar).trim_ascii_start(),
            _ => &rest[c.len_utf8()..],
        };
    }
    match text.len() - rest.len() {
        length if length <= MARK_LIMIT => MarkMatch::With(length),
        _ => MarkMatch::Not,
    }
}

/// Whether a text begins with one of several marks.
pub(super) fn begins_any(text: &str, marks: &[&str]) -> MarkMatch {
    let mut best = MarkMatch::Not;
    for mark in marks {
        match begins(text, mark) {
            MarkMatch::With(length) => return MarkMatch::With(length),
            MarkMatch::Perhaps => best = MarkMatch::Perhaps,
            MarkMatch::Not => {}
        }
    }
    best
}

/// The first of several marks at or after a position: its start and end. Marks begin with `<` or `[`.
pub(super) fn find(text: &str, mut from: usize, marks: &[&str]) -> Option<(usize, usize)> {
    loop {
        let at = from + memchr2(b'<', b'[', &text.as_bytes()[from..])?;
        if let MarkMatch::With(length) = begins_any(&text[at..], marks) {
            return Some((at, at + length));
        }
        from = at + 1;
    }
}

/// Whether it is a spelling of the bar in a special token.
pub(super) fn is_bar(c: char) -> bool {
    matches!(c, '|' | '｜' | '‖' | '∥' | '￨' | '│')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_is_known_in_every_way_it_is_written() {
        for text in [
            "<|DSML|x",
            "<｜DSML｜x",
            "<‖DSML‖x",
            "<｜｜DSML｜｜x",
            "<||dsml||x",
            "<∥DSML∥ x",
            "<｜DSML｜\nx",
        ] {
            assert_eq!(begins(text, "<|DSML|"), MarkMatch::With(text.len() - 1), "{text}");
        }
        assert_eq!(begins("<｜tool▁calls▁begin｜>x", "<|tool_calls_begin|>"), MarkMatch::With(28));
        for text in ["", "<", "<｜", "<｜｜", "<｜DS", "<|DSML"] {
            assert_eq!(begins(text, "<|DSML|"), MarkMatch::Perhaps, "{text}");
        }
        for text in ["x<|DSML|", "<DSML", "< |DSML|", "<|DSMX", "|DSML|"] {
            assert_eq!(begins(text, "<|DSML|"), MarkMatch::Not, "{text}");
        }
    }

    #[test]
    fn space_does_not_make_a_mark_endless() {
        assert_eq!(begins(&format!("<|{}", " ".repeat(100)), "<|DSML|"), MarkMatch::Not);
        assert_eq!(begins(&format!("<|{}DSML|", " ".repeat(100)), "<|DSML|"), MarkMatch::Not);
    }

    #[test]
    fn first_of_several_is_found() {
        let text = "é < [x] </invoke> <tool_call>";
        let (at, end) = find(text, 0, &["<tool_call>", "</invoke>"]).unwrap();
        assert_eq!(&text[at..end], "</invoke>");
        assert_eq!(find(text, end, &["<tool_call>", "</invoke>"]), Some((19, 30)));
        assert_eq!(find(text, 20, &["<tool_call>", "</invoke>"]), None);
    }
}
