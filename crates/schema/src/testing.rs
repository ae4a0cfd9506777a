//! Generated schemas and arguments for the tests.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Any JSON value, often similar to a schema.
pub(crate) fn schema_like() -> impl Strategy<Value = Value> {
    let name = || {
        prop::sample::select(vec![
            "$ref",
            "$defs",
            "$id",
            "$schema",
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
            "items",
            "prefixItems",
            "contains",
            "minContains",
            "uniqueItems",
            "minItems",
            "maxProperties",
            "minimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "pattern",
            "format",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "unevaluatedProperties",
            "unevaluatedItems",
            "a",
            "b",
        ])
    };
    let text = prop::sample::select(vec![
        "#",
        "#/$defs/a",
        "#/properties/a",
        "string",
        "object",
        "array",
        "integer",
        "a",
        "^(a|b)*$",
        "[",
        "a{2,}",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "",
    ]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

/// Names of properties: few, so that they collide.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn names() -> impl Strategy<Value = Value> {
    prop::collection::btree_set(name(), 0..3).prop_map(|names| names.into_iter().map(Value::from).collect())
}

fn plain_type() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["string", "integer", "number", "boolean"]).prop_map(Value::from)
}

/// Arguments that have a chance to fit.
pub(crate) fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1..4).prop_map(Value::from),
        Just(Value::from(1.5)),
        prop::sample::select(vec!["", "a", "b", "aaa"]).prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..3).prop_map(object),
        ]
    });
    prop::collection::btree_map(name(), value, 0..4).prop_map(object)
}

fn object(members: std::collections::BTreeMap<String, Value>) -> Value {
    members.into_iter().collect()
}

/// A valid schema with references that end, without keywords that depend on what others have evaluated.
pub(crate) fn sound_schema() -> impl Strategy<Value = Value> {
    let with_references = |to: &'static [&'static str]| {
        let leaf = prop_oneof![
            4 => part_of(leaf_members()),
            2 => plain_type().prop_map(|kind| json!({"type": kind})),
            1 => any::<bool>().prop_map(Value::from),
            2 => prop::sample::select(to).prop_map(|to| json!({"$ref": to})),
            1 => (prop::sample::select(to), 0..3).prop_map(|(to, n)| json!({"$ref": to, "minLength": n})),
        ];
        leaf.prop_recursive(3, 24, 3, move |inner| part_of(inner_members(inner, to)))
    };
    let all: &[&str] = &["#/$defs/x", "#/$defs/y"];
    let objects = part_of(inner_members(with_references(all).boxed(), all));
    let x = with_references(&["#/$defs/y", "#/$defs/%79"]);
    let y = with_references(&["#/$defs/z"]);
    (objects, x, y).prop_map(|(mut whole, x, y)| {
        whole["$defs"] = json!({"x": x, "y": y, "z": {"type": "string"}});
        // Schemas for values other than objects are tested elsewhere.
        if whole.get("type").is_some() {
            whole["type"] = Value::from("object");
        }
        whole
    })
}

/// A schema within the subset that all services accept.
pub(crate) fn flat_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        plain_type().prop_map(|kind| json!({"type": kind})),
        Just(json!({"type": "string", "enum": ["a", "b"], "description": "One of two."})),
    ];
    let of_objects = |inner: BoxedStrategy<Value>| {
        prop::collection::btree_map(name(), inner, 0..3).prop_flat_map(|properties| {
            let known: Vec<String> = properties.keys().cloned().collect();
            let count = known.len();
            prop::sample::subsequence(known, 0..=count).prop_map(move |required| {
                json!({"type": "object", "properties": properties.clone(), "required": required})
            })
        })
    };
    let part = leaf.prop_recursive(3, 16, 3, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            of_objects(inner),
        ]
    });
    of_objects(part.boxed())
}

fn part_of(members: impl Strategy<Value = Vec<(&'static str, Value)>>) -> impl Strategy<Value = Value> {
    members.prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn leaf_members() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let member = prop_oneof![
        plain_type().prop_map(|kind| ("type", kind)),
        Just(("type", json!(["string", "null"]))),
        Just(("type", json!(["integer", "array", "object"]))),
        (0..3).prop_map(|n| ("minimum", json!(n))),
        (0..3).prop_map(|n| ("exclusiveMaximum", json!(n))),
        (0..3).prop_map(|n| ("minLength", json!(n))),
        (0..3).prop_map(|n| ("maxLength", json!(n))),
        (0..3).prop_map(|n| ("minProperties", json!(n))),
        Just(("pattern", json!("^a"))),
        Just(("uniqueItems", json!(true))),
        Just(("multipleOf", json!(1))),
        Just(("const", json!("a"))),
        Just(("const", json!(null))),
        Just(("enum", json!(["a", 1, null]))),
        Just(("description", json!("Said."))),
        Just(("unknown", json!({"type": "string"}))),
    ];
    prop::collection::vec(member, 0..3)
}

fn inner_members(
    inner: impl Strategy<Value = Value> + Clone + 'static,
    to: &'static [&'static str],
) -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let named = prop::collection::btree_map(name(), inner.clone(), 1..3).prop_map(object).boxed();
    let several = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
    let member = prop_oneof![
        4 => named.clone().prop_map(|named| ("properties", named)),
        3 => names().prop_map(|names| ("required", names)),
        1 => Just(("type", json!("object"))),
        1 => Just(("type", json!("array"))),
        1 => any::<bool>().prop_map(|is_open| ("additionalProperties", json!(is_open))),
        1 => inner.clone().prop_map(|part| ("additionalProperties", part)),
        1 => inner.clone().prop_map(|part| ("items", part)),
        1 => several.clone().prop_map(|parts| ("prefixItems", parts)),
        1 => inner.clone().prop_map(|part| ("contains", part)),
        1 => inner.clone().prop_map(|part| ("not", part)),
        1 => inner.clone().prop_map(|part| ("if", part)),
        1 => inner.clone().prop_map(|part| ("then", part)),
        1 => inner.clone().prop_map(|part| ("else", part)),
        2 => several.clone().prop_map(|parts| ("allOf", parts)),
        2 => several.clone().prop_map(|parts| ("anyOf", parts)),
        2 => several.clone().prop_map(|parts| ("oneOf", parts)),
        1 => inner.clone().prop_map(|part| ("patternProperties", json!({"^a": part}))),
        1 => names().prop_map(|names| ("dependentRequired", json!({"a": names}))),
        1 => named.prop_map(|named| ("dependentSchemas", named)),
        1 => prop::sample::select(to).prop_map(|to| ("$ref", json!(to))),
    ];
    (prop::collection::vec(member, 1..4), leaf_members()).prop_map(|(mut members, leaf)| {
        members.extend(leaf);
        members
    })
}
