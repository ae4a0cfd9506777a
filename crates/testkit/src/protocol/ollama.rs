//! Ollama's own protocol: one JSON object per line (NDJSON).
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>

use serde_json::{Map, Value, json};

use super::framing::line;
use crate::answer::ScriptedAnswer;
use crate::fields::{list, object, text};
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::scenario::Finish;
use crate::script::{Script, WritingStep};
use crate::stamp::Stamp;

/// Reads a request. Unknown fields are ignored, as by Ollama.
pub(crate) fn read(body: &Value) -> Result<ReceivedRequest, ServiceRefusal> {
    let body = object(body, "body")?;
    let model = text(body, "model", "body")?;
    if model.is_empty() {
        return Err(ServiceRefusal::bad_request("model is required"));
    }
    Ok(ReceivedRequest {
        model: model.to_owned(),
        messages: read_messages(body)?,
        tools: read_tools(body)?,
        constraint: read_format(body)?,
        stream: body.get("stream") != Some(&Value::Bool(false)),
        include_usage: true,
        thinking: body.get("think") != Some(&Value::Bool(false)),
        shows_thoughts: true,
        max_tokens: body.get("options").and_then(|options| options["num_predict"].as_u64()),
    })
}

fn read_format(body: &Map<String, Value>) -> Result<Option<Value>, ServiceRefusal> {
    match body.get("format") {
        None | Some(Value::Null) => Ok(None),
        Some(schema) if schema["anyOf"].is_array() || schema["type"].is_string() => Ok(Some(schema.clone())),
        Some(_) => Err(ServiceRefusal {
            message: "invalid JSON schema in format".to_owned(),
            ..ServiceRefusal::of_status(500)
        }),
    }
}

fn read_tools(body: &Map<String, Value>) -> Result<Vec<String>, ServiceRefusal> {
    let name = |tool: &Value| match (&tool["function"]["name"], &tool["function"]["parameters"]) {
        (Value::String(name), Value::Object(_)) => Ok(name.clone()),
        _ => Err(unreadable("tools", "ChatRequest.tools", "api.Tools")),
    };
    list(body, "tools")?.iter().map(name).collect()
}

fn unreadable(found: &str, field: &str, wanted: &str) -> ServiceRefusal {
    ServiceRefusal::bad_request(format!(
        "json: cannot unmarshal {found} into Go struct field {field} of type {wanted}"
    ))
}

fn read_messages(body: &Map<String, Value>) -> Result<Vec<ReceivedMessage>, ServiceRefusal> {
    let mut read = Vec::new();
    let mut calls_so_far = 0;
    // Results belong to the calls before them, by id if they have one, otherwise by order.
    let mut open: Vec<EarlierCall> = Vec::new();
    for (index, message) in list(body, "messages")?.iter().enumerate() {
        let at = format!("messages[{index}]");
        let fields = object(message, &at)?;
        let content = fields.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        match text(fields, "role", &at)? {
            "system" => read.push(ReceivedMessage::System { content }),
            "user" => read.push(ReceivedMessage::User { content }),
            "assistant" => {
                let mut calls = Vec::new();
                for call in list(fields, "tool_calls")? {
                    let function = &call["function"];
                    if !function["arguments"].is_object() {
                        return Err(unreadable(
                            "string",
                            "ChatRequest.messages.tool_calls.function.arguments",
                            "api.ToolCallFunctionArguments",
                        ));
                    }
                    calls_so_far += 1;
                    calls.push(EarlierCall {
                        id: call["id"].as_str().map_or_else(|| format!("call {calls_so_far}"), str::to_owned),
                        name: function["name"].as_str().unwrap_or_default().to_owned(),
                        arguments: function["arguments"].to_string(),
                    });
                }
                open.clone_from(&calls);
                read.push(ReceivedMessage::Assistant { content, calls });
            }
            "tool" => {
                let id = fields.get("tool_call_id").and_then(Value::as_str);
                let position = id.map_or(Some(0), |id| open.iter().position(|call| call.id == id));
                if let Some(position) = position.filter(|position| *position < open.len()) {
                    read.push(ReceivedMessage::Tool { call_id: open.remove(position).id, content });
                }
            }
            other => return Err(ServiceRefusal::bad_request(format!("invalid role: {other}"))),
        }
    }
    Ok(read)
}

/// Serialises an answer: pieces of one message, with complete calls.
pub(crate) fn events(
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    per_event: usize,
) -> Vec<String> {
    let script = Script::write(request, answer, per_event);
    let object = |message: Value, more: Value| {
        let mut object = json!({
            "model": request.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            object[name.as_str()] = value.clone();
        }
        line(&object)
    };
    let mut events = Vec::new();
    for piece in &script.pieces {
        match piece {
            WritingStep::Thought(text) => {
                let message = json!({"role": "assistant", "content": "", "thinking": text});
                events.push(object(message, Value::Null));
            }
            WritingStep::Word(text) => {
                events.push(object(json!({"role": "assistant", "content": text}), Value::Null))
            }
            WritingStep::Call(_) | WritingStep::Argument(..) => {}
        }
    }
    for call in script.whole_calls(answer) {
        let made = &answer.calls[call];
        let Ok(Value::Object(arguments)) = serde_json::from_str(&made.arguments) else {
            let what = format!("error parsing tool call: raw='{}'", made.arguments);
            events.push(line(&json!({ "error": what })));
            return events;
        };
        let function = json!({"index": call, "name": made.name, "arguments": arguments});
        let message = json!({"role": "assistant", "content": "",
                             "tool_calls": [{"id": stamp.call_id("call", call, false), "function": function}]});
        events.push(object(message, Value::Null));
    }
    let reason = match script.finish {
        Finish::Stop | Finish::ToolCalls | Finish::ContentFilter => "stop",
        Finish::Length => "length",
        Finish::InsufficientSystemResource => {
            events.push(line(&json!({"error": "llama runner process has terminated"})));
            return events;
        }
    };
    let counts = json!({
        "done": true, "done_reason": reason, "total_duration": 1, "prompt_eval_count": stamp.prompt_tokens,
        "eval_count": script.tokens,
    });
    events.push(object(json!({"role": "assistant", "content": ""}), counts));
    events
}
