//! Pictures as they are written in each protocol.

use serde_json::{Value, json};

use crate::testing::{call, endpoint};
use crate::{ChatRequest, Image, Message, build, prompted};

fn image(data: &str, call: Option<&str>) -> Message {
    Message::Image {
        call_id: call.map(str::to_owned),
        image: Image {
            digest: String::new(),
            media_type: "image/png".to_owned(),
            data: data.to_owned(),
            width: 8,
            height: 4,
        },
    }
}

/// The user shows a picture, a tool gives another one, and the user speaks again.
fn request() -> ChatRequest {
    ChatRequest {
        model: "m".to_owned(),
        messages: vec![
            image("b3JwaGFu", Some("of no call")),
            Message::User { text: "What is this?".to_owned() },
            image("QQ==", None),
            Message::Assistant {
                reasoning: String::new(),
                text: String::new(),
                calls: vec![call("1", "shot", "{}"), call("2", "list", "{}")],
                provider_state: None,
            },
            Message::Tool { call_id: "1".to_owned(), name: "shot".to_owned(), text: "Page.".to_owned() },
            image("Qg==", Some("1")),
            Message::Tool { call_id: "2".to_owned(), name: "list".to_owned(), text: "None.".to_owned() },
            Message::User { text: "And now?".to_owned() },
        ],
        ..ChatRequest::default()
    }
}

fn body(provider: &str, base_url: &str, request: &ChatRequest) -> Value {
    serde_json::from_str(&build(&endpoint(provider, base_url), request).unwrap().body).unwrap()
}

#[test]
fn chat_completions_shows_pictures_of_results_behind_them() {
    let body = body("custom", "https://llm.example/v1", &request());
    let text = |text: &str| json!({"type": "text", "text": text});
    let picture = |data: &str| json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}});
    let function = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [text("What is this?"), picture("QQ==")]},
            {"role": "assistant", "content": "", "tool_calls": [function("1", "shot"), function("2", "list")]},
            {"role": "tool", "tool_call_id": "1", "content": "Page."},
            {"role": "tool", "tool_call_id": "2", "content": "None."},
            {"role": "user", "content": [text("[From the result of `shot`:]"), picture("Qg=="), text("And now?")]},
        ])
    );
}

#[test]
fn responses_holds_pictures_in_results() {
    let body = body("openai", "https://api.openai.com/v1", &request());
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let picture =
        |data: &str| json!({"type": "input_image", "image_url": format!("data:image/png;base64,{data}")});
    let call = |id: &str, name: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{}"});
    assert_eq!(
        body["input"],
        json!([
            {"role": "user", "content": [text("What is this?"), picture("QQ==")]},
            call("1", "shot"),
            call("2", "list"),
            {"type": "function_call_output", "call_id": "1", "output": [text("Page."), picture("Qg==")]},
            {"type": "function_call_output", "call_id": "2", "output": "None."},
            {"role": "user", "content": "And now?"},
        ])
    );
}

#[test]
fn messages_hold_pictures_in_results() {
    let body = body("anthropic", "https://api.anthropic.com", &request());
    let text = |text: &str| json!({"type": "text", "text": text});
    let picture = |data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}});
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [text("What is this?"), picture("QQ==")]},
            {"role": "assistant", "content": [call("1", "shot"), call("2", "list")]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": [text("Page."), picture("Qg==")]},
                {"type": "tool_result", "tool_use_id": "2", "content": "None."},
                text("And now?"),
            ]},
        ])
    );
}

#[test]
fn gemini_holds_pictures_in_results_since_version_3() {
    let contents = |model: &str| {
        let request = ChatRequest { model: model.to_owned(), ..request() };
        body("gemini", "https://generativelanguage.googleapis.com", &request)["contents"].clone()
    };
    let picture = |data: &str| json!({"inlineData": {"mimeType": "image/png", "data": data}});
    let result =
        |name: &str, text: &str| json!({"functionResponse": {"name": name, "response": {"output": text}}});
    let new = contents("gemini-3-flash");
    assert_eq!(new[0], json!({"role": "user", "parts": [{"text": "What is this?"}, picture("QQ==")]}));
    let mut with_picture = result("shot", "Page.");
    with_picture["functionResponse"]["parts"] = json!([picture("Qg==")]);
    assert_eq!(new[2], json!({"role": "user", "parts": [with_picture, result("list", "None.")]}));
    assert_eq!(new[3], json!({"role": "user", "parts": [{"text": "And now?"}]}));

    let old = contents("gemini-2.5-flash");
    assert_eq!(old[2], json!({"role": "user", "parts": [result("shot", "Page."), result("list", "None.")]}));
    let caption = json!({"text": "[From the result of `shot`:]"});
    assert_eq!(old[3], json!({"role": "user", "parts": [caption, picture("Qg==")]}));
}

#[test]
fn ollama_has_pictures_beside_the_text() {
    let body = body("ollama", "http://localhost:11434", &request());
    let call = |id: &str, name: &str| json!({"id": id, "function": {"name": name, "arguments": {}}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "What is this?", "images": ["QQ=="]},
            {"role": "assistant", "content": "", "tool_calls": [call("1", "shot"), call("2", "list")]},
            {"role": "tool", "content": "Page.", "tool_name": "shot", "tool_call_id": "1"},
            {"role": "tool", "content": "None.", "tool_name": "list", "tool_call_id": "2"},
            {"role": "user", "content": "[From the result of `shot`:]", "images": ["Qg=="]},
            {"role": "user", "content": "And now?"},
        ])
    );
}

#[test]
fn prompted_results_keep_their_pictures() {
    let request = ChatRequest { leave_out: vec![prompted::TOOLS.to_owned()], ..request() };
    let messages = &body("custom", "https://llm.example/v1", &request)["messages"];
    let parts = messages.as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    let kinds: Vec<_> = parts.iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image_url", "text"]);
    assert_eq!(parts[0]["text"], "Result of `shot`:\n\nPage.");
}
