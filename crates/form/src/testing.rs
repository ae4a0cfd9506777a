//! Schemas and values for tests and benchmarks: some hundred that are always the same, and generated ones.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Schemas of a value, at least one for each keyword.
pub fn parts() -> Vec<Value> {
    let tree = json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/tree"},
        "more": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["name"]});
    vec![
        json!(true),
        json!({}),
        json!(false),
        json!({"type": "string"}),
        json!({"type": "string", "minLength": 2, "maxLength": 9}),
        json!({"type": "string", "minLength": 5, "maxLength": 2}),
        json!({"type": "string", "maxLength": 1000, "default": "x"}),
        json!({"type": "string", "pattern": "^[A-Z]{3}$"}),
        json!({"type": "string", "pattern": "^(?=a)b$"}),
        json!({"pattern": "^a", "minLength": 4}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "string", "format": "email", "minLength": 30}),
        json!({"type": "string", "contentEncoding": "base64"}),
        json!({"type": "number"}),
        json!({"type": "integer", "minimum": 3, "exclusiveMaximum": 4}),
        json!({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4}),
        json!({"type": "integer", "multipleOf": 7, "minimum": 20}),
        json!({"type": "number", "multipleOf": 0.1, "minimum": 0.25}),
        json!({"type": "integer", "minimum": 9_007_199_254_740_993_u64}),
        json!({"type": "boolean"}),
        json!({"type": "null"}),
        json!({"enum": [1, "1", null, {"a": 1}, 1]}),
        json!({"type": "string", "enum": ["a", "b", "c"], "default": "b"}),
        json!({"const": {"b": 1, "a": [2]}}),
        json!({"type": ["string", "null"], "default": null}),
        json!({"type": ["string", "integer"]}),
        json!({"type": ["string", "array"], "items": {"type": "string"}}),
        json!({"type": "string", "nullable": true}),
        json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "same": {"type": "string"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "same": {"type": "string"}, "y": {"type": "string"}}, "required": ["kind"]},
        ]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "z"]}),
        json!({"properties": {"a": false, "b": true}, "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}),
        json!({"type": "object", "patternProperties": {"^x-": {"type": "integer"}, "[0-9]": {"minimum": 3}}, "additionalProperties": false}),
        json!({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "maxProperties": 3}),
        json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": true}),
        json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": true, "minItems": 1}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}),
        json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false, "minItems": 1}),
        json!({"type": "array", "contains": {"const": 5}, "maxItems": 4}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"a": {"minLength": 9}, "b": {"type": "integer"}}}]}),
        json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 4]}]}),
        json!({"not": {"type": "string"}}),
        json!({"type": "object", "properties": {"how": {"enum": ["card", "cash"]}}, "required": ["how"],
            "if": {"properties": {"how": {"const": "card"}}}, "then": {"properties": {"number": {"type": "string"}}, "required": ["number"]},
            "else": {"properties": {"change": {"type": "boolean"}}}}),
        json!({"type": "object", "properties": {"code": {"type": "string"}}, "if": {"properties": {"code": {"pattern": "^[a-z]$"}}, "required": ["code"]},
            "then": {"properties": {"low": {"type": "string"}}}, "else": {"properties": {"high": {"type": "string"}}, "required": ["high"]}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "dependentSchemas": {"a": {"properties": {"c": {"type": "integer"}}, "required": ["c"]}}}),
        json!({"type": "object", "properties": {"a": true}, "dependencies": {"a": ["b"], "b": {"required": ["c"]}}}),
        json!({"$defs": {"tree": tree.clone()}, "$ref": "#/$defs/tree"}),
        json!({"$ref": "https://x.example/schema.json#/a"}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "#"}),
        json!({"$dynamicRef": "#here"}),
        json!({"type": "object", "unevaluatedProperties": false, "properties": {"a": {"type": "string"}}}),
        json!({"type": "string", "readOnly": true}),
        json!({"type": "string", "deprecated": true, "examples": ["shown", "other"]}),
        json!({"type": "object", "properties": {"": {"type": "string"}, "a.b": {"type": "string"}, "a/b": {"type": "string"}, "__proto__": {"type": "string"}, "type": {"type": "string"}}, "required": ["", "a/b", "__proto__"]}),
        json!({"type": 5, "properties": [], "required": {"a": 1}, "enum": "x", "oneOf": {}, "items": 3, "minLength": -1}),
    ]
}

/// Schemas of arguments: each part as a required and an optional key, in a list, in a union, beside others, as a whole.
pub fn schemas() -> Vec<Value> {
    let mut schemas = Vec::new();
    for mut part in parts() {
        // Definitions are looked for at the root.
        let defs = part.as_object_mut().and_then(|map| map.remove("$defs")).unwrap_or(json!({}));
        let whole = |schema: Value| {
            let mut schema = schema;
            schema["$defs"] = defs.clone();
            schema
        };
        schemas.push(whole(json!({"type": "object", "properties": {"p": part}, "required": ["p"]})));
        schemas.push(whole(json!({"type": "object", "properties": {"a": {"type": "string"}, "p": part, "q": part}, "required": ["a"]})));
        schemas.push(whole(json!({"type": "object", "properties": {"p": {"type": "array", "items": part}}, "additionalProperties": part})));
        schemas.push(whole(json!({"type": "object", "properties": {"p": {"anyOf": [part, {"type": "null"}, {"type": "boolean"}]}}, "required": ["p"]})));
        if part.is_object() {
            schemas.push(whole(part));
        }
    }
    schemas.extend([json!(null), json!(true), json!(false), json!(3), json!([]), json!({"type": "array"})]);
    schemas.push(json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "definitions": {"n": {"type": "integer"}},
        "properties": {"p": {"type": "array", "items": [{"$ref": "#/definitions/n"}], "additionalItems": {"type": "string"}}}, "required": ["p"]}));
    schemas
}

/// Arguments as texts: of every type, at keys that the schemas have and at others.
pub fn arguments() -> Vec<String> {
    let values = [
        "null",
        "true",
        "1",
        "2.50",
        "1e3",
        "9007199254740993",
        "\"\"",
        "\"a\"",
        "\"card\"",
        "\"ABC\"",
        "[]",
        "[1,1]",
        "[\"a\",2,true]",
        "[null]",
        "{}",
        r#"{"name":"r","next":{"name":"s","more":[{"name":"t"}]}}"#,
        r#"{"kind":"b","y":"v","same":"w","zz":[{}]}"#,
        r#"{"x-1":1,"a":"b","how":"card"}"#,
        r#"{"b":1,"a":[2]}"#,
    ];
    let mut all: Vec<String> =
        vec!["{}".to_owned(), r#"{"q":{"b":1},"a":"x","other":[1.0],"p":-0.0}"#.to_owned()];
    for value in values {
        all.push(format!("{{\"p\":{value}}}"));
        all.push(format!("{{\"zz\":{value},\"p\":[{value},{value}],\"a\":\"t\"}}"));
        if value.starts_with('{') {
            all.push(value.to_owned());
        }
    }
    all
}

/// Any JSON object as text, with keys that the schemas have.
pub fn any_arguments() -> impl Strategy<Value = String> {
    prop::collection::vec((key(), json_text()), 0..5).prop_map(|members| object(&members))
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "p",
        "q",
        "kind",
        "how",
        "name",
        "next",
        "more",
        "number",
        "x-1",
        "",
        "__proto__",
        "a/b",
    ])
}

fn object(members: &[(&'static str, String)]) -> String {
    let mut seen = std::collections::HashSet::new();
    let members = members.iter().filter(|(key, _)| seen.insert(*key));
    format!("{{{}}}", members.map(|(key, value)| format!("\"{key}\":{value}")).collect::<Vec<_>>().join(","))
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "1.0",
        "1e3",
        "5",
        "9007199254740993",
        "1E+400",
        "\"\"",
        "\"a\"",
        "\"card\"",
        "\"é\\n\"",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key(), inner), 0..4).prop_map(|members| object(&members)),
        ]
    })
}

/// Any schema of arguments, put together of the parts.
pub fn any_schema() -> impl Strategy<Value = Value> {
    let part = prop::sample::select(parts());
    let part = part.prop_recursive(3, 16, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let map = || prop::collection::vec((key(), inner.clone()), 1..4);
        prop_oneof![
            list().prop_map(|all| json!({"allOf": all})),
            list().prop_map(|all| json!({"oneOf": all})),
            list().prop_map(|all| json!({"anyOf": all})),
            list().prop_map(|all| json!({"prefixItems": all})),
            inner.clone().prop_map(|one| json!({"type": "array", "items": one})),
            map().prop_map(|all| json!({"type": "object", "properties": map_of(&all)})),
            map().prop_map(|all| json!({"properties": map_of(&all), "required": [all[0].0]})),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
            (key(), inner.clone()).prop_map(|(key, one)| json!({"dependentSchemas": {key: one}})),
            (key(), inner.clone()).prop_map(
                |(key, one)| json!({"additionalProperties": one, "patternProperties": {key: true}})
            ),
        ]
    });
    (part, prop::collection::vec(prop::sample::select(parts()), 2)).prop_map(|(mut schema, defs)| {
        if let Some(map) = schema.as_object_mut() {
            map.insert("$defs".to_owned(), json!({"tree": defs[0], "other": defs[1]}));
        }
        schema
    })
}

/// Any JSON with the words of schemas in it, in places where they may mean nothing.
pub fn wild_schema() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "$ref",
        "$defs",
        "$id",
        "$anchor",
        "type",
        "const",
        "enum",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "required",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "uniqueItems",
        "minItems",
        "minProperties",
        "minimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "default",
        "examples",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "a",
        "b",
    ]);
    let text = prop::sample::select(vec![
        "#",
        "#/$defs/a",
        "#/properties/a",
        "#a",
        "string",
        "object",
        "array",
        "integer",
        "null",
        "a",
        "^(a|b)*$",
        "[",
        "",
    ]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!(1e300)),
        Just(json!(u64::MAX)),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|members| map_of(&members)),
        ]
    })
}

fn map_of(members: &[(&'static str, Value)]) -> Value {
    members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}
