//! An answer as the services that speak Chat Completions put it on the wire: chunks of a stream, or one completion.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::dialect::{Calls, Thoughts, UsagePlace};
use crate::protocol::framing::data;
use crate::request::ChatRequest;
use crate::scenario::Finish;
use crate::script::{Piece, Script};
use crate::service::Service;
use crate::stamp::{Stamp, seal};

/// The events of a stream, in order.
pub(crate) fn events(
    service: &Service,
    request: &ChatRequest,
    answer: &Answer,
    stamp: &Stamp,
    per_event: usize,
) -> Vec<String> {
    let script = Script::write(request, answer, per_event);
    let place = service.chat.usage;
    let usage = usage(&script, stamp);
    let chunk = |choices: Value| {
        let mut chunk = json!({
            "id": stamp.id,
            "object": "chat.completion.chunk",
            "created": stamp.created,
            "model": request.model,
            "system_fingerprint": "fp_scripted",
            "choices": choices,
        });
        if request.include_usage && place == UsagePlace::Last {
            chunk["usage"] = Value::Null;
        }
        chunk
    };
    let choice = |delta: Value, finish: Option<Finish>| json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish.map(Finish::as_str)}]);
    let is_plain = service.chat.thoughts == Thoughts::ReasoningContent;
    let (first, last) = if request.thinking && is_plain {
        let first = json!({"role": "assistant", "content": null, "reasoning_content": ""});
        (first, json!({"content": "", "reasoning_content": null}))
    } else {
        (json!({"role": "assistant", "content": ""}), json!({"content": ""}))
    };
    let mut events = vec![data(&chunk(choice(first, None)))];
    let deltas = deltas(service, request, answer, stamp, &script);
    events.extend(deltas.into_iter().map(|delta| data(&chunk(choice(delta, None)))));

    let mut end = chunk(choice(last.clone(), Some(script.finish)));
    match place {
        UsagePlace::Last if request.include_usage => end["usage"] = usage.clone(),
        UsagePlace::LastAlways => end["usage"] = usage.clone(),
        UsagePlace::Choice => end["choices"][0]["usage"] = usage.clone(),
        UsagePlace::Last | UsagePlace::Own | UsagePlace::Repeated => {}
    }
    events.push(data(&end));
    let choices = match place {
        UsagePlace::Own if request.include_usage => Some(json!([])),
        UsagePlace::Repeated => Some(choice(last, Some(script.finish))),
        UsagePlace::Own | UsagePlace::Last | UsagePlace::LastAlways | UsagePlace::Choice => None,
    };
    if let Some(choices) = choices {
        let mut more = chunk(choices);
        more["usage"] = usage;
        events.push(data(&more));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// The answer as one JSON object, for a request without `stream`.
pub(crate) fn completion(service: &Service, request: &ChatRequest, answer: &Answer, stamp: &Stamp) -> Value {
    let script = Script::write(&ChatRequest { max_tokens: None, ..request.clone() }, answer, 1);
    let mut message = json!({"role": "assistant", "content": answer.text});
    if request.thinking {
        message["reasoning_content"] = json!(answer.reasoning);
    }
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().enumerate().map(|(index, call)| {
            json!({"index": index, "id": call_id(service, answer, stamp, index, request.thinking), "type": "function",
                   "function": {"name": call.name, "arguments": call.arguments}})
        });
        message["tool_calls"] = calls.collect();
    }
    json!({
        "id": stamp.id,
        "object": "chat.completion",
        "created": stamp.created,
        "model": request.model,
        "system_fingerprint": "fp_scripted",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": answer.finish.as_str()}],
        "usage": usage(&script, stamp),
    })
}

/// The deltas between the first and the last: reasoning, then text, then calls.
fn deltas(
    service: &Service,
    request: &ChatRequest,
    answer: &Answer,
    stamp: &Stamp,
    script: &Script,
) -> Vec<Value> {
    let is_plain = request.thinking && service.chat.thoughts == Thoughts::ReasoningContent;
    let has_thoughts = script.thinking > 0;
    let mut thoughts = String::new();
    let mut deltas = Vec::new();
    let mut is_closed = !has_thoughts;
    for piece in &script.pieces {
        if !is_closed && !matches!(piece, Piece::Thought(_)) {
            deltas.extend(end_of_thoughts(service, request, &thoughts));
            is_closed = true;
        }
        match piece {
            Piece::Thought(piece) => {
                thoughts.push_str(piece);
                deltas.push(thought(service, request, piece, thoughts.len() == piece.len()));
            }
            Piece::Word(piece) if is_plain => {
                deltas.push(json!({"content": piece, "reasoning_content": null}))
            }
            Piece::Word(piece) => deltas.push(json!({ "content": piece })),
            Piece::Call(index) => {
                let name = &answer.calls[*index].name;
                let id = call_id(service, answer, stamp, *index, has_thoughts);
                let arguments = match service.chat.calls {
                    Calls::Pieces | Calls::EmptyIds | Calls::EmptyNames | Calls::FunctionIds => String::new(),
                    // Only a call that is whole comes at all.
                    Calls::Whole | Calls::WholeAtZero if !script.whole_calls(answer).contains(index) => {
                        continue;
                    }
                    Calls::Whole | Calls::WholeAtZero => answer.calls[*index].arguments.clone(),
                };
                let shown = if service.chat.calls == Calls::WholeAtZero { 0 } else { *index };
                deltas.push(json!({"tool_calls": [{"index": shown, "id": id, "type": "function",
                                                    "function": {"name": name, "arguments": arguments}}]}));
            }
            Piece::Argument(index, piece) => {
                let mut fragment = json!({"index": index, "function": {"arguments": piece}});
                match service.chat.calls {
                    Calls::Pieces | Calls::FunctionIds => {}
                    Calls::EmptyIds => fragment["id"] = json!(""),
                    Calls::EmptyNames => fragment["function"]["name"] = json!(""),
                    Calls::Whole | Calls::WholeAtZero => continue,
                }
                deltas.push(json!({ "tool_calls": [fragment] }));
            }
        }
    }
    deltas
}

fn thought(service: &Service, request: &ChatRequest, piece: &str, is_first: bool) -> Value {
    let detail = json!({"type": "reasoning.text", "text": piece, "format": "scripted-v1", "index": 0});
    match service.chat.thoughts {
        Thoughts::ReasoningContent => json!({"content": null, "reasoning_content": piece}),
        Thoughts::Reasoning => json!({"content": null, "reasoning": piece}),
        Thoughts::Details => json!({"content": "", "reasoning": piece, "reasoning_details": [detail]}),
        Thoughts::SplitDetails if request.shows_thoughts => {
            json!({"content": "", "reasoning_details": [detail]})
        }
        Thoughts::SplitDetails if is_first => json!({ "content": format!("<think>\n{piece}") }),
        Thoughts::SplitDetails => json!({ "content": piece }),
    }
}

/// What follows the last thought: its signature, or the end of its markup.
fn end_of_thoughts(service: &Service, request: &ChatRequest, thoughts: &str) -> Option<Value> {
    let signature =
        json!({"type": "reasoning.text", "signature": seal(thoughts), "format": "scripted-v1", "index": 0});
    match service.chat.thoughts {
        Thoughts::ReasoningContent | Thoughts::Reasoning => None,
        Thoughts::SplitDetails if !request.shows_thoughts => Some(json!({"content": "\n</think>\n"})),
        Thoughts::Details | Thoughts::SplitDetails => {
            Some(json!({"content": "", "reasoning_details": [signature]}))
        }
    }
}

/// Ids whose thoughts are asked for tell whose they are: nobody else's thoughts go with them.
fn call_id(service: &Service, answer: &Answer, stamp: &Stamp, index: usize, has_thoughts: bool) -> String {
    match (service.chat.calls, service.chat.thoughts) {
        (Calls::FunctionIds, _) => format!("functions.{}:{index}", answer.calls[index].name),
        (_, Thoughts::Details | Thoughts::SplitDetails) => stamp.call_id(service.name, index, has_thoughts),
        (_, Thoughts::ReasoningContent | Thoughts::Reasoning) => {
            format!("call_{index:02}_{}", stamp.digits())
        }
    }
}

fn usage(script: &Script, stamp: &Stamp) -> Value {
    json!({
        "prompt_tokens": stamp.prompt_tokens,
        "completion_tokens": script.tokens,
        "total_tokens": stamp.prompt_tokens + script.tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": script.thinking},
        "prompt_cache_hit_tokens": 0,
        "prompt_cache_miss_tokens": stamp.prompt_tokens,
    })
}
