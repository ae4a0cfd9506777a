//! The body of a Messages request.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::conversation::image::Image;
use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{self, AnsweredCall, ConversationStep, EarlierAnswer, UserPart};
use crate::providers::base_url::BaseUrl;
use crate::request::chat_request::ToolChoice;
use crate::request::plan::RequestPlan;
use crate::tools::parameters;

/// The token limit of an answer if the user set none: the protocol requires a number. All models since
/// Claude 4 can write as many; <https://docs.anthropic.com/en/docs/about-claude/models/overview>.
const MAX_TOKENS: u32 = 32_000;

pub(crate) fn url(address: &BaseUrl) -> String {
    let version = if address.path().ends_with("/v1") { "" } else { "/v1" };
    format!("{address}{version}/messages")
}

pub(crate) fn body(plan: &RequestPlan<'_>) -> serde_json::Result<String> {
    let max_tokens = plan.max_tokens.unwrap_or(MAX_TOKENS);
    let mut extra = plan.extra.clone();
    if has_impossible_budget(plan, max_tokens) {
        extra.remove("thinking");
    }
    serde_json::to_string(&AnthropicBody {
        model: plan.model,
        max_tokens,
        system: steps::instructions(&plan.history),
        messages: wire_messages(&plan.history),
        tools: plan.tools.iter().map(|tool| wire_tool(tool)).collect(),
        tool_choice: tool_choice(plan),
        stream: true,
        temperature: plan.temperature.filter(|_| !thinks(&extra)),
        extra,
    })
}

/// The body, in the order of its fields.
#[derive(Serialize)]
struct AnthropicBody<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    system: String,
    messages: Vec<AnthropicMessage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<AnthropicTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Serialize)]
struct AnthropicMessage {
    role: &'static str,
    content: Vec<Value>,
}

#[derive(Serialize)]
struct AnthropicTool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
}

fn tool_choice(plan: &RequestPlan<'_>) -> Option<Value> {
    let mut choice = match plan.choice {
        Some(ToolChoice::None) => return Some(json!({ "type": "none" })),
        Some(ToolChoice::Required) => json!({ "type": "any" }),
        Some(ToolChoice::Named(name)) => json!({ "type": "tool", "name": name }),
        None => json!({ "type": "auto" }),
    };
    if let Some(parallel) = plan.parallel_calls {
        choice["disable_parallel_tool_use"] = Value::from(!parallel);
    }
    (plan.choice.is_some() || plan.parallel_calls.is_some()).then_some(choice)
}

/// The roles alternate, and the results of all calls of an answer are the first blocks of the next message.
fn wire_messages(history: &[ConversationStep<'_>]) -> Vec<AnthropicMessage> {
    let mut messages: Vec<AnthropicMessage> = Vec::new();
    let mut say = |role: &'static str, mut content: Vec<Value>| match messages.last_mut() {
        _ if content.is_empty() => {}
        Some(last) if last.role == role => last.content.append(&mut content),
        _ => messages.push(AnthropicMessage { role, content }),
    };
    for said in history {
        match said {
            ConversationStep::System(_) => {}
            ConversationStep::User(parts) => say("user", parts.iter().filter_map(user_block).collect()),
            ConversationStep::Answer(answer) => {
                say("assistant", answer_blocks(answer));
                say("user", answer.calls.iter().map(result_block).collect());
            }
        }
    }
    messages
}

/// The blocks of an answer, unchanged, or rebuilt from its text and calls if they are not known.
fn answer_blocks(answer: &EarlierAnswer<'_>) -> Vec<Value> {
    let is_use = |item: &Value| item.get("type").and_then(Value::as_str) == Some("tool_use");
    let mut calls: Vec<_> = answer.calls.iter().collect();
    let mut blocks = Vec::new();
    for item in answer.provider_state {
        if !is_use(item) {
            blocks.push(item.clone());
        } else if let Some(at) =
            calls.iter().position(|call| item.get("id").and_then(Value::as_str) == Some(&call.record.id))
        {
            let call = calls.remove(at);
            blocks
                .push(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.input() }));
        }
    }
    if answer.provider_state.is_empty() {
        blocks.extend(text_block(answer.text));
    }
    blocks
        .retain(|block| block.get("text").and_then(Value::as_str).is_none_or(|text| !text.trim().is_empty()));
    blocks.extend(
        calls.into_iter().map(
            |call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.input() }),
        ),
    );
    blocks
}

fn user_block(part: &UserPart<'_>) -> Option<Value> {
    match part {
        UserPart::Text(text) => text_block(text),
        UserPart::Image(image) => Some(image_block(image)),
    }
}

fn result_block(call: &AnsweredCall<'_>) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": call.id, "content": call.result });
    if !call.images.is_empty() {
        let images = call.images.iter().map(|image| image_block(image));
        block["content"] = text_block(call.result).into_iter().chain(images).collect();
    }
    block
}

/// <https://docs.anthropic.com/en/docs/build-with-claude/vision>
fn image_block(image: &Image) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media_type, "data": image.data });
    json!({ "type": "image", "source": source })
}

/// A block of only white space is refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "text": text, "type": "text" }))
}

fn wire_tool(tool: &ToolDefinition) -> AnthropicTool<'_> {
    AnthropicTool {
        name: &tool.name,
        description: &tool.description,
        input_schema: parameters::tidy(&tool.parameters),
    }
}

/// Whether the request enables reasoning; then it may not set a temperature.
fn thinks(extra: &Map<String, Value>) -> bool {
    let kind = extra.get("thinking").and_then(|thinking| thinking.get("type")).and_then(Value::as_str);
    kind.is_some_and(|kind| kind != "disabled")
}

/// Whether the reasoning budget would be refused. A model that reasons within a budget (others have none)
/// wants it below the token limit, and wants each answer with calls since the user's last message to begin
/// with its reasoning; answers of another service, or without reasoning, do not. Such a request is sent
/// without reasoning. <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>
fn has_impossible_budget(plan: &RequestPlan<'_>, max_tokens: u32) -> bool {
    let thinking = plan.extra.get("thinking").and_then(|thinking| thinking.get("budget_tokens"));
    let Some(budget) = thinking.and_then(Value::as_u64) else { return false };
    let begins_without = |said: &ConversationStep<'_>| match said {
        ConversationStep::Answer(answer) => !answer.provider_state.first().is_some_and(|item| {
            matches!(item.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
        }),
        ConversationStep::System(_) | ConversationStep::User(_) => false,
    };
    let is_user = |said: &&ConversationStep<'_>| matches!(said, ConversationStep::User(_));
    budget >= u64::from(max_tokens)
        || plan.history.iter().rev().take_while(|said| !is_user(said)).any(begins_without)
}

#[cfg(test)]
mod tests;
