//! Changes to a body after which it is still nearly valid: to its lines, its JSON, its bytes.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// One change.
#[derive(Debug, Clone)]
pub enum BodyChange {
    /// Remove a line.
    Drop(Index),
    /// Repeat a line.
    Repeat(Index),
    /// Swap two lines.
    Swap(Index, Index),
    /// Insert a line of another body.
    Insert(Index, String),
    /// Replace a value in the JSON of a line by an odd one of the same type.
    Distort(Index, Index, Index),
    /// Replace a value in the JSON of a line by any other.
    Replace(Index, Index, Value),
    /// Cut the body here.
    Cut(Index),
    /// Replace a byte.
    Byte(Index, u8),
    /// Insert bytes.
    Bytes(Index, &'static [u8]),
}

/// Bytes with a meaning for a parser, and without.
const TOKENS: [&[u8]; 18] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"data:",
    b"data: [DONE]\n\n",
    b": \n\n",
    b"event: error\n",
    b"event:",
    b"{",
    b"}",
    b"[",
    b"\"",
    b"\\",
    b"\\ud83d",
    b"\xF0\x9F",
    b"\xEF\xBB\xBF",
    b"\x00",
];

/// Some changes to a body; lines of `others` may be inserted.
pub fn changes(others: &[String]) -> impl Strategy<Value = Vec<BodyChange>> + use<> {
    let lines: Vec<_> = others.iter().flat_map(|body| body.lines()).map(str::to_owned).collect();
    let lines = if lines.is_empty() { vec![String::new()] } else { lines };
    let at = any::<Index>;
    let change = prop_oneof![
        2 => at().prop_map(BodyChange::Drop),
        2 => at().prop_map(BodyChange::Repeat),
        2 => (at(), at()).prop_map(|(one, other)| BodyChange::Swap(one, other)),
        3 => (at(), prop::sample::select(lines)).prop_map(|(at, line)| BodyChange::Insert(at, line)),
        10 => (at(), at(), at()).prop_map(|(line, at, which)| BodyChange::Distort(line, at, which)),
        5 => (at(), at(), value()).prop_map(|(line, at, value)| BodyChange::Replace(line, at, value)),
        1 => at().prop_map(BodyChange::Cut),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| BodyChange::Byte(at, byte)),
        2 => (at(), prop::sample::select(&TOKENS[..])).prop_map(|(at, token)| BodyChange::Bytes(at, token)),
    ];
    prop::collection::vec(change, 0..6)
}

/// Numbers and strings that services do not send.
const NUMBERS: [&str; 8] =
    ["0", "-1", "18446744073709551615", "-9223372036854775808", "4294967296", "1e308", "0.5", "-0.0"];
const TEXTS: [&str; 20] = [
    "",
    " ",
    "null",
    "{",
    "{}",
    "[]",
    "\"",
    "{\"a\":1}{\"b\":2}",
    "\u{0}",
    "é🛫",
    "stop",
    "error",
    "length",
    "tool_calls",
    "message",
    "multi_tool_use.parallel",
    "{\"tool_uses\":[{\"recipient_name\":\"functions.a\",\"parameters\":{}}]}",
    "$.a[0].b",
    "$.a[99999999999]",
    "$['a",
];

/// Any value.
fn value() -> impl Strategy<Value = Value> {
    let nest = |inner: Value, level: usize| {
        if level.is_multiple_of(2) { Value::from(vec![inner]) } else { serde_json::json!({ "a": inner }) }
    };
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(&NUMBERS[..]).prop_map(number),
        prop::sample::select(&TEXTS[..]).prop_map(Value::from),
        Just(serde_json::json!({})),
        Just(serde_json::json!([])),
        (1..200_usize).prop_map(move |depth| (0..depth).fold(Value::Null, nest)),
    ]
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// An odd value of the same type.
fn distorted(value: &Value, which: Index) -> Value {
    match value {
        Value::Null => Value::from(""),
        Value::Bool(value) => Value::from(!value),
        Value::Number(_) => number(NUMBERS[which.index(NUMBERS.len())]),
        Value::String(_) => Value::from(TEXTS[which.index(TEXTS.len())]),
        Value::Array(elements) => {
            let mut elements = elements.clone();
            if elements.is_empty() {
                elements.push(Value::Null);
            } else {
                let at = which.index(elements.len());
                elements.push(elements[at].clone());
            }
            Value::from(elements)
        }
        Value::Object(members) => {
            let mut members = members.clone();
            if !members.is_empty() {
                let name = members.keys().nth(which.index(members.len())).cloned();
                members.remove(&name.unwrap_or_default());
            }
            Value::from(members)
        }
    }
}

/// The body with the changes.
pub fn apply(body: &[u8], changes: &[BodyChange]) -> Vec<u8> {
    changes.iter().fold(body.to_vec(), |body, change| change.apply(body))
}

impl BodyChange {
    fn apply(&self, mut body: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Drop(at) => lines(body, |lines| {
                lines.remove(at.index(lines.len()));
            }),
            Self::Repeat(at) => lines(body, |lines| {
                let at = at.index(lines.len());
                lines.insert(at, lines[at].clone());
            }),
            Self::Swap(one, other) => lines(body, |lines| {
                let length = lines.len();
                lines.swap(one.index(length), other.index(length));
            }),
            Self::Insert(at, line) => lines(body, |lines| {
                lines.insert(at.index(lines.len()), format!("{line}\n").into_bytes());
            }),
            Self::Replace(line, at, value) => lines(body, |lines| {
                let index = with_json(lines, *line);
                if let Some(changed) = replace(&lines[index], *at, |_| value.clone()) {
                    lines[index] = changed;
                }
            }),
            Self::Distort(line, at, which) => lines(body, |lines| {
                let index = with_json(lines, *line);
                if let Some(changed) = replace(&lines[index], *at, |value| distorted(value, *which)) {
                    lines[index] = changed;
                }
            }),
            Self::Cut(at) => {
                body.truncate(at.index(body.len() + 1));
                body
            }
            Self::Byte(at, byte) => {
                if !body.is_empty() {
                    let at = at.index(body.len());
                    body[at] = *byte;
                }
                body
            }
            Self::Bytes(at, bytes) => {
                let at = at.index(body.len() + 1);
                body.splice(at..at, bytes.iter().copied());
                body
            }
        }
    }
}

/// Changes the lines of a body.
fn lines(body: Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let mut lines: Vec<_> = body.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return body;
    }
    change(&mut lines);
    lines.concat()
}

/// One of the lines that contain JSON; the first if none does.
fn with_json(lines: &[Vec<u8>], at: Index) -> usize {
    let has_json = |line: &&Vec<u8>| line.contains(&b'{');
    let wanted = at.index(lines.iter().filter(has_json).count().max(1));
    lines.iter().enumerate().filter(|(_, line)| has_json(line)).nth(wanted).map_or(0, |(index, _)| index)
}

/// The line with one value in its JSON replaced; `None` if it contains no JSON.
fn replace(line: &[u8], at: Index, change: impl FnOnce(&Value) -> Value) -> Option<Vec<u8>> {
    let start = line.iter().position(|byte| matches!(byte, b'{' | b'['))?;
    let mut json: Value = serde_json::from_slice(line[start..].trim_ascii_end()).ok()?;
    let mut paths = Vec::new();
    collect(&json, String::new(), &mut paths);
    let value = json.pointer_mut(at.get::<String>(&paths))?;
    *value = change(value);
    let mut changed = line[..start].to_vec();
    changed.extend(json.to_string().bytes());
    changed.push(b'\n');
    Some(changed)
}

/// The paths of all values, the root included.
fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, format!("{path}/{index}"), paths);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, format!("{path}/{name}"), paths);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    paths.push(path);
}
