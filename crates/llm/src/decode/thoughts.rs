//! Reasoning within the text: `<think>…</think>` at its beginning, from servers that do not separate the
//! two.

/// The opening tags.
const OPENS: [&str; 2] = ["<think>", "<thinking>"];

/// The closing tags.
pub(crate) const CLOSES: [&str; 2] = ["</think>", "</thinking>"];

/// Maximum bytes of white space that are held back.
const SPACE_LIMIT: usize = 1024;

/// Splits reasoning at the beginning of a text from the text. Pieces may be cut anywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ThoughtSplitter {
    stage: ThoughtStage,
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ThoughtStage {
    /// Only white space has arrived.
    #[default]
    Start,
    Inside,
    /// After the reasoning, before the first word of the text.
    Behind,
    Text,
}

impl ThoughtSplitter {
    /// Reads a piece. Returns the reasoning and the text that are certain by now, in this order.
    pub(crate) fn push(&mut self, piece: &str) -> (String, String) {
        self.held.push_str(piece);
        let (mut thoughts, mut text) = (String::new(), String::new());
        loop {
            match self.stage {
                ThoughtStage::Start => {
                    let begun = self.held.trim_start();
                    let space = self.held.len() - begun.len();
                    let is_near = space < SPACE_LIMIT;
                    if let Some(open) = OPENS.iter().find(|open| is_near && begun.starts_with(**open)) {
                        self.held.drain(..space + open.len());
                        self.stage = ThoughtStage::Inside;
                    } else if is_near && OPENS.iter().any(|open| open.starts_with(begun)) {
                        break;
                    } else {
                        self.stage = ThoughtStage::Text;
                    }
                }
                ThoughtStage::Inside => {
                    let close = CLOSES.iter().filter_map(|close| Some((self.held.find(close)?, close))).min();
                    if let Some((at, close)) = close {
                        thoughts.push_str(&self.held[..at - space_at_end(&self.held[..at])]);
                        self.held.drain(..at + close.len());
                        self.stage = ThoughtStage::Behind;
                        continue;
                    }
                    let sure = self.held.len() - unsure(&self.held);
                    thoughts.extend(self.held.drain(..sure));
                    break;
                }
                ThoughtStage::Behind => {
                    let space = self.held.len() - self.held.trim_start().len();
                    self.held.drain(..space);
                    if self.held.is_empty() {
                        break;
                    }
                    self.stage = ThoughtStage::Text;
                }
                ThoughtStage::Text => {
                    text = std::mem::take(&mut self.held);
                    break;
                }
            }
        }
        (thoughts, text)
    }

    /// Ends the text. Returns the reasoning and the text that were held back.
    pub(crate) fn end(self) -> (String, String) {
        match self.stage {
            ThoughtStage::Inside => (self.held, String::new()),
            ThoughtStage::Start | ThoughtStage::Behind | ThoughtStage::Text => (String::new(), self.held),
        }
    }
}

/// Number of bytes at the end that may belong to the closing tag: white space, and the beginning of the
/// tag.
fn unsure(text: &str) -> usize {
    let begins = |(at, _): &(usize, char)| CLOSES.iter().any(|close| close.starts_with(&text[*at..]));
    let mark = text.char_indices().rev().take(CLOSES[1].len()).find(begins).map_or(text.len(), |(at, _)| at);
    text.len() - mark + space_at_end(&text[..mark])
}

/// Number of bytes of white space at the end, which is dropped if the reasoning ends there.
fn space_at_end(text: &str) -> usize {
    (text.len() - text.trim_ascii_end().len()).min(SPACE_LIMIT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut filter = ThoughtSplitter::default();
        let (mut thoughts, mut text) = (String::new(), String::new());
        let mut add = |(thought, words): (String, String)| {
            thoughts.push_str(&thought);
            text.push_str(&words);
        };
        for piece in pieces {
            add(filter.push(piece));
        }
        add(filter.end());
        (thoughts, text)
    }

    fn characters(text: &str) -> impl Iterator<Item = &str> {
        text.split("").filter(|piece| !piece.is_empty())
    }

    #[test]
    fn thoughts_at_the_beginning_are_told_from_the_text() {
        for (whole, thoughts, text) in [
            ("<think>Hm.</think>Hello", "Hm.", "Hello"),
            ("\n<think>\nHm. 里斯本\n\n</think>\n\nHello", "\nHm. 里斯本", "Hello"),
            ("<thinking>Hm.</thinking> Hello", "Hm.", "Hello"),
            ("<think></think>\n\nHello", "", "Hello"),
            ("<think>a < b </thin</think>Hello", "a < b </thin", "Hello"),
            ("<think>Hm", "Hm", ""),
            ("<think>Hm </thi", "Hm </thi", ""),
            ("Hello <think>Hm.</think>", "", "Hello <think>Hm.</think>"),
            (" <thin ice", "", " <thin ice"),
            ("  ", "", "  "),
            ("", "", ""),
        ] {
            let expected = (thoughts.to_owned(), text.to_owned());
            assert_eq!(split([whole]), expected, "{whole}");
            assert_eq!(split(characters(whole)), expected, "{whole} by characters");
        }
    }

    #[test]
    fn white_space_is_not_waited_through_for_ever() {
        let mut filter = ThoughtSplitter::default();
        let space = " ".repeat(SPACE_LIMIT);
        assert_eq!(filter.push(&space), (String::new(), space.clone()));
        let mut filter = ThoughtSplitter::default();
        assert_eq!(filter.push("<think>a"), ("a".to_owned(), String::new()));
        assert_eq!(filter.push(&format!("{space} ")), (" ".to_owned(), String::new()));
    }

    #[test]
    fn much_white_space_means_the_same_however_it_is_cut() {
        for space in [" ".repeat(SPACE_LIMIT + 9), "\u{3000}".repeat(SPACE_LIMIT)] {
            for whole in
                [format!("{space}<think>a</think>b"), format!("<think>a{space}</think>{space}b{space}")]
            {
                assert_eq!(split(characters(&whole)), split([whole.as_str()]));
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_cuts_do_not_matter(text in "(<think>)?[a-c<>/think é\n]{0,60}(</think>)?[a-c< \n]{0,20}") {
            let (thoughts, words) = split([text.as_str()]);
            prop_assert_eq!(&split(characters(&text)), &(thoughts.clone(), words.clone()));
            if !text.trim_start().starts_with("<think") {
                prop_assert_eq!(words, text);
            } else {
                prop_assert!(text.contains(words.as_str()) && text.contains(thoughts.as_str()));
            }
        }
    }
}
