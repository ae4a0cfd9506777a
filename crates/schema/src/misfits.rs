//! Values in a schema that it refuses itself: a default, an example, one of the values that may be chosen.

use jsonschema::ValidatorMap;
use serde_json::{Map, Value};

use crate::cost::{self, CheckCost};
use crate::keyword::ANNOTATIONS;
use crate::parts::{SchemaPart, parts};
use crate::pointer;
use crate::schema::{close, pattern_options};

/// Maximum number of values that are looked at.
const VALUES_LIMIT: usize = 1_000;

/// The values of `default`, `const`, `enum` and `examples` that the part around them does not accept: JSON Pointers
/// (RFC 6901). Empty if it cannot be told.
#[must_use]
pub fn misfits(schema: &Value) -> Vec<String> {
    let (mut found, open) = plain_misfits(&parts(schema));
    if open.is_empty() {
        return found;
    }
    let mut closed = schema.clone();
    let cost = close(&mut closed).and_then(|_| CheckCost::of(&closed));
    let (Ok(cost), Some(validators)) = (cost, validators(&closed)) else { return found };
    for open in open.into_iter().filter(|open| open.is_cheap(cost)) {
        let validator = validators.get(&format!("#{}", open.part));
        if validator.is_some_and(|validator| !validator.is_valid(&open.value)) {
            found.push(open.place);
        }
    }
    found
}

/// A value that only a validator can judge.
#[derive(Debug)]
pub(crate) struct OpenValue {
    /// A JSON Pointer (RFC 6901) to the part around it.
    pub(crate) part: String,
    /// A JSON Pointer to it.
    pub(crate) place: String,
    pub(crate) value: Value,
}

impl OpenValue {
    /// Whether it may be checked against a part of a schema of this cost.
    pub(crate) fn is_cheap(&self, cost: CheckCost) -> bool {
        cost.allows(cost::values(&self.value), self.value.to_string().len())
    }
}

/// The misfits of a schema with these parts that show without a validator, and the values of which it does not show.
pub(crate) fn plain_misfits(parts: &[SchemaPart<'_>]) -> (Vec<String>, Vec<OpenValue>) {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for part in parts {
        for (place, value) in values(part.keywords).take(VALUES_LIMIT) {
            let place = || format!("{}{place}", part.pointer);
            match fits_plainly(value, part.keywords) {
                Some(true) => {}
                Some(false) => found.push(place()),
                None if open.len() < VALUES_LIMIT => {
                    open.push(OpenValue { part: part.pointer.clone(), place: place(), value: value.clone() });
                }
                None => {}
            }
        }
    }
    (found, open)
}

/// A validator for each part of a schema, by its pointer behind `#`.
pub(crate) fn validators(schema: &Value) -> Option<ValidatorMap> {
    let options =
        jsonschema::options().should_validate_formats(false).with_pattern_options(pattern_options());
    options.offline().build_map(schema).ok()
}

/// The values in a part, with their places below it.
fn values(part: &Map<String, Value>) -> impl Iterator<Item = (String, &Value)> {
    let one = ["default", "const"]
        .into_iter()
        .filter_map(|keyword| Some((format!("/{keyword}"), part.get(keyword)?)));
    let lists = ["enum", "examples"]
        .into_iter()
        .filter_map(|keyword| Some((keyword, part.get(keyword)?.as_array()?)));
    one.chain(lists.flat_map(|(keyword, values)| {
        values.iter().enumerate().map(move |(at, value)| {
            let mut place = format!("/{keyword}");
            pointer::push(&mut place, &at.to_string());
            (place, value)
        })
    }))
}

/// Whether a part accepts a value, if its type and its lists of values alone decide that.
fn fits_plainly(value: &Value, part: &Map<String, Value>) -> Option<bool> {
    let mut fits = true;
    let number = value.as_f64();
    for (keyword, operand) in part {
        fits &= match keyword.as_str() {
            "type" => match operand {
                Value::String(word) => is_of_type(value, word),
                Value::Array(words) => {
                    words.iter().filter_map(Value::as_str).any(|word| is_of_type(value, word))
                }
                _ => return None,
            },
            "enum" => operand.as_array()?.iter().any(|one| is_equal(one, value)),
            "const" => is_equal(operand, value),
            "minimum" => number.is_none_or(|number| operand.as_f64().is_some_and(|bound| number >= bound)),
            "maximum" => number.is_none_or(|number| operand.as_f64().is_some_and(|bound| number <= bound)),
            "format" | "$comment" => true,
            known if ANNOTATIONS.contains(&known) => true,
            _ => return None,
        };
    }
    Some(fits)
}

/// Equal as JSON Schema has it: 1 is 1.0. Only plain values differ in that here.
fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
}

/// Whether a value is of a type (a word of `type`). One that nobody knows allows everything.
#[must_use]
pub fn is_of_type(value: &Value, word: &str) -> bool {
    match word {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::schema_like;

    #[test]
    fn values_that_their_own_part_refuses_are_found() {
        let found = misfits(&json!({
            "properties": {
                "a": {"type": "integer", "default": "1", "examples": [1, 2.0, 2.5]},
                "b": {"type": "string", "enum": ["x", 1, null]},
                "c": {"type": "integer", "minimum": 3, "default": 2, "const": 3},
                "d/e": {"$ref": "#/$defs/code", "default": "xy", "examples": ["abc"]},
                "f": {"default": null, "type": ["string", "null"]},
                "g": {"enum": [1, 2], "default": 3},
            },
            "$defs": {"code": {"type": "string", "minLength": 3}},
        }));
        let mut found: Vec<_> = found.iter().map(|place| place.trim_start_matches("/properties")).collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "/a/default",
                "/a/examples/2",
                "/b/enum/1",
                "/b/enum/2",
                "/c/default",
                "/d~1e/default",
                "/g/default"
            ]
        );
    }

    #[test]
    fn schema_that_cannot_be_checked_has_no_misfits_but_plain_ones() {
        let endless =
            json!({"properties": {"a": {"$ref": "#", "default": 1}, "b": {"type": "string", "default": 1}}});
        assert_eq!(misfits(&endless), ["/properties/b/default"]);
    }

    proptest! {
        #[test]
        fn any_schema_is_searched(schema in schema_like()) {
            let _ = misfits(&json!({"properties": {"a": schema}}));
        }
    }
}
