//! Encodes one event.

use serde_json::Value;

/// A server-sent event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A server-sent event named by its `type`.
pub(crate) fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// One JSON object on a line (NDJSON).
pub(crate) fn line(value: &Value) -> String {
    format!("{value}\n")
}
