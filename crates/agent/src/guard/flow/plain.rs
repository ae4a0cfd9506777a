//! The form in which texts are compared: lower case, without differences of width and style, without
//! invisible characters.

use sidecar_webmcp::visible;

/// Brings a text into Unicode normal form NFKC, which maps full-width and mathematical letters to plain
/// ones. The browser does it ([`crate::ports::ToolHost::nfkc`]).
pub type Nfkc<'n> = &'n dyn Fn(&str) -> String;

/// The text in lower-case NFKC, without invisible characters.
pub(super) fn plain(text: &str, nfkc: Nfkc<'_>) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_seen = |c: &char| c.is_ascii() || visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8();
    let seen: String = text.chars().filter(is_seen).collect();
    nfkc(&seen).chars().flat_map(char::to_lowercase).collect()
}

pub(super) fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
