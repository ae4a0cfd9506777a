//! Reduces the JSON Schema of a tool's arguments to the form that every service accepts.

use serde_json::{Map, Value};

/// An object schema with `properties`, without the keywords that identify a schema, some of which services
/// refuse.
///
/// A schema that is missing, or does not describe an object, becomes that of a tool without arguments,
/// since arguments are always an object. The schemas of the properties are not changed here.
pub(crate) fn tidy(schema: &Value) -> Value {
    let mut schema = match schema {
        Value::Object(schema) if describes_object(schema) => schema.clone(),
        _ => Map::new(),
    };
    schema.remove("$schema");
    schema.remove("$id");
    let properties = schema.entry("properties").or_insert(Value::Null);
    if !properties.is_object() {
        *properties = Value::Object(Map::new());
    }
    schema.insert("type".to_owned(), Value::from("object"));
    Value::Object(schema)
}

fn describes_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        None => true,
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_objects_with_properties() {
        let empty = json!({"type":"object","properties":{}});
        for (schema, expected) in [
            (Value::Null, empty.clone()),
            (json!(true), empty.clone()),
            (json!({}), empty.clone()),
            (json!({"type":"string","minLength":1}), empty.clone()),
            (json!({"type":["null","object"],"properties":null}), empty),
            (
                json!({"$schema":"s","$id":"i","properties":{"a":{"type":"string"}},"required":["a"]}),
                json!({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}),
            ),
            (
                json!({"type":"object","properties":{"$id":{"type":"string"}},"additionalProperties":false}),
                json!({"type":"object","properties":{"$id":{"type":"string"}},"additionalProperties":false}),
            ),
        ] {
            assert_eq!(tidy(&schema), expected, "{schema}");
        }
    }
}
