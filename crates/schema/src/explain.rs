//! Explains mistakes in arguments to a model: the place, what was expected there, and what was found.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidecar_protocol::tool_run::PlacedMistake;

/// Maximum number of mistakes that are reported.
const TOLD: usize = 5;

/// Maximum characters of one mistake.
const MISTAKE_LIMIT: usize = 300;

/// Maximum characters of a value that is quoted.
const VALUE_LIMIT: usize = 60;

/// Maximum number of values or names that are listed.
const LIST_LIMIT: usize = 12;

/// What is wrong with arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mistake {
    /// A sentence for a model.
    pub text: String,
    /// Whether the only mistakes are texts that do not match a `pattern` or `format`, which pages often get
    /// wrong themselves.
    pub off_pattern: bool,
}

/// The mistakes as one sentence; `None` if there are none.
pub(crate) fn mistakes<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    schema: &Value,
) -> Option<Mistake> {
    let mut mistakes: Vec<String> = Vec::new();
    let (mut off_pattern, mut is_more) = (true, false);
    for error in errors {
        off_pattern &= is_off_pattern(&error);
        let is_full = mistakes.len() == TOLD;
        if is_full && is_more && !off_pattern {
            break;
        }
        let mistake = mistake(&error, schema);
        if mistakes.contains(&mistake) {
            continue;
        }
        match is_full {
            true => is_more = true,
            false => mistakes.push(mistake),
        }
    }
    mistakes.extend(is_more.then(|| "and more".to_owned()));
    (!mistakes.is_empty()).then(|| Mistake {
        text: format!("The arguments do not fit the tool's input schema: {}.", mistakes.join("; ")),
        off_pattern,
    })
}

/// The mistakes with their places, at most [`PlacedMistake::MOST`].
pub(crate) fn placed<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    schema: &Value,
) -> Vec<PlacedMistake> {
    let told = errors.map(|error| PlacedMistake {
        pointer: error.instance_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        text: shortened(&what(&error, schema), MISTAKE_LIMIT),
    });
    told.take(PlacedMistake::MOST).collect()
}

/// Whether an error is about a `pattern` or `format` alone; of alternatives, whether one of them is.
fn is_off_pattern(error: &ValidationError<'_>) -> bool {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Pattern { .. } | Kind::Format { .. } => true,
        Kind::PropertyNames { error } => is_off_pattern(error),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            context.iter().any(|way| !way.is_empty() && way.iter().all(is_off_pattern))
        }
        _ => false,
    }
}

/// `passengers/0/age: expected at least 0, but got -1`
fn mistake(error: &ValidationError<'_>, schema: &Value) -> String {
    let path = error.instance_path().to_string();
    let what = what(error, schema);
    let text = match path.strip_prefix('/') {
        Some(path) => format!("{path}: {what}"),
        None => what,
    };
    shortened(&text, MISTAKE_LIMIT)
}

fn what(error: &ValidationError<'_>, schema: &Value) -> String {
    use ValidationErrorKind as Kind;
    let got = || came(error.instance());
    match error.kind() {
        Kind::Type { kind } => format!("expected {}, but got {}", types(kind), got()),
        Kind::Required { property } => {
            format!("{property} is required, but {}", given(error.instance()))
        }
        Kind::Enum { options } => format!("expected {}, but got {}", one_of(options), got()),
        Kind::Constant { expected_value } => format!("expected {}, but got {}", text(expected_value), got()),
        Kind::Minimum { limit } => format!("expected at least {limit}, but got {}", got()),
        Kind::Maximum { limit } => format!("expected at most {limit}, but got {}", got()),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}, but got {}", got()),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}, but got {}", got()),
        Kind::MultipleOf { multiple_of } => {
            format!("expected a multiple of {multiple_of}, but got {}", got())
        }
        Kind::Pattern { pattern } => format!("expected a text that matches {pattern}, but got {}", got()),
        Kind::MinLength { limit } => {
            format!("expected at least {}, but got {}", counted(*limit, "character"), got())
        }
        Kind::MaxLength { limit } => {
            format!("expected at most {}, but got {}", counted(*limit, "character"), got())
        }
        Kind::MinItems { limit } => {
            format!("expected at least {}, but got {}", counted(*limit, "item"), got())
        }
        Kind::MaxItems { limit } => {
            format!("expected at most {}, but got {}", counted(*limit, "item"), got())
        }
        Kind::MinProperties { limit } => {
            format!("expected at least {}, but {}", counted(*limit, "property"), given(error.instance()))
        }
        Kind::MaxProperties { limit } => {
            format!("expected at most {}, but {}", counted(*limit, "property"), given(error.instance()))
        }
        Kind::UniqueItems => format!("expected items that all differ, but got {}", text(error.instance())),
        Kind::AdditionalProperties { unexpected } => {
            format!("{} not known here; known are {}", are(unexpected), known(error, schema))
        }
        Kind::UnevaluatedProperties { unexpected } => format!("{} not known here", are(unexpected)),
        Kind::PropertyNames { error } => format!("a name is wrong: {}", what(error, schema)),
        // The library reports this if no properties are defined at all.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            format!("expected no properties, but got one with {}", got())
        }
        Kind::FalseSchema => format!("expected nothing here, but got {}", got()),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context, error, schema),
        Kind::OneOfMultipleValid { .. } => {
            format!("fits more than one of the alternatives, of which exactly one may fit: {}", got())
        }
        Kind::AdditionalItems { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Contains
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Custom { .. }
        | Kind::Format { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Not { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::Referencing(_) => error.masked_with("the value").to_string(),
    }
}

/// What each alternative expected; shorter if all expected another value at the same place.
fn alternatives(
    context: &[Vec<ValidationError<'static>>],
    error: &ValidationError<'_>,
    schema: &Value,
) -> String {
    let firsts: Vec<_> = context.iter().filter_map(|way| way.first()).collect();
    let mut expected = Vec::new();
    for first in &firsts {
        let value = match first.kind() {
            ValidationErrorKind::Type { kind } => types(kind),
            ValidationErrorKind::Enum { options } => one_of(options),
            ValidationErrorKind::Constant { expected_value } => text(expected_value),
            _ => break,
        };
        if first.instance_path() != error.instance_path() {
            break;
        }
        if !expected.contains(&value) {
            expected.push(value);
        }
    }
    let got = came(error.instance());
    if expected.len() == firsts.len() {
        return format!("expected {}, but got {got}", expected.join(" or "));
    }
    let reasons: Vec<_> = firsts.iter().take(TOLD).map(|first| mistake(first, schema)).collect();
    format!("got {got}, which fits none of the alternatives ({})", reasons.join("; "))
}

/// The properties that the schema defines beside the keyword that refused others.
fn known(error: &ValidationError<'_>, schema: &Value) -> String {
    let place = error.schema_path().to_string();
    let part = place.rsplit_once('/').and_then(|(part, _)| schema.pointer(part));
    let properties = part.and_then(|part| part.get("properties")).and_then(Value::as_object);
    match properties {
        Some(properties) if !properties.is_empty() => names(properties.keys()),
        Some(_) | None => "none".to_owned(),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => with_article(kind.as_str()),
        TypeKind::Multiple(kinds) => {
            kinds.iter().map(|kind| with_article(kind.as_str())).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "integer" | "object" | "array" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn one_of(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let all: Vec<_> = options.iter().take(LIST_LIMIT).map(text).collect();
    let more = if options.len() > LIST_LIMIT { ", …" } else { "" };
    match all.as_slice() {
        [one] => one.clone(),
        _ => format!("one of {}{more}", all.join(", ")),
    }
}

/// The value found, with its type if that is not obvious.
fn came(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => text(value),
        Value::String(_) => format!("the string {}", text(value)),
        Value::Array(values) if values.is_empty() => "an empty array".to_owned(),
        Value::Array(values) => {
            let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
            format!("an array of {}", counted(count, "item"))
        }
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(members) => format!("an object with {}", names(members.keys())),
    }
}

fn given(value: &Value) -> String {
    match value.as_object() {
        Some(members) if !members.is_empty() => format!("only {} came", names(members.keys())),
        Some(_) | None => "nothing came".to_owned(),
    }
}

fn are(unexpected: &[String]) -> String {
    format!("{} {}", names(unexpected.iter()), if unexpected.len() == 1 { "is" } else { "are" })
}

fn names<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    let more = if names.len() > LIST_LIMIT { ", …" } else { "" };
    let quoted = |name: &String| format!("\"{}\"", shortened(name, VALUE_LIMIT));
    format!("{}{more}", names.take(LIST_LIMIT).map(quoted).collect::<Vec<_>>().join(", "))
}

fn counted(count: u64, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "property") => format!("{count} properties"),
        _ => format!("{count} {what}s"),
    }
}

fn text(value: &Value) -> String {
    shortened(&value.to_string(), VALUE_LIMIT)
}

fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Validators;

    use super::*;

    fn of(schema: &Value, arguments: &Value) -> Option<String> {
        Some(Validators::default().mistake(&schema.to_string(), &arguments.to_string())?.text)
    }

    fn told(schema: &Value, arguments: &Value) -> String {
        let told = of(schema, arguments).unwrap_or_default();
        let told = told.strip_prefix("The arguments do not fit the tool's input schema: ");
        told.and_then(|told| told.strip_suffix('.')).unwrap_or_default().to_owned()
    }

    #[test]
    fn mistake_names_its_place_what_was_expected_and_what_came() {
        let schema = json!({
            "type": "object",
            "properties": {
                "from": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "seats": {"type": "integer", "minimum": 1, "maximum": 9},
                "price": {"type": ["number", "null"], "exclusiveMinimum": 0, "multipleOf": 0.5},
                "class": {"enum": ["economy", "business"]},
                "kind": {"const": "flight"},
                "when": {"anyOf": [{"type": "string"}, {"const": 0}]},
                "legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}, "minItems": 1, "uniqueItems": true},
                "note": {"minLength": 2, "maxLength": 3},
                "place": {"oneOf": [{"type": "string"}, {"type": "object", "required": ["city"]}]},
                "secret": false,
                "many": {"type": "object", "minProperties": 2, "propertyNames": {"maxLength": 1}},
            },
            "required": ["from"],
            "additionalProperties": false,
            "$defs": {"leg": {"type": "object", "properties": {"to": {}}, "required": ["to"],
                "additionalProperties": false}},
        });
        for (arguments, expected) in [
            (json!({}), r#""from" is required, but nothing came"#),
            (json!({"kind": "flight"}), r#""from" is required, but only "kind" came"#),
            (
                json!({"from": "PEK", "seats": "two"}),
                r#"seats: expected an integer, but got the string "two""#,
            ),
            (json!({"from": "PEK", "seats": null}), "seats: expected an integer, but got null"),
            (
                json!({"from": "PEK", "seats": {"a": 1}}),
                r#"seats: expected an integer, but got an object with "a""#,
            ),
            (json!({"from": "PEK", "seats": 0}), "seats: expected at least 1, but got 0"),
            (json!({"from": "PEK", "seats": 10}), "seats: expected at most 9, but got 10"),
            (json!({"from": "PEK", "price": 0}), "price: expected more than 0, but got 0"),
            (json!({"from": "PEK", "price": 0.7}), "price: expected a multiple of 0.5, but got 0.7"),
            (json!({"from": "PEK", "price": []}), "price: expected null or a number, but got an empty array"),
            (
                json!({"from": "Peking"}),
                r#"from: expected a text that matches ^[A-Z]{3}$, but got the string "Peking""#,
            ),
            (
                json!({"from": "PEK", "class": "first"}),
                r#"class: expected one of "economy", "business", but got the string "first""#,
            ),
            (json!({"from": "PEK", "kind": 1}), r#"kind: expected "flight", but got 1"#),
            (json!({"from": "PEK", "when": true}), "when: expected a string or 0, but got true"),
            (json!({"from": "PEK", "legs": []}), "legs: expected at least 1 item, but got an empty array"),
            (
                json!({"from": "PEK", "legs": [{"to": 1}, {"to": 1}]}),
                r#"legs: expected items that all differ, but got [{"to":1},{"to":1}]"#,
            ),
            (
                json!({"from": "PEK", "legs": [{"to": "SHA", "via": 1}]}),
                r#"legs/0: "via" is not known here; known are "to""#,
            ),
            (
                json!({"from": "PEK", "note": "x"}),
                r#"note: expected at least 2 characters, but got the string "x""#,
            ),
            (
                json!({"from": "PEK", "place": {"town": 1}}),
                "place: got an object with \"town\", which fits none of the alternatives \
                 (place: expected a string, but got an object with \"town\"; \
                 place: \"city\" is required, but only \"town\" came)",
            ),
            (json!({"from": "PEK", "secret": 1}), "secret: expected nothing here, but got 1"),
            (
                json!({"from": "PEK", "many": {"a": 1}}),
                r#"many: expected at least 2 properties, but only "a" came"#,
            ),
            (
                json!({"from": "PEK", "many": {"a": 1, "bc": 1}}),
                r#"many: a name is wrong: expected at most 1 character, but got the string "bc""#,
            ),
        ] {
            assert_eq!(told(&schema, &arguments), expected, "{arguments}");
        }
        let unknown = told(&schema, &json!({"from": "PEK", "to": "SHA", "via": "CAN"}));
        assert!(unknown.starts_with(r#""to", "via" are not known here; known are "#), "{unknown}");
        assert!(unknown.contains("\"seats\""), "{unknown}");
        assert_eq!(
            told(&json!({"additionalProperties": false}), &json!({"a": 1})),
            "expected no properties, but got one with 1"
        );
        let twice = json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}});
        assert_eq!(
            told(&twice, &json!({"a": 1})),
            "a: fits more than one of the alternatives, of which exactly one may fit: 1"
        );
    }

    #[test]
    fn few_mistakes_are_told_each_once_and_none_at_length() {
        let schema = json!({"additionalProperties": {"allOf": [{"type": "string"}, {"type": "string"}]}});
        let told = |count: i32| {
            let arguments = Value::Object((0..count).map(|n| (format!("n{n}"), json!(n))).collect());
            of(&schema, &arguments).unwrap()
        };
        assert_eq!(told(5).matches("expected a string").count(), 5);
        assert!(!told(5).contains("and more"));
        assert_eq!(told(9).matches("expected a string").count(), 5);
        assert!(told(9).ends_with("; and more."));

        let long = "x".repeat(5_000);
        let schema = json!({"properties": {"a": {"const": long}, "b": {"enum": vec![long.clone(); 9]}}});
        for arguments in [json!({"a": 1}), json!({"a": long.clone() + "x"}), json!({"b": [long]})] {
            assert!(of(&schema, &arguments).unwrap().chars().count() < 400);
        }
    }
}
