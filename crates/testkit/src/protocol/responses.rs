//! OpenAI Responses, for clients that keep the conversation themselves.
//! <https://platform.openai.com/docs/api-reference/responses>

use serde_json::{Map, Value, json};

use super::framing::named;
use crate::answer::ScriptedAnswer;
use crate::fields::{is_name, is_plain_object, kind, list, object, only, text, twice};
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::scenario::Finish;
use crate::script::{Script, WritingStep};
use crate::stamp::{Stamp, is_thought, seal};

const KNOWN: [&str; 16] = [
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning",
    "include",
    "store",
    "text",
    "truncation",
    "metadata",
];

/// Prefix of the ids of calls.
const CALL: &str = "call";

/// Longest id of a call.
const ID_LIMIT: usize = 64;

/// Reads a request.
pub(crate) fn read(body: &Value) -> Result<ReceivedRequest, ServiceRefusal> {
    let body = object(body, "body")?;
    only(body, &KNOWN, |name| ServiceRefusal::bad_request(format!("Unknown parameter: '{name}'.")))?;
    let model = text(body, "model", "body")?.to_owned();
    if body.get("max_output_tokens").is_some_and(|most| most.as_u64().is_none_or(|most| most < 16)) {
        return Err(ServiceRefusal::bad_request(
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16",
        ));
    }
    let thinking = body.get("reasoning").is_none_or(|reasoning| reasoning["effort"] != "none");
    let tools = read_tools(body)?;
    check_choice(body, &tools)?;
    let mut messages = Vec::new();
    if let Some(instructions) = body.get("instructions").and_then(Value::as_str) {
        messages.push(ReceivedMessage::System { content: instructions.to_owned() });
    }
    let is_stored = body.get("store") != Some(&Value::Bool(false));
    messages.extend(read_input(body, is_stored)?);
    Ok(ReceivedRequest {
        model,
        messages,
        tools,
        constraint: None,
        stream: body.get("stream") == Some(&Value::Bool(true)),
        include_usage: true,
        thinking,
        shows_thoughts: body.get("reasoning").is_some_and(|reasoning| reasoning["summary"].is_string()),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
    })
}

fn read_tools(body: &Map<String, Value>) -> Result<Vec<String>, ServiceRefusal> {
    let mut names = Vec::new();
    for (index, tool) in list(body, "tools")?.iter().enumerate() {
        let at = format!("tools[{index}]");
        let fields = object(tool, &at)?;
        if kind(tool) != "function" {
            return Err(ServiceRefusal::bad_request(format!("Invalid value: '{}' at {at}.type", kind(tool))));
        }
        let name = text(fields, "name", &at)?;
        if !is_name(name, 64) {
            return Err(ServiceRefusal::bad_request(format!(
                "Invalid '{at}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
            )));
        }
        let schema = &tool["parameters"];
        if !is_plain_object(schema) {
            return Err(ServiceRefusal::bad_request(format!(
                "Invalid schema for function '{name}': schema must have type 'object' and not have \
                 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
            )));
        }
        // `strict` is on by default.
        if tool.get("strict") != Some(&Value::Bool(false)) && !is_closed(schema) {
            return Err(ServiceRefusal::bad_request(format!(
                "Invalid schema for function '{name}': In context=(), 'additionalProperties' is required to be \
                 supplied and to be false, and 'required' to include every key in properties."
            )));
        }
        names.push(name.to_owned());
    }
    match twice(&names) {
        Some(name) => {
            Err(ServiceRefusal::bad_request(format!("Tool names must be unique: '{name}' is twice.")))
        }
        None => Ok(names),
    }
}

/// Whether a schema is valid with `strict`.
fn is_closed(schema: &Value) -> bool {
    let required = schema["required"].as_array();
    let is_required =
        |name: &String| required.is_some_and(|names| names.iter().any(|known| known == name.as_str()));
    schema["additionalProperties"] == Value::Bool(false)
        && schema["properties"].as_object().is_none_or(|properties| properties.keys().all(is_required))
}

fn check_choice(body: &Map<String, Value>, tools: &[String]) -> Result<(), ServiceRefusal> {
    match body.get("tool_choice") {
        None => Ok(()),
        Some(choice) if matches!(choice.as_str(), Some("auto" | "none" | "required")) => Ok(()),
        Some(choice) if kind(choice) == "function" && tools.iter().any(|tool| choice["name"] == **tool) => {
            Ok(())
        }
        Some(choice) => {
            Err(ServiceRefusal::bad_request(format!("Tool choice {choice} not found in 'tools' parameter.")))
        }
    }
}

fn read_input(body: &Map<String, Value>, is_stored: bool) -> Result<Vec<ReceivedMessage>, ServiceRefusal> {
    let items = match body.get("input") {
        Some(Value::String(text)) => return Ok(vec![ReceivedMessage::User { content: text.clone() }]),
        Some(Value::Array(items)) if !items.is_empty() => items,
        _ => return Err(ServiceRefusal::bad_request("Missing required parameter: 'input'.")),
    };
    let mut read = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut reasoned = None;
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        let fields = object(item, &at)?;
        match kind(item) {
            "" | "message" => {
                let said = words(&item["content"]);
                match item["role"].as_str() {
                    Some("user") => read.push(ReceivedMessage::User { content: said }),
                    Some("assistant") => {
                        read.push(ReceivedMessage::Assistant { content: said, calls: Vec::new() })
                    }
                    Some("system" | "developer") => read.push(ReceivedMessage::System { content: said }),
                    _ => return Err(ServiceRefusal::bad_request(format!("Invalid value at '{at}.role'."))),
                }
            }
            "reasoning" => {
                check_reasoning(item, items.get(index + 1), is_stored)?;
                reasoned = item["id"].as_str();
            }
            "function_call" => {
                let call = read_call(fields, &at)?;
                if is_thought(&call.id, CALL) && reasoned != Some(&reasoning_id(&call.id)) {
                    return Err(ServiceRefusal::bad_request(format!(
                        "Item '{}' of type 'function_call' was provided without its required 'reasoning' item: '{}'.",
                        item["id"].as_str().unwrap_or(&call.id),
                        reasoning_id(&call.id)
                    )));
                }
                open.push(call.id.clone());
                match read.last_mut() {
                    Some(ReceivedMessage::Assistant { calls, .. }) => calls.push(call),
                    _ => read.push(ReceivedMessage::Assistant { content: String::new(), calls: vec![call] }),
                }
            }
            "function_call_output" => {
                let id = text(fields, "call_id", &at)?;
                let Some(position) = open.iter().position(|open| open == id) else {
                    return Err(ServiceRefusal::bad_request(format!(
                        "No tool call found for function call output with call_id {id}."
                    )));
                };
                open.remove(position);
                read.push(ReceivedMessage::Tool {
                    call_id: id.to_owned(),
                    content: text(fields, "output", &at)?.to_owned(),
                });
            }
            other => {
                return Err(ServiceRefusal::bad_request(format!("Invalid value: '{other}' at '{at}.type'.")));
            }
        }
    }
    match open.first() {
        Some(id) => Err(ServiceRefusal::bad_request(format!("No tool output found for function call {id}."))),
        None => Ok(read),
    }
}

fn words(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn read_call(fields: &Map<String, Value>, at: &str) -> Result<EarlierCall, ServiceRefusal> {
    let id = text(fields, "call_id", at)?;
    if id.is_empty() || id.len() > ID_LIMIT {
        return Err(ServiceRefusal::bad_request(format!(
            "Invalid '{at}.call_id': string too long. Expected a string with maximum length {ID_LIMIT}."
        )));
    }
    let name = text(fields, "name", at)?;
    if !is_name(name, 64) {
        return Err(ServiceRefusal::bad_request(format!(
            "Invalid '{at}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
        )));
    }
    Ok(EarlierCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: text(fields, "arguments", at)?.to_owned(),
    })
}

/// The id of the reasoning that led to a call: both ids belong to one answer.
fn reasoning_id(call_id: &str) -> String {
    format!("rs_{}", call_id.rsplit('_').next().unwrap_or_default())
}

/// Nothing is stored here, so reasoning is sent back encrypted, and before the item that it led to.
fn check_reasoning(item: &Value, next: Option<&Value>, is_stored: bool) -> Result<(), ServiceRefusal> {
    let id = item["id"].as_str().unwrap_or_default();
    let Some(encrypted) = item["encrypted_content"].as_str() else {
        let why =
            if is_stored { "was never stored" } else { "is not persisted when `store` is set to false" };
        return Err(ServiceRefusal {
            status: 404,
            ..ServiceRefusal::bad_request(format!("Item with id '{id}' not found: it {why}."))
        });
    };
    if encrypted != seal(id) {
        return Err(ServiceRefusal {
            code: "invalid_encrypted_content".to_owned(),
            ..ServiceRefusal::bad_request(format!(
                "The encrypted content of item {id} could not be verified."
            ))
        });
    }
    match next.map(kind) {
        Some("message" | "function_call" | "reasoning") => Ok(()),
        _ => Err(ServiceRefusal::bad_request(format!(
            "Item '{id}' of type 'reasoning' was provided without its required following item."
        ))),
    }
}

/// Serialises an answer: output items, each in pieces and then complete.
pub(crate) fn events(
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    per_event: usize,
) -> Vec<String> {
    let script = Script::write(request, answer, per_event);
    let mut writer = ResponsesWriter { events: Vec::new(), output: Vec::new(), item: Value::Null };
    let response = |status: &str, output: &[Value], more: Value| {
        let mut response = json!({
            "id": format!("resp_{}", stamp.digits()), "object": "response", "created_at": stamp.created,
            "status": status, "model": request.model, "output": output, "error": null, "incomplete_details": null,
            "usage": null,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            response[name.as_str()] = value.clone();
        }
        response
    };
    writer.tell(json!({"type": "response.created", "response": response("in_progress", &[], Value::Null)}));
    if request.thinking {
        let id = format!("rs_{}", &stamp.digits()[..24]);
        writer.open(json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": seal(&id)}));
        let mut summary = String::new();
        for piece in &script.pieces {
            if let WritingStep::Thought(piece) = piece
                && request.shows_thoughts
            {
                summary.push_str(piece);
                writer.grow(
                    "response.reasoning_summary_text.delta",
                    &json!({"summary_index": 0, "delta": piece}),
                );
            }
        }
        if !summary.is_empty() {
            writer.item["summary"] = json!([{"type": "summary_text", "text": summary}]);
        }
        writer.close();
    }
    for piece in &script.pieces {
        match piece {
            WritingStep::Thought(_) => {}
            WritingStep::Word(piece) => {
                if kind(&writer.item) != "message" {
                    let id = format!("msg_{}", stamp.digits());
                    let text = json!({"type": "output_text", "text": "", "annotations": []});
                    writer.open(json!({"type": "message", "id": id, "role": "assistant", "content": [text]}));
                }
                let text = writer.item["content"][0]["text"].as_str().unwrap_or_default().to_owned() + piece;
                writer.item["content"][0]["text"] = Value::from(text);
                writer.grow("response.output_text.delta", &json!({"content_index": 0, "delta": piece}));
            }
            WritingStep::Call(call) => {
                writer.close();
                let id = stamp.call_id(CALL, *call, request.thinking);
                let name = &answer.calls[*call].name;
                writer.open(json!({
                    "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "arguments": "",
                }));
            }
            WritingStep::Argument(_, piece) => {
                let arguments = writer.item["arguments"].as_str().unwrap_or_default().to_owned() + piece;
                writer.item["arguments"] = Value::from(arguments);
                writer.grow("response.function_call_arguments.delta", &json!({"delta": piece}));
            }
        }
    }
    if script.finish == Finish::Length && kind(&writer.item) == "function_call" {
        // An item that was cut is left out.
        writer.item = Value::Null;
    }
    writer.close();
    let usage = json!({
        "input_tokens": stamp.prompt_tokens, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": script.tokens, "output_tokens_details": {"reasoning_tokens": script.thinking},
        "total_tokens": stamp.prompt_tokens + script.tokens,
    });
    let (status, more) = match script.finish {
        Finish::Stop | Finish::ToolCalls => ("completed", json!({"usage": usage})),
        Finish::Length => {
            ("incomplete", json!({"usage": usage, "incomplete_details": {"reason": "max_output_tokens"}}))
        }
        Finish::ContentFilter => {
            ("incomplete", json!({"usage": usage, "incomplete_details": {"reason": "content_filter"}}))
        }
        Finish::InsufficientSystemResource => {
            ("failed", json!({"error": {"code": "server_error", "message": "The server had an error"}}))
        }
    };
    let whole = response(status, &writer.output, more);
    writer.tell(json!({"type": format!("response.{status}"), "response": whole}));
    writer.events
}

struct ResponsesWriter {
    events: Vec<String>,
    output: Vec<Value>,
    /// The item that is being written; `null` if there is none.
    item: Value,
}

impl ResponsesWriter {
    fn tell(&mut self, mut event: Value) {
        event["sequence_number"] = Value::from(self.events.len());
        self.events.push(named(&event));
    }

    fn open(&mut self, item: Value) {
        self.tell(
            json!({"type": "response.output_item.added", "output_index": self.output.len(), "item": item}),
        );
        self.item = item;
    }

    fn grow(&mut self, name: &str, fields: &Value) {
        let mut event = json!({"type": name, "output_index": self.output.len(), "item_id": self.item["id"]});
        for (name, value) in fields.as_object().into_iter().flatten() {
            event[name.as_str()] = value.clone();
        }
        self.tell(event);
    }

    fn close(&mut self) {
        if self.item.is_null() {
            return;
        }
        let item = std::mem::take(&mut self.item);
        if kind(&item) == "function_call" {
            let arguments = item["arguments"].clone();
            self.tell(json!({
                "type": "response.function_call_arguments.done", "output_index": self.output.len(),
                "arguments": arguments,
            }));
        }
        self.tell(
            json!({"type": "response.output_item.done", "output_index": self.output.len(), "item": item}),
        );
        self.output.push(item);
    }
}
