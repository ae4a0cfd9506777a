//! Gemini `streamGenerateContent`, as server-sent events. <https://ai.google.dev/api/generate-content>

use serde_json::{Map, Value, json};

use super::framing::data;
use crate::answer::ScriptedAnswer;
use crate::fields::{list, object, only, twice};
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::scenario::Finish;
use crate::script::{Script, WritingStep};
use crate::stamp::{Stamp, seal};

const KNOWN: [&str; 6] =
    ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"];
const CONFIG: [&str; 8] = [
    "temperature",
    "topP",
    "topK",
    "maxOutputTokens",
    "stopSequences",
    "thinkingConfig",
    "candidateCount",
    "responseMimeType",
];
const DECLARATION: [&str; 4] = ["name", "description", "parameters", "parametersJsonSchema"];

/// Keywords that `parameters`, a dialect of JSON Schema, does not support.
const NOT_OPEN_API: [&str; 8] =
    ["$ref", "$defs", "$schema", "additionalProperties", "oneOf", "allOf", "not", "patternProperties"];

/// Replaces a signature in conversations that another model began.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Reads a request to the model that its path names.
pub(crate) fn read(model: &str, body: &Value) -> Result<ReceivedRequest, ServiceRefusal> {
    let body = object(body, "body")?;
    only(body, &KNOWN, |name| unknown(name, "the request"))?;
    let none = Map::new();
    let config = body.get("generationConfig").and_then(Value::as_object).unwrap_or(&none);
    only(config, &CONFIG, |name| unknown(name, "generation_config"))?;
    if config.get("temperature").and_then(Value::as_f64).is_some_and(|value| !(0.0..=2.0).contains(&value)) {
        return Err(ServiceRefusal::bad_request("temperature must be in the range [0.0, 2.0]"));
    }
    let tools = read_tools(body)?;
    check_choice(body, &tools)?;
    let mut messages = Vec::new();
    if let Some(instruction) = body.get("systemInstruction") {
        messages.push(ReceivedMessage::System { content: words(parts(instruction)) });
    }
    messages.extend(read_contents(body)?);
    Ok(ReceivedRequest {
        model: model.to_owned(),
        messages,
        tools,
        constraint: None,
        stream: true,
        include_usage: true,
        thinking: config.get("thinkingConfig").is_none_or(|thinking| thinking["thinkingBudget"] != 0),
        shows_thoughts: config
            .get("thinkingConfig")
            .is_some_and(|thinking| thinking["includeThoughts"] == Value::Bool(true)),
        max_tokens: config.get("maxOutputTokens").and_then(Value::as_u64),
    })
}

fn unknown(name: &str, at: &str) -> ServiceRefusal {
    ServiceRefusal::bad_request(format!(
        "Invalid JSON payload received. Unknown name \"{name}\" at '{at}': Cannot find field."
    ))
}

fn read_tools(body: &Map<String, Value>) -> Result<Vec<String>, ServiceRefusal> {
    let mut names = Vec::new();
    for (index, tool) in list(body, "tools")?.iter().enumerate() {
        let at = format!("tools[{index}]");
        only(object(tool, &at)?, &["functionDeclarations"], |name| unknown(name, &at))?;
        for (place, declaration) in tool["functionDeclarations"].as_array().into_iter().flatten().enumerate()
        {
            let at = format!("{at}.function_declarations[{place}]");
            let fields = object(declaration, &at)?;
            only(fields, &DECLARATION, |name| unknown(name, &at))?;
            let name = declaration["name"].as_str().unwrap_or_default();
            if !is_function_name(name) {
                return Err(ServiceRefusal::bad_request(format!(
                    "GenerateContentRequest.{at}.name: [FieldDescription] Must start with a letter or an underscore. \
                     Must be alphanumeric, underscores, dots, colons or dashes, with a maximum length of 64."
                )));
            }
            if let Some(schema) = fields.get("parameters") {
                check_open_api(schema, &format!("{at}.parameters"))?;
            }
            names.push(name.to_owned());
        }
    }
    match twice(&names) {
        Some(name) => {
            Err(ServiceRefusal::bad_request(format!("Duplicate function declaration found: {name}")))
        }
        None => Ok(names),
    }
}

fn is_function_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_inner)
}

fn check_open_api(schema: &Value, at: &str) -> Result<(), ServiceRefusal> {
    if let Some(name) = NOT_OPEN_API.iter().find(|name| schema.get(**name).is_some()) {
        return Err(unknown(name, at));
    }
    let properties = schema["properties"].as_object();
    if schema["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("object"))
        && properties.is_none_or(Map::is_empty)
    {
        return Err(ServiceRefusal::bad_request(format!(
            "{at}.properties: should be non-empty for OBJECT type"
        )));
    }
    for (name, property) in properties.into_iter().flatten() {
        check_open_api(property, &format!("{at}.properties[{name}]"))?;
    }
    Ok(())
}

fn check_choice(body: &Map<String, Value>, tools: &[String]) -> Result<(), ServiceRefusal> {
    let Some(config) = body.get("toolConfig").map(|config| &config["functionCallingConfig"]) else {
        return Ok(());
    };
    let allowed: Vec<_> = config["allowedFunctionNames"].as_array().into_iter().flatten().collect();
    let is_offered = |name: &&Value| tools.iter().any(|tool| **name == **tool);
    match config["mode"].as_str() {
        Some("ANY") if allowed.iter().all(is_offered) => Ok(()),
        Some("ANY") => {
            Err(ServiceRefusal::bad_request("allowed_function_names: it should only have declared functions"))
        }
        Some("AUTO" | "NONE") if allowed.is_empty() => Ok(()),
        Some("AUTO" | "NONE") => Err(ServiceRefusal::bad_request(
            "Allowed function names should only be set when the function calling mode is ANY",
        )),
        _ => Err(ServiceRefusal::bad_request("function_calling_config.mode: Invalid value")),
    }
}

fn parts(content: &Value) -> &[Value] {
    content["parts"].as_array().map_or(&[], Vec::as_slice)
}

fn words(parts: &[Value]) -> String {
    let said = parts.iter().filter(|part| part["thought"] != Value::Bool(true));
    said.filter_map(|part| part["text"].as_str()).collect()
}

fn read_contents(body: &Map<String, Value>) -> Result<Vec<ReceivedMessage>, ServiceRefusal> {
    let contents = list(body, "contents")?;
    if contents.is_empty() {
        return Err(ServiceRefusal::bad_request(
            "* GenerateContentRequest.contents: contents is not specified",
        ));
    }
    let is_words = |content: &Value| content["role"] == "user" && !words(parts(content)).is_empty();
    let turn = contents.iter().rposition(is_words).unwrap_or(0);
    let mut read = Vec::new();
    // The calls that the next content has to answer: name, and id if there is one.
    let mut open: Vec<(String, Option<String>)> = Vec::new();
    for (index, content) in contents.iter().enumerate() {
        let parts = parts(content);
        if parts.is_empty() {
            return Err(ServiceRefusal::bad_request(format!(
                "* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty."
            )));
        }
        match content["role"].as_str() {
            Some("user") => {
                let results: Vec<_> = parts.iter().filter_map(|part| part.get("functionResponse")).collect();
                if results.len() != open.len() {
                    return Err(ServiceRefusal::bad_request(
                        "Please ensure that the number of function response parts is equal to the number of function \
                         call parts of the function call turn.",
                    ));
                }
                for (number, (result, (name, id))) in results.iter().zip(open.drain(..)).enumerate() {
                    if result["name"] != *name || result.get("id").and_then(Value::as_str) != id.as_deref() {
                        return Err(ServiceRefusal::bad_request(format!(
                            "contents[{index}]: the function response must have name (and id) of its call `{name}`"
                        )));
                    }
                    let output = &result["response"]["output"];
                    let said = output.as_str().map_or_else(|| result["response"].to_string(), str::to_owned);
                    read.push(ReceivedMessage::Tool { call_id: place(index - 1, number), content: said });
                }
                let said = words(parts);
                if !said.is_empty() {
                    read.push(ReceivedMessage::User { content: said });
                }
            }
            Some("model") => {
                check_answered(&open)?;
                if index > turn {
                    check_signature(parts, index)?;
                }
                let calls = parts.iter().filter_map(|part| part.get("functionCall"));
                open = calls.clone().map(name_and_id).collect();
                let call = |(number, call): (usize, &Value)| EarlierCall {
                    id: place(index, number),
                    name: call["name"].as_str().unwrap_or_default().to_owned(),
                    arguments: call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string),
                };
                let calls = calls.enumerate().map(call).collect();
                read.push(ReceivedMessage::Assistant { content: words(parts), calls });
            }
            _ => return Err(ServiceRefusal::bad_request("Please use a valid role: user, model.")),
        }
    }
    check_answered(&open)?;
    Ok(read)
}

/// The internal id of a call, since it may have none.
fn place(content: usize, number: usize) -> String {
    format!("{content}.{number}")
}

fn name_and_id(call: &Value) -> (String, Option<String>) {
    let text = |name: &str| call[name].as_str().map(str::to_owned);
    (text("name").unwrap_or_default(), text("id"))
}

fn check_answered(open: &[(String, Option<String>)]) -> Result<(), ServiceRefusal> {
    match open.is_empty() {
        true => Ok(()),
        false => Err(ServiceRefusal::bad_request(
            "Please ensure that function call turn comes immediately before a function response turn.",
        )),
    }
}

/// In the current turn, the first call of each answer has its signature.
fn check_signature(parts: &[Value], index: usize) -> Result<(), ServiceRefusal> {
    let Some(part) = parts.iter().find(|part| part.get("functionCall").is_some()) else { return Ok(()) };
    let name = &part["functionCall"]["name"];
    match part["thoughtSignature"].as_str() {
        Some(signature) if signature == NO_SIGNATURE || signature == sign(&part["functionCall"]) => Ok(()),
        Some(_) => {
            Err(ServiceRefusal::bad_request(format!("contents[{index}]: Corrupted thought signature.")))
        }
        None => Err(ServiceRefusal::bad_request(format!(
            "Function call is missing a thought_signature in functionCall parts. Function call {name}, position {index}."
        ))),
    }
}

fn sign(call: &Value) -> String {
    seal(&format!("{} {}", call["name"], in_order(&call["args"])))
}

/// A value as text with sorted members: clients may send them back in another order.
fn in_order(value: &Value) -> String {
    match value {
        Value::Array(elements) => elements.iter().map(|element| in_order(element) + ",").collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, member)| format!("{name}:{}", in_order(member))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Serialises an answer: parts, with complete calls.
pub(crate) fn events(
    request: &ReceivedRequest,
    answer: &ScriptedAnswer,
    stamp: &Stamp,
    per_event: usize,
) -> Vec<String> {
    let script = Script::write(request, answer, per_event);
    let chunk = |parts: Vec<Value>, more: &Value| {
        let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
        for (name, value) in more.as_object().into_iter().flatten() {
            candidate[name.as_str()] = value.clone();
        }
        data(&json!({
            "candidates": [candidate],
            "usageMetadata": {"promptTokenCount": stamp.prompt_tokens, "candidatesTokenCount": script.tokens - script.thinking,
                              "thoughtsTokenCount": script.thinking, "totalTokenCount": stamp.prompt_tokens + script.tokens},
            "modelVersion": request.model, "responseId": stamp.digits(),
        }))
    };
    let mut events = Vec::new();
    for piece in &script.pieces {
        match piece {
            WritingStep::Thought(text) if request.shows_thoughts => {
                events.push(chunk(vec![json!({"text": text, "thought": true})], &Value::Null));
            }
            WritingStep::Word(text) => events.push(chunk(vec![json!({"text": text})], &Value::Null)),
            WritingStep::Thought(_) | WritingStep::Call(_) | WritingStep::Argument(..) => {}
        }
    }
    let mut is_malformed = false;
    let whole = script.whole_calls(answer);
    for (number, call) in whole.iter().enumerate() {
        let made = &answer.calls[*call];
        let Ok(Value::Object(args)) = serde_json::from_str(&made.arguments) else {
            is_malformed = true;
            continue;
        };
        let mut part = json!({"functionCall": {"name": made.name, "args": args}});
        // Some calls have an id and some have none, as in the real service.
        if number % 2 == 1 {
            part["functionCall"]["id"] = Value::from(stamp.call_id("fc", *call, false));
        }
        if number == 0 {
            part["thoughtSignature"] = Value::from(sign(&part["functionCall"]));
        }
        events.push(chunk(vec![part], &Value::Null));
    }
    let reason = match script.finish {
        _ if is_malformed => "MALFORMED_FUNCTION_CALL",
        Finish::Stop | Finish::ToolCalls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::ContentFilter => "SAFETY",
        Finish::InsufficientSystemResource => {
            let error = json!({"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"});
            events.push(data(&json!({ "error": error })));
            return events;
        }
    };
    events.push(chunk(vec![json!({"text": ""})], &json!({"finishReason": reason})));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_covers_the_arguments_and_not_their_order() {
        let sign =
            |args: &str| sign(&json!({"name": "find", "args": serde_json::from_str::<Value>(args).unwrap()}));
        assert_eq!(sign(r#"{"a":{"b":1,"c":[2]},"d":3}"#), sign(r#"{"d":3,"a":{"c":[2],"b":1}}"#));
        assert_ne!(sign(r#"{"a":{"b":1}}"#), sign(r#"{"a":{"b":2}}"#));
    }
}
