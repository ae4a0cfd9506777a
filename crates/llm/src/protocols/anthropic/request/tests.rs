use super::*;
use crate::Effort;
use crate::conversation::message::Message;
use crate::testing::{call, endpoint};
use crate::{AnswerSource, CallRecord, Endpoint, KeyHeader, ProviderState, WireProtocol};
use crate::{ChatRequest, HttpRequest, build};

fn anthropic() -> Endpoint {
    endpoint("anthropic", "https://api.anthropic.com")
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn result(call_id: &str, text: &str) -> Message {
    Message::Tool { call_id: call_id.to_owned(), name: "find".to_owned(), text: text.to_owned() }
}

fn answer(text: &str, calls: &[CallRecord], origin: &str, items: Value) -> Message {
    let source = AnswerSource { protocol: WireProtocol::Messages, origin: origin.to_owned() };
    Message::Assistant {
        reasoning: "Hm.".to_owned(),
        text: text.to_owned(),
        calls: calls.to_vec(),
        provider_state: Some(ProviderState { source, items: items.as_array().unwrap().clone() }),
    }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { model: "claude-sonnet-5-5".to_owned(), messages, ..ChatRequest::default() }
}

fn body(request: &ChatRequest) -> Value {
    serde_json::from_str(&build(&anthropic(), request).unwrap().body).unwrap()
}

fn thoughts() -> Value {
    json!([
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "tool_use", "id": "toolu_a"},
        {"type": "text", "text": "And"},
        {"type": "tool_use", "id": "toolu_b"},
    ])
}

fn two_calls() -> [CallRecord; 2] {
    [call("toolu_a", "find", r#"{"to":"Porto"}"#), call("toolu_b", "find", "{")]
}

#[test]
fn whole_request_in_its_bytes() {
    let request = ChatRequest {
        tools: vec![ToolDefinition {
            name: "find".to_owned(),
            description: "Finds trains".to_owned(),
            parameters: json!({"properties": {}, "type": "object"}),
        }],
        temperature: Some(1.5),
        max_tokens: Some(1_000),
        model: "claude-haiku-4-5".to_owned(),
        ..request(vec![Message::System { text: "Help.".to_owned() }, user("Hi")])
    };
    assert_eq!(
        build(&anthropic(), &request).unwrap(),
        HttpRequest {
            url: "https://api.anthropic.com/v1/messages".to_owned(),
            headers: [
                ("content-type", "application/json"),
                ("accept", "text/event-stream"),
                ("anthropic-version", "2023-06-01"),
                ("anthropic-dangerous-direct-browser-access", "true"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
            key_header: KeyHeader::XApiKey,
            body: concat!(
                r#"{"model":"claude-haiku-4-5","max_tokens":1000,"system":"Help.","#,
                r#""messages":[{"role":"user","content":[{"text":"Hi","type":"text"}]}],"#,
                r#""tools":[{"name":"find","description":"Finds trains","#,
                r#""input_schema":{"properties":{},"type":"object"}}],"stream":true,"temperature":1.0}"#
            )
            .to_owned(),
        }
    );
}

#[test]
fn version_stands_in_the_address_once() {
    for (base, url) in [
        ("https://llm.example/anthropic", "https://llm.example/anthropic/v1/messages"),
        ("https://llm.example/anthropic/v1/messages", "https://llm.example/anthropic/v1/messages"),
        ("https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
    ] {
        let built = build(&endpoint("custom", base), &request(vec![user("Hi")])).unwrap();
        assert_eq!(built.url, url);
    }
}

#[test]
fn thoughts_go_back_as_they_came_and_results_come_first() {
    let history = vec![
        user("Hi"),
        answer("And", &two_calls(), "https://api.anthropic.com", thoughts()),
        result("toolu_b", "second"),
        result("toolu_a", "first"),
        user("More"),
    ];
    assert_eq!(
        body(&request(history))["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "tool_use", "id": "toolu_a", "name": "find", "input": {"to": "Porto"}},
                {"type": "text", "text": "And"},
                {"type": "tool_use", "id": "toolu_b", "name": "find", "input": {"invalid_json": "{"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_a", "content": "first"},
                {"type": "tool_result", "tool_use_id": "toolu_b", "content": "second"},
                {"type": "text", "text": "More"},
            ]},
        ])
    );
}

#[test]
fn what_another_service_gave_is_left_out() {
    let foreign = [call("functions.find:0", "find", "{}"), call("call_00", "find", "{}")];
    for (origin, calls) in [("https://llm.example", two_calls()), ("https://api.moonshot.ai", foreign)] {
        let history =
            vec![user("Hi"), answer(" ", &calls, origin, thoughts()), result(&calls[0].id, "first")];
        let messages = body(&request(history))["messages"].clone();
        let ids = if origin.contains("moonshot") { ["call_1", "call_00"] } else { ["toolu_a", "toolu_b"] };
        for (at, id) in ids.into_iter().enumerate() {
            assert_eq!(messages[1]["content"][at]["type"], "tool_use", "no thoughts, no blank words");
            assert_eq!(messages[1]["content"][at]["id"], id);
            assert_eq!(messages[2]["content"][at]["tool_use_id"], id);
        }
        assert_eq!(messages[1]["content"].as_array().unwrap().len(), 2);
        assert_eq!(messages[2]["content"][0]["content"], "first");
    }
}

#[test]
fn choosing_and_parallel_calls_are_one_field() {
    let tool =
        ToolDefinition { name: "find".to_owned(), description: String::new(), parameters: Value::Null };
    let choice = |change: fn(&mut ChatRequest)| {
        let mut request = ChatRequest { tools: vec![tool.clone()], ..request(vec![user("Hi")]) };
        change(&mut request);
        body(&request)["tool_choice"].clone()
    };
    assert_eq!(choice(|_| {}), Value::Null);
    assert_eq!(
        choice(|request| request.parallel_calls = Some(false)),
        json!({"type": "auto", "disable_parallel_tool_use": true})
    );
    assert_eq!(choice(|request| request.tool_choice = Some(ToolChoice::None)), json!({"type": "none"}));
    assert_eq!(choice(|request| request.tool_choice = Some(ToolChoice::Required)), Value::Null);
    assert_eq!(
        choice(|request| {
            request.effort = Some(Effort::Off);
            request.tool_choice = Some(ToolChoice::Named("find".to_owned()));
        }),
        json!({"type": "tool", "name": "find"})
    );
}

#[test]
fn budget_that_would_be_refused_is_not_set() {
    let thinking = |messages: Vec<Message>, max_tokens: Option<u32>| {
        let body = body(&ChatRequest {
            model: "claude-haiku-4-5".to_owned(),
            effort: Some(Effort::Low),
            temperature: Some(0.5),
            max_tokens,
            ..request(messages)
        });
        assert_eq!(body.get("temperature").is_none(), body.get("thinking").is_some());
        body.get("thinking").cloned()
    };
    let ours = || answer("And", &two_calls(), "https://api.anthropic.com", thoughts());
    let foreign = || answer("And", &two_calls(), "https://llm.example", thoughts());
    let expected = Some(json!({"type": "enabled", "budget_tokens": 2048}));
    assert_eq!(thinking(vec![user("Hi")], None), expected);
    assert_eq!(thinking(vec![user("Hi")], Some(2_048)), None);
    assert_eq!(thinking(vec![user("Hi"), ours()], None), expected);
    assert_eq!(thinking(vec![user("Hi"), foreign()], None), None, "its thoughts are missing");
    assert_eq!(thinking(vec![user("Hi"), foreign(), user("More")], None), expected);
}
