//! Every scenario of the project does what its file says. The flight search has a file of its own.

use std::time::Duration;

use serde_json::json;
use sidecar_testkit::{AnswerPhase, Until};

use crate::client::{ClientConversation, ask, request, start, tool};

const SOON: Duration = Duration::from_secs(10);

#[test]
fn echo() {
    let server = start();
    assert_eq!(ask(&server, &request("echo", "你好，**世界**\nline two")).text(), "你好，**世界**\nline two");
    let sample = ask(&server, &request("echo", "Show me Markdown")).text();
    for part in [
        "# First heading\n",
        "\n```js\nconst cheapest",
        "| JW1500 |",
        "\n> A quotation",
        "<script>alert(2)</script>",
    ] {
        assert!(sample.contains(part), "{part}");
    }
}

#[test]
fn long() {
    let server = start();
    let tokens = |user: &str| {
        let reply = ask(&server, &request("long", user));
        let usage = &reply.chunks.last().unwrap()["usage"];
        usage["completion_tokens"].as_u64().unwrap()
            - usage["completion_tokens_details"]["reasoning_tokens"].as_u64().unwrap()
    };
    assert_eq!(tokens("Write something long"), 2000);
    assert_eq!(tokens("Write 300 tokens, 1 ms apart"), 300);
}

#[test]
fn hold() {
    let server = start();
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| ask(&server, &request("hold", "hello")));
        assert_eq!(server.wait(1, Until::Held, SOON).unwrap().events, 16);
        server.release(Some(1));
        let reply = reply.join().unwrap();
        assert_eq!(reply.reasoning(), "I think first.");
        assert_eq!(reply.text(), "The first words are here. These words come after the pause.");
    });
}

#[test]
fn think_long() {
    let server = start();
    let reply = ask(&server, &request("think-long", "shall I?"));
    assert_eq!(reply.reasoning().lines().count(), 24);
    assert_eq!(reply.text(), "After thinking it over: yes.");
    assert_eq!(ask(&server, &request("think-long", "可以吗？")).text(), "想过之后：可以。");
}

#[test]
fn call_tool() {
    let server = start();
    let mut conversation = ClientConversation::default();
    let user = "call echoTool {\"a\": 1}\ncall other\nthen call third {\"b\":[]}";
    let answer = conversation
        .turn(&server, "call-tool", &["echoTool"], user, |name, arguments| format!("{name} got {arguments}"));
    assert_eq!(
        answer,
        "- `echoTool`: echoTool got {\"a\": 1}\n- `other`: other got {}\n- `third`: third got {\"b\":[]}"
    );
    assert_eq!(conversation.said[..2], ["I will call echoTool, other.", "I will call third."]);
    let roles: Vec<_> =
        conversation.messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]);

    let hint = ask(&server, &request("call-tool", "hello")).text();
    assert_eq!(hint, "Write which tool to call, for example: call echoTool {\"a\": 1}");
}

#[test]
fn calls_for_ever() {
    let server = start();
    let mut messages = vec![json!({"role": "user", "content": "go on"})];
    for round in 1..=12 {
        let body = json!({"model": "loop", "stream": true, "messages": messages, "tools": [tool("look")]});
        let reply = ask(&server, &body);
        assert_eq!(reply.text(), format!("Call number {round}."));
        let call = reply.calls().remove(0);
        assert_eq!((call.name.as_str(), call.arguments.as_str()), ("look", "{}"));
        messages.push(json!({"role": "assistant", "content": reply.text(), "reasoning_content": reply.reasoning(),
            "tool_calls": [{"id": call.id, "type": "function", "function": {"name": "look", "arguments": "{}"}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": "ok"}));
    }
    let body = json!({"model": "loop", "stream": true, "tools": [tool("look")],
                      "messages": [{"role": "user", "content": "call other {\"x\":1}"}]});
    assert_eq!(ask(&server, &body).calls()[0].arguments, "{\"x\":1}");
    assert_eq!(ask(&server, &request("loop", "go on")).text(), "There is no tool that I could call.");
}

#[test]
fn bad_arguments() {
    let server = start();
    let mut conversation = ClientConversation::default();
    let user = "call echoTool {\"text\":\"hi\"}";
    let answer = conversation.turn(&server, "bad-arguments", &["echoTool"], user, |_, arguments| {
        match serde_json::from_str::<serde_json::Value>(arguments) {
            Ok(_) => "hi".to_owned(),
            Err(_) => "Error: no JSON".to_owned(),
        }
    });
    assert_eq!(answer, "- First: Error: no JSON\n- Then: hi");

    let mut conversation = ClientConversation::default();
    conversation.turn(&server, "bad-arguments", &["first", "second"], "go", |_, _| "ok".to_owned());
    assert_eq!(conversation.called(), ["first", "first"]);
    assert_eq!(conversation.calls[1].1, "{}");
}

#[test]
fn unknown_tool() {
    let server = start();
    let mut conversation = ClientConversation::default();
    let answer =
        conversation.turn(&server, "unknown-tool", &["look"], "go", |_, _| "no such tool".to_owned());
    assert_eq!(conversation.called(), ["noSuchTool"]);
    assert_eq!(answer, "noSuchTool is not there: no such tool");
}

#[test]
fn calls_in_the_text_and_arguments_that_are_nearly_json() {
    let server = start();
    let leaked = ask(&server, &request("leaks", "two tickets"));
    assert!(leaked.calls().is_empty());
    assert_eq!(
        leaked.text().trim(),
        "I will use the note.\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"writeNote\">\n\
         <｜DSML｜parameter name=\"text\" string=\"true\">two tickets</｜DSML｜parameter>\n\
         </｜DSML｜invoke>\n</｜DSML｜tool_calls>"
    );
    let nearly = ask(&server, &request("nearly-json", "by train")).calls().remove(0);
    assert_eq!(
        (nearly.name.as_str(), nearly.arguments.as_str()),
        ("functions.write_note", "{'text': 'by train',}")
    );
}

#[test]
fn refused_ones() {
    let server = start();
    let limited = ask(&server, &request("rate-limited", "hello"));
    assert_eq!((limited.status, limited.retry_after.as_deref()), (429, Some("1")));
    assert_eq!(ask(&server, &request("rate-limited", "hello")).text(), "Now I have time for you: hello");

    for (model, status, message) in [
        ("overloaded", 503, "Service is too busy"),
        ("no-balance", 402, "Insufficient Balance"),
        ("context-overflow", 400, "This model's maximum context length is 131072 tokens."),
    ] {
        for _ in 0..3 {
            let reply = ask(&server, &request(model, "hello"));
            assert_eq!(reply.status, status);
            assert!(reply.message().starts_with(message), "{}", reply.message());
        }
    }
}

#[test]
fn broken_ones() {
    let server = start();
    let reply = ask(&server, &request("cut", "hello"));
    assert!(reply.lost.is_some());
    assert_eq!(reply.text(), "This sentence is never finished because the connection is lost");
    assert_eq!(server.wait(1, Until::Ended, SOON).unwrap().phase, AnswerPhase::Cut);

    let reply = ask(&server, &request("error-inside", "hello"));
    assert_eq!(reply.text(), "This goes well for a while");
    assert_eq!(reply.chunks.last().unwrap()["error"]["type"], "server_error");
}

#[test]
fn ended_ones() {
    let server = start();
    for (model, finish) in [("filtered", "content_filter"), ("length", "length")] {
        let reply = ask(&server, &request(model, "hello"));
        assert_eq!((reply.finish(), reply.is_done), (Some(finish), true));
        assert!(!reply.text().is_empty());
    }
}
