//! Arguments that arrive value by value, each with its path; strings arrive in pieces.
//!
//! We never request this form, but models behind some gateways use it.
//! <https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling>

use serde_json::{Map, Value};

/// Maximum depth of a path. No schema that a model is given is as deep.
const DEPTH_LIMIT: usize = 32;

/// Inserts one element of `partialArgs` at its path; invalid ones are ignored.
pub(super) fn put(arguments: &mut Map<String, Value>, piece: &Value) {
    let field = |name: &str| piece.get(name).cloned();
    let value = field("stringValue").or_else(|| field("numberValue")).or_else(|| field("boolValue"));
    let value = value.unwrap_or(Value::Null);
    let Some(steps) = piece.get("jsonPath").and_then(Value::as_str).and_then(steps) else { return };
    let Some((PathStep::Name(name), rest)) = steps.split_first() else { return };
    let mut place = arguments.entry(name.clone()).or_insert(Value::Null);
    for step in rest {
        place = match step {
            PathStep::Name(name) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                let Value::Object(object) = place else { return };
                object.entry(name.clone()).or_insert(Value::Null)
            }
            PathStep::Index(index) => {
                if !place.is_array() {
                    *place = Value::Array(Vec::new());
                }
                let Value::Array(array) = place else { return };
                // Elements arrive in order; a large index must not fill the memory.
                if *index == array.len() {
                    array.push(Value::Null);
                }
                let Some(element) = array.get_mut(*index) else { return };
                element
            }
        };
    }
    match (place, value) {
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (place, value) => *place = value,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Name(String),
    Index(usize),
}

/// The steps of a path such as `$.legs[0].to` or `$['two words']`.
fn steps(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() && steps.len() < DEPTH_LIMIT {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            steps.push(PathStep::Name(after[..end].to_owned()));
            rest = &after[end..];
        } else {
            let (inner, after) = rest.strip_prefix('[')?.split_once(']')?;
            let quoted = |quote: char| inner.strip_prefix(quote)?.strip_suffix(quote);
            steps.push(match quoted('\'').or_else(|| quoted('"')) {
                Some(name) => PathStep::Name(name.to_owned()),
                None => PathStep::Index(inner.parse().ok()?),
            });
            rest = after;
        }
    }
    rest.is_empty().then_some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn partial_arguments_are_put_at_their_paths() {
        let mut arguments = Map::new();
        for piece in [
            json!({"jsonPath": "$.legs[0].to", "stringValue": "Por", "willContinue": true}),
            json!({"jsonPath": "$.legs[0].to", "stringValue": "to"}),
            json!({"jsonPath": "$.legs[1]['the price']", "numberValue": 9.5}),
            json!({"jsonPath": "$.direct", "boolValue": true}),
            json!({"jsonPath": "$.note", "nullValue": null}),
        ] {
            put(&mut arguments, &piece);
        }
        let expected = json!({"legs": [{"to": "Porto"}, {"the price": 9.5}], "direct": true, "note": null});
        assert_eq!(Value::Object(arguments), expected);
    }

    #[test]
    fn invalid_partial_arguments_are_ignored() {
        let mut arguments = Map::new();
        let deep = format!("${}", ".a".repeat(100));
        for path in ["", "$", "a", "$[0]", "$.", "$.a[x]", "$.a[", "$[18446744073709551616]", deep.as_str()] {
            put(&mut arguments, &json!({"jsonPath": path, "stringValue": "x"}));
        }
        put(&mut arguments, &json!({"jsonPath": "$.b[1000000000]", "stringValue": "x"}));
        assert_eq!(Value::Object(arguments), json!({"": "x", "b": []}));
    }
}
