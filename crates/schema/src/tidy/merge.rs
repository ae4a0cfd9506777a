//! Merges two parts that a value has to match both.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// Keywords that depend on others beside them. Two parts that both have keywords of one group cannot be
/// merged.
const GROUPS: [&[&str]; 3] = [
    &["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
    &["items", "prefixItems", "unevaluatedItems", "contains", "minContains", "maxContains"],
    &["if", "then", "else"],
];

/// A part that matches exactly the values that match both; `None` if that cannot be expressed as one part.
pub(super) fn exact(one: &Map<String, Value>, other: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut both = one.clone();
    for group in GROUPS {
        let of = |part: &Map<String, Value>| {
            part.keys().filter(|keyword| group.contains(&keyword.as_str())).cloned().collect::<Vec<_>>()
        };
        let (ours, theirs) = (of(one), of(other));
        // Both parts may have `properties`, or `items`: these do not depend on others.
        let is_plain = |keywords: &[String]| {
            keywords.iter().all(|keyword| matches!(keyword.as_str(), "properties" | "items"))
        };
        if !(ours.is_empty() || theirs.is_empty() || is_plain(&ours) && is_plain(&theirs)) {
            return None;
        }
    }
    for (keyword, theirs) in other {
        let merged = match both.get(keyword) {
            None => theirs.clone(),
            Some(ours) => value(keyword, ours, theirs)?,
        };
        both.insert(keyword.clone(), merged);
    }
    // Keywords about unevaluated parts would see what the other part evaluates.
    let is_unevaluated = |part: &Map<String, Value>| {
        part.contains_key("unevaluatedProperties") || part.contains_key("unevaluatedItems")
    };
    (!is_unevaluated(one) && !is_unevaluated(other)).then_some(both)
}

/// A part with another one added as `allOf`.
pub(super) fn side_by_side(mut one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    let all = one.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(all) = all {
        all.push(Value::Object(other));
    }
    one
}

fn value(keyword: &str, ours: &Value, theirs: &Value) -> Option<Value> {
    match (keyword, ours, theirs) {
        _ if ours == theirs => Some(ours.clone()),
        ("title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly", ..) => {
            Some(ours.clone())
        }
        ("type", ..) => types(ours, theirs),
        ("required" | "allOf", Value::Array(ours), Value::Array(theirs)) => {
            let more = theirs.iter().filter(|value| keyword == "allOf" || !ours.contains(value));
            Some(ours.iter().chain(more).cloned().collect())
        }
        ("enum", Value::Array(ours), Value::Array(theirs)) => {
            let both: Vec<_> = ours.iter().filter(|value| theirs.contains(value)).cloned().collect();
            (!both.is_empty()).then_some(Value::Array(both))
        }
        ("properties", Value::Object(ours), Value::Object(theirs)) => {
            let mut both = ours.clone();
            for (name, theirs) in theirs {
                let merged = match ours.get(name) {
                    None => theirs.clone(),
                    Some(ours) => part(ours, theirs)?,
                };
                both.insert(name.clone(), merged);
            }
            Some(Value::Object(both))
        }
        ("items" | "propertyNames", ..) => part(ours, theirs),
        (
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties",
            Value::Number(_),
            Value::Number(_),
        ) => Some(if order(ours, theirs)? == Ordering::Less { theirs } else { ours }.clone()),
        (
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties",
            Value::Number(_),
            Value::Number(_),
        ) => Some(if order(ours, theirs)? == Ordering::Greater { theirs } else { ours }.clone()),
        ("uniqueItems", ..) => Some(Value::Bool(true)),
        _ => None,
    }
}

fn part(ours: &Value, theirs: &Value) -> Option<Value> {
    match (ours, theirs) {
        (Value::Bool(true), part) | (part, Value::Bool(true)) => Some(part.clone()),
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(Value::Bool(false)),
        _ => exact(ours.as_object()?, theirs.as_object()?).map(Value::Object),
    }
}

fn types(ours: &Value, theirs: &Value) -> Option<Value> {
    let list = |kinds: &Value| match kinds {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let (ours, theirs) = (list(ours), list(theirs));
    let has = |kinds: &[Value], kind: &Value| {
        kinds.contains(kind) || kind == "integer" && kinds.iter().any(|kind| kind == "number")
    };
    let mut both: Vec<_> = ours.iter().filter(|kind| has(&theirs, kind)).cloned().collect();
    both.extend(theirs.iter().filter(|kind| has(&ours, kind) && !ours.contains(kind)).cloned());
    match both.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(Value::Array(both)),
    }
}

fn order(ours: &Value, theirs: &Value) -> Option<Ordering> {
    match (ours.as_i64(), theirs.as_i64()) {
        (Some(ours), Some(theirs)) => Some(ours.cmp(&theirs)),
        _ => ours.as_f64()?.partial_cmp(&theirs.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(one: Value, other: Value) -> Option<Value> {
        exact(one.as_object().unwrap(), other.as_object().unwrap()).map(Value::Object)
    }

    #[test]
    fn parts_become_one_where_that_says_the_same() {
        for (one, other, expected) in [
            (
                json!({"type": "number", "minimum": 1}),
                json!({"type": "integer", "minimum": 2, "title": "N"}),
                json!({"type": "integer", "minimum": 2, "title": "N"}),
            ),
            (
                json!({"type": ["string", "null"]}),
                json!({"type": ["null", "string"], "maxLength": 3}),
                json!({"type": ["string", "null"], "maxLength": 3}),
            ),
            (
                json!({"enum": ["a", "b"], "maxLength": 3}),
                json!({"enum": ["b", "c"], "maxLength": 2}),
                json!({"enum": ["b"], "maxLength": 2}),
            ),
            (
                json!({"properties": {"a": {"type": "string"}, "b": true}, "required": ["a"]}),
                json!({"properties": {"a": {"minLength": 1}, "b": false, "c": {}}, "required": ["b", "a"]}),
                json!({"properties": {"a": {"type": "string", "minLength": 1}, "b": false, "c": {}}, "required": ["a", "b"]}),
            ),
            (
                json!({"additionalProperties": false, "properties": {"a": {}}}),
                json!({"required": ["a"]}),
                json!({"additionalProperties": false, "properties": {"a": {}}, "required": ["a"]}),
            ),
        ] {
            assert_eq!(merged(one, other), Some(expected));
        }
    }

    #[test]
    fn parts_that_would_say_something_else_stay_two() {
        for (one, other) in [
            (json!({"type": "string"}), json!({"type": "integer"})),
            (json!({"enum": ["a"]}), json!({"enum": ["b"]})),
            (json!({"pattern": "a"}), json!({"pattern": "b"})),
            (json!({"additionalProperties": false}), json!({"properties": {"a": {}}})),
            (json!({"items": {}}), json!({"prefixItems": [{}]})),
            (json!({"then": {"required": ["a"]}}), json!({"if": {}})),
            (json!({"unevaluatedProperties": false}), json!({"required": ["a"]})),
            (json!({"anyOf": [{}]}), json!({"anyOf": [true]})),
        ] {
            assert_eq!(merged(one.clone(), other.clone()), None, "{one} {other}");
            assert_eq!(merged(other, one), None);
        }
    }
}
