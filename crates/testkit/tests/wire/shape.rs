//! What an answer looks like on the wire.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::client::{AGENT, StreamedCall, ask, post, request, start, start_saying, start_with};

fn deltas(chunks: &[Value]) -> Vec<Value> {
    chunks.iter().map(|chunk| chunk["choices"][0]["delta"].clone()).collect()
}

#[test]
fn reasoning_then_text_then_usage_then_done() {
    let server = start_saying("Hi there.", "");
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!(reply.comments, ["keep-alive"]);
    assert!(reply.is_done);
    assert_eq!(
        deltas(&reply.chunks),
        [
            json!({"role": "assistant", "content": null, "reasoning_content": ""}),
            json!({"content": null, "reasoning_content": "Thinking"}),
            json!({"content": null, "reasoning_content": " of"}),
            json!({"content": null, "reasoning_content": " it"}),
            json!({"content": null, "reasoning_content": "."}),
            json!({"content": "Hi", "reasoning_content": null}),
            json!({"content": " there", "reasoning_content": null}),
            json!({"content": ".", "reasoning_content": null}),
            json!({"content": "", "reasoning_content": null}),
        ]
    );
    let (last, earlier) = reply.chunks.split_last().unwrap();
    for chunk in earlier {
        assert_eq!(chunk["usage"], Value::Null);
        assert_eq!(chunk["choices"][0]["finish_reason"], Value::Null);
        assert_eq!(chunk["id"], last["id"]);
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk["model"], "it");
    }
    assert_eq!(reply.finish(), Some("stop"));
    let prompt = last["usage"]["prompt_tokens"].as_u64().unwrap();
    assert!(prompt > 0);
    assert_eq!(
        last["usage"],
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": 7,
            "total_tokens": prompt + 7,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 4},
            "prompt_cache_hit_tokens": 0,
            "prompt_cache_miss_tokens": prompt,
        })
    );
}

#[test]
fn without_thinking_there_is_no_reasoning_and_without_asking_no_usage() {
    let server = start_saying("Hi.", "");
    let body = json!({"model": "it", "stream": true, "thinking": {"type": "disabled"},
                      "messages": [{"role": "user", "content": "hello"}]});
    let reply = ask(&server, &body);
    assert_eq!(
        deltas(&reply.chunks),
        [
            json!({"role": "assistant", "content": ""}),
            json!({"content": "Hi"}),
            json!({"content": "."}),
            json!({"content": ""}),
        ]
    );
    assert!(reply.chunks.iter().all(|chunk| chunk.get("usage").is_none()));
}

#[test]
fn calls_come_in_fragments_by_index() {
    let server = start_with(
        r#"[[step]]
        say = "Both."
        calls = "[{'name': 'a', 'arguments': {'x': 1}}, {'name': 'b', 'arguments': '{}'}]""#,
    );
    let reply = ask(&server, &request("it", "go"));
    let fragments: Vec<Value> = reply
        .chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array())
        .map(|calls| calls[0].clone())
        .collect();
    let [StreamedCall { id: first, .. }, StreamedCall { id: second, .. }] = &reply.calls()[..] else {
        panic!("two calls")
    };
    assert!(first.starts_with("call_00_") && second.starts_with("call_01_"), "{first} {second}");
    let piece = |index: u8, text: &str| json!({"index": index, "function": {"arguments": text}});
    let open = |index: u8, id: &str, name: &str| json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
    assert_eq!(
        fragments,
        [
            open(0, first, "a"),
            piece(0, "{"),
            piece(0, "\""),
            piece(0, "x"),
            piece(0, "\""),
            piece(0, ":"),
            piece(0, "1"),
            piece(0, "}"),
            open(1, second, "b"),
            piece(1, "{"),
            piece(1, "}"),
        ]
    );
    assert_eq!(reply.finish(), Some("tool_calls"));
}

#[test]
fn ids_of_calls_are_never_used_twice() {
    let server = start_with("[[step]]\ncall = 'a'");
    let ids: HashSet<String> =
        (0..20).map(|_| ask(&server, &request("it", "go")).calls().remove(0).id).collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn max_tokens_cuts_the_answer() {
    let server = start_saying("Hi there.", "");
    let mut body = request("it", "hello");
    body["max_tokens"] = json!(5);
    let reply = ask(&server, &body);
    assert_eq!((reply.reasoning().as_str(), reply.text().as_str()), ("Thinking of it.", "Hi"));
    assert_eq!(reply.finish(), Some("length"));
    assert!(reply.is_done);
}

#[test]
fn one_json_object_without_stream() {
    let server = start_saying("Hi.", "call = 'look'");
    let body = json!({"model": "it", "messages": [{"role": "user", "content": "hello"}]});
    let mut answer: Value = post(&server, &body).body_mut().read_json().unwrap();
    let id = answer["choices"][0]["message"]["tool_calls"][0]["id"].take();
    assert!(id.as_str().unwrap().starts_with("call_00_"));
    assert_eq!(
        answer["choices"][0],
        json!({"index": 0, "finish_reason": "tool_calls", "logprobs": null, "message": {
            "role": "assistant", "content": "Hi.", "reasoning_content": "Thinking of it.", "tool_calls": [
                {"index": 0, "id": null, "type": "function", "function": {"name": "look", "arguments": "{}"}}]}})
    );
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["usage"]["completion_tokens_details"]["reasoning_tokens"], 4);
}

#[test]
fn models_are_listed_as_scripted() {
    let server = start();
    let mut response = AGENT
        .get(format!("{}/v1/models", server.url()))
        .header("authorization", "Bearer sk-scripted")
        .call()
        .unwrap();
    let list: Value = response.body_mut().read_json().unwrap();
    let models = list["data"].as_array().unwrap();
    assert!(models.contains(&json!({"id": "flights", "object": "model", "owned_by": "scripted"})));
    assert!(models.iter().all(|model| model["owned_by"] == "scripted"));

    let response = AGENT.get(format!("{}/models", server.url())).call().unwrap();
    assert_eq!(response.status(), 401);
}

#[test]
fn both_paths_answer_and_a_browser_may_ask_first() {
    let server = start_saying("Hi.", "");
    for path in ["/chat/completions", "/v1/chat/completions"] {
        let address = format!("{}{path}", server.url());
        let preflight = AGENT
            .options(&address)
            .header("origin", "https://page.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type")
            .call()
            .unwrap();
        assert_eq!(preflight.status(), 200);
        assert_eq!(preflight.headers()["access-control-allow-origin"], "https://page.example");
        let allowed = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
        assert!(allowed.starts_with("authorization,content-type,accept,x-api-key,"), "{allowed}");

        let response = AGENT
            .post(&address)
            .header("origin", "https://page.example")
            .header("authorization", "Bearer sk-scripted")
            .send_json(request("it", "hello"))
            .unwrap();
        assert_eq!(response.headers()["access-control-allow-origin"], "https://page.example");
    }
    let control = AGENT
        .get(format!("{}/__scripted/requests", server.url()))
        .header("origin", "https://page.example")
        .call()
        .unwrap();
    assert!(!control.headers().contains_key("access-control-allow-origin"));
}
