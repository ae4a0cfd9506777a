//! `<function=…>` and `<parameter=…>`: Qwen3-Coder.

use serde_json::{Map, Value};

use super::MarkupCall;
use super::text::{NAME_LIMIT, strip_outer_newlines};
use crate::inline_calls::marks::find;

/// Qwen3-Coder's functions.
pub(super) fn functions(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<function="];
    const END: &[&str] = &["</function>", "<function="];
    const KEY: &[&str] = &["<parameter="];
    const KEY_END: &[&str] = &["</parameter>", "<parameter="];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let Some((name, rest)) = block[start..].split_once('>') else { break };
        let start = block.len() - rest.len();
        let end = find(block, start, END);
        let body = &block[start..end.map_or(block.len(), |(at, _)| at)];
        let mut arguments = Map::new();
        let mut is_sound = name.len() <= NAME_LIMIT;
        let mut at = 0;
        while let Some((_, key_start)) = find(body, at, KEY) {
            let value_end = find(body, key_start, KEY_END).map(|(at, _)| at);
            let Some((key, value)) =
                body[key_start..value_end.unwrap_or(body.len())].split_once('>').filter(|_| {
                    // A value that is not closed ends with its function.
                    value_end.is_some() || end.is_some()
                })
            else {
                is_sound = false;
                break;
            };
            arguments.insert(key.trim().to_owned(), Value::from(strip_outer_newlines(value)));
            at = value_end.unwrap_or(body.len());
        }
        if is_sound {
            let arguments = match body.trim() {
                json if arguments.is_empty() && json.starts_with('{') => json.to_owned(),
                _ => Value::Object(arguments).to_string(),
            };
            calls.push(MarkupCall {
                name: name.trim().trim_matches(['"', '\'']).to_owned(),
                arguments,
                is_whole: end.is_some(),
            });
        }
        let Some((end, _)) = end else { break };
        from = end;
    }
    calls
}
