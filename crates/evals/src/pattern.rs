//! Regular expressions of suites (`$pattern`): those of JavaScript, with flags before them as in `(?i)^ab`.

use fancy_regex::RegexBuilder;

/// Maximum length of a text that is looked into, in bytes; what is longer is cut.
const MOST_TEXT: usize = 64 * 1024;

/// How many steps back a search may take, so that no expression runs on and on.
const MOST_STEPS: usize = 1_000_000;

/// The flags of JavaScript.
const FLAGS: &str = "dgimsuvy";

/// Why nobody can say whether a text matches.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionFault {
    /// JavaScript has no such flag.
    #[error("{0:?} is no flag of a regular expression")]
    Flag(char),
    /// It is no regular expression.
    #[error("{0:?} is no regular expression that can be read")]
    Syntax(String),
    /// The search took too many steps.
    #[error("looking for {0:?} takes too long")]
    Steps(String),
}

/// Whether an expression is found in a text.
///
/// # Errors
/// [`ExpressionFault`]
pub fn is_found(pattern: &str, text: &str) -> Result<bool, ExpressionFault> {
    let (flags, expression) = parts(pattern);
    if let Some(flag) = flags.chars().find(|flag| !FLAGS.contains(*flag)) {
        return Err(ExpressionFault::Flag(flag));
    }
    let syntax = || ExpressionFault::Syntax(expression.to_owned());
    let translated = jsonschema_regex::to_rust_regex(expression).map_err(|()| syntax())?;
    let anchored = if flags.contains('y') { format!(r"\A(?:{translated})") } else { translated.into_owned() };
    let regex = RegexBuilder::new(&anchored)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .backtrack_limit(MOST_STEPS)
        .build()
        .map_err(|_| syntax())?;
    regex.is_match(beginning(text)).map_err(|_| ExpressionFault::Steps(expression.to_owned()))
}

/// As much of a text as is looked into.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The flags and the rest. What begins like flags and is none, as `(?:a)`, is all rest.
pub(crate) fn parts(pattern: &str) -> (&str, &str) {
    let flagged = pattern.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match flagged {
        Some((flags, rest)) if !flags.is_empty() && flags.chars().all(|flag| flag.is_ascii_lowercase()) => {
            (flags, rest)
        }
        _ => ("", pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inspector_case_3_flags_stand_before_an_expression() {
        assert_eq!(is_found("(?i)^ab", "ABc"), Ok(true));
        assert_eq!(is_found("(?x)a", "a"), Err(ExpressionFault::Flag('x')));
        assert_eq!(is_found("(?y)b", "ab"), Ok(false));
        assert_eq!(is_found("(?y)a|b", "cb"), Ok(false), "all of it stands at the beginning");
        assert_eq!(is_found("b", "ab"), Ok(true), "it need not begin there");
        assert_eq!(is_found("(?:a)b", "ab"), Ok(true));
        assert_eq!(is_found("(?=b)", "ab"), Ok(true));
        assert_eq!(is_found("(?s)a.b", "a\nb"), Ok(true));
        assert_eq!(is_found("(?m)^b", "a\nb"), Ok(true));
        assert!(matches!(is_found("(", "a"), Err(ExpressionFault::Syntax(_))));
    }

    #[test]
    fn text_is_cut_between_characters() {
        let text = "é".repeat(MOST_TEXT);
        assert_eq!(beginning(&text[..10]), "ééééé");
        assert_eq!(beginning(&format!("a{text}")).len(), MOST_TEXT - 1);
    }

    #[test]
    fn classes_are_those_of_javascript() {
        assert_eq!(is_found(r"^\d$", "\u{0663}"), Ok(false), "a digit is one of ten");
        assert!(is_found("[^]", "a").is_err(), "what is not understood is an error, never a verdict");
        assert_eq!(is_found(r"(a)\1", "aa"), Ok(true));
        assert_eq!(is_found(r"a(?!b)", "ab"), Ok(false));
    }

    #[test]
    fn inspector_case_74_expression_that_goes_back_and_back_ends() {
        let text = format!("{}b", "a".repeat(50));
        assert_eq!(is_found("(a+)+$", &text), Ok(false));
        assert!(matches!(is_found(r"(?:(a+)+)\1$", &text), Ok(false) | Err(ExpressionFault::Steps(_))));
    }
}
