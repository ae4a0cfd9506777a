//! What is wrong with each of many schemas, as [`problem`], [`impossible`] and [`misfits()`] have it, in less time.

use std::collections::{BTreeMap, HashMap};

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use crate::bundle::{BundledSchema, bundled, gathered, unbundled};
use crate::cost::CheckCost;
use crate::expression::is_checked;
use crate::keyword::ANNOTATIONS;
use crate::limit::SCHEMA_LIMIT;
use crate::meta;
use crate::misfits::{OpenValue, misfits, plain_misfits};
use crate::narrowing::{impossible, innermost_first, limited_to_objects, unsatisfiable};
use crate::parts::parts;
use crate::problem::Problem;
use crate::schema::{close, compiled, problem};

/// Maximum number of schemas that are looked at together.
const TOGETHER: usize = 512;

/// Bytes of schemas from which no more are looked at together.
const TOGETHER_BYTES: usize = 512 * 1024;

/// The name of a part that is known to be impossible. It is behind all numbers.
const KNOWN: &str = "z";

/// What is wrong with a schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaFaults {
    /// As [`problem`] has it.
    pub problem: Option<Problem>,
    /// As [`impossible`] has it.
    pub impossible: Vec<String>,
    /// As [`misfits()`] has it.
    pub misfits: Vec<String>,
}

/// What is wrong with each of these schemas (JSON texts). Of one that is too large or no JSON, only that is said.
#[must_use]
pub fn faults(schemas: &[&str]) -> Vec<SchemaFaults> {
    let mut found: Vec<_> = schemas.iter().map(|_| SchemaFaults::default()).collect();
    let mut patterns = HashMap::new();
    let mut start = 0;
    while start < schemas.len() {
        let mut bytes = 0;
        let is_room = |schema: &&&str| {
            let is_room = bytes < TOGETHER_BYTES;
            bytes += schema.len();
            is_room
        };
        let end = start + schemas[start..].iter().take(TOGETHER).take_while(is_room).count();
        look(&schemas[start..end], &mut found[start..end], &mut patterns);
        start = end;
    }
    found
}

/// A schema that is looked at together with others.
struct FaultSearch<'f> {
    text: &'f str,
    schema: BundledSchema,
    /// Whether only a validator tells whether arguments are checked against it, and which values are misfits.
    needs_check: bool,
    /// Values that may be misfits.
    open: Vec<OpenValue>,
    /// Whether it may be asked which parts are impossible.
    allows_sets: bool,
    found: &'f mut SchemaFaults,
}

fn look<'f>(texts: &[&'f str], found: &'f mut [SchemaFaults], patterns: &mut HashMap<String, bool>) {
    let mut by_draft: BTreeMap<Draft, Vec<FaultSearch<'f>>> = BTreeMap::new();
    for (number, (text, found)) in texts.iter().zip(found).enumerate() {
        if let Some(search) = begun(text, number, found, patterns) {
            by_draft.entry(search.schema.draft).or_default().push(search);
        }
    }
    for mut searches in by_draft.into_values() {
        searches.sort_by_key(|one| one.needs_check);
        let simple = searches.partition_point(|one| !one.needs_check);
        gathered(&mut searches[simple..], &mut check_together, &mut |one| {
            one.found.problem = problem(one.text);
            one.found.misfits = misfits(&parsed(one.text));
        });
        searches.retain(|one| one.allows_sets);
        for one in &mut searches {
            limited_to_objects(one.schema.schema_mut());
        }
        gathered(&mut searches, &mut empty_together, &mut |one| {
            one.found.impossible = impossible(&parsed(one.text));
        });
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Finds what is wrong with a schema by itself. `None` if that is all.
fn begun<'f>(
    text: &'f str,
    number: usize,
    found: &'f mut SchemaFaults,
    patterns: &mut HashMap<String, bool>,
) -> Option<FaultSearch<'f>> {
    let schema = match text.len() {
        ..=SCHEMA_LIMIT => serde_json::from_str(text).map_err(|error| Problem::NotJson(error.to_string())),
        _ => Err(Problem::TooLarge),
    };
    let mut schema = schema.map_err(|problem| found.problem = Some(problem)).ok()?;
    let parts = parts(&schema);
    let is_simple = parts.iter().all(|part| part.keywords.iter().all(|(name, value)| is_simple(name, value)));
    let mut open;
    (found.misfits, open) = plain_misfits(&parts);
    let sound = sound(&mut schema).map_err(|problem| found.problem = Some(problem));
    let SoundSchema { cost, draft, elsewhere } = sound.ok()?;
    found.problem = elsewhere;
    open.retain(|open| open.is_cheap(cost));
    let (needs_check, allows_sets) = (!is_simple || !open.is_empty(), cost.allows_sets());
    let draft = draft.filter(|_| are_checked(&schema, patterns));
    let Some(schema) = draft.and_then(|draft| BundledSchema::new(schema, number.to_string(), draft)) else {
        let schema = parsed(text);
        let (problem, impossible, misfits) = (problem(text), impossible(&schema), misfits(&schema));
        *found = SchemaFaults { problem, impossible, misfits };
        return None;
    };
    Some(FaultSearch { text, schema, needs_check, open, allows_sets, found })
}

/// What is known of a schema that its draft allows.
struct SoundSchema {
    cost: CheckCost,
    /// Its draft; `None` if that is no usual one, and so allows everything here.
    draft: Option<Draft>,
    /// A reference to another document, which was dropped.
    elsewhere: Option<Problem>,
}

/// Closes a schema.
///
/// # Errors
/// The problem because of which nothing can be checked, if it shows at once.
fn sound(schema: &mut Value) -> Result<SoundSchema, Problem> {
    let elsewhere = close(schema)?;
    let cost = CheckCost::of(schema)?;
    let draft = meta::draft(schema);
    match draft.and_then(|draft| meta::problem(schema, draft)) {
        Some(problem) => Err(problem),
        None => Ok(SoundSchema { cost, draft, elsewhere }),
    }
}

/// Whether a keyword keeps no arguments from being checked, if the draft allows its value and patterns are sound.
fn is_simple(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type"
        | "enum"
        | "const"
        | "properties"
        | "required"
        | "additionalProperties"
        | "items"
        | "uniqueItems" => true,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "pattern"
        | "format" => true,
        "allOf" | "anyOf" | "oneOf" | "not" | "$schema" | "$comment" => true,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        keyword => ANNOTATIONS.contains(&keyword),
    }
}

/// Whether every pattern is one that texts can be checked against.
fn are_checked(part: &Value, patterns: &mut HashMap<String, bool>) -> bool {
    match part {
        Value::Object(members) => members.iter().all(|(name, value)| {
            let is_sound = match (name.as_str(), value) {
                ("pattern", Value::String(pattern)) => is_checked_pattern(pattern, patterns),
                ("patternProperties", Value::Object(named)) => {
                    named.keys().all(|pattern| is_checked_pattern(pattern, patterns))
                }
                _ => true,
            };
            is_sound && are_checked(value, patterns)
        }),
        Value::Array(values) => values.iter().all(|value| are_checked(value, patterns)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn is_checked_pattern(pattern: &str, patterns: &mut HashMap<String, bool>) -> bool {
    match patterns.get(pattern) {
        Some(is_checked) => *is_checked,
        None => *patterns.entry(pattern.to_owned()).or_insert_with(|| is_checked(pattern)),
    }
}

/// Whether all of these schemas can be used for checks. If so, their misfits are added.
fn check_together(searches: &mut [FaultSearch<'_>]) -> bool {
    let Some(draft) = searches.first().map(|one| one.schema.draft) else { return true };
    let mut checks = Map::new();
    for one in searches.iter().filter(|one| !one.open.is_empty()) {
        let of_value = |(at, open): (usize, &OpenValue)| (at.to_string(), one.schema.reference(&open.part));
        let properties: Map<_, _> = one.open.iter().enumerate().map(of_value).collect();
        checks.insert(one.schema.beside(), json!({ "properties": properties }));
    }
    let schemas = searches.iter_mut().map(|one| &mut one.schema);
    let Ok(validator) = bundled(schemas, checks, |document| compiled(document, Some(draft))) else {
        return false;
    };
    for one in searches {
        for (at, open) in one.open.drain(..).enumerate() {
            let value = Map::from_iter([(at.to_string(), open.value)]);
            if !validator.is_valid(&json!({ one.schema.beside(): value })) {
                one.found.misfits.push(open.place);
            }
        }
    }
    true
}

/// Whether it can be told which parts of these schemas are impossible. If so, they are added.
fn empty_together(searches: &mut [FaultSearch<'_>]) -> bool {
    let Some(draft) = searches.first().map(|one| one.schema.draft) else { return true };
    // Of a document with a part that is beyond it, the library tells nothing, or nothing that shows only through
    // references. So one such part that is known comes last.
    let known =
        json!({"$defs": {"a": {"type": "string"}}, "allOf": [{"type": "integer"}, {"$ref": "#/$defs/a"}]});
    let mut known = BundledSchema::new(known, KNOWN.to_owned(), draft);
    let schemas = searches.iter_mut().map(|one| &mut one.schema).chain(&mut known);
    let found = bundled(schemas, Map::new(), |document| unsatisfiable(document, Some(draft)));
    let mut by_name: HashMap<&str, Vec<String>> = HashMap::new();
    for (name, place) in found.iter().filter_map(|place| unbundled(place)) {
        by_name.entry(name).or_default().push(place);
    }
    if !by_name.get(KNOWN).is_some_and(|places| places.iter().any(String::is_empty)) {
        return false;
    }
    for one in searches {
        one.found.impossible = innermost_first(by_name.remove(one.schema.name()).unwrap_or_default());
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{schema_like, sound_schema};

    /// What is wrong with a schema that is looked at alone.
    fn alone(text: &str) -> SchemaFaults {
        let problem = problem(text);
        if matches!(problem, Some(Problem::TooLarge | Problem::NotJson(_))) {
            return SchemaFaults { problem, ..SchemaFaults::default() };
        }
        let schema = parsed(text);
        SchemaFaults { problem, impossible: impossible(&schema), misfits: misfits(&schema) }
    }

    fn all_alone(texts: &[&str]) -> Vec<SchemaFaults> {
        texts.iter().map(|text| alone(text)).collect()
    }

    /// Schemas that are odd in ways that generated ones rarely are.
    fn odd() -> Vec<String> {
        let named = |name: &str, to: &str| {
            let part = json!({"type": "string", "minLength": 3});
            json!({
                "properties": {name: {"$ref": to, "default": "a", "examples": ["abc", 1]}, "b": {"$ref": to}},
                "$defs": {name: part, "of": {"items": {"$ref": to}, "default": ["a"]}},
            })
        };
        let of = |part: Value| json!({"properties": {"a": part}, "required": ["a"]});
        let all = [
            named("a", "#/$defs/a"),
            named("a b", "#/$defs/a%20b"),
            named("a b", "#/$defs/a b"),
            named("a/b~c", "#/$defs/a~1b~0c"),
            named("100%", "#/$defs/100%25"),
            named("ü\"'#?[]{}|^`\\", "#/$defs/%C3%BC%22%27%23%3F%5B%5D%7B%7D%7C%5E%60%5C"),
            named("ü", "#/$defs/ü"),
            named("a", "#%2F$defs%2Fa"),
            named("$ref", "#/$defs/$ref"),
            named("", "#/$defs/"),
            of(json!({"$ref": "#"})),
            of(json!({"$ref": "#nowhere"})),
            of(json!({"$ref": "https://other.example/s.json"})),
            of(
                json!({"enum": [{"$ref": "#/required"}], "default": {"$ref": "#/required"}, "minProperties": 2}),
            ),
            of(json!({"const": {"$ref": "#/required"}, "default": {"$ref": "#/required"}})),
            of(json!({"default": {"$ref": "#/required"}, "not": {"required": ["$ref"]}})),
            of(json!({"allOf": [{"$ref": "#/$comment"}], "$comment": {"type": "string"}})),
            json!({"properties": {"a": {"$ref": "#/own/x"}},
                "own": {"x": {"$ref": "#/own/y"}, "y": {"minimum": 2, "default": "a"}}}),
            json!({"properties": {"a": {"$ref": "#/properties/b/default"},
                "b": {"default": {"$ref": "#/x"}}}, "x": {}}),
            of(json!({"$anchor": "n", "default": [1], "minItems": 2})),
            of(json!({"$anchor": "n", "$dynamicAnchor": "m"})),
            json!({"$anchor": "n", "$dynamicAnchor": "m", "default": 1}),
            json!({"$recursiveAnchor": true, "default": "x"}),
            json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true}),
            json!({"$vocabulary": {"https://other.example/v": true}}),
            json!({"$schema": 5}),
            json!({"$schema": "https://other.example/draft/2020-12/schema", "minLength": "a"}),
            json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
            of(json!({"$schema": "http://json-schema.org/draft-07/schema#"})),
            of(json!({"$id": "b"})),
            of(json!({"$id": 5})),
            of(json!({"id": "b"})),
            of(json!({"pattern": "(?=a)b"})),
            of(json!({"pattern": "[", "type": "nothing"})),
            of(json!({"patternProperties": {"(?=a)b": {"default": 1, "not": {}}}})),
            of(json!({"pattern": "^a+$", "default": "b", "examples": ["aa"]})),
            of(json!({"type": "string", "minLength": 5, "maxLength": 2})),
            of(json!({"allOf": [{"$ref": "#/$defs/s"}, {"type": "integer"}], "$defs": {}})),
            json!({"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/n"}],
                "$defs": {"s": {"type": "string"}, "n": {"type": "null"}}}),
            json!({"properties": {"a": {"allOf": [{"$ref": "#/definitions/s"}, {"type": "null"}]}},
                "definitions": {"s": {"type": "string"}}}),
            json!({"$ref": "#/definitions/s", "definitions": {"s": {"minProperties": 2}},
                "maxProperties": 1, "default": {}}),
            json!({"default": "x", "const": {"a": 1}, "examples": [{}, []]}),
            json!({"default": "x", "minProperties": 1}),
            of(json!({"minLength": 1e30, "default": "x"})),
            of(json!({"minLength": 1.0, "maxLength": 1.5})),
            of(json!({"multipleOf": 1e-300, "default": 1})),
            of(json!({"unevaluatedProperties": false, "default": {"x": 1}})),
            of(json!({"unevaluatedItems": {"not": {}}, "minItems": 1})),
            of(json!({"propertyNames": {"pattern": "^a"}, "required": ["b"]})),
            of(json!({"dependentSchemas": {"x": {"not": {}}}, "required": ["x"]})),
            of(json!({"contentSchema": {"not": {}}, "format": "uuid", "default": 1, "minLength": 1})),
            of(json!({"if": {"type": "string"}, "then": false, "type": "string"})),
            of(json!({"contains": {"type": "string"}, "minContains": 2, "maxItems": 1, "type": "array"})),
            of(json!({"oneOf": (0..20).map(|n| json!({"minimum": n})).collect::<Vec<_>>()})),
            of(json!({"uniqueItems": true, "items": {"type": "boolean"}, "minItems": 3, "type": "array"})),
            of(json!(false)),
            json!({"properties": {"z": {"not": {}}, "0": {"$ref": "#/properties/z"},
                "of 0": {"minimum": 1, "default": 0}}}),
            json!({}),
            json!([]),
            json!("text"),
            json!({"type": "string"}),
        ];
        let drafts = [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-06/schema",
            "https://json-schema.org/draft/2019-09/schema",
        ];
        let mut texts = vec!["{".to_owned(), " ".repeat(SCHEMA_LIMIT + 1), "[".repeat(10_000)];
        for mut schema in all {
            texts.push(schema.to_string());
            let Some(members) = schema.as_object_mut() else { continue };
            for draft in drafts {
                members.insert("$schema".to_owned(), draft.into());
                texts.push(Value::from(members.clone()).to_string());
            }
        }
        texts
    }

    #[test]
    fn odd_schemas_have_the_same_faults_among_others() {
        let texts = odd();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let expected = all_alone(&texts);
        let found = faults(&texts);
        for (text, (found, expected)) in texts.iter().zip(found.iter().zip(&expected)) {
            assert_eq!(found, expected, "{text}");
        }
        for (pair, expected) in texts.windows(2).zip(expected.windows(2)) {
            assert_eq!(faults(pair), expected, "{pair:?}");
        }
        for (text, expected) in texts.iter().zip(expected) {
            let sound = r#"{"properties":{"a":{"minimum":1,"default":0,"maximum":0}}}"#;
            let found = faults(&[text, sound, text, sound, sound]);
            assert_eq!((&found[0], &found[2]), (&expected, &expected), "{text}");
            assert_eq!(found[3], alone(sound), "{text}");
        }
    }

    #[test]
    fn usual_schemas_are_looked_at_together() {
        let texts: Vec<_> = (0..9)
            .map(|n| {
                json!({"properties": {"a": {"$ref": "#/$defs/a", "default": n}},
                "$defs": {"a": {"multipleOf": 2}}})
                .to_string()
            })
            .collect();
        let mut found = vec![SchemaFaults::default(); texts.len()];
        let mut searches: Vec<_> = texts
            .iter()
            .zip(&mut found)
            .enumerate()
            .filter_map(|(number, (text, found))| begun(text, number, found, &mut HashMap::new()))
            .collect();
        assert_eq!(searches.len(), texts.len());
        assert!(check_together(&mut searches) && empty_together(&mut searches));
        drop(searches);
        assert_eq!(found, all_alone(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(found.iter().filter(|one| one.misfits.is_empty()).count(), 5);
    }

    #[test]
    fn no_more_than_a_few_are_looked_at_together() {
        let large = json!({"description": "x".repeat(SCHEMA_LIMIT - 100)}).to_string();
        let texts = [vec!["{}"; 2 * TOGETHER + 1], vec![large.as_str(); 5], vec!["[]"]].concat();
        let found = faults(&texts);
        assert_eq!(found.len(), texts.len());
        assert_eq!(found.iter().filter(|one| **one != SchemaFaults::default()).count(), 1);
        assert_eq!(found.last().unwrap().problem, Some(Problem::NotAnObject));
    }

    fn any_text() -> impl Strategy<Value = String> {
        let draft = || {
            prop::sample::select(vec![
                None,
                None,
                Some("https://json-schema.org/draft/2020-12/schema"),
                Some("https://json-schema.org/draft/2019-09/schema"),
                Some("http://json-schema.org/draft-07/schema#"),
                Some("http://json-schema.org/draft-06/schema#"),
            ])
        };
        let with_draft = |(mut schema, draft): (Value, Option<&str>)| {
            if let (Some(members), Some(draft)) = (schema.as_object_mut(), draft) {
                members.insert("$schema".to_owned(), draft.into());
            }
            schema.to_string()
        };
        let of_like = |part: Value| json!({"properties": {"a": part.clone()}, "$defs": {"a": part}});
        let contradicting = (sound_schema(), sound_schema()).prop_map(|(mut one, other)| {
            one["properties"]["c"] =
                json!({"allOf": [other["properties"], {"type": "string"}, {"$ref": "#/$defs/x"}]});
            one["properties"]["d"] = json!({"$ref": "#/$defs/y", "default": "b", "examples": [1, ["a"]]});
            one
        });
        prop_oneof![
            1 => (schema_like(), draft()).prop_map(with_draft),
            2 => (schema_like().prop_map(of_like), draft()).prop_map(with_draft),
            4 => (sound_schema(), draft()).prop_map(with_draft),
            2 => (contradicting, draft()).prop_map(with_draft),
            1 => prop::sample::select(odd()),
        ]
    }

    proptest! {
        #[test]
        fn many_schemas_have_the_faults_of_each(texts in prop::collection::vec(any_text(), 0..12)) {
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(faults(&texts), all_alone(&texts));
        }
    }
}
