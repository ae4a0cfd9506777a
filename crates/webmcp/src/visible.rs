//! Writes out invisible characters in text of others as `⟨U+202E⟩`: control characters, and characters that
//! reverse, join or hide text. So readers see everything that is there.
//!
//! Source of the list: Unicode general categories Cc and Cf, variation selectors without effect, and
//! fillers that look like nothing (UTS #55, UAX #9).

use std::borrow::Cow;
use std::fmt::Write;

/// Maximum length of a run that is written out character by character.
const RUN: usize = 4;

/// The text with every invisible character written out. Line breaks and tabs stay, and so do joiners and
/// selectors that have an effect.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_special) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(written_out(characters(text)))
}

/// The same for JSON text, in which such characters may also be escaped (`\\u202e`, `\\b`). The result is
/// JSON of the same structure.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !["\\u", "\\b", "\\f"].iter().any(|escape| json.contains(escape)) {
        return visible(json);
    }
    Cow::Owned(written_out(json_characters(json)))
}

/// Characters with their spelling in the text.
fn characters(text: &str) -> impl Iterator<Item = (char, &str)> {
    text.char_indices().map(|(at, c)| (c, &text[at..at + c.len_utf8()]))
}

/// Characters of JSON text with their spelling; an escape is one character.
fn json_characters(json: &str) -> impl Iterator<Item = (char, &str)> {
    let mut rest = json;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (c, length) = match escaped(rest) {
            Some(escape) => escape,
            // Any other escape has two characters, or the text ends here.
            None if first == '\\' => (first, 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            None => (first, first.len_utf8()),
        };
        let (source, after) = rest.split_at(length);
        rest = after;
        Some((c, source))
    })
}

fn written_out<'t>(characters: impl Iterator<Item = (char, &'t str)>) -> String {
    let mut shown = String::new();
    let mut run: Vec<char> = Vec::new();
    let mut before = None;
    let mut rest = characters.peekable();
    while let Some((c, source)) = rest.next() {
        let after = rest.peek().map(|(c, _)| *c);
        let is_seen = match c {
            _ if is_invisible(c) => false,
            _ if is_joiner(c) => before.is_some_and(is_joined) && after.is_some_and(is_joined),
            _ if is_selector(c) => before.is_some_and(|base| takes(base, c)),
            // A space between Braille cells.
            BLANK => before.is_some_and(is_braille) && after.is_some_and(is_braille),
            _ => true,
        };
        before = Some(c);
        if is_seen {
            write_out(&mut run, &mut shown);
            shown.push_str(source);
        } else {
            run.push(c);
        }
    }
    write_out(&mut run, &mut shown);
    shown
}

/// The character of an escape at the beginning of the text, and the escape's length.
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

/// Characters that may have to be written out.
fn is_special(c: char) -> bool {
    is_invisible(c) || is_joiner(c) || is_selector(c) || c == BLANK
}

/// Characters that show nothing, or change how others are shown.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Characters that join or separate their neighbours, as some scripts and emoji require.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Neighbours on which a joiner has an effect: letters of joining scripts, emoji and their variation
/// selectors.
fn is_joined(c: char) -> bool {
    !c.is_ascii() && !is_joiner(c) && !is_invisible(c) && c != BLANK
}

/// A Braille cell without dots.
const BLANK: char = '\u{2800}';

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

/// Characters that select a variant of the one before them.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// Whether a character has a variant for this selector. After any other character, and after another
/// selector, a selector has no effect that readers see.
///
/// Source: the sequences of StandardizedVariants.txt, emoji-variation-sequences.txt and the Ideographic
/// Variation Database (Unicode 17), as ranges of base characters.
fn takes(base: char, selector: char) -> bool {
    let is_ideograph = matches!(base,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    match selector {
        // Text or emoji presentation.
        '\u{fe0e}' | '\u{fe0f}' => matches!(base,
            '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{21aa}' | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{27bf}'
            | '\u{2934}' | '\u{2935}' | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'),
        '\u{180b}'..='\u{180f}' => matches!(base, '\u{1820}'..='\u{18aa}'),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph,
        '\u{fe00}'..='\u{fe02}' => {
            is_ideograph
                || matches!(base,
                    '0' | '\u{1000}'..='\u{109f}' | '\u{2018}'..='\u{201d}' | '\u{2205}'..='\u{22ff}'
                    | '\u{2a00}'..='\u{2aff}' | '\u{3001}' | '\u{3002}' | '\u{a840}'..='\u{a877}'
                    | '\u{aa60}'..='\u{aa7f}' | '\u{ff01}'..='\u{ff60}' | '\u{10ac0}'..='\u{10aff}'
                    | '\u{13000}'..='\u{1342f}')
        }
        '\u{fe03}'..='\u{fe06}' => matches!(base, '\u{13000}'..='\u{1342f}'),
        _ => false,
    }
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
    use serde_json::json;

    use super::*;

    #[test]
    fn visible_text_is_unchanged() {
        for text in [
            "",
            "Search flights\n\tto Xi\u{2019}an",
            "直飞航班",
            "👩\u{200d}🚀 ❤\u{fe0f}",
            "می\u{200c}خواهم",
            "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ☎\u{fe0e} ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 ©\u{fe0f}",
            "葛\u{e0100}城市 辻\u{e0101} 﨑\u{fe00} ∅\u{fe00} “\u{fe00}，\u{fe01}",
            "ᠠ\u{180b}ᠪ",
            "⠓⠑⠇⠇⠕\u{2800}⠺⠕⠗⠇⠙",
        ] {
            assert_eq!(visible(text), text);
            let json = json!(text).to_string();
            let escapes: String = json.chars().map(escape).collect();
            assert_eq!(
                (visible_json(&json).as_ref(), visible_json(&escapes).as_ref()),
                (json.as_str(), escapes.as_str())
            );
        }
        assert!(matches!(visible_json("{\"a\":\"\\n\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn selector_that_selects_nothing_is_written_out() {
        for (text, expected) in [
            ("a\u{fe0f}", "a⟨U+FE0F⟩"),
            ("pay\u{fe00}\u{fe01}", "pay⟨U+FE00⟩⟨U+FE01⟩"),
            ("❤\u{fe0f}\u{fe0f}\u{fe0e}", "❤\u{fe0f}⟨U+FE0F⟩⟨U+FE0E⟩"),
            ("\u{fe0f}", "⟨U+FE0F⟩"),
            ("❤\u{fe05}", "❤⟨U+FE05⟩"),
            ("😀\u{e0100}\u{e0101}\u{e0102}\u{e0103}\u{e0104}", "😀⟨U+E0100…U+E0104 ×5⟩"),
            ("葛\u{e0100}\u{e0100}", "葛\u{e0100}⟨U+E0100⟩"),
            ("ᠠ\u{180b}\u{180b} b\u{180c}", "ᠠ\u{180b}⟨U+180B⟩ b⟨U+180C⟩"),
            ("a\u{2800}b", "a⟨U+2800⟩b"),
            ("⠓\u{2800}\u{2800}⠓", "⠓⟨U+2800⟩⟨U+2800⟩⠓"),
            ("x\u{3164}\u{1bca0}\u{2062}", "x⟨U+3164⟩⟨U+1BCA0⟩⟨U+2062⟩"),
        ] {
            assert_eq!(visible(text), expected);
        }
        // What counts before a selector is the character of an escape, not its digits.
        assert_eq!(visible_json("\"\\u4e31\u{fe0f}\\ufe01\""), "\"\\u4e31⟨U+FE0F⟩⟨U+FE01⟩\"");
        assert_eq!(visible_json("\"1\\ufe0f\\ufe0f\u{fe0f}\""), "\"1\\ufe0f⟨U+FE0F⟩⟨U+FE0F⟩\"");
    }

    #[test]
    fn bytes_cannot_hide_in_selectors() {
        let halves = b"do it".iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hidden: String = halves.filter_map(|half| char::from_u32(0xfe00 + u32::from(half))).collect();
        assert_eq!(visible(&format!("❤{hidden}!")), "❤⟨U+FE06…U+FE04 ×10⟩!");
    }

    #[test]
    fn invisible_characters_are_written_out() {
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

    /// A non-ASCII character as a JSON escape.
    fn escape(c: char) -> String {
        match c {
            c if c.is_ascii() => c.to_string(),
            c => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        }
    }

    proptest! {
        #[test]
        fn no_invisible_character_is_left_and_no_visible_one_is_lost(
            text in "(\\PC|[\\x00-\\x20\u{200b}-\u{202e}\u{2800}\u{fe00}-\u{fe0f}1❤字\u{e0000}-\u{e01ef}]){0,40}",
        ) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_invisible));
            let chars: Vec<char> = shown.chars().collect();
            prop_assert!(!chars.windows(2).any(|two| is_selector(two[1]) && !takes(two[0], two[1])));
            prop_assert!(chars.first().is_none_or(|first| !is_selector(*first)));
            prop_assert_eq!(visible(&shown), shown.as_ref());
        }

        #[test]
        fn json_keeps_its_shape(
            text in "(\\PC|[\\x00-\\x20\u{200b}-\u{202e}\u{fe00}-\u{fe0f}1❤字]){0,40}",
            is_escaped in proptest::collection::vec(any::<bool>(), 120),
        ) {
            let json = json!(text).to_string();
            let written = |(c, is_escaped): (char, &bool)| if *is_escaped { escape(c) } else { c.to_string() };
            let json: String = json.chars().zip(is_escaped.iter().cycle()).map(written).collect();
            let shown: String = serde_json::from_str(&visible_json(&json)).unwrap();
            prop_assert!(!shown.chars().any(is_invisible));
            prop_assert_eq!(visible(&shown), shown.as_str());
        }
    }
}
