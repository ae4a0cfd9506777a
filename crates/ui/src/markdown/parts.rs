//! Splits a very long text into parts, so that parsing and layout never take longer than for one part. Where it is cut
//! depends only on the text before, so that a growing text keeps its parts.

use std::sync::Arc;

/// Most bytes in a part.
pub const MOST: usize = 16 * 1024;

/// A part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextPart {
    /// The text of the part.
    pub text: String,
    /// The opening line of the code block that the part begins in; empty if none.
    pub fence: String,
}

impl TextPart {
    /// The part as Markdown: reopens the code block that was cut.
    pub fn markdown(&self) -> String {
        match self.fence.is_empty() {
            true => self.text.clone(),
            false => format!("{}\n{}", self.fence, self.text),
        }
    }
}

/// All parts of a text, in order; the last one may grow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(pub Vec<Arc<TextPart>>);

impl Parts {
    /// The whole text.
    pub fn text(&self) -> String {
        self.0.iter().map(|part| part.text.as_str()).collect()
    }

    /// Splits a text. Parts of `old` are kept as far as the text begins with them.
    pub fn of(text: &str, old: Option<&Self>) -> Self {
        let mut parts = Vec::new();
        let mut at = 0;
        let old = old.map_or(&[][..], |old| &old.0[..]);
        // The last part may be cut elsewhere now.
        for part in old.split_last().map_or(&[][..], |(_, settled)| settled) {
            if !text[at..].starts_with(part.text.as_str()) {
                break;
            }
            at += part.text.len();
            parts.push(Arc::clone(part));
        }
        let mut fence = parts.last().map_or_else(String::new, |last: &Arc<TextPart>| open_fence(last));
        while text.len() - at > MOST {
            let end = at + cut(&text[at..]);
            let part = TextPart { text: text[at..end].to_owned(), fence };
            fence = open_fence(&part);
            parts.push(Arc::new(part));
            at = end;
        }
        parts.push(Arc::new(TextPart { text: text[at..].to_owned(), fence }));
        Self(parts)
    }

    /// Number of characters from this part on.
    pub fn characters_from(&self, place: usize) -> usize {
        self.0.iter().skip(place).map(|part| part.text.chars().count()).sum()
    }
}

/// Where to cut a text that is too long: after a paragraph, else a line, else a word, if that is in the second half.
fn cut(text: &str) -> usize {
    let end = (0..=MOST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let window = &text[..end];
    ["\n\n", "\n", " "]
        .iter()
        .filter_map(|mark| window.rfind(mark).map(|at| at + mark.len()))
        .find(|at| *at > MOST / 2)
        .unwrap_or(end)
}

/// The opening line of the code block that is open at the end of a part; empty if none.
fn open_fence(part: &TextPart) -> String {
    let mut open = part.fence.as_str();
    for line in part.text.lines() {
        let Some((mark, count)) = fence(line) else { continue };
        match fence(open) {
            None => open = line,
            Some((opened, at_least)) => {
                let closes = mark == opened && count >= at_least && line.trim().chars().all(|c| c == mark);
                if closes {
                    open = "";
                }
            }
        }
    }
    open.to_owned()
}

/// The fence character of a line that opens or closes a code block, and its count.
fn fence(line: &str) -> Option<(char, usize)> {
    let trimmed = line.trim_start_matches(' ');
    let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = trimmed.chars().take_while(|c| *c == mark).count();
    (line.len() - trimmed.len() <= 3 && count >= 3).then_some((mark, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(parts: &Parts) -> String {
        parts.0.iter().map(|part| part.text.as_str()).collect()
    }

    #[test]
    fn text_is_one_part_when_short() {
        let text = "One.\n\nTwo.".repeat(1_000);
        assert_eq!(Parts::of(&text, None).0.len(), 1);
        assert_eq!(Parts::of("", None).0.len(), 1);
    }

    #[test]
    fn parts_keep_all_text_when_split_at_paragraphs_lines_or_words() {
        for (text, end) in [
            ("One two three.\n\n".repeat(3_000), "\n\n"),
            ("- one two\n".repeat(5_000), "\n"),
            ("word ".repeat(9_000), " "),
            ("长".repeat(20_000), "长"),
        ] {
            let parts = Parts::of(&text, None);
            assert!(parts.0.len() > 1);
            assert_eq!(whole(&parts), text);
            for part in &parts.0 {
                assert!(part.text.len() <= MOST && part.text.ends_with(end));
            }
        }
    }

    #[test]
    fn parts_are_kept_when_the_text_grows() {
        let text = "Some words of an answer. ".repeat(4_000);
        let mut old = Parts::default();
        for end in (0..text.len()).step_by(777) {
            let new = Parts::of(&text[..end], Some(&old));
            let settled = old.0.len().saturating_sub(1);
            assert!(new.0[..settled].iter().zip(&old.0).all(|(new, old)| Arc::ptr_eq(new, old)));
            assert_eq!(new, Parts::of(&text[..end], None));
            old = new;
        }
        assert_eq!(Parts::of("Other words.", Some(&old)), Parts::of("Other words.", None));
        assert_eq!(old.characters_from(1), old.0[1..].iter().map(|part| part.text.len()).sum::<usize>());
    }

    #[test]
    fn code_block_continues_when_split_between_parts() {
        let text = format!(
            "Look:\n\n```rust\n{}```\n\nDone. {}",
            "let x = 1;\n".repeat(2_000),
            "word ".repeat(9_000)
        );
        let parts = Parts::of(&text, None);
        assert_eq!((parts.0[0].fence.as_str(), parts.0[1].fence.as_str()), ("", "```rust"));
        assert!(parts.0[1].markdown().starts_with("```rust\nlet x = 1;"));
        assert!(parts.0[2..].iter().all(|part| part.fence.is_empty()), "it was closed");
        assert_eq!(whole(&parts), text);
    }
}
