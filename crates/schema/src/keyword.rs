//! The keywords of JSON Schema and the shape of their values.

use serde_json::Value;

/// The shape of a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A schema.
    Part,
    /// One or more schemas.
    Parts,
    /// Schemas by name.
    Named,
    /// Before draft 2020-12: a schema, or several for the first items.
    Items,
    /// Before draft 2019-09: for each property a schema, or names of further properties.
    Dependencies,
    /// One type, or several.
    Type,
    /// Unique names.
    Names,
    /// Lists of names by name.
    NamesByName,
    /// One or more values.
    Values,
    /// Any value.
    Value,
    /// A number.
    Number,
    /// A number above zero.
    Divisor,
    /// A non-negative integer.
    Count,
    /// A string.
    Text,
    /// A boolean.
    Flag,
}

/// The types of JSON values.
pub(crate) const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// Annotations: they refuse no value.
pub(crate) const ANNOTATIONS: [&str; 7] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];

/// The shape of a keyword's value; `None` for keywords that refuse nothing, and for unknown ones. Draft
/// 2020-12 ("Core", "Validation"), and the names in older drafts.
pub(crate) fn shape(keyword: &str) -> Option<Shape> {
    Some(match keyword {
        "not"
        | "if"
        | "then"
        | "else"
        | "additionalProperties"
        | "propertyNames"
        | "contains"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "additionalItems" => Shape::Part,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::Parts,
        "properties" | "patternProperties" | "dependentSchemas" => Shape::Named,
        "items" => Shape::Items,
        "dependencies" => Shape::Dependencies,
        "type" => Shape::Type,
        "required" => Shape::Names,
        "dependentRequired" => Shape::NamesByName,
        "enum" | "examples" => Shape::Values,
        "const" | "default" => Shape::Value,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Shape::Number,
        "multipleOf" => Shape::Divisor,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains"
        | "minProperties" | "maxProperties" => Shape::Count,
        "pattern" | "format" | "title" | "description" | "contentEncoding" | "contentMediaType" => {
            Shape::Text
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Shape::Flag,
        _ => return None,
    })
}

impl Shape {
    /// Whether a value has this shape. Subschemas are not checked.
    pub(crate) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Part => is_part(value),
            Self::Parts => is_list_of(value, is_part) && value != &Value::Array(Vec::new()),
            Self::Named => is_map_of(value, is_part),
            Self::Items => is_part(value) || is_list_of(value, is_part),
            Self::Dependencies => {
                is_map_of(value, |value| is_part(value) || is_list_of(value, Value::is_string))
            }
            Self::Type => is_type(value) || is_list_of(value, is_type) && value != &Value::Array(Vec::new()),
            Self::Names => is_list_of(value, Value::is_string),
            Self::NamesByName => is_map_of(value, |value| is_list_of(value, Value::is_string)),
            Self::Values => value.as_array().is_some_and(|values| !values.is_empty()),
            Self::Value => true,
            Self::Number => value.is_number(),
            Self::Divisor => value.as_f64().is_some_and(|number| number > 0.0),
            Self::Count => value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0),
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
        }
    }
}

/// The subschemas of a part. Under unknown keywords, everything that could be one, since references may
/// lead there.
pub(crate) fn parts_mut(part: &mut Value) -> Vec<&mut Value> {
    let Value::Object(members) = part else { return Vec::new() };
    let mut parts = Vec::new();
    for (keyword, value) in members {
        let shape = match keyword.as_str() {
            "$defs" | "definitions" => Some(Shape::Named),
            keyword => shape(keyword),
        };
        match (shape, value) {
            (Some(Shape::Part), value) => parts.push(value),
            (Some(Shape::Parts | Shape::Items), Value::Array(values)) => parts.extend(values),
            (Some(Shape::Items), value) => parts.push(value),
            (Some(Shape::Named | Shape::Dependencies), Value::Object(named)) => {
                parts.extend(named.values_mut())
            }
            (None, value) => unknown_parts(value, &mut parts),
            _ => {}
        }
    }
    parts
}

fn unknown_parts<'p>(value: &'p mut Value, parts: &mut Vec<&'p mut Value>) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| unknown_parts(value, parts)),
        Value::Object(_) => parts.push(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_part(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Whether a value is the name of a type.
pub(crate) fn is_type(value: &Value) -> bool {
    value.as_str().is_some_and(|name| TYPES.contains(&name))
}

fn is_list_of(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|values| values.iter().all(fits))
}

fn is_map_of(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value.as_object().is_some_and(|members| members.values().all(fits))
}
