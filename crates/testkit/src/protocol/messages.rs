//! Anthropic Messages. <https://docs.anthropic.com/en/api/messages>

use serde_json::{Map, Value, json};

use super::framing::named;
use crate::answer::ScriptedAnswer;
use crate::fields::{is_name, is_plain_object, kind, list, object, only, text, twice};
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::scenario::Finish;
use crate::script::{Script, WritingStep};
use crate::stamp::{Stamp, is_thought, seal};

const KNOWN: [&str; 13] = [
    "model",
    "max_tokens",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "stream",
    "temperature",
    "top_p",
    "thinking",
    "output_config",
    "metadata",
    "stop_sequences",
];

/// Prefix of the ids of calls.
const CALL: &str = "toolu";

/// How a request enables reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingMode {
    Off,
    /// The model decides.
    Adaptive,
    /// Within a budget: then each answer of the turn begins with reasoning.
    Budget,
}

/// Reads a request.
pub(crate) fn read(body: &Value) -> Result<ReceivedRequest, ServiceRefusal> {
    let body = object(body, "body")?;
    only(body, &KNOWN, |name| {
        ServiceRefusal::bad_request(format!("{name}: Extra inputs are not permitted"))
    })?;
    let model = text(body, "model", "body")?.to_owned();
    let Some(max_tokens) = body.get("max_tokens").and_then(Value::as_u64).filter(|most| *most > 0) else {
        return Err(ServiceRefusal::bad_request("max_tokens: Field required"));
    };
    let thinking = read_thinking(body, max_tokens)?;
    let tools = read_tools(body)?;
    check_choice(body, &tools, thinking)?;
    if thinking != ThinkingMode::Off
        && body.get("temperature").is_some_and(|value| value.as_f64() != Some(1.0))
    {
        return Err(ServiceRefusal::bad_request(
            "`temperature` may only be set to 1 when thinking is enabled",
        ));
    }
    if body.get("temperature").and_then(Value::as_f64).is_some_and(|value| !(0.0..=1.0).contains(&value)) {
        return Err(ServiceRefusal::bad_request("temperature: range: 0..1"));
    }
    let mut messages = Vec::new();
    if let Some(system) = body.get("system") {
        messages.push(ReceivedMessage::System { content: words(system) });
    }
    messages.extend(read_messages(body, thinking)?);
    Ok(ReceivedRequest {
        model,
        messages,
        tools,
        constraint: None,
        stream: body.get("stream") == Some(&Value::Bool(true)),
        include_usage: true,
        thinking: thinking != ThinkingMode::Off,
        shows_thoughts: true,
        max_tokens: Some(max_tokens),
    })
}

fn read_thinking(body: &Map<String, Value>, max_tokens: u64) -> Result<ThinkingMode, ServiceRefusal> {
    let Some(thinking) = body.get("thinking") else { return Ok(ThinkingMode::Off) };
    match kind(thinking) {
        "disabled" | "between_tools" => Ok(ThinkingMode::Off),
        "adaptive" => Ok(ThinkingMode::Adaptive),
        "enabled" => match thinking.get("budget_tokens").and_then(Value::as_u64) {
            Some(budget) if budget >= 1_024 && budget < max_tokens => Ok(ThinkingMode::Budget),
            Some(budget) if budget >= max_tokens => {
                Err(ServiceRefusal::bad_request("`max_tokens` must be greater than `thinking.budget_tokens`"))
            }
            _ => Err(ServiceRefusal::bad_request(
                "thinking.enabled.budget_tokens: Input should be at least 1024",
            )),
        },
        other => Err(ServiceRefusal::bad_request(format!(
            "thinking: Input tag '{other}' is not one that is expected"
        ))),
    }
}

fn read_tools(body: &Map<String, Value>) -> Result<Vec<String>, ServiceRefusal> {
    let mut names = Vec::new();
    for (index, tool) in list(body, "tools")?.iter().enumerate() {
        let at = format!("tools.{index}.custom");
        let tool = object(tool, &at)?;
        let name = text(tool, "name", &at)?;
        if !is_name(name, 64) {
            return Err(ServiceRefusal::bad_request(format!(
                "{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
            )));
        }
        if !tool.get("input_schema").is_some_and(is_plain_object) {
            return Err(ServiceRefusal::bad_request(format!(
                "{at}.input_schema: it must be of type object, without oneOf, allOf or anyOf at the top level"
            )));
        }
        names.push(name.to_owned());
    }
    match twice(&names) {
        Some(_) => Err(ServiceRefusal::bad_request("tools: Tool names must be unique.")),
        None => Ok(names),
    }
}

fn check_choice(
    body: &Map<String, Value>,
    tools: &[String],
    thinking: ThinkingMode,
) -> Result<(), ServiceRefusal> {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    if tools.is_empty() {
        return Err(ServiceRefusal::bad_request(
            "tool_choice: it may only be specified while providing tools",
        ));
    }
    match kind(choice) {
        "auto" | "none" => Ok(()),
        "any" | "tool" if thinking != ThinkingMode::Off => {
            Err(ServiceRefusal::bad_request("Thinking may not be enabled when tool_choice forces tool use."))
        }
        "any" => Ok(()),
        "tool" if tools.iter().any(|tool| choice["name"] == **tool) => Ok(()),
        "tool" => {
            Err(ServiceRefusal::bad_request("tool_choice.tool.name: no tool of this name was provided"))
        }
        other => Err(ServiceRefusal::bad_request(format!(
            "tool_choice: Input tag '{other}' is not one that is expected"
        ))),
    }
}

fn read_messages(
    body: &Map<String, Value>,
    thinking: ThinkingMode,
) -> Result<Vec<ReceivedMessage>, ServiceRefusal> {
    let messages = list(body, "messages")?;
    if messages.is_empty() {
        return Err(ServiceRefusal::bad_request("messages: at least one message is required"));
    }
    // The turn begins after the last message of the user.
    let is_words = |message: &Value| blocks(message).iter().any(|block| kind(block) == "text");
    let turn =
        messages.iter().rposition(|message| message["role"] == "user" && is_words(message)).unwrap_or(0);
    let mut read = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages.{index}");
        let blocks = blocks(message);
        check_text(&blocks, &at)?;
        match message["role"].as_str() {
            Some("user") => {
                read_results(&blocks, &at, &mut open, &mut read)?;
                let said = words(&Value::from(blocks));
                if !said.is_empty() {
                    read.push(ReceivedMessage::User { content: said });
                }
            }
            Some("assistant") => {
                check_open(&open, index)?;
                if thinking == ThinkingMode::Budget && index > turn {
                    check_beginning(&blocks, &at)?;
                }
                let calls = read_answer(&blocks, &at, thinking)?;
                open = calls.iter().map(|call| call.id.clone()).collect();
                read.push(ReceivedMessage::Assistant { content: words(&Value::from(blocks)), calls });
            }
            _ => {
                return Err(ServiceRefusal::bad_request(format!(
                    "{at}.role: Input should be 'user' or 'assistant'"
                )));
            }
        }
    }
    check_open(&open, messages.len())?;
    if messages.last().is_some_and(|last| last["role"] != "user") {
        return Err(ServiceRefusal::bad_request("The conversation must end with a user message."));
    }
    Ok(read)
}

/// A message's content as blocks.
fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

fn words(content: &Value) -> String {
    match content {
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n\n")
        }
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn check_text(blocks: &[Value], at: &str) -> Result<(), ServiceRefusal> {
    if blocks.is_empty() {
        return Err(ServiceRefusal::bad_request(format!("{at}: all messages must have non-empty content")));
    }
    let is_blank =
        |block: &Value| kind(block) == "text" && block["text"].as_str().unwrap_or_default().trim().is_empty();
    match blocks.iter().any(is_blank) {
        true => Err(ServiceRefusal::bad_request(format!(
            "{at}: text content blocks must contain non-whitespace text"
        ))),
        false => Ok(()),
    }
}

fn check_open(open: &[String], index: usize) -> Result<(), ServiceRefusal> {
    if open.is_empty() {
        return Ok(());
    }
    Err(ServiceRefusal::bad_request(format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
         block must have a corresponding `tool_result` block in the next message.",
        index.saturating_sub(1),
        open.join(", ")
    )))
}

fn read_results(
    blocks: &[Value],
    at: &str,
    open: &mut Vec<String>,
    read: &mut Vec<ReceivedMessage>,
) -> Result<(), ServiceRefusal> {
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| kind(block) == "tool_result") {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        let Some(position) = open.iter().position(|open| open == id) else {
            return Err(ServiceRefusal::bad_request(format!(
                "{at}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}"
            )));
        };
        if blocks[..place].iter().any(|block| kind(block) != "tool_result") {
            return Err(ServiceRefusal::bad_request(format!("{at}: `tool_result` blocks must come first")));
        }
        open.remove(position);
        read.push(ReceivedMessage::Tool { call_id: id.to_owned(), content: words(&block["content"]) });
    }
    check_open(open, at.rsplit('.').next().and_then(|index| index.parse().ok()).unwrap_or_default())
}

fn check_beginning(blocks: &[Value], at: &str) -> Result<(), ServiceRefusal> {
    match blocks.first().map(kind) {
        Some("thinking" | "redacted_thinking") => Ok(()),
        found => Err(ServiceRefusal::bad_request(format!(
            "{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{}`. When `thinking` is \
             enabled, a final `assistant` message must start with a thinking block",
            found.unwrap_or_default()
        ))),
    }
}

fn read_answer(
    blocks: &[Value],
    at: &str,
    thinking: ThinkingMode,
) -> Result<Vec<EarlierCall>, ServiceRefusal> {
    let mut calls = Vec::new();
    let mut has_thoughts = false;
    for (place, block) in blocks.iter().enumerate() {
        let at = format!("{at}.content.{place}");
        let fields = object(block, &at)?;
        match kind(block) {
            "text" => {}
            "thinking" => {
                let thoughts = text(fields, "thinking", &at)?;
                if text(fields, "signature", &at)? != seal(thoughts) {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}: Invalid `signature` in `thinking` block"
                    )));
                }
                has_thoughts = true;
            }
            "redacted_thinking" => has_thoughts = true,
            "tool_use" => {
                let id = text(fields, "id", &at)?;
                if !is_name(id, usize::MAX) {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
                    )));
                }
                // A model that reasons wants the reasoning that led to a call.
                if thinking != ThinkingMode::Off && is_thought(id, CALL) && !has_thoughts {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}: the `thinking` blocks before `tool_use` must be passed back as they were"
                    )));
                }
                let name = text(fields, "name", &at)?;
                if !is_name(name, 64) {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
                    )));
                }
                if !block["input"].is_object() {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}.input: Input should be a valid dictionary"
                    )));
                }
                calls.push(EarlierCall {
                    id: id.to_owned(),
                    name: name.to_owned(),
                    arguments: block["input"].to_string(),
                });
            }
            other => {
                return Err(ServiceRefusal::bad_request(format!(
                    "{at}: Input tag '{other}' is not one that is expected"
                )));
            }
        }
    }
    Ok(calls)
}

/// Serialises an answer: blocks that start, grow and stop.
pub(crate) fn events(
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    per_event: usize,
) -> Vec<String> {
    let script = Script::write(request, answer, per_event);
    let has_thoughts = request.thinking && !answer.reasoning.is_empty();
    let mut events = vec![named(&json!({
        "type": "message_start",
        "message": {"id": format!("msg_{}", stamp.digits()), "type": "message", "role": "assistant", "model": request.model,
                    "content": [], "stop_reason": null, "stop_sequence": null,
                    "usage": {"input_tokens": stamp.prompt_tokens, "cache_creation_input_tokens": 0,
                              "cache_read_input_tokens": 0, "output_tokens": 1}},
    }))];
    let mut writer = MessagesWriter { events: Vec::new(), open: None, index: 0, thoughts: String::new() };
    if request.thinking && !has_thoughts {
        writer.open("redacted", &json!({"type": "redacted_thinking", "data": seal(&stamp.id)}));
    }
    for piece in &script.pieces {
        match piece {
            WritingStep::Thought(piece) => {
                writer.open("thinking", &json!({"type": "thinking", "thinking": "", "signature": ""}));
                writer.thoughts.push_str(piece);
                writer.grow(&json!({"type": "thinking_delta", "thinking": piece}));
            }
            WritingStep::Word(piece) => {
                writer.open("text", &json!({"type": "text", "text": ""}));
                writer.grow(&json!({"type": "text_delta", "text": piece}));
            }
            WritingStep::Call(call) => {
                writer.close();
                let id = stamp.call_id(CALL, *call, request.thinking);
                let name = &answer.calls[*call].name;
                writer.open("tool_use", &json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
                writer.grow(&json!({"type": "input_json_delta", "partial_json": ""}));
            }
            WritingStep::Argument(_, piece) => {
                writer.grow(&json!({"type": "input_json_delta", "partial_json": piece}))
            }
        }
    }
    writer.close();
    events.append(&mut writer.events);
    let reason = match script.finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::ToolCalls => "tool_use",
        Finish::ContentFilter => "refusal",
        Finish::InsufficientSystemResource => {
            let error =
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
            events.push(named(&error));
            return events;
        }
    };
    events.push(named(&json!({
        "type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": script.tokens},
    })));
    events.push(named(&json!({"type": "message_stop"})));
    events
}

struct MessagesWriter {
    events: Vec<String>,
    /// The type of the open block.
    open: Option<&'static str>,
    index: usize,
    thoughts: String,
}

impl MessagesWriter {
    fn open(&mut self, kind: &'static str, block: &Value) {
        if self.open == Some(kind) {
            return;
        }
        self.close();
        self.open = Some(kind);
        self.events.push(named(&json!({
            "type": "content_block_start", "index": self.index, "content_block": block,
        })));
    }

    fn grow(&mut self, delta: &Value) {
        self.events.push(named(&json!({"type": "content_block_delta", "index": self.index, "delta": delta})));
    }

    fn close(&mut self) {
        let Some(kind) = self.open.take() else { return };
        if kind == "thinking" {
            let signature = seal(&std::mem::take(&mut self.thoughts));
            self.grow(&json!({"type": "signature_delta", "signature": signature}));
        }
        self.events.push(named(&json!({"type": "content_block_stop", "index": self.index})));
        self.index += 1;
    }
}
