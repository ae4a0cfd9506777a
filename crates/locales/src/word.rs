//! A text in every language.

use sidecar_protocol::settings::Language;

/// A text in every language. Each crate that shows text has its own, generated from its locale files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(&'static [&'static str; 2]);

impl Word {
    /// A text in English and in Chinese, with the same `{placeholders}`.
    pub const fn new(texts: &'static [&'static str; 2]) -> Self {
        Self(texts)
    }

    /// The text in a language, placeholders not filled in.
    pub fn text(self, language: Language) -> &'static str {
        let [english, chinese] = *self.0;
        match language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}

/// Replaces `{name}` placeholders by values. A value is not searched for placeholders.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once('}') else {
            filled.push('{');
            filled.push_str(part);
            continue;
        };
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => filled.push_str(value),
            None => {
                filled.push('{');
                filled.push_str(name);
                filled.push('}');
            }
        }
        filled.push_str(rest);
    }
    filled
}

/// A text of others as it stands in a sentence: on one line, nothing in it that moves a terminal, and cut with an ellipsis
/// after so many characters.
pub fn quoted(text: &str, most: usize) -> String {
    let mut chars = text.chars().map(|char| if char.is_control() { ' ' } else { char });
    let mut shown: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_stays_on_one_line_and_is_cut_with_an_ellipsis() {
        assert_eq!(quoted("a\n\u{1b}[31mb", 10), "a  [31mb");
        assert_eq!((quoted("中文文", 3), quoted("中文文", 2)), ("中文文".to_owned(), "中文…".to_owned()));
    }

    #[test]
    fn fill_replaces_placeholders_but_not_in_values() {
        assert_eq!(
            fill("Run {tool} on {site}?", &[("tool", "a{site}b"), ("site", "x")]),
            "Run a{site}b on x?"
        );
        assert_eq!(fill("{count} of {count}", &[("count", "2")]), "2 of 2");
        assert_eq!(fill("no place", &[("count", "2")]), "no place");
        assert_eq!(fill("{unknown} {", &[]), "{unknown} {");
    }
}
