//! Helpers for text within markup.

/// Maximum bytes of a tag with its attributes.
const TAG_LIMIT: usize = 1024;

/// Maximum bytes of a name.
pub(super) const NAME_LIMIT: usize = 200;

/// Maximum bytes of white space between a mark and what it opens.
const SPACE_LIMIT: usize = 64;

/// The text after leading white space, unless there is too much of it.
pub(super) fn behind_space(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (text.len() - rest.len() <= SPACE_LIMIT).then_some(rest)
}

/// Whether a text begins with a name, followed by something that `follows` accepts.
pub(super) fn name_fits(text: &str, follows: &dyn Fn(&str) -> bool) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    let length = text.len() - rest.len();
    text.is_empty()
        || (1..=NAME_LIMIT).contains(&length)
            && (rest.is_empty() || behind_space(rest).is_some_and(|rest| rest.is_empty() || follows(rest)))
}

pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/')
}

pub(super) enum Quoted<'a> {
    /// The text in quotes, and the text after them.
    Whole(&'a str, &'a str),
    /// The text after an opening quote without a closing one.
    Open(&'a str),
    Not,
}

pub(super) fn quoted(text: &str) -> Quoted<'_> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return Quoted::Not };
    match text[1..].split_once(quote) {
        Some((inside, rest)) => Quoted::Whole(inside, rest),
        None => Quoted::Open(&text[1..]),
    }
}

/// A tag after its name: its attributes, and the text after it.
pub(super) struct Tag<'a> {
    pub(super) attributes: &'a str,
    pub(super) is_closed: bool,
    pub(super) rest: usize,
}

impl<'a> Tag<'a> {
    /// Reads the tag whose name ends at `from`.
    pub(super) fn read(text: &'a str, from: usize) -> Option<Self> {
        let mut quote = None;
        for (at, c) in text[from..].char_indices().take_while(|(at, _)| *at < TAG_LIMIT) {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if c == open => quote = None,
                (None, '>') => {
                    let inner = &text[from..from + at];
                    let attributes = inner.strip_suffix('/').unwrap_or(inner);
                    let is_closed = attributes.len() < inner.len();
                    return Some(Self { attributes, is_closed, rest: from + at + 1 });
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_ascii_start();
            let (value, after) = match quoted(after) {
                Quoted::Whole(value, after) => (value, after),
                Quoted::Open(value) => (value, ""),
                Quoted::Not => after.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((after, "")),
            };
            if key.trim() == name {
                return Some(value);
            }
            rest = after;
        }
        None
    }
}

/// A value without the line feed after its opening tag and before its closing one.
pub(super) fn strip_outer_newlines(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// The content of a fenced block of Markdown; any other text unchanged.
pub(super) fn strip_code_fence(text: &str) -> &str {
    let Some((_, inner)) = text.strip_prefix("```").and_then(|text| text.split_once('\n')) else {
        return text;
    };
    inner.rsplit_once("```").map_or(inner, |(inner, _)| inner).trim()
}
