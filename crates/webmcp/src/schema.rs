//! Whether a call's arguments fit the input schema of its tool.
//!
//! A schema is a page's, so it may be broken or made to cost. What cannot be checked in a bounded time is not checked
//! at all: then the page itself decides, as it does in browsers, which check nothing.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError};
use serde_json::Value;

/// Longest schema that is checked against, in bytes.
pub const SCHEMA_LIMIT: usize = 64 * 1024;

/// Deepest nesting of a schema whose references are written out, in JSON values.
const DEPTH_LIMIT: usize = 64;

/// Most work that a check may be, see [`Work`].
const WORK_LIMIT: usize = 200_000;

/// Largest compiled pattern, in bytes: what a pattern costs for each byte of a text grows with it.
const PATTERN_LIMIT: usize = 16 * 1024;

/// Most mistakes that are told.
const TOLD: usize = 5;

/// Longest description of one mistake, in characters.
const MISTAKE_LIMIT: usize = 300;

/// What is wrong with arguments (the JSON text of an object) by a schema (JSON text), in words for a model. `None` when
/// they fit, and when the schema cannot tell.
#[must_use]
pub fn mistake(schema: &str, arguments: &str) -> Option<String> {
    if schema.len() > SCHEMA_LIMIT {
        return None;
    }
    let instance = serde_json::from_str(arguments).ok()?;
    let schema = closed(serde_json::from_str(schema).ok()?)?;
    let mut work = Work { values: values(&instance), bytes: arguments.len(), left: WORK_LIMIT };
    work.on(&schema, &schema, DEPTH_LIMIT)?;
    let validator = jsonschema::options()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_LIMIT).dfa_size_limit(PATTERN_LIMIT))
        .should_validate_formats(false)
        .offline()
        .build(&schema)
        .ok()?;
    let mut mistakes: Vec<String> = Vec::new();
    for error in validator.iter_errors(&instance) {
        let mistake = described(&error);
        if mistakes.contains(&mistake) {
            continue;
        }
        if mistakes.len() == TOLD {
            mistakes.push("and more".to_owned());
            break;
        }
        mistakes.push(mistake);
    }
    (!mistakes.is_empty())
        .then(|| format!("The arguments do not fit the tool's input schema: {}.", mistakes.join("; ")))
}

/// The schema with references to nothing but its own parts: those to elsewhere are dropped, as if they were not there.
fn closed(mut schema: Value) -> Option<Value> {
    let members = schema.as_object_mut()?;
    // Draft 4 has other words for where its parts are.
    if members.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-04")) {
        return None;
    }
    // What refers to the schema by its own address refers to elsewhere then.
    members.remove("$id");
    drop_references_to_elsewhere(&mut schema);
    Some(schema)
}

fn drop_references_to_elsewhere(part: &mut Value) {
    match part {
        Value::Object(members) => {
            if matches!(members.get("$ref"), Some(Value::String(to)) if !to.starts_with('#')) {
                members.remove("$ref");
            }
            // The values of these two are what arguments are compared with.
            let parts = members.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "const" | "enum"));
            parts.for_each(|(_, value)| drop_references_to_elsewhere(value));
        }
        Value::Array(values) => values.iter_mut().for_each(drop_references_to_elsewhere),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What a check can come to: each value in the schema meets each value of the arguments, each pattern each byte.
struct Work {
    values: usize,
    bytes: usize,
    left: usize,
}

impl Work {
    /// Takes account of a part of the schema; `None` when it is too much. References are followed, so that one that leads
    /// around in a circle is too much.
    fn on(&mut self, part: &Value, schema: &Value, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.spend(self.values)?;
        match part {
            Value::Object(members) => {
                members.iter().try_for_each(|(name, value)| match (name.as_str(), value) {
                    ("$ref", Value::String(to)) => {
                        self.on(schema.pointer(to.strip_prefix('#')?)?, schema, depth)
                    }
                    // Where these lead, or what `$ref` means below them, only the validator knows.
                    ("$dynamicRef" | "$recursiveRef" | "$id", Value::String(_)) => None,
                    ("$schema", Value::String(_)) if !std::ptr::eq(part, schema) => None,
                    ("pattern", Value::String(_)) => self.spend(self.bytes),
                    ("patternProperties", Value::Object(patterns)) => {
                        self.spend(self.bytes.saturating_mul(patterns.len()))?;
                        self.on(value, schema, depth)
                    }
                    _ => self.on(value, schema, depth),
                })
            }
            Value::Array(parts) => parts.iter().try_for_each(|part| self.on(part, schema, depth)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(()),
        }
    }

    fn spend(&mut self, amount: usize) -> Option<()> {
        self.left = self.left.checked_sub(amount)?;
        Some(())
    }
}

fn values(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(self::values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(self::values).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// `passengers/0/age: the value is less than the minimum of 0`
fn described(error: &ValidationError<'_>) -> String {
    let mut text = error.masked_with("the value").to_string();
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
    {
        let reasons: Vec<String> = context.iter().filter_map(|way| way.first()).map(described).collect();
        text = format!("{text} ({})", reasons.join("; "));
    }
    let path = error.instance_path().to_string();
    if !path.is_empty() {
        text = format!("{}: {text}", &path[1..]);
    }
    match text.char_indices().nth(MISTAKE_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(schema: Value, arguments: Value) -> Option<String> {
        mistake(&schema.to_string(), &arguments.to_string())
    }

    fn flights() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://flights.example/search.json",
            "type": "object",
            "properties": {
                "from": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "seats": {"type": "integer", "minimum": 1},
                "class": {"enum": ["economy", "business"]},
                "when": {"anyOf": [{"type": "string", "format": "date"}, {"const": 0}]},
                "legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}},
            },
            "required": ["from"],
            "additionalProperties": false,
            "$defs": {"leg": {"type": "object", "required": ["to"]}},
        })
    }

    #[test]
    fn arguments_that_fit_are_let_through() {
        for arguments in [
            json!({"from": "PEK"}),
            json!({"from": "PEK", "seats": 2.0, "class": "economy", "legs": [{"to": "SHA"}, {"to": "CAN"}]}),
            // A format is a hint.
            json!({"from": "PEK", "when": "tomorrow"}),
        ] {
            assert_eq!(of(flights(), arguments.clone()), None, "{arguments}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        for (arguments, expected) in [
            (json!({}), r#""from" is a required property"#),
            (json!({"from": "PEK", "seats": "two"}), r#"seats: the value is not of type "integer""#),
            (json!({"from": "PEK", "seats": null}), r#"seats: the value is not of type "integer""#),
            (json!({"from": "PEK", "seats": 0}), "seats: the value is less than the minimum of 1"),
            (json!({"from": "Peking"}), r#"from: the value does not match "^[A-Z]{3}$""#),
            (
                json!({"from": "PEK", "class": "first"}),
                r#"class: the value is not one of "economy" or "business""#,
            ),
            (json!({"from": "PEK", "legs": [{"to": "SHA"}, {}]}), r#"legs/1: "to" is a required property"#),
            (
                json!({"from": "PEK", "to": "SHA"}),
                "Additional properties are not allowed ('to' was unexpected)",
            ),
            (
                json!({"from": "PEK", "when": true}),
                "when: the value is not valid under any of the schemas listed in the 'anyOf' keyword \
                 (when: the value is not of type \"string\"; when: 0 was expected)",
            ),
        ] {
            let expected = format!("The arguments do not fit the tool's input schema: {expected}.");
            assert_eq!(of(flights(), arguments.clone()), Some(expected), "{arguments}");
        }
    }

    #[test]
    fn a_few_mistakes_are_told_each_once_and_none_at_length() {
        let schema = json!({"additionalProperties": {"allOf": [{"type": "string"}, {"type": "string"}]}});
        let told = |count: i32| {
            let arguments = Value::Object((0..count).map(|n| (format!("n{n}"), json!(n))).collect());
            of(schema.clone(), arguments).unwrap()
        };
        assert_eq!(told(5).matches("is not of type").count(), 5);
        assert!(!told(5).contains("and more"));
        assert_eq!(told(9).matches("is not of type").count(), 5);
        assert!(told(9).ends_with("; and more."));

        let long = json!({"properties": {"a": {"const": "x".repeat(5_000)}}});
        assert!(of(long, json!({"a": 1})).unwrap().chars().count() < 400);
    }

    #[test]
    fn older_drafts_mean_what_they_meant() {
        let pair =
            |draft: &str| json!({"$schema": draft, "properties": {"a": {"items": [{"type": "string"}]}}});
        let told = of(pair("http://json-schema.org/draft-07/schema#"), json!({"a": [3]}));
        assert!(told.unwrap().contains(r#"a/0: the value is not of type "string""#));
        // A list is no schema any more; and of draft 4 nothing is asked.
        assert_eq!(of(pair("https://json-schema.org/draft/2020-12/schema"), json!({"a": [3]})), None);
        assert_eq!(of(pair("http://json-schema.org/draft-04/schema#"), json!({"a": [3]})), None);
    }

    #[test]
    fn references_to_elsewhere_are_as_if_they_were_not_there() {
        for elsewhere in [
            "https://other.example/s.json",
            "https://other.example/s.json#/$defs/a",
            "s.json#a",
            "file:///etc/passwd",
            "https://own.example/s.json#/$defs/a",
        ] {
            let schema = json!({
                "$id": "https://own.example/s.json",
                "properties": {"a": {"$ref": elsewhere}, "b": {"$ref": elsewhere, "type": "string"}},
                "$defs": {"a": {"type": "string"}},
            });
            assert_eq!(of(schema.clone(), json!({"a": 1, "b": "x"})), None, "{elsewhere}");
            assert!(of(schema, json!({"a": 1, "b": 2})).unwrap().contains("b: "), "{elsewhere}");
        }
    }

    #[test]
    fn a_schema_that_is_broken_or_made_to_cost_decides_nothing() {
        let ladder = |steps: usize| {
            let step = |n: usize| {
                let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
                (n.to_string(), json!({"allOf": [next.clone(), next]}))
            };
            let mut steps_down: serde_json::Map<_, _> = (0..steps).map(step).collect();
            steps_down.insert(steps.to_string(), json!({"required": ["a"]}));
            json!({"$ref": "#/$defs/0", "$defs": steps_down})
        };
        assert!(of(ladder(3), json!({})).is_some());
        let nested = |depth: usize| {
            (0..depth).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"a": inner}}))
        };
        let deep = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({"a": inner}));
        assert!(of(nested(30), deep(30)).is_some());
        let many = "x".repeat(100_000);
        for (schema, arguments) in [
            (json!("no object"), json!({})),
            (json!({"type": "nothing"}), json!({})),
            (json!({"required": "a"}), json!({})),
            (json!({"$schema": "https://other.example/draft", "required": ["a"]}), json!({})),
            (json!({"required": ["a"], "properties": {"b": {"$ref": "#/$defs/missing"}}}), json!({})),
            (json!({"required": ["a"], "properties": {"b": {"$id": "b", "$ref": "#/required"}}}), json!({})),
            (json!({"required": ["a"], "$ref": "#"}), json!({})),
            (json!({"required": ["a"], "properties": {"b": {"$dynamicRef": "#b"}}}), json!({})),
            (json!({"required": ["a"], "description": "x".repeat(SCHEMA_LIMIT)}), json!({})),
            (ladder(40), json!({})),
            (nested(40), deep(40)),
            (json!({"required": ["b"], "properties": {"a": {"pattern": "(?=a)b"}}}), json!({})),
            (json!({"required": ["b"], "properties": {"a": {"pattern": "((x{99}){99}){99}"}}}), json!({})),
            (
                json!({"properties": {"a": {"allOf": [{"pattern": "^b"}, {"pattern": "c$"}]}}}),
                json!({"a": many}),
            ),
        ] {
            assert_eq!(of(schema.clone(), arguments), None, "{schema}");
        }
        assert_eq!(mistake("{", "{}"), None);
        assert_eq!(mistake(&"[".repeat(10_000), "{}"), None);
        assert_eq!(mistake("{}", "{"), None);
    }

    /// Anything that looks like JSON, much of it like a schema.
    fn schema_like() -> impl Strategy<Value = Value> {
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

    proptest! {
        #[test]
        fn no_schema_breaks_the_check(schema in schema_like(), arguments in schema_like()) {
            let told = of(json!({"properties": {"a": schema.clone()}, "$defs": {"a": schema}}), json!({"a": arguments}));
            prop_assert!(told.is_none_or(|text| text.chars().count() <= (TOLD + 1) * (MISTAKE_LIMIT + 3) + 100));
        }
    }
}
