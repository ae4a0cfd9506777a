//! Repairs the arguments of a call: common mistakes of models in JSON are corrected, and reported.
//!
//! The steps, from the least to the most invasive: parse the text as it is; ignore what stands around the
//! object; escape characters that have to be escaped; repair the rest with `jsonfix`. Then values are
//! coerced to the types of the tool's schema. Arguments that do not become an object in this way are a
//! mistake for the model to correct.
//!
//! A call that the token limit cut never arrives here ([`crate::ModelAnswer::calls`] leaves it out). A text
//! that breaks off is completed with brackets only, never within or before a value: nobody knows what it
//! was to say.

use jsonfix::{Options, Repairs};
use serde_json::Value;
use sidecar_protocol::thread::Repair;

/// Maximum bytes of a text that is repaired; longer ones must be valid.
const MENDED_LIMIT: usize = 256 * 1024;

/// Deepest level of a schema by which values are coerced.
const DEPTH_LIMIT: usize = 16;

/// White space in JSON.
const WHITE_SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

/// The repairs that `jsonfix` may do. None that joins several values into one, or reads the text of a value
/// as something else.
const REPAIRS: Repairs = Repairs::COMMENTS
    .union(Repairs::UNQUOTED)
    .union(Repairs::KEYWORDS)
    .union(Repairs::NUMBERS)
    .union(Repairs::QUOTES)
    .union(Repairs::WHITESPACE)
    .union(Repairs::TRUNCATION);

/// Arguments that are an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// JSON text of an object; unchanged if nothing was repaired.
    pub arguments: String,
    /// The kinds of repair, each once; empty for most.
    pub repairs: Vec<Repair>,
}

/// Parses the arguments of a call of a tool with this schema (`null` for none).
///
/// # Errors
/// What is wrong with them, as a sentence for a model.
pub fn repair(written: &str, schema: &Value) -> Result<Sound, String> {
    let mut repairs = Vec::new();
    let text = written.trim_matches(WHITE_SPACE);
    let mut value = match serde_json::from_str(text) {
        // There are three ways to write no arguments.
        Ok(Value::Null) => return Ok(Sound { arguments: "{}".to_owned(), repairs }),
        Err(_) if text.is_empty() => return Ok(Sound { arguments: "{}".to_owned(), repairs }),
        Ok(value @ Value::Object(_)) => value,
        // The whole object encoded as a string once more.
        Ok(Value::String(inner)) => object(&inner, &mut repairs).ok_or_else(no_object)?,
        Ok(_) => return Err(no_object()),
        Err(error) => {
            object(text, &mut repairs).ok_or_else(|| format!("The arguments are not valid JSON: {error}."))?
        }
    };
    if read_as(&mut value, schema, DEPTH_LIMIT) {
        repairs.push(Repair::Types);
    }
    let arguments = if repairs.is_empty() { written.to_owned() } else { value.to_string() };
    Ok(Sound { arguments, repairs })
}

/// The object in a text, repaired if necessary.
pub(crate) fn mended(text: &str) -> Option<Value> {
    object(text, &mut Vec::new())
}

fn no_object() -> String {
    "The arguments must be one JSON object.".to_owned()
}

fn object(text: &str, repairs: &mut Vec<Repair>) -> Option<Value> {
    if text.len() > MENDED_LIMIT {
        return None;
    }
    repairs.push(Repair::Syntax);
    let mut from = text.find('{')?;
    let (mut first, mut rest) = split_object(&text[from..]);
    if rest.contains('{') {
        repairs.push(Repair::Surplus);
        // Some gateways send an empty object first and append the real one.
        if serde_json::from_str::<Value>(first).is_ok_and(|value| value == Value::Object(Default::default()))
        {
            from = rest.find('{')?;
            (first, rest) = split_object(&rest[from..]);
            if !rest.contains('{') {
                repairs.pop();
            }
        }
    }
    let parse = |text: &str| serde_json::from_str(text).ok().filter(Value::is_object);
    if let Some(value) = parse(first) {
        return Some(value);
    }
    let escaped = escaped(first);
    parse(&escaped).or_else(|| {
        if breaks_off(&escaped) {
            return None;
        }
        parse(&jsonfix::repair_with(&escaped, Options::all().with_repairs(REPAIRS)).ok()?)
    })
}

/// Splits a text after the object that it begins with; nothing is split off if the object's last brace is
/// missing.
fn split_object(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut quotes = Quotes::default();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if quotes.hold(byte) => {}
            b'{' => depth += 1,
            b'}' if depth <= 1 => return text.split_at(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

/// Tracks the strings in a text; a string may be in single quotes where a value begins.
#[derive(Default)]
struct Quotes {
    open: Option<u8>,
    is_escaped: bool,
    /// The last byte outside strings, or the quote that ended one.
    last: u8,
    /// The byte before the last string.
    before: u8,
}

impl Quotes {
    /// Reads the next byte. Returns whether it belongs to a string.
    fn hold(&mut self, byte: u8) -> bool {
        let Some(open) = self.open else {
            if byte == b'"' || (byte == b'\'' && matches!(self.last, b'{' | b'[' | b',' | b':')) {
                (self.open, self.before) = (Some(byte), self.last);
            } else if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
            return self.open.is_some();
        };
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            _ if byte == open => (self.open, self.last) = (None, byte),
            _ => {}
        }
        true
    }
}

/// The text with control characters in strings escaped, and backslashes doubled that escape nothing, as in
/// `C:\Users`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => match characters.peek() {
                Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => {
                    out.push(c);
                    out.extend(characters.next());
                }
                Some('\'') => {}
                Some(_) | None => out.push_str("\\\\"),
            },
            '\n' if in_string => out.push_str("\\n"),
            '\r' if in_string => out.push_str("\\r"),
            '\t' if in_string => out.push_str("\\t"),
            c if in_string && c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Whether an object breaks off within a value or before one, so that more than brackets are missing.
fn breaks_off(text: &str) -> bool {
    if !split_object(text).1.is_empty() || text.trim_end().ends_with('}') {
        return false;
    }
    let mut quotes = Quotes::default();
    text.bytes().for_each(|byte| _ = quotes.hold(byte));
    let is_value = match quotes.last {
        b']' => true,
        b'"' | b'\'' => matches!(quotes.before, b':' | b'['),
        _ => false,
    };
    quotes.open.is_some() || !is_value
}

/// Coerces strings in a value to the types that the schema requires, if they can be read so. Returns
/// whether any was.
fn read_as(value: &mut Value, schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let wanted = types(schema);
    let mut changed = false;
    if let Value::String(text) = value
        && !wanted.is_empty()
        && !wanted.contains(&"string")
        && let Some(read) = wanted.iter().find_map(|wanted| read_text(text, wanted))
    {
        *value = read;
        changed = true;
    }
    match value {
        Value::Object(members) => {
            for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if let Some(member) = members.get_mut(name) {
                    changed |= read_as(member, property, depth);
                }
            }
        }
        Value::Array(values) => {
            if let Some(items) = schema.get("items") {
                for value in values {
                    changed |= read_as(value, items, depth);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    changed
}

/// The types that a schema allows; empty if it does not say.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => match schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            Some(ways) if ways.iter().all(|way| way.get("type").is_some_and(Value::is_string)) => {
                ways.iter().filter_map(|way| way.get("type")?.as_str()).collect()
            }
            _ => Vec::new(),
        },
    }
}

fn read_text(text: &str, wanted: &str) -> Option<Value> {
    let text = text.trim();
    // Python's spellings.
    let text = match text {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        _ => text,
    };
    let value: Value = serde_json::from_str(text).ok()?;
    let is_it = match wanted {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    is_it.then_some(value)
}

/// Whether a text is exactly one valid JSON object. One that is nested more deeply than serde_json reads
/// (128 levels) is not.
pub(crate) fn is_object(text: &str) -> bool {
    let text = text.trim_ascii();
    text.starts_with('{') && text.ends_with('}') && serde_json::from_str::<Value>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The parsed arguments, and the repairs.
    #[track_caller]
    fn read(written: &str, schema: &Value) -> (Value, Vec<Repair>) {
        let sound = repair(written, schema).expect(written);
        (serde_json::from_str(&sound.arguments).unwrap(), sound.repairs)
    }

    #[test]
    fn object_nested_deeper_than_the_reader_goes_is_none() {
        let nested = |levels: usize| format!("{}null{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(is_object(&nested(100)));
        assert!(!is_object(&nested(200)));
    }

    #[test]
    fn valid_arguments_are_unchanged() {
        for written in [
            "{}",
            " {\"a\": 1.0, \"b\" : \"{\\\"c\\\": 1}\"}\n",
            r#"{"a":"\u4e2d","n":12345678901234567890}"#,
        ] {
            let expected = Sound { arguments: written.to_owned(), repairs: Vec::new() };
            assert_eq!(repair(written, &json!({"properties": {"b": {"type": "string"}}})), Ok(expected));
        }
        for nothing in ["", " \n", "null"] {
            assert_eq!(
                repair(nothing, &Value::Null),
                Ok(Sound { arguments: "{}".to_owned(), repairs: Vec::new() })
            );
        }
    }

    #[test]
    fn nearly_valid_json_is_repaired() {
        for (written, expected) in [
            ("\u{feff}{\"a\": 1}", json!({"a": 1})),
            ("\u{a0}{\"a\": 1}\u{b}", json!({"a": 1})),
            ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
            ("Here they are: {\"a\": {\"b\": \"}\"}}. Good luck!", json!({"a": {"b": "}"}})),
            ("\"{\\\"a\\\": 1}\"", json!({"a": 1})),
            ("{\"a\": \"x\ny\t\u{1}\"}", json!({"a": "x\ny\t\u{1}"})),
            (
                r#"{"path": "C:\Users\data", "re": "\d+", "it": "it\'s"}"#,
                json!({"path": "C:\\Users\\data", "re": "\\d+", "it": "it's"}),
            ),
            ("{'a': 'it', 'b': True, 'c': None,}", json!({"a": "it", "b": true, "c": null})),
            ("{'a': 'x } y', b: 'it\"s'} ok", json!({"a": "x } y", "b": "it\"s"})),
            ("{a: 1, /* why */ b: [1, 2,], // done\n}", json!({"a": 1, "b": [1, 2]})),
            ("{\"a\": 1 \"b\": 2}", json!({"a": 1, "b": 2})),
            ("{\"a\": [1, 2]", json!({"a": [1, 2]})),
            ("{\"a\": [\"b\"", json!({"a": ["b"]})),
            ("{\"a\": \"b\" ", json!({"a": "b"})),
            ("{\"a\": {\"b\": 1}", json!({"a": {"b": 1}})),
            ("{\"a\": 1}}", json!({"a": 1})),
            ("{\"a\": \"say \"hi\" now\"}", json!({"a": "say \"hi\" now"})),
            ("{\"a\": “里斯本”}", json!({"a": "里斯本"})),
            ("{}{\"a\": 1}", json!({"a": 1})),
        ] {
            assert_eq!(read(written, &Value::Null), (expected, vec![Repair::Syntax]), "{written}");
        }
    }

    #[test]
    fn first_of_several_objects_is_used_and_reported() {
        let both = vec![Repair::Syntax, Repair::Surplus];
        assert_eq!(read("{\"a\": 1}{\"b\": 2}", &Value::Null), (json!({"a": 1}), both.clone()));
        assert_eq!(read("{} {\"b\": 2}\n{\"c\": 3}", &Value::Null), (json!({"b": 2}), both));
    }

    #[test]
    fn irreparable_arguments_are_a_mistake() {
        let broken = |why: &str| format!("The arguments are not valid JSON: {why}.");
        for (written, mistake) in [
            ("[1]", no_object()),
            ("7", no_object()),
            ("\"Lisbon\"", no_object()),
            ("Lisbon", broken("expected value at line 1 column 1")),
            // Nobody knows what it was to say.
            ("{\"to\": \"Lis", broken("EOF while parsing a string at line 1 column 11")),
            ("{\"to\":", broken("EOF while parsing a value at line 1 column 6")),
            ("{\"a\": 1, \"to\"", broken("EOF while parsing an object at line 1 column 13")),
            ("{\"a\": 1,", broken("EOF while parsing a value at line 1 column 8")),
            ("{\"a\": 12", broken("EOF while parsing an object at line 1 column 8")),
            ("{\"a\": tru", broken("EOF while parsing a value at line 1 column 9")),
            ("{'to': 'Lis", broken("key must be a string at line 1 column 2")),
            ("{\"to\": \"LIS\", \"no", broken("EOF while parsing a string at line 1 column 17")),
        ] {
            assert_eq!(repair(written, &Value::Null), Err(mistake), "{written}");
        }
        let deep = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(10));
        assert!(repair(&deep, &Value::Null).is_err());
        let long = format!("{{a: \"{}\"}}", "x".repeat(MENDED_LIMIT));
        assert!(repair(&long, &Value::Null).is_err());
    }

    #[test]
    fn values_are_coerced_to_the_types_of_the_schema() {
        let schema = json!({"type": "object", "properties": {
            "text": {"type": "string"},
            "seats": {"type": "integer"},
            "price": {"type": ["number", "null"]},
            "direct": {"type": "boolean"},
            "legs": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            "filter": {"type": "object", "properties": {"max": {"type": "number"}}},
            "when": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "any": {},
        }});
        for (written, expected) in [
            (json!({"seats": "2"}), json!({"seats": 2})),
            (json!({"price": " 9.5 "}), json!({"price": 9.5})),
            (json!({"price": "null"}), json!({"price": null})),
            (json!({"direct": "True"}), json!({"direct": true})),
            (json!({"legs": "[{\"n\": \"1\"}]"}), json!({"legs": [{"n": 1}]})),
            (json!({"filter": "{\"max\": \"3\"}"}), json!({"filter": {"max": 3}})),
            (json!({"when": "7"}), json!({"when": 7})),
        ] {
            assert_eq!(read(&written.to_string(), &schema), (expected, vec![Repair::Types]), "{written}");
        }
        for same in [
            json!({"text": "2", "any": "2", "other": "2"}),
            json!({"seats": "two"}),
            json!({"seats": "2.5"}),
            json!({"seats": "007"}),
            json!({"direct": "yes"}),
            json!({"legs": "1, 2"}),
            json!({"seats": 2, "price": null, "legs": [], "filter": {"max": 1}}),
        ] {
            assert_eq!(read(&same.to_string(), &schema), (same, Vec::new()));
        }
        assert_eq!(
            read("{'seats': '2'}", &schema),
            (json!({"seats": 2}), vec![Repair::Syntax, Repair::Types])
        );
    }

    proptest! {
        #[test]
        fn noise_becomes_an_object_or_a_mistake(parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec!["{", "}", "[", "]", "\"", "'", ":", ",", "\\", "\n", "//", "/*", "True", "1", "e", "\\u12", "“", "```"])
                    .prop_map(str::to_owned),
                ".{0,3}",
            ],
            0..24,
        )) {
            let written = parts.concat();
            if let Ok(sound) = repair(&format!("{{{written}"), &Value::Null) {
                prop_assert!(serde_json::from_str::<Value>(&sound.arguments).unwrap().is_object());
            }
        }

        #[test]
        fn generated_objects_are_valid(keys in prop::collection::btree_map("[a-z]{1,4}", ".{0,8}", 0..5)) {
            let written = json!(keys).to_string();
            prop_assert_eq!(repair(&written, &Value::Null), Ok(Sound { arguments: written, repairs: Vec::new() }));
        }
    }
}
