//! Reads a Chat Completions stream.

use serde_json::{Map, Value, json};

use super::growth::Delta;
use crate::conversation::message::CallRecord;
use crate::decode::answer_builder::{AnswerBuilder, PIECE_COST, finish_reason};
use crate::decode::calls::Fragment;
use crate::decode::usage;
use crate::errors;

/// The state between chunks, apart from the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ChatStream {
    delta_seen: bool,
    /// The merged `reasoning_details`.
    details: Vec<Map<String, Value>>,
    /// The `extra_content` of calls, with their numbers.
    extras: Vec<(usize, Value)>,
}

impl ChatStream {
    /// Fast path of [`ChatStream::take`] for a chunk that only extends the answer; `false` otherwise.
    pub(crate) fn grow(&mut self, chunk: &str, builder: &mut AnswerBuilder) -> bool {
        let Some(delta) = Delta::read(chunk) else { return false };
        self.delta_seen = true;
        builder.grow_reasoning(delta.reasoning());
        builder.grow_text(delta.text());
        for (index, arguments) in delta.arguments() {
            builder.grow_call(Fragment::indexed(index, "", "", arguments));
        }
        true
    }

    /// Reads one object; `false` if it does not belong to this protocol.
    pub(crate) fn take(&mut self, chunk: &Value, builder: &mut AnswerBuilder) -> bool {
        let choices = chunk.get("choices").and_then(Value::as_array);
        let error = errors::find(chunk);
        if choices.is_none_or(Vec::is_empty)
            && let Some(error) = error
        {
            builder.refuse(error);
            return true;
        }
        // Several choices come only on request; a choice without an index is the first.
        let choice = choices.and_then(|choices| {
            choices.iter().find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0)
        });
        let usage = usage::find(chunk, choice);
        if choices.is_none() && usage.is_none() {
            return false;
        }
        if let Some(error) = error {
            builder.note(error);
        }
        if let Some(choice) = choice {
            self.take_choice(choice, builder);
        }
        if let Some(raw) = usage {
            builder.take_usage(raw.clone(), usage::read(raw));
        }
        if !self.delta_seen
            && choice.is_some_and(|choice| choice.get("message").is_some_and(Value::is_object))
        {
            // A complete answer although a stream was requested.
            builder.finish();
        }
        true
    }

    /// Reasoning in the form in which OpenRouter and MiniMax want it back, and the extra content that
    /// Google's compatible endpoint adds to calls.
    pub(crate) fn provider_state(self, calls: &[(usize, CallRecord)]) -> Vec<Value> {
        let mut items = Vec::new();
        if !self.details.is_empty() {
            items.push(json!({ "reasoning_details": self.details }));
        }
        for (at, extra) in self.extras {
            if let Some((_, call)) = calls.iter().find(|(number, _)| *number == at) {
                items.push(json!({ "id": call.id, "extra_content": extra }));
            }
        }
        items
    }

    fn take_choice(&mut self, choice: &Value, builder: &mut AnswerBuilder) {
        let object = |name: &str| choice.get(name).filter(|value| value.is_object());
        match (object("delta"), object("message")) {
            (Some(delta), _) => {
                self.delta_seen = true;
                self.take_delta(delta, builder);
            }
            // After deltas, a message would repeat them.
            (None, Some(message)) if !self.delta_seen => self.take_delta(message, builder),
            (None, _) => {}
        }
        let word = |name: &str| {
            choice.get(name).and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty())
        };
        // OpenRouter leaves the common field empty if it does not know the upstream's word.
        if let Some(word) = word("finish_reason").or_else(|| word("native_finish_reason")) {
            builder.take_finish(word, finish_reason(word));
        }
    }

    fn take_delta(&mut self, delta: &Value, builder: &mut AnswerBuilder) {
        let (text, thoughts) = content(delta.get("content"));
        let reasoning = if thoughts.is_empty() { reasoning(delta) } else { thoughts };
        builder.grow_reasoning(&reasoning);
        builder.grow_text(&text);
        builder.grow_refusal(delta.get("refusal").and_then(Value::as_str).unwrap_or_default());
        for detail in list(delta, "reasoning_details").filter_map(Value::as_object) {
            self.take_detail(detail, builder);
        }
        for value in list(delta, "tool_calls") {
            let number = builder.grow_call(Fragment::read(value));
            if let (Some(number), Some(extra)) = (number, value.get("extra_content"))
                && builder.make_room(extra.to_string().len() + PIECE_COST)
            {
                self.extras.push((number, extra.clone()));
            }
        }
    }

    /// Details arrive in pieces; those with the same type and index are one.
    /// <https://openrouter.ai/docs/use-cases/reasoning-tokens>
    fn take_detail(&mut self, piece: &Map<String, Value>, builder: &mut AnswerBuilder) {
        // The text of most of them is counted as reasoning already; encrypted data is not.
        if !builder.make_room(piece.values().filter_map(Value::as_str).map(str::len).sum::<usize>()) {
            return;
        }
        let is_same = |last: &Map<String, Value>| {
            ["type", "index"].iter().all(|name| last.get(*name) == piece.get(*name))
                && piece.get("id").is_none_or(|id| id.is_null() || last.get("id") == Some(id))
        };
        let Some(last) = self.details.last_mut().filter(|last| is_same(last)) else {
            if builder.make_room(PIECE_COST) {
                self.details.push(piece.clone());
            }
            return;
        };
        for (name, value) in piece {
            match (last.get_mut(name), value) {
                (Some(Value::String(whole)), Value::String(more))
                    if matches!(name.as_str(), "text" | "summary" | "data") =>
                {
                    whole.push_str(more);
                }
                (Some(Value::Null) | None, value) => {
                    last.insert(name.clone(), value.clone());
                }
                (Some(_), _) => {}
            }
        }
    }
}

fn list<'a>(object: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    object.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Text and reasoning of a `content` field: usually a string or null; Mistral sends an array of typed
/// parts, in which reasoning again contains parts.
fn content(value: Option<&Value>) -> (String, String) {
    let (mut text, mut thoughts) = (String::new(), String::new());
    match value {
        Some(Value::String(whole)) => text.push_str(whole),
        Some(Value::Array(parts)) => {
            for part in parts {
                if let Some(piece) = part.as_str().or_else(|| part.get("text")?.as_str()) {
                    text.push_str(piece);
                } else if let Some(thinking) = part.get("thinking") {
                    thoughts.push_str(&content(Some(thinking)).0);
                }
            }
        }
        _ => {}
    }
    (text, thoughts)
}

/// The reasoning of a delta. Gateways often send it under two names, so only one is read.
fn reasoning(delta: &Value) -> String {
    let named = ["reasoning_content", "reasoning"]
        .into_iter()
        .find_map(|name| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()));
    match named {
        Some(text) => text.to_owned(),
        // MiniMax sends only this when reasoning is requested separately.
        None => list(delta, "reasoning_details")
            .filter_map(|detail| detail.get("text").or_else(|| detail.get("summary"))?.as_str())
            .collect(),
    }
}

#[cfg(test)]
mod tests;
