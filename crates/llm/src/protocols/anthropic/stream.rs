//! Reads a Messages stream: blocks that start, grow and stop, each under its index.

use serde_json::{Map, Value, json};
use sidecar_protocol::error::{ErrorClass, ModelError};

use crate::conversation::message::CallRecord;
use crate::decode::answer_builder::{AnswerBuilder, PIECE_COST, finish_reason};
use crate::decode::calls::Fragment;
use crate::decode::event::{FinishReason, ModelEvent, Notice};
use crate::decode::usage;
use crate::errors;

/// Maximum characters of a model's name.
const NAME_LIMIT: usize = 200;

/// Maximum number of fields of a usage object.
const USAGE_LIMIT: usize = 64;

/// The state between events, apart from the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnthropicStream {
    blocks: Vec<AnthropicBlock>,
    usage: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
struct AnthropicBlock {
    index: u64,
    kind: AnthropicBlockKind,
}

#[derive(Debug, Clone, PartialEq)]
enum AnthropicBlockKind {
    Text(String),
    Thinking {
        thinking: String,
        signature: String,
    },
    Redacted(String),
    /// The call's number, and the arguments of its first event. If pieces follow, they repeat these.
    Call {
        number: usize,
        input: Value,
        grew: bool,
    },
    /// Any other kind: nothing that was requested.
    Other,
}

impl AnthropicStream {
    /// Reads one event; `false` if it does not belong to this protocol.
    pub(crate) fn take(&mut self, name: &str, event: &Value, builder: &mut AnswerBuilder) -> bool {
        if let Some(error) = errors::find(event) {
            builder.refuse(error);
            return true;
        }
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        match event.get("type").and_then(Value::as_str).unwrap_or(name) {
            "message_start" => self.begin(part("message"), builder),
            "content_block_start" => self.open(index, part("content_block"), builder),
            "content_block_delta" => self.grow(index, part("delta"), builder),
            "content_block_stop" => self.close(index, builder),
            "message_delta" => {
                self.take_usage(part("usage"), builder);
                take_stop(part("delta"), builder);
            }
            "message_stop" => {
                self.close_all(builder);
                builder.finish();
            }
            "ping" => builder.events.push(ModelEvent::Alive),
            // A complete answer although a stream was requested.
            "message" => {
                for (index, block) in (0..).zip(part("content").as_array().into_iter().flatten()) {
                    self.open(index, block, builder);
                }
                self.close_all(builder);
                self.take_usage(part("usage"), builder);
                take_stop(event, builder);
                builder.finish();
            }
            _ => return false,
        }
        true
    }

    /// The blocks in order: reasoning unchanged, since its signature covers it; calls by id.
    pub(crate) fn provider_state(self, calls: &[(usize, CallRecord)]) -> Vec<Value> {
        let item = |block: AnthropicBlock| match block.kind {
            AnthropicBlockKind::Text(text) => {
                (!text.is_empty()).then(|| json!({ "type": "text", "text": text }))
            }
            // Reasoning without its signature is refused.
            AnthropicBlockKind::Thinking { signature, .. } if signature.is_empty() => None,
            AnthropicBlockKind::Thinking { thinking, signature } => {
                Some(json!({ "type": "thinking", "thinking": thinking, "signature": signature }))
            }
            AnthropicBlockKind::Redacted(data) => Some(json!({ "type": "redacted_thinking", "data": data })),
            AnthropicBlockKind::Call { number, .. } => calls
                .iter()
                .find(|(at, _)| *at == number)
                .map(|(_, call)| json!({ "type": "tool_use", "id": call.id })),
            AnthropicBlockKind::Other => None,
        };
        self.blocks.into_iter().filter_map(item).collect()
    }

    fn begin(&mut self, message: &Value, builder: &mut AnswerBuilder) {
        // Some gateways send this event twice. Others splice a second answer into the first, and then
        // nobody can tell which part belongs to which.
        if !self.blocks.is_empty() {
            builder.fail("a second answer began in the middle of the first");
            return;
        }
        self.take_usage(message.get("usage").unwrap_or(&Value::Null), builder);
    }

    fn open(&mut self, index: u64, block: &Value, builder: &mut AnswerBuilder) {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        if !builder.make_room(PIECE_COST) {
            return;
        }
        let kind = match text("type") {
            "text" => {
                builder.grow_text(text("text"));
                AnthropicBlockKind::Text(text("text").to_owned())
            }
            "thinking" => {
                builder.grow_reasoning(text("thinking"));
                AnthropicBlockKind::Thinking {
                    thinking: text("thinking").to_owned(),
                    signature: text("signature").to_owned(),
                }
            }
            "redacted_thinking" if builder.make_room(text("data").len()) => {
                AnthropicBlockKind::Redacted(text("data").to_owned())
            }
            "tool_use" => {
                let input = block.get("input").cloned().unwrap_or_default();
                match builder.grow_call(Fragment::indexed(index, text("id"), text("name"), "")) {
                    Some(number) => AnthropicBlockKind::Call { number, input, grew: false },
                    None => AnthropicBlockKind::Other,
                }
            }
            "fallback" => {
                let model = block.pointer("/to/model").and_then(Value::as_str).unwrap_or_default();
                builder.notice(Notice::OtherModel(model.chars().take(NAME_LIMIT).collect()));
                AnthropicBlockKind::Other
            }
            _ => AnthropicBlockKind::Other,
        };
        self.blocks.push(AnthropicBlock { index, kind });
    }

    fn grow(&mut self, index: u64, delta: &Value, builder: &mut AnswerBuilder) {
        let piece = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(block) = self.blocks.iter_mut().rev().find(|block| block.index == index) else {
            builder.skip();
            return;
        };
        match (&mut block.kind, delta.get("type").and_then(Value::as_str).unwrap_or_default()) {
            (AnthropicBlockKind::Text(text), "text_delta") => {
                builder.grow_text(piece("text"));
                text.push_str(piece("text"));
            }
            (AnthropicBlockKind::Thinking { thinking, .. }, "thinking_delta") => {
                builder.grow_reasoning(piece("thinking"));
                thinking.push_str(piece("thinking"));
            }
            (AnthropicBlockKind::Thinking { signature, .. }, "signature_delta")
                if builder.make_room(piece("signature").len()) =>
            {
                signature.push_str(piece("signature"));
            }
            (AnthropicBlockKind::Call { grew, .. }, "input_json_delta") => {
                *grew |= !piece("partial_json").is_empty();
                builder.grow_call(Fragment::indexed(index, "", "", piece("partial_json")));
            }
            // Citations and other additions to blocks.
            _ => {}
        }
    }

    fn close(&mut self, index: u64, builder: &mut AnswerBuilder) {
        if let Some(block) = self.blocks.iter_mut().rev().find(|block| block.index == index) {
            block.settle(builder);
        }
    }

    fn close_all(&mut self, builder: &mut AnswerBuilder) {
        for block in &mut self.blocks {
            block.settle(builder);
        }
    }

    /// The first event counts input tokens, a later one output tokens, and it may repeat everything.
    fn take_usage(&mut self, usage: &Value, builder: &mut AnswerBuilder) {
        let Some(usage) = usage.as_object().filter(|usage| !usage.is_empty()) else { return };
        for (name, value) in usage {
            if self.usage.len() < USAGE_LIMIT || self.usage.contains_key(name) {
                self.usage.insert(name.clone(), value.clone());
            }
        }
        let whole = Value::Object(self.usage.clone());
        let usage = usage::read_messages(&whole);
        builder.take_usage(whole, usage);
    }
}

impl AnthropicBlock {
    /// Gateways that do not stream arguments send them with the start of the block.
    fn settle(&mut self, builder: &mut AnswerBuilder) {
        if let AnthropicBlockKind::Call { number, input, grew } = &mut self.kind
            && !*grew
            && input.as_object().is_some_and(|input| !input.is_empty())
        {
            *grew = true;
            builder.settle_call(*number, "", &input.to_string());
        }
    }
}

/// The stop reason, and for a refusal its explanation.
fn take_stop(delta: &Value, builder: &mut AnswerBuilder) {
    let Some(word) = delta.get("stop_reason").and_then(Value::as_str).filter(|word| !word.is_empty()) else {
        return;
    };
    let reason = finish_reason(word);
    if reason == FinishReason::Filter
        && let Some(why) = delta.pointer("/stop_details/explanation").and_then(Value::as_str)
    {
        builder.note(ModelError::new(ErrorClass::Filter, errors::cap(why)));
    }
    builder.take_finish(word, reason);
}

#[cfg(test)]
mod tests;
