//! A schema as far as it refuses values.

use serde_json::Value;

use crate::keyword::{ANNOTATIONS, parts_mut};

/// The schema without texts, defaults and examples, and with lists sorted whose order means nothing: schemas that are
/// equal in this form accept the same values.
#[must_use]
pub fn constraints(schema: &Value) -> Value {
    let mut schema = schema.clone();
    strip(&mut schema);
    schema
}

fn strip(part: &mut Value) {
    if let Value::Object(keywords) = part {
        keywords.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()) && keyword != "$comment");
        for keyword in ["required", "enum", "type"] {
            if let Some(Value::Array(values)) = keywords.get_mut(keyword) {
                values.sort_by_cached_key(Value::to_string);
            }
        }
    }
    parts_mut(part).into_iter().for_each(strip);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_refuses_values_is_left() {
        let schema = json!({
            "title": "T", "required": ["b", "a"], "$comment": "c",
            "properties": {"title": {"type": ["string", "null"], "description": "d"}, "a": {"const": {"title": 1}}},
            "$defs": {"d": {"enum": [2, 1], "default": 1}},
        });
        let expected = json!({
            "required": ["a", "b"],
            "properties": {"title": {"type": ["null", "string"]}, "a": {"const": {"title": 1}}},
            "$defs": {"d": {"enum": [1, 2]}},
        });
        assert_eq!(constraints(&schema), expected);
    }
}
