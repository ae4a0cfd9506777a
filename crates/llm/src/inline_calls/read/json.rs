//! Calls as JSON: bare, in a fenced block of Markdown, or between marks.

use serde_json::Value;

use super::MarkupCall;
use super::text::{NAME_LIMIT, Quoted, behind_space, quoted};
use crate::inline_calls::marks::find;
use crate::inline_calls::table::MarkupForm;
use crate::tools::arguments;

/// Members with the name of a call, and with its arguments.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];
/// Other members that a call may have.
const OTHERS: [&str; 4] = ["id", "type", "call_id", "tool_calls"];

/// Whether a fenced block can still contain a call: its language fits, and its text begins like a call.
pub(super) fn fence_fits(inner: &str, is_offered: &dyn Fn(&str) -> bool) -> bool {
    const LANGUAGES: [&str; 6] = ["", "json", "tool_call", "tool_code", "tool_use", "tool"];
    match inner.split_once('\n') {
        None => LANGUAGES.iter().any(|language| language.starts_with(&inner.trim().to_ascii_lowercase())),
        Some((language, body)) => {
            LANGUAGES.contains(&language.trim().to_ascii_lowercase().as_str())
                && behind_space(body).is_some_and(|body| body.is_empty() || object_fits(body, is_offered))
        }
    }
}

pub(super) fn object_fits(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    text.strip_prefix('{').is_some_and(|inner| json_fits(inner, is_wanted))
}

/// Whether an object, given the text after its brace, begins like a call: with a member that calls have,
/// and if that is the name, with a wanted one.
pub(super) fn json_fits(inner: &str, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    let Some(rest) = behind_space(inner) else { return false };
    let (key, rest) = match quoted(rest) {
        Quoted::Whole(key, rest) => (key, rest),
        Quoted::Open(begun) => {
            return NAMES.iter().chain(&ARGUMENTS).chain(&OTHERS).any(|key| key.starts_with(begun));
        }
        Quoted::Not => return rest.is_empty(),
    };
    if ARGUMENTS.contains(&key) || OTHERS.contains(&key) {
        return true;
    }
    let Some(rest) = behind_space(rest).filter(|_| NAMES.contains(&key)) else { return false };
    let Some(rest) = rest.strip_prefix(':') else { return rest.is_empty() };
    let Some(rest) = behind_space(rest) else { return false };
    match quoted(rest) {
        Quoted::Whole(name, _) => name.len() <= NAME_LIMIT && is_wanted(name),
        Quoted::Open(begun) => begun.len() <= NAME_LIMIT,
        Quoted::Not => rest.is_empty() || (key == "function" && rest.starts_with('{')),
    }
}

/// LM Studio's format.
pub(super) fn requests(block: &str, form: &MarkupForm) -> Vec<MarkupCall> {
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, form.opens) {
        from = find(block, start, form.closes).map_or(block.len(), |(at, _)| at);
        calls.extend(json_call(&block[start..from]));
    }
    calls
}

/// A call as JSON that may be invalid.
pub(super) fn json_call(text: &str) -> Option<MarkupCall> {
    let text = text.trim();
    // A cut text is complete only if nothing had to be repaired.
    let is_whole = is_balanced(text);
    Some(MarkupCall { is_whole, ..call_of(&arguments::mended(text)?, false)? })
}

/// The calls in valid JSON that contains nothing else; none if anything is wrong with it.
pub(super) fn exact_calls(text: &str) -> Vec<MarkupCall> {
    let Ok(value) = serde_json::from_str::<Value>(text.trim()) else { return Vec::new() };
    let calls: Option<Vec<MarkupCall>> = match value.get("tool_calls").and_then(Value::as_array) {
        Some(list) if value.as_object().is_some_and(|members| members.len() == 1) => {
            list.iter().map(|value| call_of(value, true)).collect()
        }
        _ => call_of(&value, true).map(|call| vec![call]),
    };
    calls.unwrap_or_default()
}

/// The call in an object. With `exact` it must have a name, an object as arguments, and no members that
/// calls do not have.
pub(super) fn call_of(value: &Value, exact: bool) -> Option<MarkupCall> {
    let members = value.as_object()?;
    // `{"type": "function", "function": {"name": …}}`
    if let Some(function) = members.get("function").filter(|function| function.is_object()) {
        return call_of(function, exact);
    }
    let name = NAMES.iter().find_map(|key| members.get(*key)?.as_str())?;
    let arguments = ARGUMENTS.iter().find_map(|key| members.get(*key));
    if exact {
        let is_known = |key: &String| {
            NAMES.contains(&key.as_str())
                || ARGUMENTS.contains(&key.as_str())
                || OTHERS.contains(&key.as_str())
        };
        if !members.keys().all(is_known) || !arguments.is_some_and(Value::is_object) {
            return None;
        }
    }
    let arguments = match arguments {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    Some(MarkupCall { name: name.to_owned(), arguments, is_whole: true })
}

/// Whether a text is exactly one valid JSON value.
pub(super) fn is_balanced(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}
