//! Reads the request of a chat completion, and refuses what the real services refuse.
//!
//! Written from the behaviour of the services, not from what the product sends, so that a mistake of the
//! product results in a 400 instead of being accepted.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::dialect::{ForcedSupport, Switch, ThoughtForm};
use crate::fields::kind;
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::service::Service;
use crate::stamp::{is_thought, seal};
use crate::textual;

/// Most tools that one request may offer.
const MAX_TOOLS: usize = 128;
/// Most tokens that one request may ask for.
const MAX_TOKENS: u64 = 393_216;
/// Most stop sequences.
const MAX_STOPS: usize = 16;

/// Reads a body, refusing what the service refuses.
///
/// # Errors
/// The refusal, with the path of the field that is wrong.
pub(crate) fn read(service: &Service, body: &Value) -> Result<ReceivedRequest, ServiceRefusal> {
    let body =
        body.as_object().ok_or_else(|| ServiceRefusal::bad_request("the body must be a JSON object"))?;
    let model = match body.get("model") {
        None => return Err(ServiceRefusal::bad_request("missing field `model`")),
        Some(Value::String(model)) if !model.is_empty() => model.clone(),
        Some(_) => return Err(ServiceRefusal::bad_request("model: expected a non-empty string")),
    };
    let thinking = read_thinking(service.chat.switch, body)?;
    let stream = optional_bool(body, "stream")?.unwrap_or(false);
    let include_usage = read_include_usage(body, stream)?;
    read_sampling(service, body)?;
    let tools = read_tools(body)?;
    read_tool_choice(service, body, &tools, thinking)?;
    let messages = read_messages(service, body, thinking)?;
    Ok(ReceivedRequest {
        model,
        messages,
        tools,
        constraint: read_response_format(service, body)?,
        stream,
        include_usage,
        thinking,
        shows_thoughts: shows_thoughts(service, body),
        max_tokens: read_max_tokens(body)?,
    })
}

fn read_response_format(
    service: &Service,
    body: &Map<String, Value>,
) -> Result<Option<Value>, ServiceRefusal> {
    let format = textual::response_format(body)?;
    match format {
        Some(_) if !service.chat.takes_schema => {
            Err(ServiceRefusal::bad_request("This response_format type is unavailable now"))
        }
        format => Ok(format),
    }
}

fn read_thinking(switch: Switch, body: &Map<String, Value>) -> Result<bool, ServiceRefusal> {
    let field = |name: &str| body.get(name).filter(|value| !value.is_null());
    match switch {
        Switch::ThinkingType => match field("thinking").map(kind) {
            None | Some("enabled" | "adaptive") => Ok(true),
            Some("disabled") => Ok(false),
            Some(_) => {
                Err(ServiceRefusal::bad_request("thinking.type: expected one of `enabled`, `disabled`"))
            }
        },
        Switch::EnableThinking => Ok(field("enable_thinking") == Some(&Value::Bool(true))),
        Switch::Reasoning => Ok(field("reasoning").is_none_or(|reasoning| reasoning["effort"] != "none")),
        Switch::ReasoningEffort => Ok(field("reasoning_effort").is_none_or(|effort| effort != "none")),
        Switch::TemplateArguments => {
            let is_off = |arguments: &Value| arguments["enable_thinking"] == Value::Bool(false);
            Ok(!field("chat_template_kwargs").is_some_and(is_off))
        }
    }
}

/// Whether reasoning is sent separately from the text.
fn shows_thoughts(service: &Service, body: &Map<String, Value>) -> bool {
    service.chat.thoughts != ThoughtForm::SplitDetails
        || body.get("reasoning_split") == Some(&Value::Bool(true))
}

fn read_include_usage(body: &Map<String, Value>, stream: bool) -> Result<bool, ServiceRefusal> {
    match body.get("stream_options") {
        None | Some(Value::Null) => Ok(false),
        Some(_) if !stream => {
            Err(ServiceRefusal::bad_request("stream_options should be set along with stream = true"))
        }
        Some(Value::Object(options)) => Ok(optional_bool(options, "include_usage")?.unwrap_or(false)),
        Some(_) => Err(ServiceRefusal::bad_request("stream_options: expected an object")),
    }
}

fn read_sampling(service: &Service, body: &Map<String, Value>) -> Result<(), ServiceRefusal> {
    if service.chat.hottest == 0 && body.get("temperature").is_some() {
        return Err(ServiceRefusal::bad_request("invalid temperature: only 1 is allowed for this model"));
    }
    for (field, least, most) in [
        ("temperature", 0.0, f64::from(service.chat.hottest) / 10.0),
        ("top_p", 0.0, 1.0),
        ("presence_penalty", -2.0, 2.0),
        ("frequency_penalty", -2.0, 2.0),
    ] {
        match body.get(field) {
            None | Some(Value::Null) => {}
            Some(value) => {
                let in_range = value.as_f64().is_some_and(|number| (least..=most).contains(&number));
                if !in_range {
                    return Err(ServiceRefusal::bad_request(format!(
                        "Invalid {field} value, the valid range of {field} is [{least}, {most}]"
                    )));
                }
            }
        }
    }
    match body.get("stop") {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(Value::Array(stops)) if stops.len() <= MAX_STOPS && stops.iter().all(Value::is_string) => Ok(()),
        Some(_) => {
            Err(ServiceRefusal::bad_request(format!("stop: expected a string or up to {MAX_STOPS} strings")))
        }
    }
}

fn read_max_tokens(body: &Map<String, Value>) -> Result<Option<u64>, ServiceRefusal> {
    match body.get("max_tokens") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(tokens @ 1..=MAX_TOKENS) => Ok(Some(tokens)),
            _ => Err(ServiceRefusal::bad_request(format!(
                "Invalid max_tokens value, the valid range of max_tokens is [1, {MAX_TOKENS}]"
            ))),
        },
    }
}

fn read_tools(body: &Map<String, Value>) -> Result<Vec<String>, ServiceRefusal> {
    let tools = match body.get("tools") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(tools)) => tools,
        Some(_) => return Err(ServiceRefusal::bad_request("tools: expected an array")),
    };
    if tools.is_empty() {
        return Err(ServiceRefusal::bad_request("[] is too short - 'tools'"));
    }
    if tools.len() > MAX_TOOLS {
        return Err(ServiceRefusal::bad_request(format!(
            "Invalid 'tools': array too long. Expected at most {MAX_TOOLS} tools, got {}",
            tools.len()
        )));
    }
    let mut names = HashSet::new();
    let mut read = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let name = read_tool(tool, &format!("tools[{index}]"))?;
        if !names.insert(name.clone()) {
            return Err(ServiceRefusal::bad_request(format!("Tool names must be unique: `{name}` is twice")));
        }
        read.push(name);
    }
    Ok(read)
}

fn read_tool(tool: &Value, at: &str) -> Result<String, ServiceRefusal> {
    if tool.get("type").and_then(Value::as_str) != Some("function") {
        return Err(ServiceRefusal::bad_request(format!("{at}.type: expected `function`")));
    }
    let Some(Value::Object(function)) = tool.get("function") else {
        return Err(ServiceRefusal::bad_request(format!("{at}: missing field `function`")));
    };
    let name = required_text(function, "name", &format!("{at}.function"))?;
    check_name(name, &format!("{at}.function.name"))?;
    match function.get("description") {
        None | Some(Value::Null | Value::String(_)) => {}
        Some(_) => {
            return Err(ServiceRefusal::bad_request(format!("{at}.function.description: expected a string")));
        }
    }
    if function.get("strict").is_some_and(|strict| strict == &Value::Bool(true)) {
        return Err(ServiceRefusal::bad_request(format!(
            "{at}.function.strict: only the beta address takes it"
        )));
    }
    match function.get("parameters") {
        None => {}
        Some(schema) if schema.get("type").and_then(Value::as_str) == Some("object") => {}
        Some(schema) => {
            return Err(ServiceRefusal::bad_request(format!(
                "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got {}",
                schema.get("type").unwrap_or(&Value::Null)
            )));
        }
    }
    Ok(name.to_owned())
}

fn check_name(name: &str, at: &str) -> Result<(), ServiceRefusal> {
    let well_formed = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if well_formed {
        Ok(())
    } else {
        Err(ServiceRefusal::bad_request(format!(
            "Invalid '{at}': `{name}` does not match the pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        )))
    }
}

fn read_tool_choice(
    service: &Service,
    body: &Map<String, Value>,
    tools: &[String],
    thinking: bool,
) -> Result<(), ServiceRefusal> {
    let forced = match body.get("tool_choice") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(choice)) => match choice.as_str() {
            "auto" => return Ok(()),
            "none" if service.chat.forced != ForcedSupport::No => return Ok(()),
            "required" => None,
            other => {
                return Err(ServiceRefusal::bad_request(format!(
                    "tool_choice: unknown variant `{other}`, expected one of `none`, `auto`, `required`"
                )));
            }
        },
        Some(choice) => match choice.pointer("/function/name").and_then(Value::as_str) {
            Some(name) => Some(name),
            None => return Err(ServiceRefusal::bad_request("tool_choice: missing field `function.name`")),
        },
    };
    match service.chat.forced {
        ForcedSupport::Ignored => return Ok(()),
        ForcedSupport::No => {
            return Err(ServiceRefusal::bad_request("tool_choice: only `auto` is supported"));
        }
        ForcedSupport::WithoutThinking if thinking => {
            return Err(ServiceRefusal::bad_request("Thinking mode does not support this tool_choice"));
        }
        ForcedSupport::WithoutThinking | ForcedSupport::Yes => {}
    }
    match forced {
        Some(name) if !tools.iter().any(|tool| tool == name) => {
            Err(ServiceRefusal::bad_request(format!("tool_choice: no tool is named `{name}`")))
        }
        _ => Ok(()),
    }
}

fn read_messages(
    service: &Service,
    body: &Map<String, Value>,
    thinking: bool,
) -> Result<Vec<ReceivedMessage>, ServiceRefusal> {
    let messages = match body.get("messages") {
        None => return Err(ServiceRefusal::bad_request("missing field `messages`")),
        Some(Value::Array(messages)) if messages.is_empty() => {
            return Err(ServiceRefusal::bad_request("Empty input messages"));
        }
        Some(Value::Array(messages)) => messages,
        Some(_) => return Err(ServiceRefusal::bad_request("messages: expected an array")),
    };
    let mut read = Vec::with_capacity(messages.len());
    let mut unanswered: Vec<String> = Vec::new();
    let mut tools_were_used = false;
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let Some(fields) = message.as_object() else {
            return Err(ServiceRefusal::bad_request(format!("{at}: expected an object")));
        };
        let message = read_message(service, fields, &at)?;
        match &message {
            ReceivedMessage::Tool { call_id, .. } => {
                let Some(position) = unanswered.iter().position(|id| id == call_id) else {
                    return Err(ServiceRefusal::bad_request(format!(
                        "{at}: Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                    )));
                };
                unanswered.remove(position);
            }
            ReceivedMessage::System { .. }
            | ReceivedMessage::User { .. }
            | ReceivedMessage::Assistant { .. } => {
                check_all_answered(&unanswered, &at)?;
            }
        }
        if let ReceivedMessage::Assistant { calls, .. } = &message {
            tools_were_used |= !calls.is_empty();
            if service.chat.wants_thoughts && thinking {
                check_thoughts(service, fields, calls, tools_were_used, &at)?;
            }
            if service.chat.reads_arguments {
                check_arguments(calls, &at)?;
            }
            unanswered = calls.iter().map(|call| call.id.clone()).collect();
        }
        read.push(message);
    }
    check_all_answered(&unanswered, "the end of messages")?;
    if let Some(ReceivedMessage::Assistant { .. }) = read.last() {
        return Err(ServiceRefusal::bad_request("The last message must be of the user or of a tool"));
    }
    Ok(read)
}

/// Whether an answer in the history has its reasoning, in the form that the service requires.
fn check_thoughts(
    service: &Service,
    fields: &Map<String, Value>,
    calls: &[EarlierCall],
    tools_were_used: bool,
    at: &str,
) -> Result<(), ServiceRefusal> {
    match service.chat.thoughts {
        ThoughtForm::ReasoningContent | ThoughtForm::Reasoning => {
            if tools_were_used && !fields.get("reasoning_content").is_some_and(Value::is_string) {
                return Err(ServiceRefusal::bad_request(format!(
                    "{at}: The `reasoning_content` in the thinking mode must be passed back to the API."
                )));
            }
        }
        ThoughtForm::Details | ThoughtForm::SplitDetails => {
            let details: Vec<_> =
                fields.get("reasoning_details").and_then(Value::as_array).into_iter().flatten().collect();
            let is_broken =
                |detail: &&&Value| detail["signature"] != *seal(detail["text"].as_str().unwrap_or_default());
            if details.iter().any(|detail| is_broken(&detail)) {
                return Err(ServiceRefusal::bad_request(format!(
                    "{at}.reasoning_details: Invalid signature"
                )));
            }
            if details.is_empty() && calls.iter().any(|call| is_thought(&call.id, service.name)) {
                return Err(ServiceRefusal::bad_request(format!(
                    "{at}: the `reasoning_details` that led to its tool calls must be passed back"
                )));
            }
        }
    }
    Ok(())
}

fn check_arguments(calls: &[EarlierCall], at: &str) -> Result<(), ServiceRefusal> {
    let is_object = |call: &EarlierCall| {
        serde_json::from_str::<Value>(&call.arguments).is_ok_and(|arguments| arguments.is_object())
    };
    match calls.iter().find(|call| !is_object(call)) {
        Some(call) => Err(ServiceRefusal::bad_request(format!(
            "{at}.tool_calls: the arguments of `{}` could not be parsed as a JSON object",
            call.name
        ))),
        None => Ok(()),
    }
}

fn check_all_answered(unanswered: &[String], at: &str) -> Result<(), ServiceRefusal> {
    if unanswered.is_empty() {
        return Ok(());
    }
    Err(ServiceRefusal::bad_request(format!(
        "{at}: An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. (insufficient tool messages following tool_calls message: {})",
        unanswered.join(", ")
    )))
}

fn read_message(
    service: &Service,
    fields: &Map<String, Value>,
    at: &str,
) -> Result<ReceivedMessage, ServiceRefusal> {
    let role = required_text(fields, "role", at)?;
    match role {
        "system" => Ok(ReceivedMessage::System { content: required_text(fields, "content", at)?.to_owned() }),
        "user" => Ok(ReceivedMessage::User { content: user_content(service, fields, at)? }),
        "tool" => Ok(ReceivedMessage::Tool {
            call_id: required_text(fields, "tool_call_id", at)?.to_owned(),
            content: required_text(fields, "content", at)?.to_owned(),
        }),
        "assistant" => read_assistant(fields, at),
        other => Err(ServiceRefusal::bad_request(format!(
            "{at}.role: unknown variant `{other}`, expected one of `system`, `user`, `assistant`, `tool`"
        ))),
    }
}

/// The text of a user's message. Each picture becomes a line that says its type and size.
fn user_content(service: &Service, fields: &Map<String, Value>, at: &str) -> Result<String, ServiceRefusal> {
    let parts = match fields.get("content") {
        Some(Value::Array(parts)) if service.chat.sees => parts,
        _ => return required_text(fields, "content", at).map(str::to_owned),
    };
    let mut texts = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let at = format!("{at}.content[{number}]");
        let wrong = |what: &str| ServiceRefusal::bad_request(format!("{at}: {what}"));
        let text = |pointer: &str| part.pointer(pointer).and_then(Value::as_str);
        texts.push(match text("/type") {
            Some("text") => text("/text").ok_or_else(|| wrong("missing field `text`"))?.to_owned(),
            Some("image_url") => {
                let url = text("/image_url/url").ok_or_else(|| wrong("missing field `image_url.url`"))?;
                picture(url).ok_or_else(|| wrong("the picture cannot be decoded"))?
            }
            _ => return Err(wrong("expected a part of type `text` or `image_url`")),
        });
    }
    Ok(texts.join("\n"))
}

/// What is seen of a picture in a `data:` address: its type and number of bytes.
fn picture(url: &str) -> Option<String> {
    let (kind, data) = url.strip_prefix("data:image/")?.split_once(";base64,")?;
    let beginning = match kind {
        "jpeg" => "/9j/",
        "png" => "iVBORw0KGgo",
        "webp" => "UklGR",
        _ => return None,
    };
    let digits = data.trim_end_matches('=');
    let is_base64 = data.len().is_multiple_of(4)
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    let size = data.len() / 4 * 3 - (data.len() - digits.len());
    (is_base64 && data.starts_with(beginning)).then(|| format!("[a picture, {kind}, {size} bytes]"))
}

fn read_assistant(fields: &Map<String, Value>, at: &str) -> Result<ReceivedMessage, ServiceRefusal> {
    let calls = match fields.get("tool_calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(calls)) if !calls.is_empty() => calls
            .iter()
            .enumerate()
            .map(|(index, call)| read_call(call, &format!("{at}.tool_calls[{index}]")))
            .collect::<Result<Vec<_>, _>>()?,
        Some(_) => {
            return Err(ServiceRefusal::bad_request(format!("{at}.tool_calls: expected a non-empty array")));
        }
    };
    let mut ids = HashSet::new();
    if let Some(call) = calls.iter().find(|call| !ids.insert(&call.id)) {
        return Err(ServiceRefusal::bad_request(format!("{at}.tool_calls: the id `{}` is twice", call.id)));
    }
    let content = match fields.get("content") {
        None | Some(Value::Null) if !calls.is_empty() => "",
        None | Some(Value::Null) => {
            return Err(ServiceRefusal::bad_request(format!(
                "{at}: Invalid assistant message: content or tool_calls must be set"
            )));
        }
        Some(_) => required_text(fields, "content", at)?,
    };
    match fields.get("reasoning_content") {
        None | Some(Value::Null | Value::String(_)) => {}
        Some(_) => {
            return Err(ServiceRefusal::bad_request(format!("{at}.reasoning_content: expected a string")));
        }
    }
    Ok(ReceivedMessage::Assistant { content: content.to_owned(), calls })
}

fn read_call(call: &Value, at: &str) -> Result<EarlierCall, ServiceRefusal> {
    let Some(fields) = call.as_object() else {
        return Err(ServiceRefusal::bad_request(format!("{at}: expected an object")));
    };
    if fields.get("type").and_then(Value::as_str) != Some("function") {
        return Err(ServiceRefusal::bad_request(format!("{at}.type: expected `function`")));
    }
    let id = required_text(fields, "id", at)?;
    if id.is_empty() {
        return Err(ServiceRefusal::bad_request(format!("{at}.id: must not be empty")));
    }
    let Some(Value::Object(function)) = fields.get("function") else {
        return Err(ServiceRefusal::bad_request(format!("{at}: missing field `function`")));
    };
    let at = format!("{at}.function");
    let name = required_text(function, "name", &at)?;
    check_name(name, &format!("{at}.name"))?;
    let arguments = required_text(function, "arguments", &at)?;
    Ok(EarlierCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

fn optional_bool(fields: &Map<String, Value>, name: &str) -> Result<Option<bool>, ServiceRefusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(_) => Err(ServiceRefusal::bad_request(format!("{name}: expected a boolean"))),
    }
}

fn required_text<'a>(
    fields: &'a Map<String, Value>,
    name: &str,
    at: &str,
) -> Result<&'a str, ServiceRefusal> {
    match fields.get(name) {
        None => Err(ServiceRefusal::bad_request(format!("{at}: missing field `{name}`"))),
        Some(Value::String(text)) => Ok(text),
        Some(Value::Array(parts)) => {
            let kind =
                parts.iter().filter_map(|part| part.get("type")?.as_str()).find(|kind| *kind != "text");
            Err(ServiceRefusal::bad_request(match kind {
                Some(kind) => format!("{at}.{name}: unknown variant `{kind}`, expected `text`"),
                None => format!("{at}.{name}: invalid type: sequence, expected a string"),
            }))
        }
        Some(_) => Err(ServiceRefusal::bad_request(format!("{at}.{name}: expected a string"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::service::{DEEPSEEK, SERVICES};

    #[test]
    fn pictures_are_read_by_services_that_see_and_refused_by_the_others() {
        let read = |service: &Service, url: &str| {
            let parts = json!([
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": url}},
            ]);
            let body = json!({"model": "m", "messages": [{"role": "user", "content": parts}]});
            super::read(service, &body).map(|request| request.messages)
        };
        let qwen = SERVICES.iter().find(|service| service.name == "qwen").unwrap();
        let content = "What is this?\n[a picture, png, 8 bytes]".to_owned();
        let sound = "data:image/png;base64,iVBORw0KGgo=";
        assert_eq!(read(qwen, sound).unwrap(), [ReceivedMessage::User { content }]);
        assert!(read(&DEEPSEEK, sound).is_err());
        for wrong in ["https://example.com/a.png", "data:image/png;base64,/9j/", "data:image/gif;base64,R0lG"]
        {
            assert!(read(qwen, wrong).is_err(), "{wrong}");
        }
    }
}
