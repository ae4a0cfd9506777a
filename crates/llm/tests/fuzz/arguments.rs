//! Arguments of calls that are nearly valid JSON.

use proptest::prelude::*;
use serde_json::{Value, json};
use sidecar_llm::arguments::{Sound, repair};

use crate::changes::{apply, changes};
use crate::time::{hurry, spend};

/// Maximum bytes that a repair may write for each byte read: an escape has six, and a number may lose its
/// exponent.
const GROWTH: usize = 8;

/// Valid and invalid, as models write them.
const SEEDS: [&str; 12] = [
    r#"{"to": "Lisbon", "seats": 2, "legs": [{"from": "LIS", "direct": true}], "note": null}"#,
    "{\n  \"path\": \"C:\\\\Users\\\\x\",\n  \"text\": \"says \\\"hi\\\"\",\n  \"price\": 9.5e2\n}",
    "{'to': 'Lis\\'bon', 'seats': True, 'none': None,}",
    "{to: Lisbon, /* why */ seats: 2, // done\n}",
    "```json\n{\"to\": \"Lisbon\"}\n```",
    "Here they are: {\"to\": {\"name\": \"a } b\"}}. Good luck!",
    r#""{\"to\": \"Lisbon\", \"seats\": \"2\"}""#,
    r#"{"seats": "2", "legs": "[{\"direct\": \"true\"}]", "price": "1e3", "note": "null"}"#,
    r#"{}{"to": "Lisbon"}{"to": "Porto"}"#,
    r#"{"to": “里斯本”, "re": "\d+"}"#,
    r#"{"legs": [[[[{"from": {"a": [1, 2"#,
    "",
];

/// Tokens with a meaning for a JSON parser.
const TOKENS: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    ":",
    ",",
    "\\",
    "\\\"",
    "\\u12",
    "\\ud800",
    "\n",
    "\t",
    "\u{1}",
    "//",
    "/*",
    "*/",
    "#",
    "```",
    "...",
    "+",
    "-",
    "0",
    "1e999",
    "True",
    "undefined",
    "“",
    "\u{feff}",
    "é🛫",
];

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "to": {"type": "string"},
        "seats": {"type": "integer"},
        "price": {"type": ["number", "null"]},
        "legs": {"type": "array", "items": {"type": "object", "properties": {"direct": {"type": "boolean"}}}},
        "note": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    }})
}

/// Texts with many mistakes, or with one mistake a thousand times.
fn nearly() -> impl Strategy<Value = String> {
    let seeds: Vec<_> = SEEDS.map(str::to_owned).to_vec();
    let part = prop_oneof![
        2 => prop::sample::select(&SEEDS[..]).prop_map(str::to_owned),
        3 => prop::sample::select(&TOKENS[..]).prop_map(str::to_owned),
        1 => (prop::sample::select(&TOKENS[..]), 1..4_000_usize).prop_map(|(token, times)| token.repeat(times)),
        1 => ".{0,8}",
    ];
    let parts = prop_oneof![
        prop::sample::select(&SEEDS[..]).prop_map(str::to_owned),
        prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat()),
    ];
    (parts, changes(&seeds))
        .prop_map(|(text, changes)| String::from_utf8_lossy(&apply(text.as_bytes(), &changes)).into_owned())
}

/// Any JSON value, with white space where that is allowed.
fn exact() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?",
        any::<String>().prop_map(|text| json!(text).to_string()),
        prop::sample::select(&SEEDS[..]).prop_map(|text| json!(text).to_string()),
    ];
    let space = prop::sample::select(vec!["", "", "", " ", "\n  ", "\t", "\r\n"]);
    let value = leaf.prop_recursive(6, 40, 5, {
        let space = space.clone();
        move |inner| {
            let members = (any::<String>(), inner.clone(), space.clone()).prop_map(|(name, value, space)| {
                format!("{space}{}{space}:{space}{value}{space}", json!(name))
            });
            prop_oneof![
                prop::collection::vec(inner, 0..5).prop_map(|values| format!("[{}]", values.join(","))),
                prop::collection::vec(members, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
            ]
        }
    });
    let members = prop::collection::vec(("[a-z]{0,4}", value), 0..5).prop_map(|members| {
        let members: Vec<_> =
            members.into_iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", members.join(","))
    });
    (space.clone(), members, space).prop_map(|(before, object, after)| format!("{before}{object}{after}"))
}

#[test]
fn what_is_nearly_json_becomes_an_object_or_a_mistake() {
    let schemas =
        prop::sample::select(vec![Value::Null, schema(), json!({"properties": {"to": 1}, "type": 7})]);
    spend(&(nearly(), schemas), |(written, schema)| {
        match hurry(|| repair(&written, &schema)) {
            Ok(sound) => {
                let value: Result<Value, _> = serde_json::from_str(&sound.arguments);
                prop_assert!(value.as_ref().is_ok_and(Value::is_object), "{:?} of {:?}", sound, written);
                let most = GROWTH * written.len() + 2;
                prop_assert!(
                    sound.arguments.len() <= most,
                    "{} bytes of {}",
                    sound.arguments.len(),
                    written.len()
                );
                let mut kinds = sound.repairs.clone();
                kinds.dedup();
                prop_assert_eq!(&kinds, &sound.repairs, "each is said once");
                if sound.repairs.is_empty() && !matches!(written.trim(), "" | "null") {
                    prop_assert_eq!(&sound.arguments, &written, "what nobody repaired is as it came");
                }
                let again = repair(&sound.arguments, &schema);
                let same = Sound { arguments: sound.arguments.clone(), repairs: Vec::new() };
                prop_assert_eq!(again, Ok(same), "what is sound needs no repair");
            }
            Err(mistake) => {
                prop_assert!(mistake.len() <= 300, "{}", mistake);
                let is_object = serde_json::from_str(&written).is_ok_and(|value: Value| value.is_object());
                prop_assert!(!is_object, "an object is no mistake: {:?}", written);
            }
        }
        Ok(())
    });
}

#[test]
fn whole_objects_pass_unchanged() {
    spend(&exact(), |written| {
        let sound = hurry(|| repair(&written, &Value::Null));
        // Numbers beyond the range of a double are not valid here.
        if serde_json::from_str::<Value>(&written).is_ok() {
            prop_assert_eq!(sound, Ok(Sound { arguments: written, repairs: Vec::new() }));
        }
        Ok(())
    });
}
