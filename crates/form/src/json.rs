//! JSON that loses nothing: numbers stay as they were typed, keys in their order.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::decimal;

/// How deep objects and arrays may be nested in a text.
const DEPTH: usize = 100;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was typed. In the raw view of a form also a draft, which is no number yet.
    Number(String),
    /// A string, without quotes and escapes.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; keys stand in the order of the text.
    Object(Vec<(String, Json)>),
}

/// A text is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonFault {
    /// Where reading stopped, in characters from 1.
    pub at: usize,
}

impl Json {
    /// Reads a text. Of a key that stands twice, the last value counts, as in a page.
    ///
    /// # Errors
    /// If the text is no JSON, or nested more than 100 deep.
    pub fn read(text: &str) -> Result<Self, JsonFault> {
        let mut reader = JsonReader { text, at: 0 };
        let read = reader.value(DEPTH);
        reader.space();
        match read {
            Some(json) if reader.at == text.len() => Ok(json),
            Some(_) | None => Err(JsonFault { at: text[..reader.at].chars().count() + 1 }),
        }
    }

    /// The same value, from one that was read by others.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(*is),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::of).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, value)| (key.clone(), Self::of(value))).collect())
            }
        }
    }

    /// Its text on one line.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = String::new();
        self.write_into(&mut text, None);
        text
    }

    /// Its text on many lines, with two spaces a level.
    #[must_use]
    pub fn write_lines(&self) -> String {
        let mut text = String::new();
        self.write_into(&mut text, Some(0));
        text
    }

    fn write_into(&self, text: &mut String, level: Option<usize>) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(is) => {
                let _ = write!(text, "{is}");
            }
            Self::Number(number) => text.push_str(number),
            Self::Text(string) => text.push_str(&quote(string)),
            Self::Array(items) => {
                list(text, ('[', ']'), level, items, |text, item, level| item.write_into(text, level));
            }
            Self::Object(members) => {
                list(text, ('{', '}'), level, members, |text, (key, value), level| {
                    text.push_str(&quote(key));
                    text.push_str(if level.is_some() { ": " } else { ":" });
                    value.write_into(text, level);
                });
            }
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Whether it means the same as another value: numbers by their value, objects in any order.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => decimal::is_same(one, other),
            (Self::Array(one), Self::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            (Self::Object(one), Self::Object(members)) => {
                one.len() == members.len()
                    && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| value.is_same(other)))
            }
            _ => self == other,
        }
    }

    /// A text that all values share that mean the same.
    pub(crate) fn canonical(&self) -> String {
        match self {
            Self::Null | Self::Bool(_) | Self::Text(_) => self.write(),
            Self::Number(number) => decimal::canonical(number),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::canonical).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{}:{}", quote(key), value.canonical()))
                    .collect();
                members.sort_unstable();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// Whether it means the same as a value that was read by others.
    pub(crate) fn is_value(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(one), Value::Bool(other)) => one == other,
            (Self::Text(one), Value::String(other)) => one == other,
            (Self::Number(one), Value::Number(other)) => {
                // Most differ already when they are rounded.
                let rounded = (one.parse::<f64>().ok(), other.as_f64());
                rounded.0 == rounded.1 && decimal::is_same(one, &other.to_string())
            }
            (Self::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_value(other))
            }
            (Self::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .all(|(key, value)| other.get(key).is_some_and(|other| value.is_value(other)))
            }
            _ => false,
        }
    }

    /// How many values it has, itself included.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => 1,
            Self::Array(items) => 1 + items.iter().map(Self::count).sum::<usize>(),
            Self::Object(members) => 1 + members.iter().map(|(_, value)| value.count()).sum::<usize>(),
        }
    }

    /// The numbers that a page would round.
    pub(crate) fn is_rounded(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Text(_) => false,
            Self::Number(number) => decimal::is_rounded(number),
            Self::Array(items) => items.iter().any(Self::is_rounded),
            Self::Object(members) => members.iter().any(|(_, value)| value.is_rounded()),
        }
    }
}

/// A string as JSON.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// Items between brackets, on one line or, at a level, on many.
fn list<T>(
    text: &mut String,
    brackets: (char, char),
    level: Option<usize>,
    items: &[T],
    mut each: impl FnMut(&mut String, &T, Option<usize>),
) {
    let line = |text: &mut String, level: Option<usize>| {
        if let Some(level) = level {
            text.push('\n');
            text.extend(std::iter::repeat_n("  ", level));
        }
    };
    text.push(brackets.0);
    let within = level.map(|level| level + 1);
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        line(text, within);
        each(text, item, within);
    }
    if !items.is_empty() {
        line(text, level);
    }
    text.push(brackets.1);
}

/// Reads a text from its start; where it stops is where the text is no JSON.
struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn eat(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.space();
        match self.rest().as_bytes().first()? {
            b'n' => self.eat("null").map(|()| Json::Null),
            b't' => self.eat("true").map(|()| Json::Bool(true)),
            b'f' => self.eat("false").map(|()| Json::Bool(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => self.array(depth.checked_sub(1)?),
            b'{' => self.object(depth.checked_sub(1)?),
            _ => {
                let number = self.rest()[..decimal::length(self.rest())].to_owned();
                self.eat(&number)?;
                (!number.is_empty()).then_some(Json::Number(number))
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let bytes = self.rest().as_bytes();
        let mut end = 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let string = serde_json::from_str(&self.text[self.at..=self.at + end]).ok()?;
        self.at += end + 1;
        Some(string)
    }

    fn array(&mut self, depth: usize) -> Option<Json> {
        let mut items = Vec::new();
        self.eat("[")?;
        self.space();
        if self.eat("]").is_some() {
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if self.eat("]").is_some() {
                return Some(Json::Array(items));
            }
            self.eat(",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut places = HashMap::new();
        self.eat("{")?;
        self.space();
        if self.eat("}").is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.rest().starts_with('"').then(|| self.string())??;
            self.space();
            self.eat(":")?;
            let value = self.value(depth)?;
            let place = *places.entry(key.clone()).or_insert(members.len());
            match members.get_mut(place) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
            self.space();
            if self.eat("}").is_some() {
                return Some(Json::Object(members));
            }
            self.eat(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_and_order_survive() {
        let text = r#"{"b":[1e3,9007199254740993,-0.10],"a":{"":"\n\"é","__proto__":null},"1":[],"0":{}}"#;
        assert_eq!(Json::read(text).unwrap().write(), text);
        assert_eq!(Json::read(&Json::read(text).unwrap().write_lines()).unwrap().write(), text);
        let twice = Json::read(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(twice.write(), r#"{"a":3,"b":2}"#, "as a page reads it");
    }

    #[test]
    fn values_are_compared_by_what_they_mean() {
        let [one, other, third] =
            [r#"{"a":[1,"1"],"b":2.50}"#, r#"{"b":25e-1,"a":[1.0,"1"]}"#, r#"{"a":["1",1],"b":2.5}"#]
                .map(|text| Json::read(text).unwrap());
        assert!(one.is_same(&other) && !one.is_same(&third));
        assert_eq!(one.canonical(), other.canonical());
        assert_ne!(one.canonical(), third.canonical());
        let value = serde_json::json!({"b": 2.5, "a": [1, "1"]});
        assert!(one.is_value(&value) && other.is_value(&value) && !third.is_value(&value));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, at) in
            [("", 1), ("[1,]", 4), ("{\"é\":1 x", 8), ("1 2", 3), ("\"a", 1), ("[01]", 3), ("nul", 1)]
        {
            assert_eq!(Json::read(text), Err(JsonFault { at }), "{text}");
        }
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::read(&nested(100)).is_ok() && Json::read(&nested(101)).is_err());
        assert!(Json::read(&"[".repeat(1_000_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_others_read_it(text in r#"[\[\]{}",:0-9eE.\\ntru lfa\-+é\n]{0,24}"#) {
            let other = serde_json::from_str::<Value>(&text);
            let ours = Json::read(&text);
            // Numbers that do not fit into 64 bits are numbers, too.
            if let Ok(other) = other {
                prop_assert!(ours.unwrap().is_same(&Json::of(&other)) || text.contains(['e', 'E', '.']));
            } else if ours.is_ok() {
                prop_assert!(text.contains(['e', 'E']), "{}", text);
            }
        }
    }
}
