//! The body of a request in Ollama's own protocol.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::DEFAULT_WINDOW;
use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{AnsweredCall, ConversationStep, EarlierAnswer, UserPart};
use crate::prompted::AnswerSchema;
use crate::providers::base_url::BaseUrl;
use crate::request::plan::RequestPlan;
use crate::tools::parameters;

pub(crate) fn url(address: &BaseUrl) -> String {
    format!("{address}/api/chat")
}

pub(crate) fn body(plan: &RequestPlan<'_>) -> serde_json::Result<String> {
    serde_json::to_string(&OllamaBody {
        model: plan.model,
        messages: messages(&plan.history),
        tools: plan.tools.iter().map(|tool| wire_tool(tool)).collect(),
        stream: true,
        format: plan.answers,
        options: OllamaOptions {
            num_ctx: plan.request.context_window.unwrap_or(DEFAULT_WINDOW),
            num_predict: plan.max_tokens,
            temperature: plan.temperature,
        },
        extra: &plan.extra,
    })
}

/// The body, in the order of its fields.
#[derive(Serialize)]
struct OllamaBody<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a AnswerSchema<'a>>,
    options: OllamaOptions,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct OllamaOptions {
    num_ctx: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

fn messages(history: &[ConversationStep<'_>]) -> Vec<Value> {
    let mut messages = Vec::with_capacity(history.len());
    for said in history {
        match said {
            ConversationStep::System(text) => messages.push(json!({ "role": "system", "content": text })),
            ConversationStep::User(parts) => messages.push(wire_user(parts)),
            ConversationStep::Answer(answer) => {
                messages.push(wire_answer(answer));
                messages.extend(answer.calls.iter().map(|call| {
                    json!({
                        "role": "tool", "content": call.result, "tool_name": call.name, "tool_call_id": call.id,
                    })
                }));
                messages.extend(answer.calls.iter().filter(|call| !call.images.is_empty()).map(|call| {
                    let caption = call.caption();
                    let images = call.images.iter().map(|image| UserPart::Image(image));
                    wire_user(&std::iter::once(UserPart::Text(&caption)).chain(images).collect::<Vec<_>>())
                }));
            }
        }
    }
    messages
}

/// Pictures stand beside the text. <https://github.com/ollama/ollama/blob/main/docs/api.md#chat-request-with-images>
fn wire_user(parts: &[UserPart<'_>]) -> Value {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            UserPart::Text(text) => texts.push(*text),
            UserPart::Image(image) => images.push(image.data.as_str()),
        }
    }
    let mut message = json!({ "role": "user", "content": texts.join("\n\n") });
    if !images.is_empty() {
        message["images"] = Value::from(images);
    }
    message
}

/// Arguments are an object here, not JSON text.
fn wire_answer(answer: &EarlierAnswer<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": answer.text });
    if !answer.reasoning.is_empty() {
        message["thinking"] = Value::from(answer.reasoning);
    }
    if !answer.calls.is_empty() {
        let call = |call: &AnsweredCall<'_>| json!({ "id": call.id, "function": { "name": call.name, "arguments": call.input() } });
        message["tool_calls"] = answer.calls.iter().map(call).collect();
    }
    message
}

fn wire_tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters::tidy(&tool.parameters),
        },
    })
}

#[cfg(test)]
mod tests;
