//! `<tool_call>`: JSON, GLM's keys and values, or other markup inside.

use serde_json::{Map, Value};

use super::MarkupCall;
use super::function::functions;
use super::invoke::{INVOKE, invokes};
use super::json::json_call;
use super::text::{NAME_LIMIT, is_of_name, strip_outer_newlines};
use crate::inline_calls::marks::{MarkMatch, begins, begins_any, find};

pub(super) fn tool_calls(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<tool_call>"];
    const END: &[&str] = &["</tool_call>", "<tool_call>"];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let end = find(block, start, END);
        let body_end = end.map_or(block.len(), |(at, _)| at);
        let body = block[start..body_end].trim();
        let mut found = if body.starts_with('{') {
            json_call(body).into_iter().collect()
        } else if begins_any(body, &["<function="]) != MarkMatch::Not {
            functions(body)
        } else if begins_any(body, INVOKE) != MarkMatch::Not {
            invokes(body)
        } else {
            keys_and_values(body, end.is_some()).into_iter().collect()
        };
        if end.is_some() {
            found.iter_mut().for_each(|call| call.is_whole = true);
        }
        calls.append(&mut found);
        from = body_end;
    }
    calls
}

/// GLM's keys and values.
fn keys_and_values(body: &str, is_closed: bool) -> Option<MarkupCall> {
    let name_end = body.find(['<', '\n']).unwrap_or(body.len());
    let name = body[..name_end].trim();
    if name.is_empty() || name.len() > NAME_LIMIT || !name.chars().all(is_of_name) {
        return None;
    }
    let mut arguments = Map::new();
    let mut from = name_end;
    while let Some((_, key_start)) = find(body, from, &["<arg_key>"]) {
        let (key_end, after) = find(body, key_start, &["</arg_key>", "<arg_value>"])?;
        // One of the two tags may be missing.
        let (_, value_start) = if begins(&body[key_end..], "<arg_value>") == MarkMatch::Not {
            find(body, after, &["<arg_value>"])?
        } else {
            (key_end, after)
        };
        let (value_end, after) = match find(body, value_start, &["</arg_value>", "<arg_key>"]) {
            Some((at, end)) if begins(&body[at..], "</arg_value>") != MarkMatch::Not => (at, end),
            Some((at, _)) => (at, at),
            None if is_closed => (body.len(), body.len()),
            None => return None,
        };
        let key = body[key_start..key_end].trim().to_owned();
        arguments.insert(key, Value::from(strip_outer_newlines(&body[value_start..value_end])));
        from = after;
    }
    Some(MarkupCall {
        name: name.to_owned(),
        arguments: Value::Object(arguments).to_string(),
        is_whole: is_closed,
    })
}
