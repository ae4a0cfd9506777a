//! Splits text into small pieces, which this server counts as tokens.

/// Maximum Chinese characters of a piece.
const IDEOGRAPHS: usize = 2;
/// Maximum letters or digits of a piece.
const LETTERS: usize = 8;

/// Splits a text into pieces: a word with the space before it, a pair of Chinese characters, or one other
/// character. Joined, they are the text.
#[must_use]
pub fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(first_piece(rest));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Length in bytes of the first piece of a text that is not empty.
fn first_piece(text: &str) -> usize {
    let body = text.strip_prefix(' ').filter(|body| body.starts_with(is_letter)).unwrap_or(text);
    let space = text.len() - body.len();
    let most = if body.starts_with(is_letter) {
        LETTERS
    } else if body.starts_with(is_ideograph) {
        IDEOGRAPHS
    } else {
        return text.chars().next().map_or(0, char::len_utf8);
    };
    let same = if body.starts_with(is_letter) { is_letter } else { is_ideograph };
    space + body.chars().take(most).take_while(|c| same(*c)).map(char::len_utf8).sum::<usize>()
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_ideograph(c)
}

/// Whether a character is a Chinese one (the common block).
#[must_use]
pub fn is_ideograph(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_ideographs_and_signs() {
        assert_eq!(
            pieces("Find flights, 2000 以下的航班。"),
            ["Find", " flights", ",", " 2000", " ", "以下", "的航", "班", "。"]
        );
        assert_eq!(pieces("extraordinary"), ["extraord", "inary"]);
        assert_eq!(pieces("a  b\n"), ["a", " ", " b", "\n"]);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn loses_nothing() {
        let text = "# 标题\n\n- **CA1519** 08:00 → 10:15 🛫 `code`\n\n| a | b |";
        assert_eq!(pieces(text).concat(), text);
    }
}
