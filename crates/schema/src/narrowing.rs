//! Which values a schema leaves: none at all, or fewer than an earlier version did.
//!
//! Uses the normal forms of `jsonschema`. What they do not cover is looked for with values of the schema's own: such a
//! value proves that something is refused, and its absence proves nothing.

use jsonschema::Draft;
use jsonschema::canonical::{self, CanonicalSchema, PreparedDocument, Satisfiability, UnsatisfiableReason};
use serde_json::Value;

use crate::cost::CheckCost;
use crate::schema::{close, pattern_options};
use crate::witness;

/// What a new version of a schema does to the values that the earlier one accepts.
#[derive(Debug, Clone, PartialEq)]
pub enum Narrowing {
    /// It accepts all of them.
    None,
    /// It refuses some of them; this one, if one could be made.
    Some(Option<Value>),
    /// Nobody can tell.
    Unknown,
}

/// The parts that no value satisfies though they are not written as `false`: JSON Pointers (RFC 6901), innermost first.
/// If the root is among them, there are no arguments that fit. Empty if it cannot be told.
#[must_use]
pub fn impossible(schema: &Value) -> Vec<String> {
    let bounded = bounded(schema).filter(|(_, cost)| cost.allows_sets());
    let Some((mut schema, _)) = bounded else { return Vec::new() };
    limited_to_objects(&mut schema);
    innermost_first(unsatisfiable(&schema, None))
}

/// Says of a schema that arguments always are an object, if it does not.
pub(crate) fn limited_to_objects(schema: &mut Value) {
    if let Value::Object(members) = schema {
        members.entry("type").or_insert_with(|| Value::from("object"));
    }
}

/// The parts of a document, of this draft or the one that it names, that no value satisfies, though they are not written
/// as `false`.
pub(crate) fn unsatisfiable(document: &Value, draft: Option<Draft>) -> Vec<String> {
    let found = prepared(document, draft).and_then(|document| document.unsatisfiable().ok());
    let written = |reason: &UnsatisfiableReason| *reason == UnsatisfiableReason::Literal;
    found.into_iter().flatten().filter(|(_, reason)| !written(reason)).map(|(place, _)| place).collect()
}

/// Places, each before those around it.
pub(crate) fn innermost_first(mut places: Vec<String>) -> Vec<String> {
    places.sort_by_key(|place| std::cmp::Reverse(place.matches('/').count()));
    places
}

/// What the new version of a part (the part at this JSON Pointer in both schemas) does to values that the earlier one
/// accepts.
#[must_use]
pub fn narrowing(before: &Value, after: &Value, pointer: &str) -> Narrowing {
    if before == after {
        return Narrowing::None;
    }
    let (Some((before, cost)), Some((after, other))) = (bounded(before), bounded(after)) else {
        return Narrowing::Unknown;
    };
    let is_small = cost.allows_sets() && other.allows_sets();
    let forms = is_small.then(|| canonical(&before, pointer).zip(canonical(&after, pointer))).flatten();
    let lost = forms.and_then(|(before, after)| before.subtract(&after).ok());
    let is_left = lost.as_ref().map_or(Satisfiability::Unknown, CanonicalSchema::satisfiability);
    if is_left == Satisfiability::No {
        return Narrowing::None;
    }
    let lost = lost.map(|lost| lost.to_json_schema());
    match (witness::between(&before, &after, pointer, lost.as_ref()), is_left) {
        (Some(value), _) => Narrowing::Some(Some(value)),
        (None, Satisfiability::Yes) => Narrowing::Some(None),
        (None, Satisfiability::Unknown | Satisfiability::No) => Narrowing::Unknown,
    }
}

/// The schema without references to other documents; `None` if work on it could be endless.
fn bounded(schema: &Value) -> Option<(Value, CheckCost)> {
    let mut schema = schema.clone();
    close(&mut schema).ok()?;
    CheckCost::of(&schema).ok().map(|cost| (schema, cost))
}

fn prepared(schema: &Value, draft: Option<Draft>) -> Option<PreparedDocument<'_>> {
    let mut options = canonical::options().offline().should_validate_formats(false);
    if let Some(draft) = draft {
        options = options.with_draft(draft);
    }
    options.with_pattern_options(pattern_options()).prepare(schema).ok()
}

fn canonical(schema: &Value, pointer: &str) -> Option<CanonicalSchema> {
    prepared(schema, None)?.canonicalize_at(pointer).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{schema_like, sound_schema};
    use crate::validators::Validators;

    #[test]
    fn part_without_values_is_found_at_its_place() {
        let of = |part: Value, required: &[&str]| {
            impossible(&json!({"properties": {"a": part}, "required": required}))
        };
        assert_eq!(
            of(json!({"type": "string", "minLength": 5, "maxLength": 2}), &["a"]),
            ["/properties/a", ""]
        );
        assert_eq!(of(json!({"type": "string", "minLength": 5, "maxLength": 2}), &[]), ["/properties/a"]);
        assert_eq!(of(json!({"type": "integer", "enum": ["a"]}), &["a"]), ["/properties/a", ""]);
        assert_eq!(of(json!({"type": "integer", "minimum": 1, "maximum": 1}), &["a"]), Vec::<String>::new());
        assert_eq!(impossible(&json!({"additionalProperties": false})), Vec::<String>::new());
        assert_eq!(impossible(&json!({"additionalProperties": false, "required": ["a"]})), [""]);
        assert_eq!(impossible(&json!({"$ref": "#"})), Vec::<String>::new(), "it is not looked at");
    }

    #[test]
    fn narrowing_names_a_value_that_is_refused_now() {
        let of = |before: Value, after: Value| {
            let whole = |part: Value| json!({"properties": {"a": part}});
            narrowing(&whole(before), &whole(after), "/properties/a")
        };
        assert_eq!(
            of(json!({"enum": ["a", "b"]}), json!({"enum": ["a"]})),
            Narrowing::Some(Some(json!("b")))
        );
        assert_eq!(of(json!({"enum": ["a"]}), json!({"enum": ["b", "a"]})), Narrowing::None);
        assert_eq!(of(json!({"type": "integer"}), json!({"type": "number"})), Narrowing::None);
        assert_eq!(of(json!({}), json!({"description": "x"})), Narrowing::None);
        for (before, after) in [
            (json!({"type": "number"}), json!({"type": "integer"})),
            (json!({"type": ["string", "null"]}), json!({"type": "string"})),
            (json!({"type": "integer", "minimum": 1}), json!({"type": "integer", "minimum": 2})),
            (json!({"type": "string"}), json!({"type": "string", "maxLength": 3})),
            (
                json!({"type": "array", "items": {"enum": [1, 2]}}),
                json!({"type": "array", "items": {"enum": [1]}}),
            ),
        ] {
            let found = of(before.clone(), after.clone());
            assert!(matches!(found, Narrowing::Some(Some(_))), "{before} {after}: {found:?}");
        }
        // Neither the normal form nor a value of the schema's own decides this.
        let (slow, slower) = (
            json!({"type": "string", "pattern": "^(a|b)+c$"}),
            json!({"type": "string", "pattern": "^(a|b)+$"}),
        );
        assert!(matches!(of(slow, slower), Narrowing::Unknown | Narrowing::Some(_)));
        assert_eq!(of(json!({"$ref": "#"}), json!({})), Narrowing::Unknown);
    }

    #[test]
    fn work_on_alternatives_is_bounded() {
        let ways = |count: usize| {
            let way = |n: usize| json!({"properties": {format!("p{n}"): {"multipleOf": n + 2}}, "minProperties": n});
            json!({"oneOf": (0..count).map(way).collect::<Vec<_>>()})
        };
        assert_eq!(impossible(&ways(200)), Vec::<String>::new());
        let found = narrowing(&ways(200), &json!({"maxProperties": 0}), "");
        assert!(matches!(found, Narrowing::Some(Some(_))), "{found:?}");
    }

    proptest! {
        #[test]
        fn any_schema_is_looked_at(before in schema_like(), after in schema_like()) {
            let [before, after] = [before, after].map(|part| json!({"properties": {"a": part}}));
            let _ = impossible(&before);
            let _ = narrowing(&before, &after, "/properties/a");
        }

        #[test]
        fn what_is_possible_is_not_called_impossible(schema in sound_schema()) {
            let accepts_nothing = Validators::default().mistake(&schema.to_string(), "{}").is_some();
            prop_assert!(accepts_nothing || !impossible(&schema).contains(&String::new()));
            let mut wider = schema.clone();
            wider["title"] = Value::from("T");
            prop_assert!(!matches!(narrowing(&schema, &wider, ""), Narrowing::Some(_)));
        }
    }
}
