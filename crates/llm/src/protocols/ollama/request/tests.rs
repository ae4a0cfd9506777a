use super::*;
use crate::Effort;
use crate::conversation::message::Message;
use crate::conversation::steps::NO_RESULT;
use crate::testing::{call, endpoint};
use crate::{AnswerSource, ProviderState, WireProtocol};
use crate::{ChatRequest, build};

fn body(request: &ChatRequest) -> Value {
    let built = build(&endpoint("ollama", "http://localhost:11434"), request).unwrap();
    assert_eq!(built.url, "http://localhost:11434/api/chat");
    assert_eq!(built.headers.len(), 2, "its preflight refuses what it does not know");
    serde_json::from_str(&built.body).unwrap()
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { model: "qwen3:4b".to_owned(), messages, ..ChatRequest::default() }
}

#[test]
fn window_is_always_asked_for() {
    assert_eq!(
        body(&request(vec![user("Hi")])),
        json!({
            "model": "qwen3:4b", "messages": [{"role": "user", "content": "Hi"}], "stream": true,
            "options": {"num_ctx": DEFAULT_WINDOW},
        })
    );
    let set = ChatRequest {
        context_window: Some(40_000),
        max_tokens: Some(900),
        temperature: Some(0.5),
        ..request(vec![user("Hi")])
    };
    let expected = json!({"num_ctx": 40_000, "num_predict": 900, "temperature": 0.5});
    assert_eq!(body(&set)["options"], expected);
}

#[test]
fn conversation_with_tools() {
    let answer = |origin: &str| Message::Assistant {
        reasoning: "Hm.".to_owned(),
        text: String::new(),
        calls: vec![call("call_a", "find", r#"{"to":"Porto"}"#)],
        provider_state: Some(ProviderState {
            source: AnswerSource { protocol: WireProtocol::OllamaChat, origin: origin.to_owned() },
            items: Vec::new(),
        }),
    };
    let request = |origin: &str| ChatRequest {
        tools: vec![ToolDefinition {
            name: "find".to_owned(),
            description: "Finds trains".to_owned(),
            parameters: Value::Null,
        }],
        ..request(vec![Message::System { text: "Help.".to_owned() }, user("Hi"), answer(origin)])
    };
    let ours = body(&request("http://localhost:11434"));
    let calls = json!([{"id": "call_a", "function": {"name": "find", "arguments": {"to": "Porto"}}}]);
    assert_eq!(
        ours["messages"],
        json!([
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": calls},
            {"role": "tool", "content": NO_RESULT, "tool_name": "find", "tool_call_id": "call_a"},
        ])
    );
    assert_eq!(ours["tools"][0]["function"]["parameters"], json!({"type": "object", "properties": {}}));
    let foreign = body(&request("http://localhost:1234"))["messages"][2].clone();
    assert_eq!(foreign, json!({"role": "assistant", "content": "", "tool_calls": calls}));
}

#[test]
fn thinking_is_a_switch_but_for_models_with_levels() {
    let think = |model: &str, effort: Effort| {
        let request =
            ChatRequest { model: model.to_owned(), effort: Some(effort), ..request(vec![user("Hi")]) };
        body(&request).get("think").cloned()
    };
    assert_eq!(think("qwen3:4b", Effort::Off), Some(json!(false)));
    assert_eq!(think("qwen3:4b", Effort::Low), Some(json!(true)));
    assert_eq!(think("gpt-oss:20b", Effort::Low), Some(json!("low")));
    assert_eq!(think("gpt-oss:20b", Effort::Off), None);
}
