//! Reads an Ollama stream: objects, the last of which has `done: true`.

use serde_json::{Value, json};

use crate::decode::answer_builder::{AnswerBuilder, finish_reason};
use crate::decode::calls::Fragment;
use crate::decode::usage;
use crate::errors;

/// Reads one object; `false` if it does not belong to this protocol.
pub(crate) fn take(object: &Value, builder: &mut AnswerBuilder) -> bool {
    if let Some(error) = errors::find(object) {
        builder.refuse(error);
        return true;
    }
    let is_last = object.get("done").and_then(Value::as_bool);
    let message = object.get("message").filter(|message| message.is_object());
    if is_last.is_none() && message.is_none() {
        return false;
    }
    if let Some(message) = message {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        builder.grow_reasoning(text("thinking"));
        builder.grow_text(text("content"));
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            builder.grow_call(Fragment::read(call));
        }
    }
    if is_last == Some(true) {
        let counts: serde_json::Map<_, _> = ["prompt_eval_count", "eval_count"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone())))
            .collect();
        if !counts.is_empty() {
            builder.take_usage(json!(counts), usage::read_ollama(object));
        }
        // It is "stop" with and without calls.
        let word = object.get("done_reason").and_then(Value::as_str).unwrap_or("stop");
        builder.take_finish(word, finish_reason(word));
        builder.finish();
    }
    true
}

#[cfg(test)]
mod tests;
