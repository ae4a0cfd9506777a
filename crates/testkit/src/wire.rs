//! An answer as DeepSeek puts it on the wire: chunks of a stream, or one completion.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::pieces::pieces;
use crate::request::ChatRequest;
use crate::scenario::Finish;

/// The names that one answer carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// `id` of the completion; call ids are made from it too.
    pub(crate) id: String,
    /// `created`, in seconds since the Unix epoch.
    pub(crate) created: u64,
    /// Tokens of the request.
    pub(crate) prompt_tokens: usize,
}

/// One step of the model's writing, and the tokens that it costs.
struct Written {
    delta: Value,
    tokens: usize,
    is_reasoning: bool,
}

/// The events of a stream, in order, each the text behind `data: `.
pub(crate) fn events(request: &ChatRequest, answer: &Answer, stamp: &Stamp, per_event: usize) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<Finish>, usage: Value| {
        let mut chunk = json!({
            "id": stamp.id,
            "object": "chat.completion.chunk",
            "created": stamp.created,
            "model": request.model,
            "system_fingerprint": "fp_scripted",
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish.map(Finish::as_str)}],
        });
        if request.include_usage {
            chunk["usage"] = usage;
        }
        chunk.to_string()
    };
    let first = if request.thinking {
        json!({"role": "assistant", "content": null, "reasoning_content": ""})
    } else {
        json!({"role": "assistant", "content": ""})
    };
    let last = if request.thinking {
        json!({"content": "", "reasoning_content": null})
    } else {
        json!({"content": ""})
    };

    let mut events = vec![chunk(first, None, Value::Null)];
    let mut spent = Spent::default();
    let mut finish = answer.finish;
    for written in write(request, answer, stamp, per_event) {
        if request.max_tokens.is_some_and(|most| (spent.total + written.tokens) as u64 > most) {
            finish = Finish::Length;
            break;
        }
        spent.add(&written);
        events.push(chunk(written.delta, None, Value::Null));
    }
    events.push(chunk(last, Some(finish), spent.usage(stamp.prompt_tokens)));
    events.push("[DONE]".to_owned());
    events
}

/// The answer as one JSON object, for a request without `stream`.
pub(crate) fn completion(request: &ChatRequest, answer: &Answer, stamp: &Stamp) -> Value {
    let mut spent = Spent::default();
    for written in write(request, answer, stamp, 1) {
        spent.add(&written);
    }
    let mut message = json!({"role": "assistant", "content": answer.text});
    if request.thinking {
        message["reasoning_content"] = json!(answer.reasoning);
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = answer
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| {
                json!({"index": index, "id": stamp.call_id(index), "type": "function",
                       "function": {"name": call.name, "arguments": call.arguments}})
            })
            .collect();
    }
    json!({
        "id": stamp.id,
        "object": "chat.completion",
        "created": stamp.created,
        "model": request.model,
        "system_fingerprint": "fp_scripted",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": answer.finish.as_str()}],
        "usage": spent.usage(stamp.prompt_tokens),
    })
}

/// The deltas between the first and the last: reasoning, then text, then calls.
fn write(request: &ChatRequest, answer: &Answer, stamp: &Stamp, per_event: usize) -> Vec<Written> {
    let mut written = Vec::new();
    let mut say = |text: &str, is_reasoning: bool, delta: &dyn Fn(String) -> Value| {
        written.extend(pieces(text).chunks(per_event).map(|group| Written {
            delta: delta(group.concat()),
            tokens: group.len(),
            is_reasoning,
        }));
    };
    if request.thinking {
        say(&answer.reasoning, true, &|piece| json!({"content": null, "reasoning_content": piece}));
        say(&answer.text, false, &|piece| json!({"content": piece, "reasoning_content": null}));
    } else {
        say(&answer.text, false, &|piece| json!({"content": piece}));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        written.push(Written {
            delta: json!({"tool_calls": [{"index": index, "id": stamp.call_id(index), "type": "function",
                          "function": {"name": call.name, "arguments": ""}}]}),
            tokens: 1,
            is_reasoning: false,
        });
        written.extend(pieces(&call.arguments).chunks(per_event).map(|group| Written {
            delta: json!({"tool_calls": [{"index": index, "function": {"arguments": group.concat()}}]}),
            tokens: group.len(),
            is_reasoning: false,
        }));
    }
    written
}

#[derive(Default)]
struct Spent {
    total: usize,
    reasoning: usize,
}

impl Spent {
    fn add(&mut self, written: &Written) {
        self.total += written.tokens;
        if written.is_reasoning {
            self.reasoning += written.tokens;
        }
    }

    fn usage(&self, prompt: usize) -> Value {
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": self.total,
            "total_tokens": prompt + self.total,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
            "prompt_cache_hit_tokens": 0,
            "prompt_cache_miss_tokens": prompt,
        })
    }
}

impl Stamp {
    fn call_id(&self, index: usize) -> String {
        format!("call_{index:02}_{}", self.id.replace('-', ""))
    }
}
