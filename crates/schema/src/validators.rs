//! A cache of compiled schemas.

use std::collections::VecDeque;

use sidecar_protocol::tool_run::PlacedMistake;

use crate::explain::Mistake;
use crate::limit::SCHEMA_LIMIT;
use crate::schema::Schema;

/// Maximum number of schemas.
const KEPT: usize = 16;

/// Checks arguments, and caches the last schemas: a model calls the same few tools repeatedly. The
/// validator module (`crates/validator`) has one for all turns.
#[derive(Debug, Default)]
pub struct Validators {
    /// By text, the last used first. A schema that cannot be used is cached as such.
    schemas: VecDeque<(String, Option<Schema>)>,
}

impl Validators {
    /// What is wrong with arguments (JSON text of an object) by a schema (JSON text). `None` if they fit,
    /// or if the schema cannot be used ([`crate::problem`]).
    pub fn mistake(&mut self, schema: &str, arguments: &str) -> Option<Mistake> {
        self.schema(schema)?.mistake(arguments)
    }

    /// What is wrong with arguments (JSON text of an object) by a schema (JSON text), each mistake at its place. Empty if
    /// they fit, or if the schema cannot be used ([`crate::problem`]).
    pub fn mistakes(&mut self, schema: &str, arguments: &str) -> Vec<PlacedMistake> {
        self.schema(schema).map(|schema| schema.mistakes(arguments)).unwrap_or_default()
    }

    /// A schema that can be used.
    fn schema(&mut self, schema: &str) -> Option<&Schema> {
        if schema.len() > SCHEMA_LIMIT {
            return None;
        }
        let kept = match self.schemas.iter().position(|(text, _)| text == schema) {
            Some(at) => self.schemas.remove(at)?,
            None => (schema.to_owned(), Schema::read(schema).ok()),
        };
        self.schemas.truncate(KEPT - 1);
        self.schemas.push_front(kept);
        self.schemas.front()?.1.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::schema_like;

    fn of(schema: Value, arguments: Value) -> Option<String> {
        Some(Validators::default().mistake(&schema.to_string(), &arguments.to_string())?.text)
    }

    #[test]
    fn mistakes_are_told_at_their_places() {
        let schema = json!({"required": ["to"], "properties": {"legs": {"items": {"type": "integer"}}}});
        let mistakes =
            Validators::default().mistakes(&schema.to_string(), &json!({"legs": [1, "two"]}).to_string());
        let told: Vec<_> = mistakes.iter().map(|one| (one.pointer.as_str(), one.text.as_str())).collect();
        let expected = [
            ("/legs/1", "expected an integer, but got the string \"two\""),
            ("", "\"to\" is required, but only \"legs\" came"),
        ];
        assert!(expected.iter().all(|one| told.contains(one)), "{told:?}");
        assert_eq!(Validators::default().mistakes(&schema.to_string(), r#"{"to": "a"}"#), []);
        assert_eq!(Validators::default().mistakes("no schema", "{}"), []);
    }

    #[test]
    fn mistake_of_pattern_or_format_alone_is_told_from_others() {
        let of = |schema: Value, arguments: Value| {
            Validators::default().mistake(&schema.to_string(), &arguments.to_string()).unwrap().off_pattern
        };
        // A real page's pattern: no hour with two digits matches.
        let time = json!({"type": "string", "pattern": "^[1-12]:[0-5][0-9] (AM|PM)$"});
        let draft = "http://json-schema.org/draft-07/schema#";
        let schema = json!({"$schema": draft, "properties": {
            "time": time,
            "mail": {"format": "email"},
            "seats": {"type": "integer"},
            "either": {"anyOf": [time, {"type": "null"}]},
            "names": {"propertyNames": time},
        }});
        for (arguments, expected) in [
            (json!({"time": "10:00 AM"}), true),
            (json!({"either": "10:00 AM"}), true),
            (json!({"names": {"10:00 AM": 1}}), true),
            (json!({"time": "10:00 AM", "seats": "two"}), false),
            (json!({"time": 10}), false),
            (json!({"either": 10}), false),
        ] {
            assert_eq!(of(schema.clone(), arguments.clone()), expected, "{arguments}");
        }
        let many: serde_json::Map<_, _> = (0..9).map(|n| (format!("t{n}"), json!("10:00 AM"))).collect();
        let times = json!({"patternProperties": {"^t": time}, "required": ["z"]});
        assert!(!of(times, Value::Object(many)), "the last of many mistakes counts");
    }

    #[test]
    fn arguments_that_fit_are_let_through() {
        let schema = json!({
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
        });
        for arguments in [
            json!({"from": "PEK"}),
            json!({"from": "PEK", "seats": 2.0, "class": "economy", "legs": [{"to": "SHA"}, {"to": "CAN"}]}),
            // Formats are not enforced.
            json!({"from": "PEK", "when": "tomorrow"}),
        ] {
            assert_eq!(of(schema.clone(), arguments.clone()), None, "{arguments}");
        }
        assert!(of(schema, json!({"from": "PEK", "legs": [{}]})).is_some());
    }

    #[test]
    fn older_drafts_mean_what_they_meant() {
        let pair =
            |draft: &str| json!({"$schema": draft, "properties": {"a": {"items": [{"type": "string"}]}}});
        let told = of(pair("http://json-schema.org/draft-07/schema#"), json!({"a": [3]}));
        assert!(told.unwrap().contains("a/0: expected a string, but got 3"));
        // In this draft `items` cannot be a list; draft 4 is not checked.
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
                "properties": {
                    "a": {"$ref": elsewhere},
                    "b": {"$ref": elsewhere, "type": "string"},
                    "enum": {"$ref": elsewhere},
                },
                "$defs": {"a": {"type": "string"}},
            });
            let fitting = json!({"a": 1, "b": "x", "enum": 1});
            assert_eq!(of(schema.clone(), fitting), None, "{elsewhere}");
            assert!(of(schema, json!({"b": 2})).unwrap().contains("b: "), "{elsewhere}");
        }
    }

    #[test]
    fn checks_that_would_cost_too_much_are_not_made() {
        let nested = |depth: usize| {
            (0..depth).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"a": inner}}))
        };
        let deep = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({"a": inner}));
        assert!(of(nested(30), deep(30)).is_some());
        assert_eq!(of(nested(40), deep(40)), None);
        let patterns = json!({"properties": {"a": {"allOf": [{"pattern": "^b"}, {"pattern": "c$"}]}}});
        assert!(of(patterns.clone(), json!({"a": "x"})).is_some());
        assert_eq!(of(patterns, json!({"a": "x".repeat(100_000)})), None);
        assert_eq!(of(json!({"required": ["a"], "description": "x".repeat(SCHEMA_LIMIT)}), json!({})), None);
        assert_eq!(Validators::default().mistake("{}", "{"), None);
    }

    #[test]
    fn schemas_are_kept_and_the_oldest_leave() {
        let mut validators = Validators::default();
        let schema = |n: usize| json!({"required": [n.to_string()]}).to_string();
        for n in 0..KEPT + 3 {
            assert!(validators.mistake(&schema(0), "{}").unwrap().text.contains("\"0\" is required"));
            assert!(
                validators.mistake(&schema(n), "{}").unwrap().text.contains(&format!("\"{n}\" is required"))
            );
        }
        let kept: Vec<_> = validators.schemas.iter().map(|(text, _)| text.clone()).collect();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(kept[..2], [schema(KEPT + 2), schema(0)]);
        assert!(!kept.contains(&schema(1)));
        // An invalid schema is cached as such.
        assert_eq!(validators.mistake("{", "{}"), None);
        assert!(validators.schemas[0].1.is_none());
    }

    proptest! {
        #[test]
        fn no_schema_breaks_the_check(schema in schema_like(), arguments in schema_like()) {
            let whole = json!({"properties": {"a": schema.clone()}, "$defs": {"a": schema}});
            let told = of(whole, json!({"a": arguments}));
            prop_assert!(told.is_none_or(|text| text.chars().count() <= 2_000));
        }
    }
}
