//! Whether a value is as expected. The rules are those of webmcp-evals, with their quirks: an operator that it does not
//! know holds, and `{"$type": "integer"}` never does.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

use crate::pattern::{self, ExpressionFault};

/// Where a value is not as expected, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// JSON pointer of the place.
    pub pointer: String,
    /// The operator that does not hold, as `$pattern`; none where a value is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// What is expected there.
    pub expected: Value,
    /// What is there; absent if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    pub actual: Option<Value>,
}

/// `null` is a value that is there.
fn there<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Whether a value is as expected.
///
/// # Errors
/// A pattern with which nobody can say.
pub fn matches(expected: &Value, actual: Option<&Value>) -> Result<bool, ExpressionFault> {
    difference(expected, actual).map(|difference| difference.is_none())
}

/// The first place where a value is not as expected. Operators are looked at in the order of their keys.
///
/// # Errors
/// As [`matches`].
pub fn difference(expected: &Value, actual: Option<&Value>) -> Result<Option<Difference>, ExpressionFault> {
    differing(expected, actual, &mut String::new())
}

fn differing(
    expected: &Value,
    actual: Option<&Value>,
    pointer: &mut String,
) -> Result<Option<Difference>, ExpressionFault> {
    let here = |pointer: &str, operator: Option<&str>, expected: &Value| {
        Some(Difference {
            pointer: pointer.to_owned(),
            operator: operator.map(str::to_owned),
            expected: expected.clone(),
            actual: actual.cloned(),
        })
    };
    let Some(value) = actual else { return Ok(here(pointer, None, expected)) };
    match expected {
        Value::Object(members) if are_operators(members) => {
            for (operator, operand) in members {
                if !holds(operator, operand, value)? {
                    return Ok(here(pointer, Some(operator), operand));
                }
            }
            Ok(None)
        }
        Value::Object(members) => {
            let Value::Object(found) = value else { return Ok(here(pointer, None, expected)) };
            for (key, expected) in members {
                let difference =
                    within(pointer, key, |pointer| differing(expected, found.get(key), pointer))?;
                if difference.is_some() {
                    return Ok(difference);
                }
            }
            Ok(None)
        }
        Value::Array(items) => {
            let Value::Array(found) = value else { return Ok(here(pointer, None, expected)) };
            if items.len() != found.len() {
                return Ok(here(pointer, None, expected));
            }
            for (place, (expected, found)) in items.iter().zip(found).enumerate() {
                let difference =
                    within(pointer, &place.to_string(), |pointer| differing(expected, Some(found), pointer))?;
                if difference.is_some() {
                    return Ok(difference);
                }
            }
            Ok(None)
        }
        Value::Number(number) => {
            let is_same = value.as_number().is_some_and(|value| is_same_number(number, value));
            Ok(if is_same { None } else { here(pointer, None, expected) })
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {
            Ok(if value == expected { None } else { here(pointer, None, expected) })
        }
    }
}

fn within<T>(pointer: &mut String, key: &str, work: impl FnOnce(&mut String) -> T) -> T {
    let end = pointer.len();
    pointer.push('/');
    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
    let done = work(pointer);
    pointer.truncate(end);
    done
}

/// Whether an object is one of operators: it has keys, and all begin with `$`.
#[must_use]
pub fn are_operators(members: &Map<String, Value>) -> bool {
    !members.is_empty() && members.keys().all(|key| key.starts_with('$'))
}

/// JavaScript has one kind of number.
fn is_same_number(one: &Number, other: &Number) -> bool {
    one.as_f64() == other.as_f64()
}

fn holds(operator: &str, operand: &Value, value: &Value) -> Result<bool, ExpressionFault> {
    let compares =
        |how: fn(&f64, &f64) -> bool| value.as_f64().is_some_and(|value| how(&value, &as_number(operand)));
    Ok(match operator {
        "$pattern" => match value {
            Value::String(text) => pattern::is_found(&as_text(operand), text)?,
            _ => false,
        },
        "$contains" => value.as_str().is_some_and(|text| text.contains(&as_text(operand))),
        "$gt" => compares(f64::gt),
        "$gte" => compares(f64::ge),
        "$lt" => compares(f64::lt),
        "$lte" => compares(f64::le),
        "$type" => operand.as_str() == Some(type_of(value)),
        // `$any`, and all that webmcp-evals does not know.
        _ => true,
    })
}

/// The word of `$type` for a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// As JavaScript's `Number()` makes it.
fn as_number(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(is_true) => f64::from(u8::from(*is_true)),
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Value::String(text) if text.trim().is_empty() => 0.0,
        // Rust also reads words, as `inf`.
        Value::String(text) if text.contains(char::is_alphabetic) && !text.contains(['e', 'E']) => f64::NAN,
        Value::String(text) => text.trim().parse().unwrap_or(f64::NAN),
        Value::Array(_) | Value::Object(_) => f64::NAN,
    }
}

/// As JavaScript's `String()` makes it, of what suites have there.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(expected: Value, actual: impl Into<Option<Value>>) -> bool {
        matches(&expected, actual.into().as_ref()).unwrap()
    }

    #[test]
    fn inspector_case_1_each_operator_passes_and_fails() {
        assert!(
            fits(json!({"$pattern": "b+"}), json!("abb")) && !fits(json!({"$pattern": "c"}), json!("ab"))
        );
        assert!(
            fits(json!({"$contains": "b"}), json!("abc")) && !fits(json!({"$contains": "B"}), json!("abc"))
        );
        assert!(!fits(json!({"$contains": "a"}), json!(["a"])));
        assert!(fits(json!({"$gt": 1}), json!(2)) && !fits(json!({"$gt": 2}), json!(2)));
        assert!(fits(json!({"$gte": 2}), json!(2)) && !fits(json!({"$gte": 2}), json!("3")));
        assert!(fits(json!({"$lt": "5"}), json!(4)) && !fits(json!({"$lt": "x"}), json!(4)));
        assert!(!fits(json!({"$lt": "inf"}), json!(4)) && fits(json!({"$lt": " 1e2 "}), json!(4)));
        assert!(fits(json!({"$gt": ""}), json!(4)) && fits(json!({"$contains": 5}), json!("a5")));
        assert!(fits(json!({"$lte": 4}), json!(4.0)) && !fits(json!({"$lte": 3.9}), json!(4)));
        for (word, value) in [
            ("string", json!("")),
            ("number", json!(1)),
            ("boolean", json!(false)),
            ("array", json!([])),
            ("object", json!({})),
            ("null", json!(null)),
        ] {
            assert!(fits(json!({"$type": word}), value), "{word}");
        }
        assert!(!fits(json!({"$type": "integer"}), json!(1)) && !fits(json!({"$type": "object"}), json!([])));
        assert!(fits(json!({"$any": false}), json!(0)) && !fits(json!({"a": {"$any": false}}), json!({})));
        assert!(fits(json!({"$eq": 1}), json!(2)), "what is not known holds");
        assert!(!fits(json!({"$gt": 1, "$lt": 3}), json!(3)) && fits(json!({"$gt": 1, "$lt": 3}), json!(2)));
    }

    #[test]
    fn inspector_case_2_objects_may_have_more_and_arrays_may_not() {
        assert!(fits(json!({"$gt": 5, "x": 1}), json!({"$gt": 5.0, "x": 1})));
        assert!(!fits(json!({"$gt": 5, "x": 1}), json!(6)));
        assert!(
            fits(json!({}), json!({"a": 1})) && !fits(json!({}), json!([])) && !fits(json!({}), json!(null))
        );
        assert!(!fits(json!([1]), json!([1, 2])) && fits(json!([1, {"$type": "string"}]), json!([1.0, "a"])));
        assert!(!fits(json!({"a": null}), json!({})) && fits(json!({"a": null}), json!({"a": null})));
        assert!(!fits(json!(1), json!("1")) && !fits(json!(0), json!(false)));
        assert!(!fits(json!(null), None));
    }

    #[test]
    fn inspector_case_3_pattern_is_read_only_for_a_text() {
        assert!(!fits(json!({"$pattern": "("}), json!(5)));
        assert!(matches(&json!({"$pattern": "("}), Some(&json!("5"))).is_err());
    }

    #[test]
    fn difference_names_place_operator_and_values() {
        let difference =
            |expected: &Value, actual: &Value| difference(expected, Some(actual)).unwrap().unwrap();
        let at = difference(&json!({"a/b": [1, {"$gt": 2}]}), &json!({"a/b": [1, 2]}));
        assert_eq!(at.pointer, "/a~1b/1");
        assert_eq!((at.operator.as_deref(), at.expected, at.actual), (Some("$gt"), json!(2), Some(json!(2))));
        let missing = difference(&json!({"a": {"b": 1}}), &json!({"a": {}}));
        assert_eq!((missing.pointer.as_str(), missing.actual), ("/a/b", None));
    }

    #[test]
    fn numbers_that_a_double_cannot_tell_apart_are_the_same() {
        assert!(fits(json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)));
        assert!(fits(json!(-0.0), json!(0)));
    }
}
