//! `[TOOL_CALLS]`: Mistral.

use serde_json::Value;

use super::MarkupCall;
use super::json::{call_of, is_balanced, json_call};

/// Mistral's calls: a JSON list, or name and arguments, one call after the other.
pub(super) fn mistral(inner: &str) -> Vec<MarkupCall> {
    let whole = inner.trim();
    if whole.starts_with(['[', '{']) {
        let mut values = serde_json::Deserializer::from_str(whole).into_iter::<Value>();
        return match values.next() {
            Some(Ok(Value::Array(list))) => list.iter().filter_map(|value| call_of(value, false)).collect(),
            Some(Ok(value)) => call_of(&value, false).into_iter().collect(),
            _ => json_call(whole).into_iter().collect(),
        };
    }
    let parts = whole.split("[TOOL_CALLS]").map(str::trim).filter(|part| !part.is_empty());
    let call = |part: &str| {
        let at = part.find(['[', '{'])?;
        let (name, rest) = (part[..at].trim(), &part[at..]);
        let arguments = rest.split_once("[ARGS]").map_or(rest, |(_, arguments)| arguments).trim();
        Some(MarkupCall {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            is_whole: is_balanced(arguments),
        })
    };
    parts.filter_map(call).collect()
}
