//! What is wrong with a schema itself, in words for its developer.

use crate::cost::WORK_LIMIT;
use crate::schema::{SCHEMA_LIMIT, Schema};

/// Why arguments are not checked against a schema, or only in part. The tool can be called all the same: the page
/// decides then, as it does in browsers, which check nothing.
///
/// Places are JSON Pointers (RFC 6901) in the page's schema, empty for the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Longer than [`SCHEMA_LIMIT`].
    #[error("it is longer than {} KiB, so arguments are not checked", SCHEMA_LIMIT / 1024)]
    TooLarge,
    /// No JSON text, or nested too deeply for one.
    #[error("it cannot be read as JSON: {0}")]
    NotJson(String),
    /// Another JSON value.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// It describes something that arguments never are.
    #[error("its type must be \"object\", as arguments always are one")]
    NotForObjects,
    /// A draft that is not known here, by its `$schema`.
    #[error("arguments are not checked against {0}; drafts 06 to 2020-12 are")]
    Draft(String),
    /// A keyword with a value that it cannot have.
    #[error("{}: {said}", at(place))]
    Keyword {
        /// The value.
        place: String,
        /// What is wrong with it.
        said: String,
    },
    /// A reference to a part that is not there.
    #[error("{}: there is no {to}", at(place))]
    LostReference {
        /// The part that has the reference.
        place: String,
        /// The reference.
        to: String,
    },
    /// A reference to another document. The rest of the schema is checked.
    #[error("the reference to {to} says nothing, as no other document is fetched")]
    ReferenceToElsewhere {
        /// The reference.
        to: String,
    },
    /// A part contains itself.
    #[error("{}: {to} contains itself, so arguments are not checked", at(place))]
    Recursive {
        /// The part that has the reference.
        place: String,
        /// The reference.
        to: String,
    },
    /// A keyword that makes references mean something else.
    #[error("{}: arguments are not checked where a schema uses this keyword", at(place))]
    Unchecked {
        /// The keyword.
        place: String,
    },
    /// Written out, with each reference replaced, it is nested too deeply or has too many parts.
    #[error(
        "with its references written out it has more than {WORK_LIMIT} parts or is nested too deeply, so arguments are not checked"
    )]
    TooMuch,
}

/// What is wrong with a schema (JSON text); `None` when arguments are checked against all of it. Costs what a schema of
/// this length can cost at most, some milliseconds.
#[must_use]
pub fn problem(schema: &str) -> Option<Problem> {
    match Schema::read(schema) {
        Ok(schema) => schema.problem,
        Err(problem) => Some(problem),
    }
}

fn at(place: &str) -> &str {
    if place.is_empty() { "the schema" } else { place }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn words(schema: &str) -> String {
        problem(schema).map(|problem| problem.to_string()).unwrap_or_default()
    }

    /// `steps` parts, each of which refers to the next one twice.
    fn ladder(steps: usize) -> Value {
        let step = |n: usize| {
            let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
            (n.to_string(), json!({"allOf": [next.clone(), next]}))
        };
        let mut steps_down: serde_json::Map<_, _> = (0..steps).map(step).collect();
        steps_down.insert(steps.to_string(), json!({"required": ["a"]}));
        json!({"$ref": "#/$defs/0", "$defs": steps_down})
    }

    #[test]
    fn sound_schemas_have_no_problem() {
        for schema in [
            json!({}),
            json!({"type": ["object", "null"], "unknown": 1}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{}]}}}),
            json!({"$id": "https://own.example", "properties": {"a": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": {}}}),
            ladder(3),
        ] {
            assert_eq!(words(&schema.to_string()), "", "{schema}");
        }
    }

    #[test]
    fn a_problem_says_what_and_where() {
        assert_eq!(words("{"), "it cannot be read as JSON: EOF while parsing an object at line 1 column 1");
        assert!(
            words(&"[".repeat(10_000)).starts_with("it cannot be read as JSON: recursion limit exceeded")
        );
        let large = json!({"description": "x".repeat(SCHEMA_LIMIT)});
        assert_eq!(words(&large.to_string()), "it is longer than 64 KiB, so arguments are not checked");
        let defs = |part: Value| json!({"properties": {"b": part}, "$defs": {"a": {}}});
        let too_much = "with its references written out it has more than 200000 parts or is nested too deeply, so \
                        arguments are not checked";
        for (schema, expected) in [
            (json!("text"), "it is not a JSON object"),
            (json!([]), "it is not a JSON object"),
            (json!({"type": "string"}), "its type must be \"object\", as arguments always are one"),
            (json!({"type": ["string", "null"]}), "its type must be \"object\", as arguments always are one"),
            (
                json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
                "arguments are not checked against http://json-schema.org/draft-04/schema#; drafts 06 to 2020-12 are",
            ),
            (
                json!({"$schema": "https://other.example/draft"}),
                "arguments are not checked against https://other.example/draft; drafts 06 to 2020-12 are",
            ),
            (
                json!({"properties": {"a": {"required": "b"}}}),
                "/properties/a/required: \"b\" is not of type \"array\"",
            ),
            (defs(json!({"type": "dict"})), "/properties/b/type: \"dict\" is not a type"),
            (json!({"type": "nothing"}), "/type: \"nothing\" is not a type"),
            (defs(json!({"$ref": "#/$defs/c"})), "/properties/b: there is no #/$defs/c"),
            (defs(json!({"$ref": "#c"})), "/properties/b: there is no #c"),
            (json!({"$ref": "#"}), "the schema: # contains itself, so arguments are not checked"),
            (
                json!({"properties": {"b": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}),
                "/$defs/a: #/$defs/a contains itself, so arguments are not checked",
            ),
            (
                defs(json!({"$id": "b", "$ref": "#/required"})),
                "/properties/b/$id: arguments are not checked where a schema uses this keyword",
            ),
            (
                json!({"properties": {"b": {"$dynamicRef": "#b"}}}),
                "/properties/b/$dynamicRef: arguments are not checked where a schema uses this keyword",
            ),
            (
                json!({"properties": {"b": {"$ref": "https://other.example/s.json"}}}),
                "the reference to https://other.example/s.json says nothing, as no other document is fetched",
            ),
            (ladder(40), too_much),
        ] {
            assert_eq!(words(&schema.to_string()), expected, "{schema}");
        }
        for broken in [
            json!({"properties": {"a": {"pattern": "["}}}),
            json!({"properties": {"a": {"pattern": "(?=a)b"}}}),
            json!({"properties": {"a": {"pattern": "((x{99}){99}){99}"}}}),
        ] {
            let problem = problem(&broken.to_string());
            assert!(matches!(problem, Some(Problem::Keyword { .. })), "{broken}: {problem:?}");
        }
    }
}
