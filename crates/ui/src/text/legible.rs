//! Text of pages with invisible characters written out.

use serde::de::IgnoredAny;
use sidecar_webmcp::{visible, visible_json};

/// The text as it may be shown. In JSON such characters may be escaped as well; it stays JSON of the same structure.
pub fn legible(text: &str) -> String {
    // Numbers are not converted: one that is too large for a computer's is JSON, too.
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_json { visible_json(text) } else { visible(text) }.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::arguments::pretty;

    #[test]
    fn invisible_characters_are_written_out() {
        assert_eq!(legible("pay\u{202e}olleh"), "pay⟨U+202E⟩olleh");
        assert_eq!(legible("a\\u202e, 茶 ☕\n\tb"), "a\\u202e, 茶 ☕\n\tb", "no JSON: the escape is seen");
    }

    #[test]
    fn json_stays_json_with_its_escapes_written_out() {
        let shown = legible("{\"a\\u202e\": [\"\u{200b}\", 9007199254740993]}");
        assert_eq!(shown, "{\"a⟨U+202E⟩\": [\"⟨U+200B⟩\", 9007199254740993]}");
        assert_eq!(legible("[1e999, \"\\u202e\"]"), "[1e999, \"⟨U+202E⟩\"]");
        assert_eq!(pretty(&legible("[\"\\u2066\"]")), "[\n  \"⟨U+2066⟩\"\n]");
    }
}
