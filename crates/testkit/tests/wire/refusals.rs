//! Requests that the real service would refuse.

use serde_json::{Value, json};
use sidecar_testkit::{AnswerPhase, KeyCheck};

use crate::client::{AGENT, ask, read, request, start_saying, tool};

#[test]
fn no_key_and_a_wrong_key() {
    let server = start_saying("Hi.", "");
    let with_key = |key: Option<&str>| {
        let mut post = AGENT.post(format!("{}/chat/completions", server.url()));
        if let Some(key) = key {
            post = post.header("authorization", key);
        }
        read(post.send_json(request("it", "hello")).unwrap())
    };
    let missing = "Authentication Fails (auth header format should be Bearer sk-...)";
    for (key, message) in [
        (None, missing),
        (Some("sk-scripted"), missing),
        (Some("Bearer "), missing),
        (Some("Bearer sk-wrong-key"), "Authentication Fails, Your api key: ****-key is invalid"),
    ] {
        let reply = with_key(key);
        assert_eq!(reply.status, 401);
        assert_eq!(
            reply.error,
            json!({"error": {"message": message, "type": "authentication_error", "param": null,
                             "code": "invalid_request_error"}})
        );
    }
    server.set_key("sk-other");
    assert_eq!(with_key(Some("Bearer sk-scripted")).status, 401);
    assert_eq!(with_key(Some("Bearer sk-other")).status, 200);

    let entries = server.requests();
    assert_eq!(
        entries.iter().map(|entry| (entry.number, entry.key, entry.status)).collect::<Vec<_>>(),
        [
            (1, KeyCheck::Missing, 401),
            (2, KeyCheck::Missing, 401),
            (3, KeyCheck::Missing, 401),
            (4, KeyCheck::Wrong, 401),
            (5, KeyCheck::Wrong, 401),
            (6, KeyCheck::Right, 200),
        ]
    );
    let kept = serde_json::to_string(&entries).unwrap();
    assert!(!kept.contains("sk-scripted") && !kept.contains("sk-other"), "a key is never kept");
    assert_eq!(entries[3].phase, AnswerPhase::Refused);
    assert_eq!(
        entries[3].refusal.as_deref(),
        Some("Authentication Fails, Your api key: ****-key is invalid")
    );
}

#[test]
fn body_that_is_no_json() {
    let server = start_saying("Hi.", "");
    let reply = read(
        AGENT
            .post(format!("{}/chat/completions", server.url()))
            .header("authorization", "Bearer sk-scripted")
            .send("{\"model\": ")
            .unwrap(),
    );
    assert_eq!(reply.status, 400);
    assert!(reply.message().starts_with("the body is no JSON"), "{}", reply.message());
    assert_eq!(server.requests()[0].body, json!("{\"model\": "));
}

/// Sends a request with a change, and checks a part of the refusal's message.
fn refused(change: Value, message: &str) -> (Value, String) {
    let mut body = request("it", "hello");
    for (field, value) in change.as_object().unwrap() {
        body[field.as_str()] = value.clone();
    }
    (body, message.to_owned())
}

fn messages(messages: Value, message: &str) -> (Value, String) {
    refused(json!({"messages": messages}), message)
}

#[test]
fn requests_that_the_service_does_not_take() {
    let user = json!({"role": "user", "content": "hello"});
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}});
    let calling = json!({"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [call]});
    let result = json!({"role": "tool", "tool_call_id": "call_1", "content": "ok"});
    let schema = |schema: Value| json!({"tools": [{"type": "function", "function": {"name": "look", "parameters": schema}}]});
    let function = |function: Value| json!({"tools": [{"type": "function", "function": function}]});

    let cases = [
        (json!([]), "the body must be a JSON object".to_owned()),
        (json!({"messages": [user]}), "missing field `model`".to_owned()),
        (json!({"model": "it"}), "missing field `messages`".to_owned()),
        refused(json!({"model": 5}), "model: expected a non-empty string"),
        refused(
            json!({"model": "other"}),
            "Model Not Exist: `other`. This is a scripted server; its models are it",
        ),
        refused(json!({"messages": "hello"}), "messages: expected an array"),
        messages(json!([]), "Empty input messages"),
        messages(json!(["hello"]), "messages[0]: expected an object"),
        // Sampling and limits
        refused(
            json!({"temperature": 2.5}),
            "Invalid temperature value, the valid range of temperature is [0, 2]",
        ),
        refused(json!({"temperature": "hot"}), "Invalid temperature value"),
        refused(json!({"top_p": 1.5}), "Invalid top_p value"),
        refused(
            json!({"max_tokens": 0}),
            "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]",
        ),
        refused(json!({"max_tokens": 400_000}), "Invalid max_tokens value"),
        refused(json!({"stop": 3}), "stop: expected a string or up to 16 strings"),
        refused(json!({"stream": "yes"}), "stream: expected a boolean"),
        refused(json!({"stream": false}), "stream_options should be set along with stream = true"),
        refused(
            json!({"thinking": {"type": "maybe"}}),
            "thinking.type: expected one of `enabled`, `disabled`",
        ),
        // Roles and content
        messages(
            json!([{"role": "developer", "content": "x"}, user]),
            "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
        ),
        messages(json!([{"content": "x"}]), "messages[0]: missing field `role`"),
        messages(json!([{"role": "user"}]), "messages[0]: missing field `content`"),
        messages(json!([{"role": "user", "content": null}]), "messages[0].content: expected a string"),
        messages(
            json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}]),
            "messages[0].content: invalid type: sequence, expected a string",
        ),
        messages(
            json!([{"role": "user", "content": [{"type": "text", "text": "see"},
                                                {"type": "image_url", "image_url": {"url": "data:,"}}]}]),
            "messages[0].content: unknown variant `image_url`, expected `text`",
        ),
        messages(
            json!([user, {"role": "assistant", "content": null}, user]),
            "messages[1]: Invalid assistant message: content or tool_calls must be set",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "x", "reasoning_content": 1}, user]),
            "messages[1].reasoning_content: expected a string",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "done"}]),
            "The last message must be of the user or of a tool",
        ),
        // Calls and their results
        messages(json!([user, calling]), "(insufficient tool messages following tool_calls message: call_1)"),
        messages(
            json!([user, calling, user]),
            "messages[2]: An assistant message with 'tool_calls' must be followed",
        ),
        messages(
            json!([user, result]),
            "messages[1]: Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        ),
        messages(
            json!([user, calling, result, result]),
            "messages[3]: Messages with role 'tool' must be a response",
        ),
        messages(
            json!([user, calling, {"role": "tool", "content": "ok"}]),
            "messages[2]: missing field `tool_call_id`",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "tool_calls": [call]}, result]),
            "messages[1]: The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "reasoning_content": null, "tool_calls": [call]}, result]),
            "messages[1]: The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        messages(
            json!([user, calling, result, {"role": "assistant", "content": "done"}, user]),
            "messages[3]: The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [call, call]}]),
            "messages[1].tool_calls: the id `call_1` is twice",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": []}, user]),
            "messages[1].tool_calls: expected a non-empty array",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "look", "arguments": {}}}]}]),
            "messages[1].tool_calls[0].function.arguments: expected a string",
        ),
        messages(
            json!([user, {"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [
                {"id": "", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}]),
            "messages[1].tool_calls[0].id: must not be empty",
        ),
        // Tools
        refused(json!({"tools": {}}), "tools: expected an array"),
        refused(json!({"tools": []}), "[] is too short - 'tools'"),
        refused(json!({"tools": vec![tool("look"); 129]}), "Expected at most 128 tools, got 129"),
        refused(json!({"tools": [tool("look"), tool("look")]}), "Tool names must be unique: `look` is twice"),
        refused(
            json!({"tools": [tool("no.dots")]}),
            "`no.dots` does not match the pattern '^[a-zA-Z0-9_-]{1,64}$'",
        ),
        refused(json!({"tools": [tool("")]}), "`` does not match the pattern"),
        refused(json!({"tools": [tool("搜索")]}), "does not match the pattern"),
        refused(json!({"tools": [tool(&"a".repeat(65))]}), "does not match the pattern"),
        refused(json!({"tools": [{"function": {"name": "look"}}]}), "tools[0].type: expected `function`"),
        refused(json!({"tools": [{"type": "function"}]}), "tools[0]: missing field `function`"),
        refused(function(json!({})), "tools[0].function: missing field `name`"),
        refused(
            function(json!({"name": "a", "description": 1})),
            "tools[0].function.description: expected a string",
        ),
        refused(
            function(json!({"name": "a", "strict": true})),
            "tools[0].function.strict: only the beta address",
        ),
        refused(
            schema(json!({"type": "array"})),
            "schema must be a JSON Schema of 'type: \"object\"', got \"array\"",
        ),
        refused(schema(json!({})), "schema must be a JSON Schema of 'type: \"object\"', got null"),
        refused(schema(json!(true)), "schema must be a JSON Schema of 'type: \"object\"', got null"),
        refused(
            json!({"tools": [tool("look")], "tool_choice": "maybe"}),
            "tool_choice: unknown variant `maybe`",
        ),
        refused(
            json!({"tools": [tool("look")], "tool_choice": "required"}),
            "Thinking mode does not support this tool_choice",
        ),
        refused(
            json!({"tools": [tool("look")], "thinking": {"type": "disabled"},
                   "tool_choice": {"type": "function", "function": {"name": "other"}}}),
            "tool_choice: no tool is named `other`",
        ),
    ];

    let server = start_saying("Hi.", "");
    for (index, (body, message)) in cases.iter().enumerate() {
        let reply = ask(&server, body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.message().contains(message.as_str()), "{}\nfor {body}", reply.message());
        assert_eq!(reply.error["error"]["type"], "invalid_request_error");
        assert_eq!(server.requests()[index].refusal.as_deref(), Some(reply.message()));
    }
}

#[test]
fn requests_that_the_service_takes() {
    let server = start_saying("Hi.", "");
    let user = json!({"role": "user", "content": "hello"});
    let calling = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "broken"}},
        {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}}]});
    let mut reasoned = calling.clone();
    reasoned["reasoning_content"] = json!("");
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": ""});
    let assistant = json!({"role": "assistant", "content": "before any tool"});
    for body in [
        json!({"model": "it", "stream": true, "messages": [user, assistant, user, reasoned, result("b"), result("a")]}),
        json!({"model": "it", "stream": true, "thinking": {"type": "disabled"},
               "messages": [user, calling, result("a"), result("b"), user],
               "tools": [tool("look"), tool("A-1_")], "tool_choice": "required", "temperature": 0, "top_p": 1,
               "max_tokens": 393_216, "stop": ["a"], "unknown_field": 1}),
        json!({"model": "it", "stream": true, "stream_options": null, "messages": [user], "tools": null,
               "temperature": null, "max_tokens": null, "stop": null, "thinking": null, "tool_choice": "auto"}),
    ] {
        let reply = ask(&server, &body);
        assert_eq!(reply.status, 200, "{}", reply.message());
    }
}

#[test]
fn address_where_nothing_is() {
    let server = start_saying("Hi.", "");
    let mut response = AGENT.get(format!("{}/responses", server.url())).call().unwrap();
    assert_eq!(response.status(), 404);
    let body: Value = response.body_mut().read_json().unwrap();
    assert_eq!(
        body["error"]["message"],
        "GET /responses: nothing is here; a scripted model answers POST /chat/completions"
    );
}

#[test]
fn mistake_in_a_scenario_is_loud() {
    let server =
        crate::client::start_with("[[step]]\nwhen = 'results[0].data.x'\n[[step]]\nsay = '{{ nothing }}'");
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!(reply.status, 500);
    assert!(
        reply.message().starts_with("mistake in scenario `it`: undefined value: step 1"),
        "{}",
        reply.message()
    );
}
