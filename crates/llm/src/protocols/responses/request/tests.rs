use super::*;
use crate::Effort;
use crate::conversation::message::Message;
use crate::testing::{call, endpoint};
use crate::{AnswerSource, Endpoint, ProviderState, WireProtocol};
use crate::{ChatRequest, build};

fn openai() -> Endpoint {
    endpoint("openai", "https://api.openai.com/v1")
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { model: "gpt-6-sol".to_owned(), messages, ..ChatRequest::default() }
}

fn body(request: &ChatRequest) -> Value {
    serde_json::from_str(&build(&openai(), request).unwrap().body).unwrap()
}

#[test]
fn whole_request_in_its_bytes() {
    let request = ChatRequest {
        tools: vec![ToolDefinition {
            name: "find".to_owned(),
            description: "Finds trains".to_owned(),
            parameters: Value::Null,
        }],
        tool_choice: Some(ToolChoice::Named("find".to_owned())),
        parallel_calls: Some(false),
        temperature: Some(0.5),
        max_tokens: Some(1_000),
        effort: Some(Effort::Low),
        ..request(vec![Message::System { text: "Help.".to_owned() }, user("Hi")])
    };
    let built = build(&openai(), &request).unwrap();
    assert_eq!(built.url, "https://api.openai.com/v1/responses");
    let body: Value = serde_json::from_str(&built.body).unwrap();
    assert_eq!(
        body,
        json!({
            "model": "gpt-6-sol", "instructions": "Help.",
            "input": [{"role": "user", "content": "Hi"}],
            "tools": [{
                "type": "function", "name": "find", "description": "Finds trains",
                "parameters": {"type": "object", "properties": {}}, "strict": false,
            }],
            "tool_choice": {"type": "function", "name": "find"},
            "parallel_tool_calls": false,
            "stream": true,
            "max_output_tokens": 1_000,
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "low", "summary": "auto"},
            "store": false,
        })
    );
    assert!(built.body.starts_with(r#"{"model":"gpt-6-sol","instructions":"Help.","input":["#));
    assert_eq!(build(&openai(), &request).unwrap(), built, "the same request gives the same bytes");
}

#[test]
fn fields_that_were_refused_are_left_out() {
    let left = ["include", "reasoning.summary", "tool_choice", "parallel_tool_calls", "max_output_tokens"];
    let tool =
        ToolDefinition { name: "find".to_owned(), description: String::new(), parameters: Value::Null };
    let body = body(&ChatRequest {
        effort: Some(Effort::High),
        tools: vec![tool],
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(true),
        max_tokens: Some(9),
        leave_out: left.map(str::to_owned).to_vec(),
        ..request(vec![user("Hi")])
    });
    assert_eq!(body["reasoning"], json!({"effort": "high"}));
    for field in left {
        assert_eq!(body.get(field), None, "{field}");
    }
}

#[test]
fn items_go_back_to_their_maker_alone() {
    let reasoning = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "Z2g"});
    let function_call = json!({
        "id": "fc_1", "type": "function_call", "call_id": "call_a", "name": "find", "arguments": "{}",
    });
    let answer = |origin: &str, protocol: WireProtocol| Message::Assistant {
        reasoning: "Hm.".to_owned(),
        text: "I look.".to_owned(),
        calls: vec![call("call_a", "find", "{}"), call("functions.find:1", "find", "{")],
        provider_state: Some(ProviderState {
            source: AnswerSource { protocol, origin: origin.to_owned() },
            items: vec![reasoning.clone(), function_call.clone()],
        }),
    };
    let input = |message: Message| {
        let result =
            Message::Tool { call_id: "call_a".to_owned(), name: "find".to_owned(), text: "None".to_owned() };
        body(&request(vec![user("Hi"), message, result]))["input"].clone()
    };
    let said = json!({"role": "assistant", "content": "I look."});
    let output =
        |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let plain = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "find", "arguments": arguments});
    let invalid = r#"{"invalid_json":"{"}"#;
    assert_eq!(
        input(answer("https://api.openai.com", WireProtocol::Responses)),
        json!([
            {"role": "user", "content": "Hi"}, reasoning, function_call, said,
            plain("functions.find:1", invalid),
            output("call_a", "None"), output("functions.find:1", steps::NO_RESULT),
        ])
    );
    for message in [
        answer("https://llm.example", WireProtocol::Responses),
        answer("https://api.openai.com", WireProtocol::ChatCompletions),
    ] {
        assert_eq!(
            input(message),
            json!([
                {"role": "user", "content": "Hi"}, said, plain("call_a", "{}"), plain("call_2", invalid),
                output("call_a", "None"), output("call_2", steps::NO_RESULT),
            ])
        );
    }
}
