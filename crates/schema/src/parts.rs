//! The parts of a schema, each with its place: for those who look at a schema, not at values.

use serde_json::{Map, Value};

use crate::keyword::{Shape, shape};
use crate::pointer;

/// A subschema that is an object; `true` and `false` say too little to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaPart<'s> {
    /// A JSON Pointer (RFC 6901) to it, empty for the root.
    pub pointer: String,
    /// Its keywords.
    pub keywords: &'s Map<String, Value>,
    /// What it describes.
    pub role: PartRole<'s>,
    /// Number of objects and arrays around what it describes; references are not followed.
    pub depth: usize,
}

/// What a subschema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartRole<'s> {
    /// The arguments.
    Root,
    /// A property of this name.
    Property(&'s str),
    /// An item of an array, or a property of any name.
    Item,
    /// The same value as the part around it: one of its conditions or alternatives.
    Branch,
    /// What references lead to.
    Definition,
}

/// All parts of a schema, each before those in it. Empty if the schema is no object.
#[must_use]
pub fn parts(schema: &Value) -> Vec<SchemaPart<'_>> {
    let mut found = Vec::new();
    collect(schema, &mut String::new(), PartRole::Root, 0, &mut found);
    found
}

fn collect<'s>(
    schema: &'s Value,
    place: &mut String,
    role: PartRole<'s>,
    depth: usize,
    found: &mut Vec<SchemaPart<'s>>,
) {
    let Value::Object(keywords) = schema else { return };
    found.push(SchemaPart { pointer: place.clone(), keywords, role, depth });
    for (keyword, value) in keywords {
        let (role, depth) = match keyword.as_str() {
            "$defs" | "definitions" => (PartRole::Definition, 0),
            "properties" => (PartRole::Property(""), depth + 1),
            "items"
            | "prefixItems"
            | "contains"
            | "additionalItems"
            | "unevaluatedItems"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties" => (PartRole::Item, depth + 1),
            // It describes a name.
            "propertyNames" => (PartRole::Item, depth),
            _ => (PartRole::Branch, depth),
        };
        let end = place.len();
        pointer::push(place, keyword);
        let kind = if role == PartRole::Definition { Some(Shape::Named) } else { shape(keyword) };
        match (kind, value) {
            (Some(Shape::Part | Shape::Items), Value::Object(_)) => collect(value, place, role, depth, found),
            (Some(Shape::Parts | Shape::Items), Value::Array(values)) => {
                for (at, value) in values.iter().enumerate() {
                    let end = place.len();
                    pointer::push(place, &at.to_string());
                    collect(value, place, role, depth, found);
                    place.truncate(end);
                }
            }
            (Some(Shape::Named | Shape::Dependencies), Value::Object(named)) => {
                for (name, value) in named {
                    let role = if keyword == "properties" { PartRole::Property(name) } else { role };
                    let end = place.len();
                    pointer::push(place, name);
                    collect(value, place, role, depth, found);
                    place.truncate(end);
                }
            }
            _ => {}
        }
        place.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_part_has_its_place_and_what_it_describes() {
        let schema = json!({
            "properties": {
                "a/b": {"type": "array", "items": {"properties": {"c": {}}}},
                "properties": {"enum": [{"properties": {"no": {}}}]},
            },
            "anyOf": [{"required": ["a"]}, true],
            "$defs": {"d": {"not": {}}},
            "unknown": {"properties": {}},
        });
        let found: Vec<_> =
            parts(&schema).into_iter().map(|part| (part.pointer, part.role, part.depth)).collect();
        let mut expected = vec![
            (String::new(), PartRole::Root, 0),
            ("/properties/a~1b".to_owned(), PartRole::Property("a/b"), 1),
            ("/properties/a~1b/items".to_owned(), PartRole::Item, 2),
            ("/properties/a~1b/items/properties/c".to_owned(), PartRole::Property("c"), 3),
            ("/properties/properties".to_owned(), PartRole::Property("properties"), 1),
            ("/anyOf/0".to_owned(), PartRole::Branch, 0),
            ("/$defs/d".to_owned(), PartRole::Definition, 0),
            ("/$defs/d/not".to_owned(), PartRole::Branch, 0),
        ];
        for one in &found {
            assert!(expected.contains(one), "{one:?}");
            expected.retain(|other| other != one);
        }
        assert_eq!((expected, parts(&json!([{}])).len()), (vec![], 0));
    }
}
