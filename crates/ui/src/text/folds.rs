//! Folds long runs of line breaks and blanks into a count, because they push what follows out of view.

/// Line breaks in a row from which they are folded; fewer make a paragraph.
const BREAKS: usize = 3;

/// Blanks in a row from which they are folded within a line.
const BLANKS: usize = 8;

/// Blanks in a row from which they are folded at the beginning of a line; fewer are an indent.
const INDENT: usize = 40;

/// Most characters, and lines, of a text that is seen at a glance.
const GLANCE: (usize, usize) = (200, 6);

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldPiece {
    /// Text shown as it is.
    Text(String),
    /// A folded run of line breaks and blanks.
    Fold {
        /// Number of line breaks.
        breaks: usize,
        /// Number of blanks, including those between line breaks.
        blanks: usize,
    },
}

/// Splits a text into pieces, with long runs of line breaks and blanks folded.
pub fn fold(text: &str) -> Vec<FoldPiece> {
    let mut pieces = Vec::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(start) = text[at..].find(is_blank).map(|found| at + found) {
        let end = start + text[start..].find(|c| !is_blank(c)).unwrap_or(text.len() - start);
        let run = &text[start..end];
        let breaks = breaks(run);
        let blanks = run.chars().filter(|c| !is_break(*c)).count();
        if breaks >= BREAKS || blanks >= (if breaks == 0 { BLANKS } else { INDENT }) {
            if kept < start {
                pieces.push(FoldPiece::Text(text[kept..start].to_owned()));
            }
            pieces.push(FoldPiece::Fold { breaks, blanks });
            kept = end;
        }
        at = end;
    }
    if kept < text.len() {
        pieces.push(FoldPiece::Text(text[kept..].to_owned()));
    }
    pieces
}

/// Whether a text is short enough to be seen at a glance, and nothing in it is folded.
pub fn is_plain(text: &str) -> bool {
    let (characters, lines) = GLANCE;
    text.chars().nth(characters).is_none()
        && breaks(text) < lines
        && !fold(text).iter().any(|piece| matches!(piece, FoldPiece::Fold { .. }))
}

/// Number of line breaks in a text; `\r\n` counts once.
fn breaks(text: &str) -> usize {
    text.chars().filter(|c| is_break(*c)).count() - text.matches("\r\n").count()
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Also characters that are drawn as nothing although Unicode does not count them as white space.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let piece = |piece| match piece {
            FoldPiece::Text(text) => text,
            FoldPiece::Fold { breaks, blanks } => format!("[{breaks},{blanks}]"),
        };
        fold(text).into_iter().map(piece).collect()
    }

    #[test]
    fn long_runs_of_blanks_are_folded() {
        assert_eq!(read(&format!("Anna{}ACCOUNT: X", "\n".repeat(400))), "Anna[400,0]ACCOUNT: X");
        assert_eq!(read(&format!("a{}b", " ".repeat(80))), "a[0,80]b");
        assert_eq!(read(&format!("{}b{}", "\r\n".repeat(9), "\t".repeat(9))), "[9,0]b[0,9]");
        assert_eq!(read(&format!("a{}b", " \n\u{2800}".repeat(50))), "a[50,100]b", "however they are mixed");
        assert_eq!(read(&"\n".repeat(3)), "[3,0]");
    }

    #[test]
    fn short_runs_of_blanks_stay() {
        for text in ["", "a b", "One.\n\nTwo.", "{\n        \"a\": 1\n}", "漢字　とかな", "a  b   c"] {
            assert_eq!(
                fold(text).into_iter().collect::<Vec<_>>(),
                match text {
                    "" => vec![],
                    text => vec![FoldPiece::Text(text.to_owned())],
                }
            );
        }
        assert_eq!(read(&format!("a\n{}b", " ".repeat(60))), "a[1,60]b");
    }

    #[test]
    fn text_is_not_plain_when_long_or_folded() {
        assert!(
            is_plain("") && is_plain("SHA") && is_plain(&"x".repeat(200)) && is_plain("1\n2\n3\n4\n5\n6")
        );
        assert!(!is_plain(&"x".repeat(201)) && !is_plain("1\n2\n3\n4\n5\n6\n7") && !is_plain("a\n\n\nb"));
    }
}
