//! Reads a Responses stream: output items, each of which arrives in pieces and then as a whole.
//!
//! Items are identified by their index in the output: some proxies give an item another id in each event.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sidecar_protocol::error::{ErrorClass, ModelError};

use crate::conversation::message::CallRecord;
use crate::decode::answer_builder::{AnswerBuilder, PIECE_COST, finish_reason};
use crate::decode::calls::Fragment;
use crate::decode::event::{FinishReason, ModelEvent};
use crate::decode::usage;
use crate::errors;

/// The state between events, apart from the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ResponsesStream {
    items: BTreeMap<u64, ResponsesItem>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct ResponsesItem {
    /// Its number, if it is a call.
    call: Option<usize>,
    /// Whether its text arrived in pieces: the whole item would repeat them.
    spoke: bool,
    /// The type of event that carries its reasoning; some services send both reasoning and its summary.
    thinks_in: String,
    /// The complete item, unchanged.
    whole: Value,
}

impl ResponsesStream {
    /// Reads one event; `false` if it does not belong to this protocol.
    pub(crate) fn take(&mut self, name: &str, event: &Value, builder: &mut AnswerBuilder) -> bool {
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        let index = event.get("output_index").and_then(Value::as_u64).unwrap_or_default();
        let kind = if text("type").is_empty() { name } else { text("type") };
        match kind {
            "error" => builder.refuse(errors::from_json(None, event)),
            "response.output_item.added" => self.open(index, part("item"), builder),
            "response.output_item.done" => self.close(index, part("item"), builder),
            "response.output_text.delta" => {
                if let Some(item) = self.item(index, builder) {
                    item.spoke = true;
                    builder.grow_text(text("delta"));
                }
            }
            "response.refusal.delta" => {
                if let Some(item) = self.item(index, builder) {
                    item.spoke = true;
                    builder.grow_refusal(text("delta"));
                }
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                if let Some(item) = self.item(index, builder) {
                    if item.thinks_in.is_empty() {
                        kind.clone_into(&mut item.thinks_in);
                    }
                    if item.thinks_in == kind {
                        builder.grow_reasoning(text("delta"));
                    }
                }
            }
            // Each part of a summary is a paragraph.
            "response.reasoning_summary_part.added" => {
                if event.get("summary_index").and_then(Value::as_u64).is_some_and(|at| at > 0) {
                    builder.grow_reasoning("\n\n");
                }
            }
            "response.function_call_arguments.delta" => {
                builder.grow_call(Fragment::indexed(index, "", "", text("delta")));
            }
            "response.function_call_arguments.done" => {
                if let Some(call) = self.items.get(&index).and_then(|item| item.call) {
                    builder.settle_call(call, "", text("arguments"));
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.end(part("response"), builder);
            }
            "keepalive" => builder.events.push(ModelEvent::Alive),
            _ if kind.starts_with("response.") => {}
            // A complete answer although a stream was requested.
            _ if text("object") == "response" => self.end(event, builder),
            _ => {
                let error = errors::find(event);
                let is_error = error.is_some();
                error.into_iter().for_each(|error| builder.refuse(error));
                return is_error;
            }
        }
        true
    }

    /// The items, unchanged. Reasoning can be sent back only encrypted, since the service stores nothing
    /// for us, and only before the item that it led to.
    pub(crate) fn provider_state(self, calls: &[(usize, CallRecord)]) -> Vec<Value> {
        let mut items = Vec::new();
        let mut led_to = 0;
        for item in self.items.into_values() {
            match (item.whole.get("type").and_then(Value::as_str), item.call) {
                (Some("reasoning"), _) => {
                    if item.whole.get("encrypted_content").is_some_and(Value::is_string) {
                        items.push(item.whole);
                    }
                    continue;
                }
                (Some("message"), _) => items.push(item.whole),
                (Some("function_call"), Some(number)) => {
                    for (_, call) in calls.iter().filter(|(at, _)| *at == number) {
                        let is_it = item.whole.get("name").and_then(Value::as_str) == Some(&call.name);
                        items.push(if is_it { item.whole.clone() } else { function_call(call) });
                    }
                }
                _ => continue,
            }
            led_to = items.len();
        }
        items.truncate(led_to);
        items
    }

    /// The item at an index of the output; `None` if there is no room for another one.
    fn item(&mut self, index: u64, builder: &mut AnswerBuilder) -> Option<&mut ResponsesItem> {
        let has_room = self.items.contains_key(&index) || builder.make_room(PIECE_COST);
        has_room.then(|| self.items.entry(index).or_default())
    }

    fn open(&mut self, index: u64, item: &Value, builder: &mut AnswerBuilder) {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        if self.item(index, builder).is_some() && text("type") == "function_call" {
            let fragment = Fragment::indexed(index, text("call_id"), text("name"), text("arguments"));
            let call = builder.grow_call(fragment);
            if let Some(item) = self.item(index, builder) {
                item.call = call;
            }
        }
    }

    fn close(&mut self, index: u64, whole: &Value, builder: &mut AnswerBuilder) {
        let text = |name: &str| whole.get(name).and_then(Value::as_str).unwrap_or_default();
        if text("type") == "function_call" && self.items.get(&index).is_none_or(|item| item.call.is_none()) {
            self.open(index, whole, builder);
        }
        let Some(item) = self.item(index, builder) else { return };
        if !item.whole.is_null() || !builder.make_room(whole.to_string().len()) {
            return;
        }
        item.whole = whole.clone();
        match text("type") {
            "function_call" => {
                if let Some(call) = item.call {
                    builder.settle_call(call, text("call_id"), text("arguments"));
                }
            }
            "message" if !item.spoke => {
                for part in parts(whole, "content") {
                    builder.grow_text(part.get("text").and_then(Value::as_str).unwrap_or_default());
                    builder.grow_refusal(part.get("refusal").and_then(Value::as_str).unwrap_or_default());
                }
            }
            "reasoning" if item.thinks_in.is_empty() => {
                for part in parts(whole, "summary") {
                    builder.grow_reasoning(part.get("text").and_then(Value::as_str).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// Handles the final response, whose output repeats the items.
    fn end(&mut self, response: &Value, builder: &mut AnswerBuilder) {
        let text = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
        if let Some(error) = errors::find(response) {
            builder.refuse(error);
            return;
        }
        // Items that arrived on their own are known. Their index may also differ here: items that services
        // keep to themselves may be counted in one place and missing in the other.
        if self.items.is_empty() {
            for (index, item) in (0..).zip(parts(response, "output")) {
                self.close(index, item, builder);
            }
        }
        if let Some(raw) = response.get("usage").filter(|usage| usage.is_object()) {
            builder.take_usage(raw.clone(), usage::read(raw));
        }
        match text("status") {
            "completed" => builder.take_finish("completed", FinishReason::Stop),
            "incomplete" => {
                let why = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
                let word = why.unwrap_or("incomplete");
                builder.take_finish(
                    word,
                    match finish_reason(word) {
                        FinishReason::Filter => FinishReason::Filter,
                        // Whatever ended it, its last item may be incomplete.
                        _ => FinishReason::Length,
                    },
                );
            }
            status => {
                let message = format!("the service ended the answer as {}", errors::cap(status));
                builder.refuse(ModelError::new(ErrorClass::Overload, message));
            }
        }
        builder.finish();
    }
}

/// A call as it is sent back if its own item is not known.
pub(crate) fn function_call(call: &CallRecord) -> Value {
    json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments })
}

fn parts<'a>(object: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    object.get(name).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests;
