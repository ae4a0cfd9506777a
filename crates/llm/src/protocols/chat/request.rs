//! The body of a Chat Completions request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::conversation::image::Image;
use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{AnsweredCall, ConversationStep, EarlierAnswer, UserPart};
use crate::dialects::ReasoningEcho;
use crate::prompted::AnswerSchema;
use crate::providers::base_url::BaseUrl;
use crate::request::chat_request::ToolChoice;
use crate::request::plan::RequestPlan;
use crate::tools::parameters;

pub(crate) fn url(address: &BaseUrl) -> String {
    format!("{address}/chat/completions")
}

pub(crate) fn body(plan: &RequestPlan<'_>) -> serde_json::Result<String> {
    let mut extra = plan.extra.clone();
    if let Some(limit) = plan.max_tokens.filter(|_| plan.sends(plan.dialect.token_limit)) {
        extra.insert(plan.dialect.token_limit.to_owned(), Value::from(limit));
    }
    serde_json::to_string(&ChatBody {
        model: plan.model,
        messages: wire_messages(plan),
        tools: plan.tools.iter().map(|tool| wire_tool(tool)).collect(),
        tool_choice: plan.choice.map(|choice| match choice {
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
        }),
        parallel_tool_calls: plan.parallel_calls,
        stream: true,
        stream_options: (plan.dialect.stream_usage && plan.sends("stream_options"))
            .then_some(StreamOptions { include_usage: true }),
        temperature: plan.temperature,
        response_format: plan.answers.map(|schema| ResponseFormat {
            kind: "json_schema",
            json_schema: NamedSchema { name: "answer", schema },
        }),
        extra,
    })
}

/// The body, in the order of its fields. `strict` is left out on purpose: few services know it, and those
/// that do require other schemas.
#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    schema: &'a AnswerSchema<'a>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// `content` is always a string, unless there are pictures: DeepSeek accepts nothing else, and requires one
/// even beside calls.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum ChatMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<&'a Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ChatCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum UserContent<'a> {
    Text(&'a str),
    Parts(Vec<Value>),
}

#[derive(Serialize)]
struct ChatCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: FunctionKind,
    function: WireFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a Cow<'a, str>,
    arguments: &'a Cow<'a, str>,
}

#[derive(Serialize)]
struct ChatTool<'a> {
    #[serde(rename = "type")]
    kind: FunctionKind,
    function: WireDefinition<'a>,
}

#[derive(Serialize)]
struct WireDefinition<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
}

/// The only kind of tool.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum FunctionKind {
    Function,
}

fn wire_messages<'a>(plan: &'a RequestPlan<'a>) -> Vec<ChatMessage<'a>> {
    let mut wire = Vec::with_capacity(plan.history.len());
    let provider_state =
        if plan.sends("reasoning_content") { plan.dialect.reasoning } else { ReasoningEcho::Never };
    for said in &plan.history {
        match said {
            ConversationStep::System(text) => wire.push(ChatMessage::System { content: text }),
            ConversationStep::User(parts) => wire_user(&mut wire, parts),
            ConversationStep::Answer(answer) => {
                wire.push(wire_answer(answer, provider_state));
                wire.extend(
                    answer
                        .calls
                        .iter()
                        .map(|call| ChatMessage::Tool { tool_call_id: &call.id, content: call.result }),
                );
                // A result is text only, so its pictures follow as the user's.
                for call in answer.calls.iter().filter(|call| !call.images.is_empty()) {
                    let images = call.images.iter().map(|image| wire_image(image));
                    let parts = std::iter::once(wire_text(&call.caption())).chain(images).collect();
                    say_parts(&mut wire, parts);
                }
            }
        }
    }
    wire
}

fn wire_user<'a>(wire: &mut Vec<ChatMessage<'a>>, parts: &[UserPart<'a>]) {
    let part = |part: &UserPart<'_>| match part {
        UserPart::Text(text) => wire_text(text),
        UserPart::Image(image) => wire_image(image),
    };
    match (parts, wire.last()) {
        ([UserPart::Text(text)], last) if !has_parts(last) => {
            wire.push(ChatMessage::User { content: UserContent::Text(text) });
        }
        _ => say_parts(wire, parts.iter().map(part).collect()),
    }
}

fn has_parts(message: Option<&ChatMessage<'_>>) -> bool {
    matches!(message, Some(ChatMessage::User { content: UserContent::Parts(_) }))
}

/// Adds parts of the user. Some services require the roles to alternate.
fn say_parts(wire: &mut Vec<ChatMessage<'_>>, mut parts: Vec<Value>) {
    match wire.last_mut() {
        Some(ChatMessage::User { content: UserContent::Parts(before) }) => before.append(&mut parts),
        _ => wire.push(ChatMessage::User { content: UserContent::Parts(parts) }),
    }
}

fn wire_text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// <https://platform.openai.com/docs/guides/images-vision>
fn wire_image(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": image.data_url() } })
}

fn wire_answer<'a>(answer: &'a EarlierAnswer<'a>, provider_state: ReasoningEcho) -> ChatMessage<'a> {
    let (reasoning_content, reasoning_details) = match provider_state {
        ReasoningEcho::Always => (Some(answer.reasoning), None),
        ReasoningEcho::WhenGiven => (Some(answer.reasoning).filter(|text| !text.is_empty()), None),
        ReasoningEcho::Details => {
            (None, answer.provider_state.iter().find_map(|item| item.get("reasoning_details")))
        }
        ReasoningEcho::Never => (None, None),
    };
    ChatMessage::Assistant {
        content: answer.text,
        reasoning_content,
        reasoning_details,
        tool_calls: answer.calls.iter().map(|call| wire_call(call, answer.provider_state)).collect(),
    }
}

fn wire_call<'a>(call: &'a AnsweredCall<'a>, provider_state: &'a [Value]) -> ChatCall<'a> {
    let is_its = |item: &&Value| item.get("id").and_then(Value::as_str) == Some(call.record.id.as_str());
    ChatCall {
        id: &call.id,
        kind: FunctionKind::Function,
        function: WireFunction { name: &call.name, arguments: &call.arguments },
        extra_content: provider_state.iter().find(is_its).and_then(|item| item.get("extra_content")),
    }
}

fn wire_tool(tool: &ToolDefinition) -> ChatTool<'_> {
    ChatTool {
        kind: FunctionKind::Function,
        function: WireDefinition {
            name: &tool.name,
            description: &tool.description,
            parameters: parameters::tidy(&tool.parameters),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::message::{CallRecord, Message};
    use crate::conversation::steps::NO_RESULT;
    use crate::dialects::KeyHeader;
    use crate::providers::base_url::BaseUrlError;
    use crate::{ChatRequest, Endpoint, HttpRequest, RequestError, build};

    fn endpoint(provider: &str, base_url: &str) -> Endpoint {
        Endpoint { provider: provider.to_owned(), base_url: base_url.to_owned() }
    }

    fn deepseek() -> Endpoint {
        endpoint("deepseek", "https://api.deepseek.com")
    }

    fn custom() -> Endpoint {
        endpoint("custom", "http://localhost:8080/v1/")
    }

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    fn call(id: &str, name: &str, arguments: &str) -> CallRecord {
        CallRecord { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    fn assistant(reasoning: &str, text: &str, calls: &[CallRecord]) -> Message {
        Message::Assistant {
            reasoning: reasoning.to_owned(),
            text: text.to_owned(),
            calls: calls.to_vec(),
            provider_state: None,
        }
    }

    fn tool(call_id: &str, text: &str) -> Message {
        Message::Tool { call_id: call_id.to_owned(), name: "find".to_owned(), text: text.to_owned() }
    }

    fn request(messages: Vec<Message>) -> ChatRequest {
        ChatRequest { model: "m".to_owned(), messages, ..ChatRequest::default() }
    }

    fn messages(endpoint: &Endpoint, messages: Vec<Message>) -> Value {
        let request = build(endpoint, &request(messages)).unwrap();
        serde_json::from_str::<Value>(&request.body).unwrap()["messages"].clone()
    }

    #[test]
    fn whole_request_in_its_bytes() {
        let request = ChatRequest {
            model: " deepseek-flash ".to_owned(),
            messages: vec![
                Message::System { text: "Help.".to_owned() },
                user("A flight to Lisbon, \"cheap\""),
                assistant("Look first.", "", &[call("call_00_x", "find", r#"{"to": "LIS"}"#)]),
                tool("call_00_x", r#"[{"price":99}]"#),
                assistant("", "There is one.", &[]),
                user("Thanks"),
            ],
            tools: vec![
                ToolDefinition {
                    name: "find".to_owned(),
                    description: "Finds flights".to_owned(),
                    parameters: json!({"properties":{"to":{"type":"string"}},"type":"object","$schema":"s"}),
                },
                ToolDefinition {
                    name: "list".to_owned(),
                    description: String::new(),
                    parameters: Value::Null,
                },
            ],
            temperature: Some(0.5),
            max_tokens: Some(1_000),
            ..ChatRequest::default()
        };
        let expected = concat!(
            r#"{"model":"deepseek-flash","messages":["#,
            r#"{"role":"system","content":"Help."},"#,
            r#"{"role":"user","content":"A flight to Lisbon, \"cheap\""},"#,
            r#"{"role":"assistant","content":"","reasoning_content":"Look first.","#,
            r#""tool_calls":[{"id":"call_00_x","type":"function","#,
            r#""function":{"name":"find","arguments":"{\"to\": \"LIS\"}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"call_00_x","content":"[{\"price\":99}]"},"#,
            r#"{"role":"assistant","content":"There is one.","reasoning_content":""},"#,
            r#"{"role":"user","content":"Thanks"}],"#,
            r#""tools":[{"type":"function","function":{"name":"find","description":"Finds flights","#,
            r#""parameters":{"properties":{"to":{"type":"string"}},"type":"object"}}},"#,
            r#"{"type":"function","function":{"name":"list","description":"","#,
            r#""parameters":{"properties":{},"type":"object"}}}],"#,
            r#""stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"max_tokens":1000}"#,
        );
        let built = build(&deepseek(), &request).unwrap();
        assert_eq!(
            built,
            HttpRequest {
                url: "https://api.deepseek.com/chat/completions".to_owned(),
                headers: vec![
                    ("content-type".to_owned(), "application/json".to_owned()),
                    ("accept".to_owned(), "text/event-stream".to_owned()),
                ],
                key_header: KeyHeader::Bearer,
                body: expected.to_owned(),
            }
        );
        assert_eq!(build(&deepseek(), &request).unwrap(), built, "the same request gives the same bytes");
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let built = build(&custom(), &request(vec![user("Hi")])).unwrap();
        assert_eq!(built.url, "http://localhost:8080/v1/chat/completions");
        assert_eq!(
            built.body,
            concat!(
                r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"#,
                r#""stream":true,"stream_options":{"include_usage":true}}"#
            )
        );
    }

    #[test]
    fn thoughts_go_back_as_the_dialect_wants() {
        let history =
            || vec![user("Hi"), assistant("Hm.", "One", &[]), user("More"), assistant("", "Two", &[])];
        let fields = |endpoint: &Endpoint| {
            let messages = messages(endpoint, history());
            [1, 3].map(|index| messages[index].get("reasoning_content").cloned())
        };
        let groq = endpoint("custom", "https://api.groq.com/openai/v1");
        assert_eq!(fields(&deepseek()), [Some(json!("Hm.")), Some(json!(""))]);
        assert_eq!(fields(&endpoint("custom", "https://api.deepseek.com/v1")), fields(&deepseek()));
        assert_eq!(fields(&custom()), [Some(json!("Hm.")), None]);
        assert_eq!(fields(&groq), [None, None]);
    }

    #[test]
    fn every_call_is_answered_in_order_and_strays_are_left_out() {
        let calls = [call("a", "find", "{}"), call("b", "find", "{}"), call("c", "find", "{}")];
        let history = vec![
            tool("z", "of no call"),
            user("Hi"),
            assistant("", "", &calls),
            tool("c", "third"),
            tool("a", "first"),
            tool("z", "of no call"),
            assistant("only thoughts", "", &[]),
            tool("b", "too late"),
            user("More"),
        ];
        let function =
            |id: &str| json!({"id":id,"type":"function","function":{"name":"find","arguments":"{}"}});
        let expected = json!([
            {"role":"user","content":"Hi"},
            {"role":"assistant","content":"","tool_calls":[function("a"), function("b"), function("c")]},
            {"role":"tool","tool_call_id":"a","content":"first"},
            {"role":"tool","tool_call_id":"b","content":NO_RESULT},
            {"role":"tool","tool_call_id":"c","content":"third"},
            {"role":"user","content":"More"},
        ]);
        assert_eq!(messages(&custom(), history), expected);
    }

    #[test]
    fn arguments_go_back_as_they_came_unless_they_would_break_the_history() {
        let sent = |arguments: &str| {
            let history =
                vec![user("Hi"), assistant("", "", &[call("a", "find", arguments)]), tool("a", "x")];
            let messages = messages(&custom(), history);
            messages[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned()
        };
        assert_eq!(sent("{ \"b\" : 1,\n\"a\":2 }"), "{ \"b\" : 1,\n\"a\":2 }");
        assert_eq!(sent("{\"a\":"), r#"{"invalid_json":"{\"a\":"}"#);
        assert_eq!(sent("[1]"), r#"{"invalid_json":"[1]"}"#);
    }

    #[test]
    fn names_that_a_model_made_up_go_back_as_acceptable_ones() {
        let sent = |name: &str| {
            let history = vec![user("Hi"), assistant("", "", &[call("a", name, "{}")]), tool("a", "x")];
            let messages = messages(&custom(), history);
            messages[1]["tool_calls"][0]["function"]["name"].as_str().unwrap().to_owned()
        };
        assert_eq!(sent("find"), "find");
        assert_eq!(sent("functions.find:0"), "functions_find_0");
        assert_eq!(sent("查询"), "__");
        assert_eq!(sent(""), "unknown");
        assert_eq!(sent(&"x".repeat(65)), "x".repeat(64));
    }

    #[test]
    fn what_cannot_be_sent_says_why() {
        let fails = |endpoint: &Endpoint, change: fn(&mut ChatRequest)| {
            let mut request = request(vec![user("Hi")]);
            change(&mut request);
            build(endpoint, &request).unwrap_err()
        };
        let insecure = endpoint("custom", "http://llm.example");
        let host = "llm.example".to_owned();
        assert_eq!(fails(&insecure, |_| {}), RequestError::BaseUrl(BaseUrlError::Insecure { host }));
        assert_eq!(fails(&custom(), |request| request.model = " ".to_owned()), RequestError::NoModel);
        assert_eq!(
            fails(&custom(), |request| request.temperature = Some(2.1)),
            RequestError::Temperature(2.1)
        );
        assert!(matches!(
            fails(&custom(), |request| request.temperature = Some(f64::NAN)),
            RequestError::Temperature(value) if value.is_nan()
        ));
        let twice = |request: &mut ChatRequest| {
            let tool = ToolDefinition {
                name: "find".to_owned(),
                description: String::new(),
                parameters: Value::Null,
            };
            request.tools = vec![tool.clone(), tool];
        };
        assert_eq!(fails(&custom(), twice), RequestError::DuplicateTool("find".to_owned()));
    }
}
