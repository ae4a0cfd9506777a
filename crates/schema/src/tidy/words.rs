//! Describes keywords that a service does not accept.

use serde_json::{Map, Value};

use super::notes::shortened;

/// Maximum characters of a value that is quoted.
const VALUE_LIMIT: usize = 120;

/// The description of a keyword with its value; `None` if it is not worth one.
pub(super) fn keyword(keyword: &str, value: &Value) -> Option<String> {
    let text = text(value);
    Some(match keyword {
        "minimum" => format!("at least {text}"),
        "maximum" => format!("at most {text}"),
        "exclusiveMinimum" => format!("more than {text}"),
        "exclusiveMaximum" => format!("less than {text}"),
        "multipleOf" => format!("a multiple of {text}"),
        "minLength" => format!("at least {text} characters"),
        "maxLength" => format!("at most {text} characters"),
        "minItems" => format!("at least {text} items"),
        "maxItems" => format!("at most {text} items"),
        "minProperties" => format!("at least {text} properties"),
        "maxProperties" => format!("at most {text} properties"),
        "uniqueItems" if value == &Value::Bool(true) => "items all differ".to_owned(),
        "pattern" => format!("matches {}", plain(value)),
        "format" => format!("format {}", plain(value)),
        "default" => format!("default {text}"),
        "examples" => format!("for example {}", list(value)),
        "const" => format!("always {text}"),
        "enum" => format!("one of {}", list(value)),
        "additionalProperties" | "unevaluatedProperties" if value == &Value::Bool(false) => {
            "no other properties".to_owned()
        }
        "additionalProperties" if is_anything(value) => return None,
        "additionalProperties" => format!("other properties are {text}"),
        "patternProperties" => format!("properties by pattern: {text}"),
        "prefixItems" => format!("first items: {text}"),
        "not" if is_anything(value) => "must not be given".to_owned(),
        "not" => format!("not {text}"),
        "allOf" => format!("also {text}"),
        "if" => format!("if {text}"),
        "then" => format!("then {text}"),
        "else" => format!("else {text}"),
        "dependentRequired" => format!("requires with each: {text}"),
        "deprecated" if value == &Value::Bool(true) => "deprecated".to_owned(),
        "title" | "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => return None,
        _ => format!("{keyword} {text}"),
    })
}

/// The description of alternatives: `one of: kind = "circle", radius | kind = "square", side`.
pub(super) fn alternatives(keyword: &str, ways: &[Map<String, Value>]) -> String {
    let ways: Vec<_> = ways.iter().map(way).collect();
    let exactly = if keyword == "oneOf" { "exactly one of" } else { "one of" };
    format!("{exactly}: {}", ways.join(" | "))
}

/// The titles of alternatives that are one value each: `"w": window, "a": aisle`.
pub(super) fn titles(ways: &[Map<String, Value>]) -> Option<String> {
    let title = |way: &Map<String, Value>| {
        let title = way.get("title").or_else(|| way.get("description"))?.as_str()?;
        Some(format!("{}: {}", text(way.get("const")?), shortened(title, VALUE_LIMIT)))
    };
    let titles: Vec<_> = ways.iter().filter_map(title).collect();
    (!titles.is_empty()).then(|| titles.join(", "))
}

fn way(way: &Map<String, Value>) -> String {
    let properties = way.get("properties").and_then(Value::as_object);
    let names: Vec<_> = match way.get("required").and_then(Value::as_array) {
        Some(names) if !names.is_empty() => names.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => properties.into_iter().flat_map(|all| all.keys().map(String::as_str)).collect(),
    };
    let mut words: Vec<_> = names
        .into_iter()
        .map(|name| {
            let only = properties.and_then(|all| only_value(all.get(name)?));
            only.map_or_else(|| name.to_owned(), |value| format!("{name} = {}", text(value)))
        })
        .collect();
    if words.is_empty() {
        words.extend(way.get("type").and_then(Value::as_str).map(str::to_owned));
    }
    for (name, value) in way {
        match (name.as_str(), value) {
            ("type" | "properties" | "required" | "title" | "description" | "items", _) => {}
            _ => words.extend(keyword(name, value)),
        }
    }
    shortened(&if words.is_empty() { "anything".to_owned() } else { words.join(", ") }, VALUE_LIMIT)
}

/// The one value that a part allows, if there is one.
fn only_value(part: &Value) -> Option<&Value> {
    part.get("const").or_else(|| match part.get("enum")?.as_array()?.as_slice() {
        [one] => Some(one),
        _ => None,
    })
}

/// A list of values.
pub(super) fn list(values: &Value) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    let all: Vec<_> = values.iter().take(20).map(text).collect();
    let more = if values.len() > all.len() { ", …" } else { "" };
    format!("{}{more}", all.join(", "))
}

fn is_anything(part: &Value) -> bool {
    part == &Value::Bool(true) || part.as_object().is_some_and(Map::is_empty)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| text(value), |text| shortened(text, VALUE_LIMIT))
}

fn text(value: &Value) -> String {
    shortened(&value.to_string(), VALUE_LIMIT)
}
