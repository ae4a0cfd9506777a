//! Text of others without characters that nobody sees: those that control, reverse, join or carry what is hidden are
//! written out as `⟨U+202E⟩`, so that what is read is what is there.
//!
//! Source of the list: Unicode general categories Cc and Cf, the variation selectors of plane 14, and the fillers that
//! look like nothing (UTS #55, UAX #9).

use std::borrow::Cow;
use std::fmt::Write;

/// Longest run of them that is written out one by one.
const RUN: usize = 4;

/// The text with every invisible character written out. Line breaks and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_invisible(c) || is_joiner(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut run: Vec<char> = Vec::new();
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins =
            is_joiner(c) && before.is_some_and(is_joined) && rest.peek().copied().is_some_and(is_joined);
        before = Some(c);
        if is_invisible(c) || (is_joiner(c) && !joins) {
            run.push(c);
        } else {
            write_out(&mut run, &mut shown);
            shown.push(c);
        }
    }
    write_out(&mut run, &mut shown);
    Cow::Owned(shown)
}

/// The same for JSON text, in which such characters may also be escapes (`\\u202e`, `\\b`). It stays JSON, of the same
/// shape.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !["\\u", "\\b", "\\f"].iter().any(|escape| json.contains(escape)) {
        return visible(json);
    }
    let mut shown = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = match escaped(rest) {
            Some((c, length)) if is_invisible(c) || is_joiner(c) => (Some(c), length),
            Some((_, length)) => (None, length),
            // Another escape, of two characters; or the text ends here.
            None => (None, 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
        };
        match c {
            Some(c) => push_code(c, &mut shown),
            None => shown.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    shown.push_str(rest);
    Cow::Owned(visible(&shown).into_owned())
}

/// The character that an escape at the beginning of the text means, and the escape's length.
fn escaped(text: &str) -> Option<(char, usize)> {
    let unit = |from: &str| {
        let digits = from.strip_prefix("\\u")?.get(..4)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    match text.get(..2)? {
        "\\b" => return Some(('\u{8}', 2)),
        "\\f" => return Some(('\u{c}', 2)),
        _ => {}
    }
    let first = unit(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 6));
    }
    let second = text.get(6..).and_then(unit)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, 12))
}

/// Characters that show nothing, or change how others are shown.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that join or part their neighbours, as scripts and emoji need it.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Neighbours that a joiner has work with: letters of scripts that join, emoji and their variation selectors.
fn is_joined(c: char) -> bool {
    !c.is_ascii() && !is_joiner(c) && !is_invisible(c)
}

fn write_out(run: &mut Vec<char>, shown: &mut String) {
    match run.as_slice() {
        [first, .., last] if run.len() > RUN => {
            let (first, last) = (u32::from(*first), u32::from(*last));
            let _ = write!(shown, "⟨U+{first:04X}…U+{last:04X} ×{}⟩", run.len());
        }
        few => few.iter().for_each(|c| push_code(*c, shown)),
    }
    run.clear();
}

fn push_code(c: char, shown: &mut String) {
    let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_seen_stays_as_it_is() {
        for text in
            ["", "Search flights\n\tto Xi\u{2019}an", "直飞航班", "👩\u{200d}🚀 ❤\u{fe0f}", "می\u{200c}خواهم"]
        {
            assert_eq!(visible(text), text);
            assert!(matches!(visible_json("{\"a\":\"\\n\"}"), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn what_is_not_seen_is_written_out() {
        assert_eq!(visible("pay\u{202e}olleh"), "pay⟨U+202E⟩olleh");
        assert_eq!(visible("a\u{200d}b\0"), "a⟨U+200D⟩b⟨U+0000⟩");
        let hidden: String =
            "do it".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
        assert_eq!(visible(&format!("Lists.{hidden}")), "Lists.⟨U+E0064…U+E0074 ×5⟩");
    }

    #[test]
    fn escapes_in_json_are_characters_too() {
        assert_eq!(visible_json(r#"{"a":"\u202Ex"}"#), r#"{"a":"⟨U+202E⟩x"}"#);
        assert_eq!(
            visible_json(r#"["\udb40\udc41", "\u4e2d", "\\u202e"]"#),
            r#"["⟨U+E0041⟩", "\u4e2d", "\\u202e"]"#
        );
        assert_eq!(visible_json(r#"["\b\f\n", "\\b"]"#), r#"["⟨U+0008⟩⟨U+000C⟩\n", "\\b"]"#);
        assert_eq!(visible_json("\"\u{202e}\\u0041\""), "\"⟨U+202E⟩\\u0041\"");
        for broken in ["\\", "\\u", "\\u20", "\\ud800", "\\ud800\\u0041", "\\u中文字"] {
            assert_eq!(visible_json(broken), broken);
        }
    }

    proptest! {
        #[test]
        fn nothing_invisible_is_left_and_nothing_visible_is_lost(text in "(\\PC|[\\x00-\\x20\u{200b}-\u{202e}\u{e0000}-\u{e0080}]){0,40}") {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_invisible));
            prop_assert_eq!(visible(&shown), shown.as_ref());
        }

        #[test]
        fn json_keeps_its_shape(text in "(\\PC|[\\x00-\\x20\u{200b}-\u{202e}]){0,40}") {
            let json = serde_json::to_string(&text).unwrap();
            let shown: String = serde_json::from_str(&visible_json(&json)).unwrap();
            prop_assert!(!shown.chars().any(is_invisible));
        }
    }
}
