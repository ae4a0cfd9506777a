//! Object literals of JavaScript, read without running anything. What is no literal (a function, a name, a calculation)
//! is kept as source.

use serde_json::{Map, Number, Value};

use super::tokens::{ScriptFault, ScriptToken, ScriptTokenKind};

/// Maximum depth of lists and objects.
const MOST_DEPTH: usize = 40;

/// A value in a source.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsValue<'s> {
    /// A text.
    Text(String),
    /// A number.
    Number(Number),
    /// Yes or no.
    Bool(bool),
    /// `null` or `undefined`.
    Null,
    /// A list.
    List(Vec<JsValue<'s>>),
    /// An object, in the order in which it was written.
    Object(Vec<(String, JsValue<'s>)>),
    /// Something else, as it stands.
    Source(JsSource<'s>),
}

/// A part of the source that is kept as it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsSource<'s> {
    /// Its tokens.
    pub tokens: Vec<ScriptToken<'s>>,
    /// Whether it is a method, from its parameters on: `name(a) { … }`.
    pub is_method: bool,
    /// Whether it is an `async` method.
    pub is_async: bool,
}

impl<'s> JsValue<'s> {
    /// The value of a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<&JsValue<'s>> {
        let JsValue::Object(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Its text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            JsValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same as JSON. `None` if a part of it is source.
    pub(super) fn json(&self) -> Option<Value> {
        Some(match self {
            JsValue::Text(text) => Value::String(text.clone()),
            JsValue::Number(number) => Value::Number(number.clone()),
            JsValue::Bool(is) => Value::Bool(*is),
            JsValue::Null => Value::Null,
            JsValue::List(list) => Value::Array(list.iter().map(JsValue::json).collect::<Option<_>>()?),
            JsValue::Object(members) => {
                let pairs = members.iter().map(|(name, value)| Some((name.clone(), value.json()?)));
                Value::Object(pairs.collect::<Option<Map<_, _>>>()?)
            }
            JsValue::Source(_) => return None,
        })
    }
}

/// Reads the value that begins with a token. Returns the number of the token after it as well.
///
/// # Errors
/// [`ScriptFault`]
pub(super) fn read<'s>(tokens: &[ScriptToken<'s>], at: usize) -> Result<(JsValue<'s>, usize), ScriptFault> {
    let mut reader = LiteralReader { tokens, at };
    let value = reader.value(0)?;
    Ok((value, reader.at))
}

/// The number of the token after the bracket that closes the one at `at`. `None` if it stays open, or is none.
pub(super) fn past_bracket(tokens: &[ScriptToken<'_>], at: usize) -> Option<usize> {
    let mut open = Vec::new();
    for (number, token) in tokens.iter().enumerate().skip(at) {
        if token.kind == ScriptTokenKind::Sign {
            match token.text {
                "(" => open.push(")"),
                "[" => open.push("]"),
                "{" => open.push("}"),
                ")" | "]" | "}" if open.pop() != Some(token.text) => return None,
                _ => {}
            }
        }
        if open.is_empty() {
            return (number > at).then_some(number + 1);
        }
    }
    None
}

struct LiteralReader<'t, 's> {
    tokens: &'t [ScriptToken<'s>],
    at: usize,
}

impl<'s> LiteralReader<'_, 's> {
    fn peek(&self) -> Option<&ScriptToken<'s>> {
        self.tokens.get(self.at)
    }

    fn is(&self, sign: &str) -> bool {
        self.peek().is_some_and(|token| token.is(sign))
    }

    fn fault(&self, what: &'static str) -> ScriptFault {
        let end = self.tokens.last().map_or(0, ScriptToken::end);
        ScriptFault { at: self.peek().map_or(end, |token| token.start), what }
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    /// Whether a value is over here.
    fn is_end(&self) -> bool {
        self.peek().is_none_or(|token| [",", "]", "}", ")", ";"].iter().any(|sign| token.is(sign)))
    }

    fn value(&mut self, depth: usize) -> Result<JsValue<'s>, ScriptFault> {
        if depth > MOST_DEPTH {
            return Err(self.fault("it is nested too deeply"));
        }
        let begin = self.at;
        let literal = self.literal(depth)?;
        self.skip_type();
        match literal {
            Some(value) if self.is_end() => Ok(value),
            // A text goes on after `+`, a list after `.map`: that is source.
            _ => {
                self.at = begin;
                self.source()
            }
        }
    }

    fn literal(&mut self, depth: usize) -> Result<Option<JsValue<'s>>, ScriptFault> {
        let Some(token) = self.peek().copied() else { return Err(self.fault("a value is missing")) };
        let value = match token.kind {
            ScriptTokenKind::Text => self.texts(),
            ScriptTokenKind::Template => {
                unescaped(token.text).filter(|_| !token.text.contains("${")).map(JsValue::Text)
            }
            ScriptTokenKind::Number => number(token.text, false).map(JsValue::Number),
            ScriptTokenKind::Name => match token.text {
                "true" => Some(JsValue::Bool(true)),
                "false" => Some(JsValue::Bool(false)),
                "null" | "undefined" => Some(JsValue::Null),
                _ => None,
            },
            ScriptTokenKind::Sign => match token.text {
                "[" => return self.list(depth).map(Some),
                "{" => return self.object(depth).map(Some),
                "-" => {
                    self.at += 1;
                    let number = self.peek().filter(|next| next.kind == ScriptTokenKind::Number);
                    number.and_then(|next| self::number(next.text, true)).map(JsValue::Number)
                }
                _ => None,
            },
            ScriptTokenKind::Regex => None,
        };
        self.at += 1;
        Ok(value)
    }

    /// Texts that are joined with `+`: the last of them stays.
    fn texts(&mut self) -> Option<JsValue<'s>> {
        let mut all = String::new();
        loop {
            all.push_str(&unescaped(self.peek()?.text)?);
            let is_joined = self.tokens.get(self.at + 1).is_some_and(|next| next.is("+"))
                && self.tokens.get(self.at + 2).is_some_and(|next| next.kind == ScriptTokenKind::Text);
            if !is_joined {
                return Some(JsValue::Text(all));
            }
            self.at += 2;
        }
    }

    /// `as const`, `satisfies SkillTool`: of TypeScript, and without a meaning here.
    fn skip_type(&mut self) {
        while let [word, name, ..] = &self.tokens[self.at.min(self.tokens.len())..]
            && (word.is_word("as") || word.is_word("satisfies"))
            && name.kind == ScriptTokenKind::Name
        {
            self.at += 2;
        }
    }

    fn list(&mut self, depth: usize) -> Result<JsValue<'s>, ScriptFault> {
        self.at += 1;
        let mut list = Vec::new();
        while !self.take("]") {
            if self.is("...") {
                return Err(self.fault("a list takes its values from elsewhere"));
            }
            list.push(self.value(depth + 1)?);
            if !self.take(",") && !self.is("]") {
                return Err(self.fault("a comma or a bracket is missing"));
            }
        }
        Ok(JsValue::List(list))
    }

    fn object(&mut self, depth: usize) -> Result<JsValue<'s>, ScriptFault> {
        self.at += 1;
        let mut members: Vec<(String, JsValue<'s>)> = Vec::new();
        while !self.take("}") {
            let (name, value) = self.member(depth)?;
            if members.iter().any(|(known, _)| *known == name) {
                return Err(self.fault("a key comes twice"));
            }
            members.push((name, value));
            if !self.take(",") && !self.is("}") {
                return Err(self.fault("a comma or a bracket is missing"));
            }
        }
        Ok(JsValue::Object(members))
    }

    fn member(&mut self, depth: usize) -> Result<(String, JsValue<'s>), ScriptFault> {
        let next_is_name = |reader: &Self| {
            let next = reader.tokens.get(reader.at + 1);
            next.is_some_and(|next| matches!(next.kind, ScriptTokenKind::Name | ScriptTokenKind::Text))
        };
        let is_async = self.peek().is_some_and(|token| token.is_word("async")) && next_is_name(self);
        self.at += usize::from(is_async);
        if self.peek().is_some_and(|token| token.is_word("get") || token.is_word("set")) && next_is_name(self)
        {
            return Err(self.fault("a value is calculated"));
        }
        let Some(token) = self.peek().copied() else { return Err(self.fault("a bracket is missing")) };
        let name = match token.kind {
            ScriptTokenKind::Name | ScriptTokenKind::Number => token.text.to_owned(),
            ScriptTokenKind::Text => {
                unescaped(token.text).ok_or_else(|| self.fault("a text cannot be read"))?
            }
            _ => return Err(self.fault("a key is no plain name")),
        };
        self.at += 1;
        if self.is("(") {
            return Ok((name, self.method(is_async)?));
        }
        if is_async {
            return Err(self.fault("a value is missing"));
        }
        if self.take(":") {
            return Ok((name, self.value(depth + 1)?));
        }
        // `{ tools }`: a name from elsewhere.
        let tokens = vec![token];
        Ok((name, JsValue::Source(JsSource { tokens, is_method: false, is_async: false })))
    }

    fn method(&mut self, is_async: bool) -> Result<JsValue<'s>, ScriptFault> {
        let begin = self.at;
        let open = |reader: &Self| reader.fault("a bracket does not close");
        self.at = past_bracket(self.tokens, self.at).ok_or_else(|| open(self))?;
        // A type of what it returns stands before its body.
        while !self.is("{") {
            if self.is_end() {
                return Err(self.fault("a method has no body"));
            }
            self.at += 1;
        }
        self.at = past_bracket(self.tokens, self.at).ok_or_else(|| open(self))?;
        let tokens = self.tokens[begin..self.at].to_vec();
        Ok(JsValue::Source(JsSource { tokens, is_method: true, is_async }))
    }

    /// Everything to the end of a value.
    fn source(&mut self) -> Result<JsValue<'s>, ScriptFault> {
        let begin = self.at;
        while !self.is_end() {
            let is_open = ["(", "[", "{"].iter().any(|sign| self.is(sign));
            self.at = match is_open {
                true => past_bracket(self.tokens, self.at)
                    .ok_or_else(|| self.fault("a bracket does not close"))?,
                false => self.at + 1,
            };
        }
        if self.at == begin {
            return Err(self.fault("a value is missing"));
        }
        let tokens = self.tokens[begin..self.at].to_vec();
        Ok(JsValue::Source(JsSource { tokens, is_method: false, is_async: false }))
    }
}

/// A number as JSON has it.
fn number(text: &str, is_negative: bool) -> Option<Number> {
    let plain = text.replace('_', "");
    let sign = if is_negative { "-" } else { "" };
    if let Some(digits) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        return i64::from_str_radix(&format!("{sign}{digits}"), 16).ok().map(Number::from);
    }
    match format!("{sign}{plain}").parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => Number::from_f64(format!("{sign}{plain}").parse().ok()?),
    }
}

/// What stands in quotes, or in a template without code.
fn unescaped(quoted: &str) -> Option<String> {
    let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        match chars.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            '0' => text.push('\0'),
            '\n' => {}
            '\r' => _ = chars.next_if_eq(&'\n'),
            'x' => text.push(code(&mut chars, 2)?),
            'u' if chars.next_if_eq(&'{').is_some() => {
                let digits: String =
                    std::iter::from_fn(|| chars.next_if(char::is_ascii_hexdigit)).take(6).collect();
                chars.next_if_eq(&'}')?;
                text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
            }
            'u' => {
                let first = unit(&mut chars, 4)?;
                let two = match first {
                    0xd800..=0xdbff => {
                        chars.next_if_eq(&'\\')?;
                        chars.next_if_eq(&'u')?;
                        vec![first, unit(&mut chars, 4)?]
                    }
                    _ => vec![first],
                };
                text.push_str(&String::from_utf16(&two).ok()?);
            }
            other => text.push(other),
        }
    }
    Some(text)
}

fn unit(chars: &mut impl Iterator<Item = char>, digits: usize) -> Option<u16> {
    let digits: String = chars.take(digits).collect();
    u16::from_str_radix(&digits, 16).ok()
}

fn code(chars: &mut impl Iterator<Item = char>, digits: usize) -> Option<char> {
    char::from_u32(u32::from(unit(chars, digits)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::import::script::tokens::tokens;

    fn value(source: &str) -> Result<Option<Value>, &'static str> {
        let tokens = tokens(source).map_err(|fault| fault.what)?;
        read(&tokens, 0).map(|(value, _)| value.json()).map_err(|fault| fault.what)
    }

    #[test]
    fn literals_are_read_as_json() {
        for (source, json) in [
            (
                "{a: 1, 'b-c': [true, null, undefined,], \"d\": {},}",
                json!({"a": 1, "b-c": [true, null, null], "d": {}}),
            ),
            ("{/* x */ a: 'it\\'s', // y\n b: `two\nlines`}", json!({"a": "it's", "b": "two\nlines"})),
            ("'a' + \"b\" + 'c'", json!("abc")),
            ("['\\x41\\u4e2d\\u{1f600}\\ud83d\\ude00\\\n.']", json!(["A中😀😀."])),
            ("[-1, 1.5, .5, 1_000, 0x1f, -2e3]", json!([-1, 1.5, 0.5, 1000, 31, -2000.0])),
            ("{名: '值', 1: 2} as const", json!({"名": "值", "1": 2})),
            ("[1] satisfies X", json!([1])),
        ] {
            assert_eq!(value(source), Ok(Some(json)), "{source}");
        }
    }

    #[test]
    fn what_is_no_literal_is_kept_as_source() {
        let source =
            "{a: (x) => { return '}' }, async b(y) { return `${y}}` }, c: 1 + 2, d, e: [1].map(f), g: /[}]/}";
        let tokens = tokens(source).unwrap();
        let (value, _) = read(&tokens, 0).unwrap();
        let JsValue::Object(members) = &value else { panic!("{value:?}") };
        let texts: Vec<_> = members
            .iter()
            .map(|(name, value)| {
                let JsValue::Source(part) = value else { panic!("{name}: {value:?}") };
                let (first, last) = (part.tokens.first().unwrap(), part.tokens.last().unwrap());
                (name.as_str(), &source[first.start..last.end()], part.is_method, part.is_async)
            })
            .collect();
        assert_eq!(
            texts,
            [
                ("a", "(x) => { return '}' }", false, false),
                ("b", "(y) { return `${y}}` }", true, true),
                ("c", "1 + 2", false, false),
                ("d", "d", false, false),
                ("e", "[1].map(f)", false, false),
                ("g", "/[}]/", false, false),
            ]
        );
        assert_eq!(value.json(), None);
    }

    #[test]
    fn what_is_calculated_twice_or_open_is_refused() {
        for source in [
            "{...a}",
            "[...a]",
            "{[a]: 1}",
            "{get a() { return 1 }}",
            "{a: 1, a: 2}",
            "{a: 1",
            "{a: }",
            "{a: (}",
            "",
            "{a",
            "{async",
            "{async a: 1}",
            "{a(b)",
        ] {
            assert!(value(source).is_err(), "{source}");
        }
        assert_eq!(value(&"[".repeat(10_000)), Err("it is nested too deeply"));
        assert_eq!(value("'\\u{zz}'"), Ok(None), "it is source");
    }

    proptest! {
        #[test]
        fn any_source_is_read_or_refused(source in "([\\[\\]{}(),:;'\"`$a1 .\\\\=>-]|as|async|get|\\PC){0,60}") {
            let _ = value(&source);
        }
    }
}
