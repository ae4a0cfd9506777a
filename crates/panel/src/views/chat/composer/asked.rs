//! What the user asks for in the draft by a sign: `/` for a command, `@` for a tab.

/// Longest text behind a sign, in characters: what is longer is no question.
const LONGEST: usize = 40;

/// What the draft asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignQuery {
    /// A command or saved prompt whose name has this text.
    Command(String),
    /// A tab whose title or host has this text.
    Tab {
        /// Where its sign stands in the draft, in bytes.
        from: usize,
        /// Where its text ends, in bytes.
        to: usize,
        /// The text, without the sign.
        text: String,
    },
}

/// What a draft asks for, with the caret behind `caret` UTF-16 code units.
pub fn asked(draft: &str, caret: usize) -> Option<SignQuery> {
    if let Some(text) = draft.strip_prefix('/') {
        let is_path = text.starts_with(' ') || text.contains(['/', '\n']);
        return (!is_path && is_short(text)).then(|| SignQuery::Command(text.to_owned()));
    }
    let to = bytes(draft, caret);
    let before = &draft[..to];
    let from = before.rfind('@')?;
    let text = &before[from + 1..];
    // Not in an address of a mailbox.
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    let is_sign = !before[..from].ends_with(is_word);
    let is_one = is_short(text) && !text.contains(char::is_whitespace);
    (is_sign && is_one).then(|| SignQuery::Tab { from, to, text: text.to_owned() })
}

fn is_short(text: &str) -> bool {
    text.chars().nth(LONGEST).is_none()
}

/// The place in bytes of a place in UTF-16 code units.
fn bytes(text: &str, units: usize) -> usize {
    let mut seen = 0;
    let end = text.char_indices().find(|(_, c)| {
        let is_behind = seen >= units;
        seen += c.len_utf16();
        is_behind
    });
    end.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_asks_for_a_command_at_the_beginning_only() {
        let command = |draft: &str| match asked(draft, draft.encode_utf16().count()) {
            Some(SignQuery::Command(text)) => Some(text),
            Some(SignQuery::Tab { .. }) | None => None,
        };
        for (draft, text) in [("/", ""), ("/sum", "sum"), ("/my prompt", "my prompt"), ("/总结", "总结")]
        {
            assert_eq!(command(draft).as_deref(), Some(text), "{draft}");
        }
        let long = format!("/{}", "a".repeat(41));
        for draft in ["", "a/b", "/ b", "/usr/bin", "/a\nb", &long] {
            assert_eq!(command(draft), None, "{draft}");
        }
    }

    #[test]
    fn at_sign_asks_for_a_tab_up_to_the_caret() {
        let tab = |draft: &str, caret: usize| match asked(draft, caret) {
            Some(SignQuery::Tab { from, to, text }) => {
                assert_eq!(&draft[from..to], format!("@{text}"));
                Some(text)
            }
            Some(SignQuery::Command(_)) | None => None,
        };
        for (draft, caret, text) in [
            ("@", 1, ""),
            ("see @ne", 7, "ne"),
            ("see @news now", 7, "ne"),
            ("请看@新闻", 5, "新闻"),
            ("😀 @a", 5, "a"),
            ("(@a", 3, "a"),
            ("@a", 99, "a"),
        ] {
            assert_eq!(tab(draft, caret).as_deref(), Some(text), "{draft}");
        }
        for (draft, caret) in [("anna@example.com", 16), ("@a b", 4), ("@a", 0), ("no sign", 7)] {
            assert_eq!(tab(draft, caret), None, "{draft}");
        }
    }
}
