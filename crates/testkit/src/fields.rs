//! Reads fields of a request's JSON, with the checks that all services share.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::refusal::ServiceRefusal;

pub(crate) fn object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, ServiceRefusal> {
    value.as_object().ok_or_else(|| ServiceRefusal::bad_request(format!("{at}: expected an object")))
}

pub(crate) fn list<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], ServiceRefusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(ServiceRefusal::bad_request(format!("{name}: expected an array"))),
    }
}

pub(crate) fn text<'a>(
    fields: &'a Map<String, Value>,
    name: &str,
    at: &str,
) -> Result<&'a str, ServiceRefusal> {
    match fields.get(name) {
        None => Err(ServiceRefusal::bad_request(format!("{at}.{name}: Field required"))),
        Some(value) => value
            .as_str()
            .ok_or_else(|| ServiceRefusal::bad_request(format!("{at}.{name}: expected a string"))),
    }
}

pub(crate) fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Refuses fields that the service does not know.
pub(crate) fn only(
    fields: &Map<String, Value>,
    known: &[&str],
    refuse: impl Fn(&str) -> ServiceRefusal,
) -> Result<(), ServiceRefusal> {
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(refuse(name)),
        None => Ok(()),
    }
}

pub(crate) fn is_name(name: &str, most: usize) -> bool {
    let is_portable = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=most).contains(&name.len()) && name.bytes().all(is_portable)
}

/// A name that occurs twice.
pub(crate) fn twice(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    names.iter().find(|name| !seen.insert(*name))
}

/// Whether a schema describes an object without alternatives at its root, which nearly every service
/// refuses.
pub(crate) fn is_plain_object(schema: &Value) -> bool {
    let alternatives = ["oneOf", "anyOf", "allOf", "not", "enum"];
    kind(schema) == "object" && alternatives.iter().all(|name| schema.get(*name).is_none())
}
