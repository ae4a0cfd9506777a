use proptest::prelude::*;
use serde_json::json;
use sidecar_schema::Validators;

use super::*;
use crate::testing::{any_schema, schemas};

fn made(schema: Value) -> (String, Vec<String>) {
    let example = example(&schema, Fill::Required);
    (example.text, example.unfilled.into_iter().map(|field| field.pointer).collect())
}

/// An example with nothing to look at fits its schema.
fn check(schema: &Value, fill: Fill) -> Result<bool, String> {
    let made = example(schema, fill);
    if example(schema, fill) != made {
        return Err(format!("{schema}: two examples"));
    }
    if !made.unfilled.is_empty() {
        return Ok(false);
    }
    match Validators::default().mistake(&schema.to_string(), &made.text) {
        Some(mistake) => Err(format!("{schema}\n{fill:?}: {}\n{}", made.text, mistake.text)),
        None => Ok(true),
    }
}

#[test]
fn inspector_case_33_an_example_fits_or_names_the_field() {
    let mut full = 0;
    let schemas = schemas();
    for schema in &schemas {
        for fill in [Fill::Required, Fill::All] {
            full += usize::from(check(schema, fill).unwrap());
        }
    }
    assert!(full > schemas.len() * 5 / 4, "only {full} of {} are filled in", schemas.len() * 2);
}

#[test]
fn inspector_case_33_each_source_of_values_is_used_in_its_order() {
    for (schema, text) in [
        (json!({"examples": ["e"], "default": "d", "type": "string"}), "\"e\""),
        (json!({"examples": [5], "default": "d", "type": "string"}), "\"d\""),
        (json!({"const": {"b": 1.0, "a": 2}}), "{\"b\":1.0,\"a\":2}"),
        (json!({"enum": ["x", "y"]}), "\"x\""),
        (json!({"enum": [1, "y"], "type": "string"}), "\"y\""),
        (json!({"type": "string", "format": "date"}), "\"2026-11-22\""),
        (json!({"type": "string", "format": "date", "pattern": "^x{2}$"}), "\"xx\""),
        (json!({"type": "string", "minLength": 9}), "\"exampleee\""),
        (json!({"type": "integer", "minimum": 5}), "5"),
        (json!({"type": "integer", "exclusiveMinimum": 5}), "6"),
        (json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2}), "1.5"),
        (json!({"type": "integer", "multipleOf": 7, "minimum": 20}), "21"),
        (json!({"type": "boolean"}), "true"),
        (
            json!({"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": true}),
            "[1,2,3]",
        ),
        (json!({"oneOf": [false, {"type": "string", "minLength": 9000}, {"type": "integer"}]}), "1"),
    ] {
        let whole = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
        assert_eq!(made(whole), (format!("{{\"p\":{text}}}"), vec![]), "{schema}");
    }
}

#[test]
fn inspector_case_33_what_has_no_value_is_named() {
    for (schema, pointer) in [
        (json!({"type": "string", "pattern": "(?=a)b"}), "/p"),
        (json!({"type": "string", "minLength": 5, "maxLength": 2}), "/p"),
        (json!({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4}), "/p"),
        (json!(false), "/p"),
        (json!({"$ref": "https://x.example"}), "/p"),
        (json!({"type": "array", "items": false, "minItems": 1}), "/p"),
        (json!({"properties": {"q": {"not": {}}}, "required": ["q"]}), "/p/q"),
    ] {
        let whole = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
        let (_, unfilled) = made(whole);
        assert_eq!(unfilled, [pointer], "{schema}");
    }
    let example = example(&json!({"required": ["p"], "properties": {"p": false}}), Fill::All);
    for language in [Language::English, Language::Chinese] {
        assert!(example.unfilled[0].sentence(language).contains("/p"));
    }
}

#[test]
fn example_with_all_fields_ends_in_a_recursive_schema() {
    let tree = json!({"type": "object", "properties": {"name": {"type": "string"}, "left": {"$ref": "#"},
        "more": {"type": "array", "items": {"$ref": "#"}}}, "required": ["name"]});
    let all = example(&tree, Fill::All);
    assert_eq!(all.text, r#"{"name":"example","more":[{"name":"example"}]}"#);
    let endless = json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"], "type": "object"});
    assert!(!example(&endless, Fill::Required).unfilled.is_empty());
}

#[test]
fn condition_brings_its_fields_into_the_example() {
    let schema = json!({"type": "object", "required": ["how"], "properties": {"how": {"enum": ["card", "cash"]}},
        "if": {"properties": {"how": {"const": "card"}}}, "then": {"properties": {"number": {"type": "string"}}, "required": ["number"]},
        "dependentRequired": {"number": ["owner"]}});
    assert_eq!(made(schema), (r#"{"how":"card","number":"example","owner":"example"}"#.to_owned(), vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn inspector_case_33_an_example_of_any_schema_fits_or_names_the_field(schema in any_schema()) {
        for fill in [Fill::Required, Fill::All] {
            let fits = check(&schema, fill);
            prop_assert!(fits.is_ok(), "{}", fits.unwrap_err());
        }
        let sets = crate::sets::sets(&schema);
        prop_assert!(sets.len() <= 16);
        let problem = sidecar_schema::problem(&schema.to_string());
        for set in sets.iter().filter(|set| set.aim.is_invalid()) {
            let refused = Validators::default().mistake(&schema.to_string(), &set.text).is_some();
            prop_assert!(refused || problem.is_some(), "{schema}\n{}", set.text);
        }
    }
}
