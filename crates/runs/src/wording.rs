//! The texts of this crate, and texts of pages made short.

use std::borrow::Cow;

pub(crate) mod word {
    use sidecar_locales::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

/// A text of at most so many characters, the last of which says that it was cut.
pub(crate) fn short(text: &str, most: usize) -> Cow<'_, str> {
    let mut ends = text.char_indices().map(|(at, _)| at).skip(most.saturating_sub(1));
    match (ends.next(), ends.next()) {
        (Some(end), Some(_)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_only_if_it_is_longer() {
        for (text, cut) in [("", ""), ("中文文", "中文文"), ("中文文字", "中文…")] {
            assert_eq!(short(text, 3), cut);
        }
    }
}
