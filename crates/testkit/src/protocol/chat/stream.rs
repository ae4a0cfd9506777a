//! Serialises an answer for Chat Completions: chunks of a stream, or one completion.

use serde_json::{Value, json};

use crate::answer::ScriptedAnswer;
use crate::dialect::{CallSupport, ThoughtForm, UsagePlace};
use crate::protocol::framing::data;
use crate::request::ReceivedRequest;
use crate::scenario::Finish;
use crate::script::{Script, WritingStep};
use crate::service::Service;
use crate::stamp::{Stamp, seal};

/// The events of a stream, in order.
pub(crate) fn events(
    service: &Service,
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
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
    let is_plain = service.chat.thoughts == ThoughtForm::ReasoningContent;
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
pub(crate) fn completion(
    service: &Service,
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
) -> Value {
    let script = Script::write(&ReceivedRequest { max_tokens: None, ..request.clone() }, answer, 1);
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
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    script: &Script,
) -> Vec<Value> {
    let is_plain = request.thinking && service.chat.thoughts == ThoughtForm::ReasoningContent;
    let has_thoughts = script.thinking > 0;
    let mut thoughts = String::new();
    let mut deltas = Vec::new();
    let mut is_closed = !has_thoughts;
    for piece in &script.pieces {
        if !is_closed && !matches!(piece, WritingStep::Thought(_)) {
            deltas.extend(end_of_thoughts(service, request, &thoughts));
            is_closed = true;
        }
        match piece {
            WritingStep::Thought(piece) => {
                thoughts.push_str(piece);
                deltas.push(thought(service, request, piece, thoughts.len() == piece.len()));
            }
            WritingStep::Word(piece) if is_plain => {
                deltas.push(json!({"content": piece, "reasoning_content": null}))
            }
            WritingStep::Word(piece) => deltas.push(json!({ "content": piece })),
            WritingStep::Call(index) => {
                let name = &answer.calls[*index].name;
                let id = call_id(service, answer, stamp, *index, has_thoughts);
                let arguments = match service.chat.calls {
                    CallSupport::Pieces
                    | CallSupport::EmptyIds
                    | CallSupport::EmptyNames
                    | CallSupport::FunctionIds => String::new(),
                    // A call is sent only if it is complete.
                    CallSupport::Whole | CallSupport::WholeAtZero
                        if !script.whole_calls(answer).contains(index) =>
                    {
                        continue;
                    }
                    CallSupport::Whole | CallSupport::WholeAtZero => answer.calls[*index].arguments.clone(),
                };
                let shown = if service.chat.calls == CallSupport::WholeAtZero { 0 } else { *index };
                deltas.push(json!({"tool_calls": [{"index": shown, "id": id, "type": "function",
                                                    "function": {"name": name, "arguments": arguments}}]}));
            }
            WritingStep::Argument(index, piece) => {
                let mut fragment = json!({"index": index, "function": {"arguments": piece}});
                match service.chat.calls {
                    CallSupport::Pieces | CallSupport::FunctionIds => {}
                    CallSupport::EmptyIds => fragment["id"] = json!(""),
                    CallSupport::EmptyNames => fragment["function"]["name"] = json!(""),
                    CallSupport::Whole | CallSupport::WholeAtZero => continue,
                }
                deltas.push(json!({ "tool_calls": [fragment] }));
            }
        }
    }
    deltas
}

fn thought(service: &Service, request: &ReceivedRequest, piece: &str, is_first: bool) -> Value {
    let detail = json!({"type": "reasoning.text", "text": piece, "format": "scripted-v1", "index": 0});
    match service.chat.thoughts {
        ThoughtForm::ReasoningContent => json!({"content": null, "reasoning_content": piece}),
        ThoughtForm::Reasoning => json!({"content": null, "reasoning": piece}),
        ThoughtForm::Details => json!({"content": "", "reasoning": piece, "reasoning_details": [detail]}),
        ThoughtForm::SplitDetails if request.shows_thoughts => {
            json!({"content": "", "reasoning_details": [detail]})
        }
        ThoughtForm::SplitDetails if is_first => json!({ "content": format!("<think>\n{piece}") }),
        ThoughtForm::SplitDetails => json!({ "content": piece }),
    }
}

/// What follows the last piece of reasoning: its signature, or its closing tag.
fn end_of_thoughts(service: &Service, request: &ReceivedRequest, thoughts: &str) -> Option<Value> {
    let signature =
        json!({"type": "reasoning.text", "signature": seal(thoughts), "format": "scripted-v1", "index": 0});
    match service.chat.thoughts {
        ThoughtForm::ReasoningContent | ThoughtForm::Reasoning => None,
        ThoughtForm::SplitDetails if !request.shows_thoughts => Some(json!({"content": "\n</think>\n"})),
        ThoughtForm::Details | ThoughtForm::SplitDetails => {
            Some(json!({"content": "", "reasoning_details": [signature]}))
        }
    }
}

/// The id of a call. Where `reasoning_details` must be sent back, it names the service, and whether reasoning
/// led to the call: those of other services come back without.
fn call_id(
    service: &Service,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    index: usize,
    has_thoughts: bool,
) -> String {
    match (service.chat.calls, service.chat.thoughts) {
        (CallSupport::FunctionIds, _) => format!("functions.{}:{index}", answer.calls[index].name),
        (_, ThoughtForm::Details | ThoughtForm::SplitDetails) => {
            stamp.call_id(service.name, index, has_thoughts)
        }
        (_, ThoughtForm::ReasoningContent | ThoughtForm::Reasoning) => {
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
