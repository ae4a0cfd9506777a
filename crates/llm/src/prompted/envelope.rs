//! Text for the user within a JSON answer: `{"answer": "…"}`, emitted as it arrives.

/// Maximum bytes of white space that are held back before it is decided what an answer begins with.
const SPACE_LIMIT: usize = 1024;

/// The tokens before the text, with white space between them.
const OPENS: [&str; 4] = ["{", "\"answer\"", ":", "\""];

/// Unwraps the text of a JSON answer. Pieces may be cut anywhere. Any other answer passes unchanged: a
/// call, or the output of a server that does not constrain its models.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Envelope {
    stage: EnvelopeStage,
    is_fenced: bool,
    /// Input that was not returned yet.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum EnvelopeStage {
    /// It is undecided what the answer is.
    #[default]
    Start,
    /// Within the text.
    Words,
    /// After the text: the brace, and the end of the fenced block if there is one.
    Closing,
    /// Everything that follows passes unchanged.
    Open,
}

/// How an answer begins.
enum EnvelopeStart {
    /// With the text, which starts after this many bytes.
    Words(usize),
    Perhaps,
    Not,
}

/// What stands at a position within the text.
enum StringPart {
    /// A character, encoded in this many bytes.
    Char(char, usize),
    /// The end of the text.
    End,
    /// An incomplete escape or character.
    Half,
}

impl Envelope {
    /// Reads a piece. Returns the text for the user, and any other output, that are certain by now.
    pub(crate) fn push(&mut self, piece: &str) -> (String, String) {
        self.held.push_str(piece);
        let (mut words, mut other) = (String::new(), String::new());
        loop {
            match self.stage {
                EnvelopeStage::Start => match begins(&self.held) {
                    EnvelopeStart::Words(at) => {
                        self.is_fenced = self.held[..at].contains('`');
                        self.held.drain(..at);
                        self.stage = EnvelopeStage::Words;
                    }
                    EnvelopeStart::Perhaps if self.held.len() <= SPACE_LIMIT => break,
                    EnvelopeStart::Perhaps | EnvelopeStart::Not => self.stage = EnvelopeStage::Open,
                },
                EnvelopeStage::Words => {
                    let mut at = 0;
                    let is_over = loop {
                        match next(&self.held[at..]) {
                            StringPart::Char(c, length) => {
                                words.push(c);
                                at += length;
                            }
                            StringPart::End => break true,
                            StringPart::Half => break false,
                        }
                    };
                    self.held.drain(..at);
                    if !is_over {
                        break;
                    }
                    self.held.drain(..1);
                    self.stage = EnvelopeStage::Closing;
                }
                EnvelopeStage::Closing => {
                    let closes =
                        |c: char| c.is_ascii_whitespace() || c == '}' || (c == '`' && self.is_fenced);
                    let rest = self.held.trim_start_matches(closes);
                    if rest.is_empty() {
                        self.held.clear();
                        break;
                    }
                    self.held = rest.to_owned();
                    self.stage = EnvelopeStage::Open;
                }
                EnvelopeStage::Open => {
                    other.push_str(&std::mem::take(&mut self.held));
                    break;
                }
            }
        }
        (words, other)
    }

    /// Ends the answer. Returns what was still held, except for half of the JSON around the text, or half a
    /// character.
    pub(crate) fn end(self) -> String {
        match (self.stage, begins(&self.held)) {
            (EnvelopeStage::Start, EnvelopeStart::Not) => self.held,
            (
                EnvelopeStage::Start | EnvelopeStage::Words | EnvelopeStage::Closing | EnvelopeStage::Open,
                _,
            ) => String::new(),
        }
    }
}

/// How an answer begins, possibly in a fenced block of Markdown.
fn begins(text: &str) -> EnvelopeStart {
    let mut rest = text.trim_ascii_start();
    if "```".starts_with(rest) {
        return EnvelopeStart::Perhaps;
    }
    if let Some(fenced) = rest.strip_prefix("```") {
        match fenced.split_once('\n') {
            Some((language, body)) if matches!(language.trim(), "" | "json") => rest = body,
            None if "json".starts_with(fenced.trim_end()) => return EnvelopeStart::Perhaps,
            Some(_) | None => return EnvelopeStart::Not,
        }
    }
    for mark in OPENS {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix(mark) {
            Some(behind) => rest = behind,
            None if mark.starts_with(rest) => return EnvelopeStart::Perhaps,
            None => return EnvelopeStart::Not,
        }
    }
    EnvelopeStart::Words(text.len() - rest.len())
}

/// The first part of the text of a JSON string. An unknown escape stands for its character.
fn next(text: &str) -> StringPart {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (None, _) | (Some('\\'), None) => StringPart::Half,
        (Some('"'), _) => StringPart::End,
        (Some('\\'), Some('u')) => unit(text),
        (Some('\\'), Some(escaped)) => {
            let c = match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                other => other,
            };
            StringPart::Char(c, 1 + escaped.len_utf8())
        }
        (Some(c), _) => StringPart::Char(c, c.len_utf8()),
    }
}

/// Reads `\uXXXX`, with the second half of a surrogate pair if it follows.
fn unit(text: &str) -> StringPart {
    const LENGTH: usize = 6;
    let read = |text: &str| u16::from_str_radix(text.get(2..LENGTH)?, 16).ok();
    if text.len() < LENGTH {
        return StringPart::Half;
    }
    let Some(first) = read(text) else { return StringPart::Char(char::REPLACEMENT_CHARACTER, 2) };
    if let Some(c) = char::from_u32(u32::from(first)) {
        return StringPart::Char(c, LENGTH);
    }
    let behind = &text[LENGTH..];
    let is_pair = behind.starts_with("\\u");
    if "\\u".starts_with(behind) || (is_pair && behind.len() < LENGTH) {
        return StringPart::Half;
    }
    let second = read(behind).filter(|_| is_pair);
    match second.map(|second| char::decode_utf16([first, second]).next()) {
        Some(Some(Ok(c))) => StringPart::Char(c, 2 * LENGTH),
        Some(_) | None => StringPart::Char(char::REPLACEMENT_CHARACTER, LENGTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut envelope = Envelope::default();
        let (mut words, mut other) = (String::new(), String::new());
        for piece in pieces {
            let (more_words, more) = envelope.push(piece);
            words.push_str(&more_words);
            other.push_str(&more);
        }
        other.push_str(&envelope.end());
        (words, other)
    }

    /// Everything that comes out of an answer, checked to be the same however it is cut.
    #[track_caller]
    fn all(text: &str) -> (String, String) {
        let whole = read([text]);
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for at in ends {
            let (head, tail) = text.split_at(at);
            assert_eq!(read([head, tail]), whole, "cut at {at}");
        }
        let chars: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(read(chars.iter().map(String::as_str)), whole, "a character at a time");
        whole
    }

    #[test]
    fn envelope_decodes_the_text() {
        for (text, words) in [
            (r#"{"answer": "Hello."}"#, "Hello."),
            (" \n{ \"answer\" :\n\"\" } \n", ""),
            (r#"{"answer":"a \"b\" \\ \/ c\n\td\u00e9\ud83d\ude00."}"#, "a \"b\" \\ / c\n\tdé😀."),
            ("```json\n{\"answer\": \"in a fence\"}\n```\n", "in a fence"),
            ("```\n{\"answer\": \"in a fence\"}\n```", "in a fence"),
            // Invalid JSON, but clear enough.
            ("{\"answer\": \"two\nlines \\q \\uzz!\"}", "two\nlines q \u{fffd}zz!"),
            (r#"{"answer": "\ud83d alone, \ude00 alone"}"#, "\u{fffd} alone, \u{fffd} alone"),
            // Cut by the token limit.
            (r#"{"answer": "so far"#, "so far"),
            (r#"{"answer": "so far\u00"#, "so far"),
            (r#"{"ans"#, ""),
        ] {
            assert_eq!(all(text), (words.to_owned(), String::new()), "{text}");
        }
    }

    #[test]
    fn envelope_emits_text_as_it_arrives() {
        let mut envelope = Envelope::default();
        let mut told = |piece: &str| envelope.push(piece).0;
        let pieces = ["{\"ans", "wer\": \"Hel", "lo\\", "n", "you", "\"", "}"].map(&mut told);
        assert_eq!(pieces, ["", "Hel", "lo", "\n", "you", "", ""]);
    }

    #[test]
    fn envelope_passes_other_answers_unchanged() {
        for text in [
            r#"{"name": "find", "arguments": {"what": "answer"}}"#,
            "```json\n{\"name\": \"find\", \"arguments\": {}}\n```",
            "```rust\nfn main() {}\n```",
            "Just words.",
            r#"{"answers": 3}"#,
            r#"{"answer": 3}"#,
        ] {
            assert_eq!(all(text), (String::new(), text.to_owned()), "{text}");
        }
        let spaces = format!("{}x", " ".repeat(2 * SPACE_LIMIT));
        assert_eq!(all(&spaces), (String::new(), spaces.clone()));
    }

    #[test]
    fn envelope_passes_what_follows_the_text() {
        let object = r#"{"name": "find", "arguments": {}}"#;
        for call in [object.to_owned(), format!("```json\n{object}\n```")] {
            assert_eq!(all(&format!("{{\"answer\": \"I look.\"}}\n{call}")), ("I look.".to_owned(), call));
        }
    }
}
