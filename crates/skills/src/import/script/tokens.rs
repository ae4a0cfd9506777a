//! JavaScript as tokens: enough to find where a value begins and ends. Nothing is run, and nothing is understood beyond
//! strings, templates, regular expressions, comments and brackets.

/// Maximum number of tokens.
const MOST_TOKENS: usize = 50_000;
/// Maximum depth of brackets in one another.
const MOST_BRACKETS: usize = 200;
/// Maximum depth of templates in templates.
const MOST_DEPTH: usize = 50;

/// A token with its place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScriptToken<'s> {
    /// What it is.
    pub kind: ScriptTokenKind,
    /// As it stands in the source.
    pub text: &'s str,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Whether a line ends before it.
    pub after_break: bool,
}

/// What a token is. White space and comments are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptTokenKind {
    /// A name or a word of the language.
    Name,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// A template, with all that is in it.
    Template,
    /// A regular expression.
    Regex,
    /// A sign; `=>` and `...` are one, others one character each.
    Sign,
}

impl ScriptToken<'_> {
    /// Where it ends, in bytes.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this sign.
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == ScriptTokenKind::Sign && self.text == sign
    }

    /// Whether it is this word.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == ScriptTokenKind::Name && self.text == word
    }

    /// Whether a value ends with it: what follows is then an operator.
    pub(super) fn ends_value(&self) -> bool {
        match self.kind {
            ScriptTokenKind::Name => !BEFORE_VALUES.contains(&self.text),
            ScriptTokenKind::Sign => matches!(self.text, ")" | "]"),
            ScriptTokenKind::Number
            | ScriptTokenKind::Text
            | ScriptTokenKind::Template
            | ScriptTokenKind::Regex => true,
        }
    }
}

/// Words after which a value begins, so that a `/` begins a regular expression.
const BEFORE_VALUES: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "new",
    "delete",
    "void",
    "instanceof",
    "throw",
    "yield",
    "await",
    "else",
    "do",
];

/// What is wrong with a source: where, in bytes, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptFault {
    /// Where.
    pub at: usize,
    /// What: a few words.
    pub what: &'static str,
}

/// Reads a source.
///
/// # Errors
/// [`ScriptFault`]
pub(super) fn tokens(source: &str) -> Result<Vec<ScriptToken<'_>>, ScriptFault> {
    let mut reader = TokenReader { source, at: 0, after_break: true, tokens: Vec::new() };
    let mut depth = 0_usize;
    while reader.next_token()? {
        if reader.tokens.len() > MOST_TOKENS {
            return Err(reader.fault("it is too long"));
        }
        match reader.tokens.last().map(|token| token.text) {
            Some("(" | "[" | "{") => depth += 1,
            Some(")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_BRACKETS {
            return Err(reader.fault("it is nested too deeply"));
        }
    }
    Ok(reader.tokens)
}

struct TokenReader<'s> {
    source: &'s str,
    at: usize,
    after_break: bool,
    tokens: Vec<ScriptToken<'s>>,
}

impl TokenReader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fault(&self, what: &'static str) -> ScriptFault {
        ScriptFault { at: self.at, what }
    }

    fn skip_blanks(&mut self) -> Result<(), ScriptFault> {
        loop {
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let Some(length) = self.rest()[2..].find("*/") else {
                    return Err(self.fault("a comment does not end"));
                };
                self.after_break |= self.rest()[2..2 + length].contains('\n');
                self.at += length + 4;
            } else if let Some(char) = self.peek().filter(|char| char.is_whitespace() || *char == '\u{feff}')
            {
                self.after_break |= matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}');
                self.at += char.len_utf8();
            } else {
                return Ok(());
            }
        }
    }

    /// Reads a token; `false` at the end.
    fn next_token(&mut self) -> Result<bool, ScriptFault> {
        self.skip_blanks()?;
        let Some(first) = self.peek() else { return Ok(false) };
        let start = self.at;
        let is_name =
            |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '\u{200c}' | '\u{200d}');
        let kind = match first {
            '"' | '\'' => {
                self.quoted(first)?;
                ScriptTokenKind::Text
            }
            '`' => {
                self.template(0)?;
                ScriptTokenKind::Template
            }
            '/' if self.tokens.last().is_none_or(|last| !last.ends_value()) => {
                self.regex()?;
                ScriptTokenKind::Regex
            }
            first if first.is_ascii_digit() => {
                self.number();
                ScriptTokenKind::Number
            }
            '.' if self.rest()[1..].starts_with(|char: char| char.is_ascii_digit()) => {
                self.number();
                ScriptTokenKind::Number
            }
            first if is_name(first) || first == '#' || first == '@' => {
                self.at += first.len_utf8();
                while let Some(char) = self.peek().filter(|char| is_name(*char)) {
                    self.at += char.len_utf8();
                }
                ScriptTokenKind::Name
            }
            first => {
                let long = ["=>", "..."].into_iter().find(|sign| self.rest().starts_with(sign));
                self.at += long.map_or(first.len_utf8(), str::len);
                ScriptTokenKind::Sign
            }
        };
        let text = &self.source[start..self.at];
        let after_break = std::mem::take(&mut self.after_break);
        self.tokens.push(ScriptToken { kind, text, start, after_break });
        Ok(true)
    }

    fn quoted(&mut self, quote: char) -> Result<(), ScriptFault> {
        let begin = self.at;
        self.at += 1;
        while let Some(char) = self.peek() {
            self.at += char.len_utf8();
            match char {
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                '\n' => break,
                char if char == quote => return Ok(()),
                _ => {}
            }
        }
        Err(ScriptFault { at: begin, what: "a text does not end" })
    }

    /// A template and the code in it.
    fn template(&mut self, depth: usize) -> Result<(), ScriptFault> {
        let begin = self.at;
        if depth > MOST_DEPTH {
            return Err(self.fault("templates are nested too deeply"));
        }
        self.at += 1;
        while let Some(char) = self.peek() {
            if self.rest().starts_with("${") {
                self.at += 2;
                self.in_template(depth)?;
                continue;
            }
            self.at += char.len_utf8();
            match char {
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                '`' => return Ok(()),
                _ => {}
            }
        }
        Err(ScriptFault { at: begin, what: "a template does not end" })
    }

    /// The code in `${…}`, to its bracket.
    fn in_template(&mut self, depth: usize) -> Result<(), ScriptFault> {
        let mut open = 0_usize;
        loop {
            self.skip_blanks()?;
            match self.peek() {
                None => return Err(self.fault("a template does not end")),
                Some('}') if open == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                Some('`') => self.template(depth + 1)?,
                Some(char) => {
                    match char {
                        '{' => open += 1,
                        '}' => open -= 1,
                        _ => {}
                    }
                    self.at += char.len_utf8();
                }
            }
        }
    }

    fn regex(&mut self) -> Result<(), ScriptFault> {
        let begin = self.at;
        self.at += 1;
        let mut in_class = false;
        while let Some(char) = self.peek() {
            self.at += char.len_utf8();
            match char {
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                '[' => in_class = true,
                ']' => in_class = false,
                '\n' => break,
                '/' if !in_class => {
                    while self.peek().is_some_and(|char| char.is_ascii_alphabetic()) {
                        self.at += 1;
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(ScriptFault { at: begin, what: "a regular expression does not end" })
    }

    fn number(&mut self) {
        let mut before = ' ';
        while let Some(char) = self.peek() {
            let is_sign = matches!(char, '+' | '-') && matches!(before, 'e' | 'E');
            if !(char.is_ascii_alphanumeric() || matches!(char, '.' | '_') || is_sign) {
                break;
            }
            before = char;
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source)
            .unwrap_or_else(|fault| panic!("{source}: {fault:?}"))
            .iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn brackets_in_texts_templates_and_regular_expressions_are_no_brackets() {
        assert_eq!(texts("a('}', \"]\\\"\")"), ["a", "(", "'}'", ",", "\"]\\\"\"", ")"]);
        assert_eq!(texts("`a${b(`}`, '}', {c: 1})}d` + 1"), ["`a${b(`}`, '}', {c: 1})}d`", "+", "1"]);
        assert_eq!(
            texts("x.replace(/[/'\"]}/g, '')"),
            ["x", ".", "replace", "(", "/[/'\"]}/g", ",", "''", ")"]
        );
        assert_eq!(texts("a / b / (c)"), ["a", "/", "b", "/", "(", "c", ")"]);
        assert_eq!(texts("return /'/.test(x)"), ["return", "/'/", ".", "test", "(", "x", ")"]);
        assert_eq!(
            texts("a // }\n/* ' */ => ...b 1e-5 0x1F .5 #p"),
            ["a", "=>", "...", "b", "1e-5", "0x1F", ".5", "#p"]
        );
        assert_eq!(texts("搜索.值"), ["搜索", ".", "值"]);
        assert_eq!(texts("a/* 💡\n中💡*/b"), ["a", "b"], "places are in bytes");
    }

    #[test]
    fn what_does_not_end_is_a_fault() {
        for source in ["'a", "'a\nb'", "`a", "`${", "/* a", "= /a", "= /a\n/", "`${'}`"] {
            assert!(tokens(source).is_err(), "{source}");
        }
        assert!(tokens(&"`${".repeat(10_000)).is_err());
        assert!(tokens(&"a ".repeat(MOST_TOKENS + 10)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(source in "(\\PC|[\\n'\"`/${}\\\\*]|/\\*|\\*/|//|💡){0,80}") {
            if let Ok(tokens) = tokens(&source) {
                for token in &tokens {
                    prop_assert_eq!(&source[token.start..token.end()], token.text);
                }
                prop_assert!(tokens.windows(2).all(|pair| pair[0].end() <= pair[1].start));
            }
        }
    }
}
