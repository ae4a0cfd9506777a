//! Reads a `streamGenerateContent` stream: parts of content, each complete or a continuation of the text
//! before it.
//!
//! Only a finish reason marks the end, and more may follow it.

use serde_json::{Map, Value, json};
use sidecar_protocol::error::{ErrorClass, ModelError};

use super::partial;
use crate::conversation::message::CallRecord;
use crate::decode::answer_builder::{AnswerBuilder, PIECE_COST, finish_reason};
use crate::decode::calls::Fragment;
use crate::decode::usage;
use crate::errors;

/// The state between chunks, apart from the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GeminiStream {
    parts: Vec<GeminiPart>,
    calls: u64,
    /// The call whose arguments are still arriving, and those that have arrived.
    open: Option<(usize, Map<String, Value>)>,
}

#[derive(Debug, Clone, PartialEq)]
struct GeminiPart {
    kind: GeminiPartKind,
    signature: String,
}

#[derive(Debug, Clone, PartialEq)]
enum GeminiPartKind {
    Text(String),
    Thought(String),
    /// The call's number, and whether the service gave it an id, which it then wants back.
    Call {
        number: usize,
        has_id: bool,
    },
}

impl GeminiStream {
    /// Reads one chunk; `false` if it does not belong to this protocol.
    pub(crate) fn take(&mut self, chunk: &Value, builder: &mut AnswerBuilder) -> bool {
        if let Some(error) = errors::find(chunk) {
            builder.refuse(error);
            return true;
        }
        let candidate = chunk.get("candidates").and_then(|candidates| candidates.get(0));
        let usage = chunk.get("usageMetadata").filter(|usage| usage.is_object());
        let blocked = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
        if candidate.is_none() && usage.is_none() && blocked.is_none() {
            return false;
        }
        let parts =
            candidate.and_then(|candidate| candidate.pointer("/content/parts")).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            self.take_part(part, builder);
        }
        if let Some(raw) = usage {
            builder.take_usage(raw.clone(), usage::read_gemini(raw));
        }
        if let Some(candidate) = candidate {
            take_finish(candidate, builder);
        } else if let Some(reason) = blocked {
            let why = chunk.pointer("/promptFeedback/blockReasonMessage").and_then(Value::as_str);
            builder.refuse(ModelError::new(ErrorClass::Filter, errors::cap(why.unwrap_or(reason))));
        }
        true
    }

    /// The parts with their signatures. Reasoning without one is a summary, which the model cannot use.
    /// <https://ai.google.dev/gemini-api/docs/thought-signatures>
    pub(crate) fn provider_state(self, calls: &[(usize, CallRecord)]) -> Vec<Value> {
        let item = |GeminiPart { kind, signature }: GeminiPart| {
            let mut items: Vec<Value> = match kind {
                GeminiPartKind::Thought(_) if signature.is_empty() => Vec::new(),
                GeminiPartKind::Thought(text) => vec![json!({ "text": text, "thought": true })],
                GeminiPartKind::Text(text) => vec![json!({ "text": text })],
                GeminiPartKind::Call { number, has_id } => calls
                    .iter()
                    .filter(|(at, _)| *at == number)
                    .map(|(_, call)| json!({ "call": call.id, "hasId": has_id }))
                    .collect(),
            };
            if let Some(first) = items.first_mut().filter(|_| !signature.is_empty()) {
                first["thoughtSignature"] = Value::from(signature);
            }
            items
        };
        self.parts.into_iter().flat_map(item).collect()
    }

    fn take_part(&mut self, part: &Value, builder: &mut AnswerBuilder) {
        let signature = part.get("thoughtSignature").and_then(Value::as_str).unwrap_or_default();
        if !builder.make_room(signature.len()) {
            return;
        }
        let kind = if let Some(call) = part.get("functionCall") {
            match self.take_call(call, builder) {
                Some(kind) => kind,
                None => return,
            }
        } else if let Some(text) = part.get("text").and_then(Value::as_str) {
            if part.get("thought").and_then(Value::as_bool).unwrap_or_default() {
                builder.grow_reasoning(text);
                GeminiPartKind::Thought(text.to_owned())
            } else {
                builder.grow_text(text);
                GeminiPartKind::Text(text.to_owned())
            }
        } else {
            // Images, code that Google ran, and the like: nothing that was requested.
            return;
        };
        // Parts with different signatures must stay apart.
        match (self.parts.last_mut().filter(|last| last.signature.is_empty()), kind) {
            (Some(GeminiPart { kind: GeminiPartKind::Text(text), .. }), GeminiPartKind::Text(more))
                if signature.is_empty() =>
            {
                text.push_str(&more);
            }
            (Some(GeminiPart { kind: GeminiPartKind::Thought(text), .. }), GeminiPartKind::Thought(more))
                if signature.is_empty() =>
            {
                text.push_str(&more);
            }
            (_, GeminiPartKind::Text(text)) if text.is_empty() && signature.is_empty() => {}
            (_, kind) => {
                if builder.make_room(PIECE_COST) {
                    self.parts.push(GeminiPart { kind, signature: signature.to_owned() });
                }
            }
        }
    }

    /// Reads a call, or a piece of the open one; `None` if none began.
    fn take_call(&mut self, call: &Value, builder: &mut AnswerBuilder) -> Option<GeminiPartKind> {
        let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let goes_on = call.get("willContinue").and_then(Value::as_bool).unwrap_or_default();
        let begun = if text("name").is_empty() {
            None
        } else {
            let arguments = match call.get("args").filter(|arguments| arguments.is_object()) {
                Some(arguments) => arguments.to_string(),
                // Open the object, so that a call of which nothing more arrives is incomplete and does not
                // run.
                None if goes_on => "{".to_owned(),
                None => String::new(),
            };
            let number =
                builder.grow_call(Fragment::indexed(self.calls, text("id"), text("name"), arguments))?;
            self.calls += 1;
            self.open = goes_on.then(|| (number, Map::new()));
            Some(GeminiPartKind::Call { number, has_id: !text("id").is_empty() })
        };
        if let Some((number, arguments)) = &mut self.open {
            for piece in call.get("partialArgs").and_then(Value::as_array).into_iter().flatten() {
                if builder.make_room(piece.to_string().len()) {
                    partial::put(arguments, piece);
                }
            }
            if !goes_on {
                let arguments = Value::Object(std::mem::take(arguments)).to_string();
                builder.settle_call(*number, "", &arguments);
                self.open = None;
            }
        }
        begun
    }
}

fn take_finish(candidate: &Value, builder: &mut AnswerBuilder) {
    let text = |name: &str| candidate.get(name).and_then(Value::as_str).unwrap_or_default();
    let word = text("finishReason");
    if word.is_empty() || word == "FINISH_REASON_UNSPECIFIED" {
        return;
    }
    let reason = finish_reason(word);
    if let Some(class) = reason.class().filter(|_| !text("finishMessage").is_empty()) {
        builder.note(ModelError::new(class, errors::cap(text("finishMessage"))));
    }
    builder.take_finish(word, reason);
}

#[cfg(test)]
mod tests;
