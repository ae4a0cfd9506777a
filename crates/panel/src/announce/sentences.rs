//! Finds the whole sentences in a growing text, for screen readers.

/// Returns the byte offset behind the last whole sentence after `from`, or `from` if there is none.
pub fn spoken_until(text: &str, from: usize) -> usize {
    let Some(rest) = text.get(from..) else { return from };
    let mut until = from;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let ends = match char {
            '\n' | '。' | '！' | '？' | '；' => true,
            // A dot inside a number or a name does not end a sentence, and one at the very end may be followed by more.
            '.' | '!' | '?' => chars.peek().is_some_and(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            until = from + at + char.len_utf8();
        }
    }
    until
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, from: usize) -> (&str, &str) {
        let until = spoken_until(text, from);
        (&text[from..until], &text[until..])
    }

    #[test]
    fn sentence_end_is_found_when_the_sentence_is_complete() {
        assert_eq!(cut("I found 3.5 flights. The che", 0), ("I found 3.5 flights.", " The che"));
        assert_eq!(cut("One. Two! Three", 4), (" Two!", " Three"));
        assert_eq!(cut("no end yet", 0), ("", "no end yet"));
        assert_eq!(cut("It may go on.", 0), ("", "It may go on."));
        assert_eq!(cut("- one\n- tw", 0), ("- one\n", "- tw"));
    }

    #[test]
    fn sentence_end_is_found_without_a_space_when_chinese() {
        assert_eq!(cut("找到三个航班。最便宜的是", 0), ("找到三个航班。", "最便宜的是"));
    }

    #[test]
    fn sentence_end_is_the_start_when_not_at_a_char_boundary() {
        assert_eq!(spoken_until("短", 9), 9);
        assert_eq!(spoken_until("短。", 1), 1);
    }
}
