//! An expression in pieces.

use serde_json::Value;

use super::{Comparison, PickFault, PickFaultKind};

/// A piece of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// A name in quotes.
    Quoted(String),
    /// JSON in backticks, or a text.
    Literal(Value),
    Number(i32),
    Compare(Comparison),
    And,
    Or,
    Pipe,
    Dot,
    Comma,
    Colon,
    Current,
    Star,
    /// `[]`
    Flat,
    /// `[?`
    Filter,
    OpenList,
    CloseList,
    OpenHash,
    CloseHash,
    OpenCall,
    CloseCall,
    /// After the last one.
    End,
}

struct Tokens<'t> {
    rest: std::str::Chars<'t>,
    at: usize,
}

/// The pieces of an expression, each with its place. The last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, PickFault> {
    let mut reader = Tokens { rest: text.chars(), at: 0 };
    let mut tokens = Vec::new();
    loop {
        reader.take_while(|char| matches!(char, ' ' | '\t' | '\n' | '\r'));
        let at = reader.at;
        let Some(char) = reader.next() else {
            tokens.push((at, Token::End));
            return Ok(tokens);
        };
        let token = reader.token(char).map_err(|kind| PickFault { at, kind })?;
        tokens.push((at, token));
    }
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<char> {
        let char = self.rest.next()?;
        self.at += 1;
        Some(char)
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.rest.as_str().starts_with(wanted);
        if is_next {
            self.next();
        }
        is_next
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let text = self.rest.as_str();
        while self.rest.clone().next().is_some_and(&fits) {
            self.next();
        }
        &text[..text.len() - self.rest.as_str().len()]
    }

    fn token(&mut self, first: char) -> Result<Token, PickFaultKind> {
        Ok(match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                let rest = self.take_while(|char| char.is_ascii_alphanumeric() || char == '_');
                Token::Name(format!("{first}{rest}"))
            }
            '0'..='9' | '-' => {
                let rest = self.take_while(|char| char.is_ascii_digit());
                if first == '-' && rest.starts_with('0') {
                    return Err(PickFaultKind::BadLiteral);
                }
                Token::Number(format!("{first}{rest}").parse().map_err(|_| PickFaultKind::BadLiteral)?)
            }
            '"' => {
                let name = self.quoted('"')?;
                let name = serde_json::from_str(&format!("\"{name}\""));
                Token::Quoted(name.map_err(|_| PickFaultKind::BadLiteral)?)
            }
            '\'' => Token::Literal(Value::String(self.quoted('\'')?.replace("\\'", "'"))),
            '`' => {
                let literal = serde_json::from_str(&self.quoted('`')?.replace("\\`", "`"));
                Token::Literal(literal.map_err(|_| PickFaultKind::BadLiteral)?)
            }
            '=' if self.takes('=') => Token::Compare(Comparison::Equal),
            '!' if self.takes('=') => Token::Compare(Comparison::Unequal),
            '<' if self.takes('=') => Token::Compare(Comparison::LessOrEqual),
            '<' => Token::Compare(Comparison::Less),
            '>' if self.takes('=') => Token::Compare(Comparison::GreaterOrEqual),
            '>' => Token::Compare(Comparison::Greater),
            '&' if self.takes('&') => Token::And,
            '|' if self.takes('|') => Token::Or,
            '|' => Token::Pipe,
            '[' if self.takes(']') => Token::Flat,
            '[' if self.takes('?') => Token::Filter,
            '[' => Token::OpenList,
            ']' => Token::CloseList,
            '{' => Token::OpenHash,
            '}' => Token::CloseHash,
            '(' => Token::OpenCall,
            ')' => Token::CloseCall,
            '.' => Token::Dot,
            ',' => Token::Comma,
            ':' => Token::Colon,
            '@' => Token::Current,
            '*' => Token::Star,
            '!' | '&' => return Err(PickFaultKind::NotSupported),
            _ => return Err(PickFaultKind::Unexpected),
        })
    }

    /// What stands before a quote, with its backslashes. A quote after one does not end it.
    fn quoted(&mut self, quote: char) -> Result<&'t str, PickFaultKind> {
        let text = self.rest.as_str();
        loop {
            let end = text.len() - self.rest.as_str().len();
            match self.next() {
                Some('\\') => drop(self.next()),
                Some(char) if char == quote => return Ok(&text[..end]),
                Some(_) => {}
                None => return Err(PickFaultKind::Unfinished),
            }
        }
    }
}
