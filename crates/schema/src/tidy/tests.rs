use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{arguments, flat_schema, schema_like, sound_schema};

/// Few keywords, `anyOf` among them: what needs `allOf`, `oneOf` or a list of types has to be said with it.
const ANY_OF: SchemaProfile = SchemaProfile {
    keywords: Some(&["type", "properties", "required", "items", "enum", "description", "anyOf", "minimum"]),
    ..SchemaProfile::PORTABLE
};

fn tidied(schema: &Value, profile: &SchemaProfile) -> Value {
    tidy(Some(&schema.to_string()), profile).schema
}

/// The only property of a schema that has this one.
fn property(part: Value, profile: &SchemaProfile) -> Value {
    tidied(&json!({"properties": {"a": part}}), profile)["properties"]["a"].take()
}

#[test]
fn any_input_becomes_an_object_with_properties() {
    let any = json!({"type": "object", "properties": {}});
    for profile in [SchemaProfile::FULL, SchemaProfile::PLAIN_ROOT, SchemaProfile::PORTABLE] {
        for schema in [
            None,
            Some("not json"),
            Some("[]"),
            Some("true"),
            Some(r#"{"type":"string"}"#),
            Some(r#"{"type":["string","null"],"minLength":1}"#),
            Some(
                r#"{"$schema":"x","$id":"y","$comment":"z","unknown":1,"type":["object","null"],"properties":7}"#,
            ),
        ] {
            assert_eq!(tidy(schema, &profile).schema, any, "{schema:?}");
        }
        let deep = "[".repeat(10_000);
        assert_eq!(tidy(Some(&deep), &profile).schema, any);
    }
}

#[test]
fn references_are_replaced_by_what_they_lead_to() {
    let schema = json!({
        "$ref": "#/$defs/search",
        "$defs": {
            "search": {"type": "object", "properties": {
                "from": {"$ref": "#/$defs/air%70ort", "description": "Where from."},
                "to": {"$ref": "#/$defs/airport"},
                "via": {"$ref": "#/$defs/airport", "maxLength": 2},
                "other": {"$ref": "https://other.example/s.json", "type": "string"},
            }, "required": ["from", "to"]},
            "airport": {"type": "string", "maxLength": 3, "description": "Three letters."},
        },
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "from": {"type": "string", "maxLength": 3, "description": "Where from."},
            "to": {"type": "string", "maxLength": 3, "description": "Three letters."},
            "via": {"type": "string", "maxLength": 2, "description": "Three letters."},
            "other": {"type": "string", "description": "as in https://other.example/s.json, which is not there"},
        },
        "required": ["from", "to"],
    });
    assert_eq!(tidied(&schema, &SchemaProfile::FULL), expected);
    // Until draft 07, keywords beside a reference are ignored.
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"$ref": "#/definitions/b", "maxLength": 2, "title": "A"}},
        "definitions": {"b": {"type": "string"}},
    });
    let expected = json!({"type": "object", "properties": {"a": {"type": "string", "title": "A"}}});
    assert_eq!(tidied(&old, &SchemaProfile::FULL), expected);
}

#[test]
fn part_that_contains_itself_is_shown_once() {
    let schema = json!({
        "properties": {"tree": {"$ref": "#/$defs/node"}, "self": {"$ref": "#", "description": "Me."}},
        "$defs": {"node": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        }, "required": ["name"]}},
    });
    let again = json!({"type": "object", "description": "the same again as node around it"});
    let mut expected = json!({
        "type": "object",
        "properties": {
            "tree": {"type": "object", "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": again},
            }, "required": ["name"]},
            "self": {"description": "Me. (the same again as the whole around it)"},
        },
    });
    let full = tidy(Some(&schema.to_string()), &SchemaProfile::FULL);
    assert_eq!(full.schema, expected);
    let mut notes = full.notes;
    notes.sort();
    assert_eq!(
        notes,
        [
            "properties/self: the same again as the whole around it",
            "properties/tree/properties/children/items: the same again as node around it",
        ]
    );
    let inner = &mut expected["properties"];
    inner["tree"]["properties"]["children"]["items"]["properties"] = json!({});
    inner["self"]["type"] = json!("string");
    inner["self"]["description"] = json!("Me. (the same again as the whole around it) (any JSON value)");
    assert_eq!(tidied(&schema, &SchemaProfile::PORTABLE), expected);
}

#[test]
fn older_drafts_are_rewritten_as_2020_12() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "pair": {"type": "array", "items": [{"type": "string"}, true], "additionalItems": false},
            "list": {"type": "array", "items": {"type": "string"}, "additionalItems": false},
        },
        "dependencies": {"pair": ["list"], "list": {"required": ["pair"]}},
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {}], "items": false},
            "list": {"type": "array", "items": {"type": "string"}},
        },
        "dependentRequired": {"pair": ["list"]},
        "dependentSchemas": {"list": {"required": ["pair"], "properties": {"pair": {}}}},
    });
    let mut full = tidied(&schema, &SchemaProfile::FULL);
    // There are two ways to exclude further items.
    if full["properties"]["pair"]["items"] == json!({"not": {}}) {
        full["properties"]["pair"]["items"] = json!(false);
    }
    assert_eq!(full, expected);
}

#[test]
fn portable_form_says_the_rest_in_descriptions() {
    for (part, expected) in [
        (
            json!({"type": "integer", "minimum": 1, "maximum": 9, "description": "Seats."}),
            json!({"type": "integer", "description": "Seats. (at most 9; at least 1)"}),
        ),
        (json!({"const": "flight"}), json!({"type": "string", "enum": ["flight"]})),
        (json!({"const": 3}), json!({"type": "integer", "description": "one of 3"})),
        (
            json!({"enum": ["a", "b", null]}),
            json!({"type": "string", "enum": ["a", "b"], "description": "one of \"a\", \"b\", null"}),
        ),
        (
            json!({"type": "number", "enum": [1, 2.5]}),
            json!({"type": "number", "description": "one of 1, 2.5"}),
        ),
        (json!({"type": ["string", "null"]}), json!({"type": "string", "description": "may be null"})),
        (
            json!({"type": ["string", "array"], "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string"}, "description": "or string"}),
        ),
        (json!({"type": ["integer", "number"]}), json!({"type": "number"})),
        (json!({"type": "null"}), json!({"type": "string", "description": "always null"})),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "Count"}),
            json!({"type": "integer", "description": "Count (may be null)"}),
        ),
        (
            json!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "all"}]}),
            json!({"type": "integer", "description": "one of: integer, at least 1 | always \"all\"; at least 1"}),
        ),
        (
            json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}),
            json!({"type": "string", "enum": ["a", "b"], "description": "\"a\": A"}),
        ),
        // The form of a choice in an HTML form.
        (
            json!({"type": "string", "enum": ["w", "a"], "anyOf": [
                {"type": "string", "const": "w", "title": "Window"}, {"type": "string", "const": "a", "title": "Aisle"}]}),
            json!({"type": "string", "enum": ["w", "a"], "description": "\"w\": Window, \"a\": Aisle"}),
        ),
        (json!({"type": "string", "format": "uuid"}), json!({"type": "string", "format": "uuid"})),
        (
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "description": "format date-time"}),
        ),
        (json!({"pattern": "^a$"}), json!({"type": "string", "description": "matches ^a$"})),
        (
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object", "properties": {}, "description": "no other properties"}),
        ),
        (
            json!({"additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": {}, "description": "other properties are {\"type\":\"string\"}"}),
        ),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": {"type": "string", "description": "any JSON value"}}),
        ),
        (
            json!({"prefixItems": [{"type": "string"}]}),
            json!({"type": "array", "items": {"type": "string", "description": "any JSON value"},
                "description": "first items: [{\"type\":\"string\"}]"}),
        ),
        (json!(true), json!({"type": "string", "description": "any JSON value"})),
        (json!(false), json!({"type": "string", "description": "must not be given"})),
        (
            json!({"allOf": [{"type": "string"}, {"maxLength": 3}]}),
            json!({"type": "string", "description": "at most 3 characters"}),
        ),
        (
            json!({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}),
            json!({"type": "string", "description": "also {\"pattern\":\"b\"}; matches a"}),
        ),
        (
            json!({"type": "string", "if": {"const": "a"}, "then": {"minLength": 1}}),
            json!({"type": "string", "description": "if {\"const\":\"a\"}; then {\"minLength\":1}"}),
        ),
        (json!({"type": "dict"}), json!({"type": "string", "description": "any JSON value"})),
    ] {
        let mut found = property(part.clone(), &SchemaProfile::PORTABLE);
        // The members of an object have no order.
        for text in ["at least 1; at most 9"] {
            if found["description"].as_str().is_some_and(|found| found.contains(text)) {
                found["description"] = json!("Seats. (at most 9; at least 1)");
            }
        }
        assert_eq!(found, expected, "{part}");
    }
}

#[test]
fn alternatives_of_objects_are_one_object_that_requires_what_all_require() {
    let shapes = json!({
        "properties": {"color": {"type": "string"}},
        "required": ["color"],
        "oneOf": [
            {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
            {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["side", "kind"]},
        ],
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "color": {"type": "string"},
            "kind": {"type": "string", "enum": ["circle", "square"]},
            "r": {"type": "number"},
            "side": {"type": "number"},
        },
        "required": ["color", "kind"],
        "description": "exactly one of: kind = \"circle\", r | side, kind = \"square\"",
    });
    assert_eq!(tidied(&shapes, &SchemaProfile::PORTABLE), expected);
    assert_eq!(property(shapes.clone(), &SchemaProfile::PORTABLE), expected);
    // At the root the two largest services refuse alternatives; below it they accept them.
    let plain = tidied(&shapes, &SchemaProfile::PLAIN_ROOT);
    assert_eq!(plain["required"], json!(["color", "kind"]));
    assert_eq!(plain["properties"]["kind"], json!({"anyOf": [{"const": "circle"}, {"const": "square"}]}));
    assert!(property(shapes.clone(), &SchemaProfile::PLAIN_ROOT)["oneOf"].is_array());
    assert!(tidied(&shapes, &SchemaProfile::FULL)["oneOf"].is_array());
    // One of several names.
    let either = json!({
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
    });
    let mut expected = either.clone();
    expected.as_object_mut().unwrap().remove("anyOf");
    expected["type"] = json!("object");
    expected["description"] = json!("one of: id | name");
    assert_eq!(tidied(&either, &SchemaProfile::PORTABLE), expected);
}

#[test]
fn one_of_and_type_lists_become_any_of_when_only_that_is_accepted() {
    let part = json!({"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 2}]});
    let expected = json!({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 2}],
        "description": "exactly one of these"});
    assert_eq!(property(part, &ANY_OF), expected);
    let part = json!({"type": ["string", "integer", "null"], "minimum": 2});
    let expected = json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "minimum": 2,
        "description": "may be null"});
    assert_eq!(property(part, &ANY_OF), expected);
}

#[test]
fn required_names_are_among_the_properties() {
    let schema = json!({"required": ["a", "a"], "properties": {"b": {"type": "string"}}});
    for profile in [SchemaProfile::FULL, SchemaProfile::PLAIN_ROOT] {
        let expected =
            json!({"type": "object", "required": ["a"], "properties": {"a": {}, "b": {"type": "string"}}});
        assert_eq!(tidied(&schema, &profile), expected);
    }
    let portable = tidied(&schema, &SchemaProfile::PORTABLE);
    assert_eq!(portable["properties"]["a"], json!({"type": "string", "description": "any JSON value"}));
    assert_eq!(portable["required"], json!(["a"]));
}

#[test]
fn large_schemas_are_cut_and_say_so() {
    let long = "x".repeat(5_000);
    let part = json!({"type": "string", "description": long});
    let described = property(part.clone(), &SchemaProfile::FULL);
    assert_eq!(described["description"].as_str().unwrap().chars().count(), 2_001);
    let many: Map<_, _> = (0..100).map(|n| (format!("p{n:02}"), part.clone())).collect();
    let schema = json!({"properties": many, "required": ["p99"]});
    for profile in [SchemaProfile::FULL, SchemaProfile::PORTABLE] {
        let tidied = tidied(&schema, &profile);
        assert!(tidied.to_string().len() < 96 * 1024);
        assert_eq!(tidied["properties"].as_object().unwrap().len(), 100);
        assert_eq!(
            tidied["properties"]["p99"],
            json!({"type": "string", "description": "left out: the schema is too large"})
        );
        assert_eq!(tidied["required"], json!(["p99"]));
    }
    let step = |n: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
        (n.to_string(), json!({"properties": {"a": next, "b": next}}))
    };
    let ladder: Map<_, _> = (0..60).map(step).collect();
    let ladder = json!({"$ref": "#/$defs/0", "$defs": ladder});
    for profile in [SchemaProfile::FULL, SchemaProfile::PORTABLE] {
        assert!(tidied(&ladder, &profile).to_string().len() < 128 * 1024);
    }
}

/// What in a schema is outside the profile, or not a schema.
fn outside(schema: &Value, profile: &SchemaProfile, level: Level) -> Option<String> {
    let part = match schema {
        Value::Object(part) => part,
        _ => return Some(format!("{schema} for a part")),
    };
    for (keyword, value) in part {
        let Some(known) = shape(keyword) else { return Some(format!("unknown {keyword}")) };
        let is_choice = matches!(keyword.as_str(), "allOf" | "anyOf" | "oneOf" | "not" | "enum" | "const");
        if !profile.takes(keyword) || is_choice && level == Level::Root && !profile.root_choices {
            return Some(keyword.clone());
        }
        if !known.fits(value) {
            return Some(format!("{keyword}: {value}"));
        }
        let inner: Vec<&Value> = match (known, value) {
            (Shape::Part, Value::Bool(_)) => vec![],
            (Shape::Part | Shape::Items, Value::Object(_)) => vec![value],
            (Shape::Parts, Value::Array(parts)) => parts.iter().collect(),
            (Shape::Named, Value::Object(named)) => named.values().collect(),
            (Shape::Items | Shape::Dependencies, _) => return Some(format!("{keyword}: {value}")),
            _ => vec![],
        };
        if let Some(found) = inner.into_iter().find_map(|part| outside(part, profile, Level::Inner)) {
            return Some(format!("{keyword}/{found}"));
        }
    }
    let kind = part.get("type").and_then(Value::as_str);
    let is_format_known = || {
        let format = part.get("format").and_then(Value::as_str)?;
        Some(profile.formats?.contains(&format))
    };
    let choice = ["allOf", "anyOf", "oneOf"].iter().any(|keyword| part.contains_key(*keyword));
    let wrong =
        [
            (level == Level::Root && (kind != Some("object") || !part.contains_key("properties")), "root"),
            (!profile.type_lists && part.get("type").is_some_and(Value::is_array), "type list"),
            (!profile.type_lists && kind == Some("null"), "null"),
            (is_format_known() == Some(false), "format"),
            (!profile.untyped && kind.is_none() && !choice, "untyped"),
            (!profile.untyped && kind == Some("object") && !part.contains_key("properties"), "no properties"),
            (!profile.untyped && kind == Some("array") && !part.contains_key("items"), "no items"),
            (
                !profile.any_enum
                    && part.get("enum").is_some_and(|values| {
                        kind != Some("string") || !values.as_array().unwrap().iter().all(Value::is_string)
                    }),
                "enum",
            ),
            (
                !profile.untyped
                    && part.get("required").is_some_and(|names| {
                        let properties = part.get("properties").and_then(Value::as_object);
                        names.as_array().unwrap().iter().any(|name| {
                            properties.is_none_or(|all| !all.contains_key(name.as_str().unwrap()))
                        }) && kind == Some("object")
                    }),
                "required",
            ),
        ];
    wrong.into_iter().find(|(wrong, _)| *wrong).map(|(_, what)| format!("{what} in {schema}"))
}

fn fits(schema: &Value, arguments: &Value) -> bool {
    jsonschema::options().build(schema).unwrap().is_valid(arguments)
}

fn names(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().cloned().unwrap_or_default();
    let mut names: Vec<_> = names.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// The `required` of a schema and of all its properties, by place.
fn required(schema: &Value, place: &str, all: &mut Vec<(String, Vec<String>)>) {
    all.push((place.to_owned(), names(schema)));
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        required(part, &format!("{place}/{name}"), all);
    }
    if schema["items"].is_object() {
        required(&schema["items"], &format!("{place}/*"), all);
    }
}

proptest! {
    #[test]
    fn every_schema_comes_into_every_profile(schema in schema_like()) {
        let whole = json!({"properties": {"a": schema.clone()}, "anyOf": [schema.clone()], "$defs": {"a": schema.clone()}});
        for schema in [schema, whole] {
            for profile in [SchemaProfile::FULL, SchemaProfile::PLAIN_ROOT, SchemaProfile::PORTABLE, ANY_OF] {
                prop_assert_eq!(outside(&tidied(&schema, &profile), &profile, Level::Root), None, "{}", schema);
            }
        }
    }

    #[test]
    fn full_profile_lets_the_same_through(schema in sound_schema(), arguments in prop::collection::vec(arguments(), 8)) {
        let Tidied { schema: tidied, notes } = tidy(Some(&schema.to_string()), &SchemaProfile::FULL);
        // Such a schema matches nothing, and is shown as if it were empty.
        prop_assume!(!notes.iter().any(|note| note == "the schema describes no object"));
        for arguments in arguments {
            prop_assert_eq!(fits(&schema, &arguments), fits(&tidied, &arguments), "{} {} {}", schema, tidied, arguments);
        }
    }

    #[test]
    fn schema_of_objects_lists_and_plain_types_says_what_it_said(
        schema in flat_schema(),
        arguments in prop::collection::vec(arguments(), 8),
    ) {
        let tidied = tidied(&schema, &SchemaProfile::PORTABLE);
        for arguments in arguments {
            prop_assert_eq!(fits(&schema, &arguments), fits(&tidied, &arguments), "{} {} {}", schema, tidied, arguments);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        required(&schema, "", &mut before);
        required(&tidied, "", &mut after);
        prop_assert_eq!(before, after);
    }

    #[test]
    fn no_further_property_becomes_required(schema in sound_schema(), arguments in prop::collection::vec(arguments(), 8)) {
        for profile in [SchemaProfile::PLAIN_ROOT, SchemaProfile::PORTABLE] {
            let Tidied { schema: tidied, notes } = tidy(Some(&schema.to_string()), &profile);
            prop_assume!(!notes.iter().any(|note| note == "the schema describes no object"));
            for name in names(&tidied) {
                let without = arguments.iter().find(|arguments| arguments.get(&name).is_none() && fits(&schema, arguments));
                prop_assert_eq!(without, None, "{} in {} and not in {}", name, tidied, schema);
            }
            for name in names(&schema) {
                prop_assert!(names(&tidied).contains(&name), "{} in {} and not in {}", name, schema, tidied);
            }
        }
    }
}
