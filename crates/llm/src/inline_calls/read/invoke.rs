//! `<invoke>` and `<parameter>`: DSML, MiniMax, and plain.

use serde_json::{Map, Value};

use super::MarkupCall;
use super::text::{Tag, strip_outer_newlines};
use crate::inline_calls::marks::{MarkMatch, begins_any, find};

pub(super) const INVOKE: &[&str] = &["<|DSML|invoke", "<invoke"];
const INVOKE_END: &[&str] = &["</|DSML|invoke>", "</invoke>"];
const PARAMETER: &[&str] = &["<|DSML|parameter", "<parameter"];
const PARAMETER_END: &[&str] = &["</|DSML|parameter>", "</parameter>"];

pub(super) fn invokes(block: &str) -> Vec<MarkupCall> {
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, name_end)) = find(block, from, INVOKE) {
        let Some(tag) = Tag::read(block, name_end) else { break };
        let name = tag.attribute("name").unwrap_or_default().to_owned();
        if tag.is_closed {
            from = tag.rest;
            calls.push(MarkupCall { name, arguments: "{}".to_owned(), is_whole: true });
            continue;
        }
        let end = find(block, tag.rest, &[INVOKE_END, INVOKE].concat());
        let (body_end, is_closed) = match end {
            Some((at, _)) => (at, begins_any(&block[at..], INVOKE_END) != MarkMatch::Not),
            None => (block.len(), false),
        };
        // If something follows a call that is not closed, the call is complete.
        let is_whole = is_closed || end.is_some();
        if let Some(arguments) = parameters(&block[tag.rest..body_end], is_closed) {
            calls.push(MarkupCall { name, arguments, is_whole });
        }
        from = body_end.max(tag.rest);
        if end.is_none() {
            break;
        }
    }
    calls
}

/// The arguments of an `invoke`; `None` if they break off, or there are none.
fn parameters(body: &str, is_closed: bool) -> Option<String> {
    let mut arguments = Map::new();
    let mut from = 0;
    while let Some((_, name_end)) = find(body, from, PARAMETER) {
        let tag = Tag::read(body, name_end)?;
        let name = tag.attribute("name")?.to_owned();
        let (end, after) = match find(body, tag.rest, &[PARAMETER_END, PARAMETER].concat()) {
            Some((at, end)) if begins_any(&body[at..], PARAMETER_END) != MarkMatch::Not => (at, end),
            Some((at, _)) => (at, at),
            None if is_closed => (body.len(), body.len()),
            None => return None,
        };
        let text = &body[tag.rest..end];
        let value = match tag.attribute("string") {
            Some("false") => serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text)),
            Some(_) => Value::from(text),
            None => Value::from(strip_outer_newlines(text)),
        };
        arguments.insert(name, value);
        from = after;
    }
    let left = body.trim();
    match (arguments.is_empty(), left.starts_with('{')) {
        (false, _) => Some(Value::Object(arguments).to_string()),
        // JSON in place of parameters, or nothing at all.
        (true, true) => Some(left.to_owned()),
        (true, false) => left.is_empty().then(|| "{}".to_owned()),
    }
}
