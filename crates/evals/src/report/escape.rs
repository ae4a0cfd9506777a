//! Texts of models, suites and services in the languages of reports: they stay texts, and what is hidden in them is written
//! out.

use std::borrow::Cow;
use std::fmt::Write;

use sidecar_webmcp::visible;

/// The text in HTML, between tags and in attributes.
pub(super) fn html(text: &str) -> String {
    marked(&visible(text), |_| None)
}

/// The text in XML 1.0, in an attribute or between tags. Characters that XML does not have are replaced.
pub(super) fn xml(text: &str) -> String {
    let is_forbidden = |char: char| match char {
        '\n' | '\t' => false,
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    };
    let allowed: String = text
        .chars()
        .map(|char| if is_forbidden(char) { char::REPLACEMENT_CHARACTER } else { char })
        .collect();
    marked(&visible(&allowed), |char| match char {
        '\n' => Some("&#10;"), // an attribute would have a space
        '\t' => Some("&#9;"),
        _ => None,
    })
}

/// The text with what has a meaning in markup escaped, and more characters of the caller's.
fn marked(text: &str, more: impl Fn(char) -> Option<&'static str>) -> String {
    text.chars().fold(String::new(), |mut escaped, char| {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => match more(char) {
                Some(other) => escaped.push_str(other),
                None => escaped.push(char),
            },
        }
        escaped
    })
}

/// The text on one line of Markdown, in a cell of a table too.
pub(super) fn markdown(text: &str) -> String {
    const MARKS: &str = "\\`*_{}[]<>#|~&@";
    visible(text).chars().fold(String::new(), |mut escaped, char| {
        match char {
            _ if char.is_control() => escaped.push(' '),
            _ if MARKS.contains(char) => {
                let _ = write!(escaped, "&#{};", u32::from(char));
            }
            _ => escaped.push(char),
        }
        escaped
    })
}

/// The text with at most so many characters.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_texts() {
        assert_eq!(
            html("<img onerror='x'>&\u{202e}\u{1b}\n"),
            "&lt;img onerror=&#39;x&#39;&gt;&amp;⟨U+202E⟩⟨U+001B⟩\n"
        );
        assert_eq!(xml("<&\"]]>\0\n\u{1b}\u{202e}"), "&lt;&amp;&quot;]]&gt;\u{fffd}&#10;\u{fffd}⟨U+202E⟩");
        assert_eq!(markdown("a|b`c`\n<b>"), "a&#124;b&#96;c&#96; &#60;b&#62;");
        assert_eq!((cut("好好好", 2), cut("好好", 2)), ("好好…".into(), "好好".into()));
    }
}
