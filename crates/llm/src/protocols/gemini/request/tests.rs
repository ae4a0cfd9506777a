use super::*;
use crate::Effort;
use crate::conversation::message::Message;
use crate::testing::{call, endpoint};
use crate::{AnswerSource, Endpoint, KeyHeader, ProviderState, WireProtocol};
use crate::{ChatRequest, build};

fn gemini() -> Endpoint {
    endpoint("gemini", "https://generativelanguage.googleapis.com")
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { model: "gemini-3.8-flash".to_owned(), messages, ..ChatRequest::default() }
}

fn body(request: &ChatRequest) -> Value {
    serde_json::from_str(&build(&gemini(), request).unwrap().body).unwrap()
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

#[test]
fn whole_request() {
    let tool = |name: &str, parameters: Value| ToolDefinition {
        name: name.to_owned(),
        description: "Does it".to_owned(),
        parameters,
    };
    let schema = json!({"type": "object", "properties": {"to": {"type": "string"}}});
    let request = ChatRequest {
        tools: vec![tool("find", schema.clone()), tool("list", Value::Null)],
        tool_choice: Some(ToolChoice::Named("find".to_owned())),
        temperature: Some(0.5),
        max_tokens: Some(1_000),
        effort: Some(Effort::Low),
        ..request(vec![Message::System { text: "Help.".to_owned() }, user("Hi")])
    };
    let built = build(&gemini(), &request).unwrap();
    assert_eq!(built.key_header, KeyHeader::XGoogApiKey);
    assert_eq!(
        serde_json::from_str::<Value>(&built.body).unwrap(),
        json!({
            "systemInstruction": {"parts": [{"text": "Help."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [{"functionDeclarations": [
                {"name": "find", "description": "Does it", "parametersJsonSchema": schema},
                {"name": "list", "description": "Does it"},
            ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["find"]}},
            "generationConfig": {
                "temperature": 0.5, "maxOutputTokens": 1_000,
                "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true},
            },
        })
    );
}

#[test]
fn model_is_part_of_the_address() {
    let url = |base: &str, model: &str| {
        let request = ChatRequest { model: model.to_owned(), ..request(vec![user("Hi")]) };
        build(&endpoint("gemini", base), &request).unwrap().url
    };
    let google = "https://generativelanguage.googleapis.com";
    let expected =
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
    assert_eq!(url(google, "gemini-x"), expected);
    assert_eq!(url(&format!("{google}/v1beta"), "models/gemini-x"), expected);
    assert_eq!(
        url("https://llm.example/v1", "../a?b"),
        "https://llm.example/v1/models/..%2Fa%3Fb:streamGenerateContent?alt=sse"
    );
}

#[test]
fn parts_go_back_to_their_maker_and_calls_of_others_are_marked() {
    let answer = |origin: &str| Message::Assistant {
        reasoning: "Hm.".to_owned(),
        text: "I look.".to_owned(),
        calls: vec![call("fc1", "find", r#"{"to":"Porto"}"#), call("t_call_1", "list", "{}")],
        provider_state: Some(ProviderState {
            source: AnswerSource { protocol: WireProtocol::GenerateContent, origin: origin.to_owned() },
            items: vec![
                json!({"text": "I look.", "thoughtSignature": "eA=="}),
                json!({"call": "fc1", "hasId": true, "thoughtSignature": "c2ln"}),
                json!({"call": "t_call_1", "hasId": false}),
            ],
        }),
    };
    let contents = |model: &str, message: Message| {
        let result =
            Message::Tool { call_id: "fc1".to_owned(), name: "find".to_owned(), text: "None".to_owned() };
        let messages = vec![user("Hi"), message, result, user("More")];
        body(&ChatRequest { model: model.to_owned(), ..request(messages) })["contents"].clone()
    };
    let find = |id: Value| {
        let mut call = json!({"name": "find", "args": {"to": "Porto"}});
        if !id.is_null() {
            call["id"] = id;
        }
        call
    };
    let list = json!({"functionCall": {"name": "list", "args": {}}});
    let no_result = json!({"functionResponse": {"name": "list", "response": {"output": steps::NO_RESULT}}});
    assert_eq!(
        contents("gemini-3.8-flash", answer("https://generativelanguage.googleapis.com")),
        json!([
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [
                {"text": "I look.", "thoughtSignature": "eA=="},
                {"functionCall": find(json!("fc1")), "thoughtSignature": "c2ln"},
                list,
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "fc1", "name": "find", "response": {"output": "None"}}},
                no_result,
            ]},
            {"role": "user", "parts": [{"text": "More"}]},
        ])
    );
    for (model, signature) in [("gemini-3.8-flash", json!(NO_SIGNATURE)), ("gemini-2.5-flash", Value::Null)] {
        let contents = contents(model, answer("https://llm.example"));
        let mut first = json!({"functionCall": find(Value::Null)});
        if !signature.is_null() {
            first["thoughtSignature"] = signature;
        }
        assert_eq!(contents[1]["parts"], json!([{"text": "I look."}, first, list]));
        assert_eq!(contents[2]["parts"][1], no_result);
    }
}
