//! The body of a Responses request.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::conversation::image::Image;
use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{self, AnsweredCall, ConversationStep, EarlierAnswer, UserPart};
use crate::providers::base_url::BaseUrl;
use crate::request::chat_request::ToolChoice;
use crate::request::plan::RequestPlan;
use crate::tools::parameters;

pub(crate) fn url(address: &BaseUrl) -> String {
    format!("{address}/responses")
}

pub(crate) fn body(plan: &RequestPlan<'_>) -> serde_json::Result<String> {
    serde_json::to_string(&ResponsesBody {
        model: plan.model,
        instructions: steps::instructions(&plan.history),
        input: input(&plan.history),
        tools: plan.tools.iter().map(|tool| wire_tool(tool, plan.sends("strict"))).collect(),
        tool_choice: plan.choice.map(|choice| match choice {
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({ "type": "function", "name": name }),
        }),
        parallel_tool_calls: plan.parallel_calls,
        stream: true,
        temperature: plan.temperature,
        max_output_tokens: plan.max_tokens.filter(|_| plan.sends("max_output_tokens")),
        extra: &plan.extra,
    })
}

/// The body, in the order of its fields.
#[derive(Serialize)]
struct ResponsesBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    input: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

/// `strict` is sent because it is on by default, and then schemas must declare every property as required.
/// <https://platform.openai.com/docs/guides/function-calling#strict-mode>
#[derive(Serialize)]
struct ResponsesTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

fn wire_tool(tool: &ToolDefinition, says_strict: bool) -> ResponsesTool<'_> {
    ResponsesTool {
        kind: "function",
        name: &tool.name,
        description: &tool.description,
        parameters: parameters::tidy(&tool.parameters),
        strict: says_strict.then_some(false),
    }
}

fn input(history: &[ConversationStep<'_>]) -> Vec<Value> {
    let mut input = Vec::with_capacity(history.len());
    for said in history {
        match said {
            ConversationStep::System(_) => {}
            ConversationStep::User(parts) => {
                input.push(json!({ "role": "user", "content": user_content(parts) }))
            }
            ConversationStep::Answer(answer) => {
                push_answer(&mut input, answer);
                input.extend(answer.calls.iter().map(|call| {
                    json!({ "type": "function_call_output", "call_id": call.id, "output": output(call) })
                }));
            }
        }
    }
    input
}

fn user_content(parts: &[UserPart<'_>]) -> Value {
    let wire = |part: &UserPart<'_>| match part {
        UserPart::Text(text) => wire_text(text),
        UserPart::Image(image) => wire_image(image),
    };
    match parts {
        [UserPart::Text(text)] => Value::from(*text),
        parts => parts.iter().map(wire).collect(),
    }
}

/// <https://platform.openai.com/docs/guides/function-calling#formatting-results>
fn output(call: &AnsweredCall<'_>) -> Value {
    if call.images.is_empty() {
        return Value::from(call.result);
    }
    std::iter::once(wire_text(call.result)).chain(call.images.iter().map(|image| wire_image(image))).collect()
}

fn wire_text(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

/// <https://platform.openai.com/docs/guides/images-vision>
fn wire_image(image: &Image) -> Value {
    json!({ "type": "input_image", "image_url": image.data_url() })
}

/// The items of an answer, unchanged, or rebuilt from its text and calls if they are not known.
fn push_answer(input: &mut Vec<Value>, answer: &EarlierAnswer<'_>) {
    let is = |item: &Value, kind: &str| item.get("type").and_then(Value::as_str) == Some(kind);
    let mut calls: Vec<_> = answer.calls.iter().collect();
    let mut items = Vec::new();
    for item in answer.provider_state {
        if !is(item, "function_call") {
            items.push(item.clone());
            continue;
        }
        let id = item.get("call_id").and_then(Value::as_str);
        if let Some(at) = calls.iter().position(|call| id == Some(&call.record.id)) {
            let call = calls.remove(at);
            let mut item = item.clone();
            item["name"] = Value::from(&*call.name);
            item["arguments"] = Value::from(&*call.arguments);
            items.push(item);
        }
    }
    if !answer.text.is_empty() && !answer.provider_state.iter().any(|item| is(item, "message")) {
        items.push(json!({ "role": "assistant", "content": answer.text }));
    }
    items.extend(calls.into_iter().map(|call| {
        json!({
            "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments,
        })
    }));
    input.append(&mut items);
}

#[cfg(test)]
mod tests;
