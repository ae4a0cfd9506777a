//! The body of a `streamGenerateContent` request.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::conversation::image::Image;
use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{self, AnsweredCall, ConversationStep, EarlierAnswer, UserPart};
use crate::providers::base_url::BaseUrl;
use crate::request::chat_request::ToolChoice;
use crate::request::percent::encoded;
use crate::request::plan::RequestPlan;
use crate::tools::parameters;

/// Replaces the signature of a call that another model made: since Gemini 3, a call without one is refused.
/// <https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(crate) fn url(address: &BaseUrl, model: &str) -> String {
    let version = if address.path().is_empty() { "/v1beta" } else { "" };
    let name = model.strip_prefix("models/").unwrap_or(model);
    format!("{address}{version}/models/{}:streamGenerateContent?alt=sse", encoded(name))
}

pub(crate) fn body(plan: &RequestPlan<'_>) -> serde_json::Result<String> {
    let mut generation_config = plan.extra.clone();
    if let Some(temperature) = plan.temperature {
        generation_config.insert("temperature".to_owned(), Value::from(temperature));
    }
    if let Some(limit) = plan.max_tokens {
        generation_config.insert("maxOutputTokens".to_owned(), Value::from(limit));
    }
    let instructions = steps::instructions(&plan.history);
    let is_since_3 = !["gemini-1", "gemini-2"].iter().any(|old| plan.model.contains(old));
    let tools =
        GeminiTools { function_declarations: plan.tools.iter().map(|tool| declaration(tool)).collect() };
    serde_json::to_string(&GeminiBody {
        system_instruction: (!instructions.is_empty())
            .then(|| json!({ "parts": [{ "text": instructions }] })),
        contents: contents(&plan.history, is_since_3),
        tools: if plan.tools.is_empty() { Vec::new() } else { vec![tools] },
        tool_config: plan.choice.map(|choice| {
            let config = match choice {
                ToolChoice::None => json!({ "mode": "NONE" }),
                ToolChoice::Required => json!({ "mode": "ANY" }),
                ToolChoice::Named(name) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
            };
            json!({ "functionCallingConfig": config })
        }),
        generation_config,
    })
}

/// The body, in the order of its fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    contents: Vec<GeminiContent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<GeminiTools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    generation_config: Map<String, Value>,
}

#[derive(Serialize)]
struct GeminiContent {
    role: &'static str,
    parts: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiTools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<Value>,
}

/// `parameters` takes a dialect of JSON Schema, `parametersJsonSchema` what pages write; a tool without
/// arguments has neither. <https://ai.google.dev/api/caching#FunctionDeclaration>
fn declaration(tool: &ToolDefinition) -> Declaration<'_> {
    let schema = parameters::tidy(&tool.parameters);
    let has_arguments = schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
    Declaration {
        name: &tool.name,
        description: &tool.description,
        parameters_json_schema: has_arguments.then_some(schema),
    }
}

/// The results of all calls of an answer are one content, directly after it. Since Gemini 3 a result holds its
/// pictures; before, they follow in a content of their own.
/// <https://ai.google.dev/gemini-api/docs/function-calling#multimodal>
fn contents(history: &[ConversationStep<'_>], is_since_3: bool) -> Vec<GeminiContent> {
    let mut contents = Vec::with_capacity(history.len());
    let mut say = |role: &'static str, parts: Vec<Value>| {
        if !parts.is_empty() {
            contents.push(GeminiContent { role, parts });
        }
    };
    for said in history {
        match said {
            ConversationStep::System(_) => {}
            ConversationStep::User(parts) => say("user", parts.iter().map(user_part).collect()),
            ConversationStep::Answer(answer) => {
                say("model", answer_parts(answer, is_since_3));
                let result = |call: &AnsweredCall<'_>| {
                    let mut response = json!({ "name": call.name, "response": { "output": call.result } });
                    if has_id(call, answer.provider_state) {
                        response["id"] = Value::from(&*call.id);
                    }
                    if is_since_3 && !call.images.is_empty() {
                        response["parts"] = call.images.iter().map(|image| image_part(image)).collect();
                    }
                    json!({ "functionResponse": response })
                };
                say("user", answer.calls.iter().map(result).collect());
                let pictures = |call: &AnsweredCall<'_>| {
                    let caption = json!({ "text": call.caption() });
                    let images = call.images.iter().map(|image| image_part(image));
                    std::iter::once(caption).chain(images).collect::<Vec<_>>()
                };
                let with_images = answer.calls.iter().filter(|call| !is_since_3 && !call.images.is_empty());
                say("user", with_images.flat_map(pictures).collect());
            }
        }
    }
    contents
}

fn user_part(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({ "text": text }),
        UserPart::Image(image) => image_part(image),
    }
}

/// <https://ai.google.dev/gemini-api/docs/image-understanding>
fn image_part(image: &Image) -> Value {
    json!({ "inlineData": { "mimeType": image.media_type, "data": image.data } })
}

/// The parts of an answer, unchanged, or rebuilt from its text and calls if they are not known.
fn answer_parts(answer: &EarlierAnswer<'_>, wants_signatures: bool) -> Vec<Value> {
    let mut calls: Vec<_> = answer.calls.iter().collect();
    let mut parts = Vec::new();
    for item in answer.provider_state {
        let Some(id) = item.get("call").and_then(Value::as_str) else {
            parts.push(item.clone());
            continue;
        };
        if let Some(at) = calls.iter().position(|call| call.record.id == id) {
            let mut part = call_part(calls.remove(at), answer.provider_state);
            if let Some(signature) = item.get("thoughtSignature") {
                part["thoughtSignature"] = signature.clone();
            }
            parts.push(part);
        }
    }
    if answer.provider_state.is_empty() && !answer.text.is_empty() {
        parts.push(json!({ "text": answer.text }));
    }
    parts.extend(calls.into_iter().map(|call| call_part(call, answer.provider_state)));
    // The first of parallel calls carries the signature for all.
    let first = parts.iter_mut().find(|part| part.get("functionCall").is_some());
    if let Some(first) = first.filter(|part| wants_signatures && part.get("thoughtSignature").is_none()) {
        first["thoughtSignature"] = Value::from(NO_SIGNATURE);
    }
    parts
}

fn call_part(call: &AnsweredCall<'_>, provider_state: &[Value]) -> Value {
    let mut part = json!({ "functionCall": { "name": call.name, "args": call.input() } });
    if has_id(call, provider_state) {
        part["functionCall"]["id"] = Value::from(&*call.id);
    }
    part
}

/// Whether the call's id came from the service.
fn has_id(call: &AnsweredCall<'_>, provider_state: &[Value]) -> bool {
    let is_its = |item: &&Value| item.get("call").and_then(Value::as_str) == Some(&call.record.id);
    provider_state.iter().find(is_its).is_some_and(|item| item.get("hasId") == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests;
