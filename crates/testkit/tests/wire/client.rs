//! A small HTTP client, and a small agent loop.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};
use sidecar_testkit::delivery::{Amount, Delivery};
use sidecar_testkit::{DEFAULT_KEY, Fault, Scenarios, ScriptedModel, ServerOptions};
use ureq::http::Response;
use ureq::{Agent, Body};

pub static AGENT: LazyLock<Agent> =
    LazyLock::new(|| Agent::config_builder().http_status_as_error(false).build().into());

/// The scenarios of the project.
pub fn start() -> ScriptedModel {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/scenarios");
    let server = ScriptedModel::start(ServerOptions::new(Scenarios::load(&folder).unwrap())).unwrap();
    // The pauses in the files are for people.
    let at_once = Delivery { delay_ms: Some(Amount::Number(0)), ..Delivery::default() };
    server.fault(Fault { times: Some(u32::MAX), delivery: at_once, ..Fault::default() });
    server
}

/// A server with one scenario, called `it`.
pub fn start_with(scenario: &str) -> ScriptedModel {
    let mut scenarios = Scenarios::default();
    scenarios.add("it", &format!("about = 'test'\n{scenario}")).unwrap();
    ScriptedModel::start(ServerOptions::new(scenarios)).unwrap()
}

/// A server whose scenario says this text.
pub fn start_saying(text: &str, more: &str) -> ScriptedModel {
    start_with(&format!("[[step]]\nthink = 'Thinking of it.'\nsay = '''{text}'''\n{more}"))
}

/// The reply to a streamed request.
#[derive(Debug, Default)]
pub struct StreamedReply {
    pub status: u16,
    /// Chunks of the stream, in order.
    pub chunks: Vec<Value>,
    pub comments: Vec<String>,
    /// Whether `[DONE]` arrived.
    pub is_done: bool,
    /// How the connection was lost, if it was.
    pub lost: Option<String>,
    /// The body of a refusal.
    pub error: Value,
    pub retry_after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamedCall {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl StreamedReply {
    fn deltas(&self) -> impl Iterator<Item = &Value> {
        self.chunks.iter().map(|chunk| &chunk["choices"][0]["delta"])
    }

    pub fn text(&self) -> String {
        self.deltas().filter_map(|delta| delta["content"].as_str()).collect()
    }

    pub fn reasoning(&self) -> String {
        self.deltas().filter_map(|delta| delta["reasoning_content"].as_str()).collect()
    }

    pub fn calls(&self) -> Vec<StreamedCall> {
        let mut calls: Vec<StreamedCall> = Vec::new();
        for fragment in self.deltas().filter_map(|delta| delta["tool_calls"].as_array()).flatten() {
            let index = usize::try_from(fragment["index"].as_u64().unwrap()).unwrap();
            let arguments = fragment["function"]["arguments"].as_str().unwrap();
            if let Some(call) = calls.get_mut(index) {
                assert!(fragment.get("id").is_none(), "only the first fragment has an id: {fragment}");
                call.arguments.push_str(arguments);
            } else {
                assert_eq!((index, arguments), (calls.len(), ""));
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                calls.push(StreamedCall {
                    id: text(&fragment["id"]),
                    name: text(&fragment["function"]["name"]),
                    arguments: String::new(),
                });
            }
        }
        calls
    }

    pub fn finish(&self) -> Option<&str> {
        self.chunks.last()?["choices"][0]["finish_reason"].as_str()
    }

    pub fn message(&self) -> &str {
        self.error["error"]["message"].as_str().unwrap_or_default()
    }
}

/// Sends a request with the accepted key for a streamed answer.
pub fn ask(server: &ScriptedModel, body: &Value) -> StreamedReply {
    read(post(server, body))
}

pub fn post(server: &ScriptedModel, body: &Value) -> Response<Body> {
    AGENT
        .post(format!("{}/chat/completions", server.url()))
        .header("authorization", format!("Bearer {DEFAULT_KEY}"))
        .send_json(body)
        .unwrap()
}

pub fn read(mut response: Response<Body>) -> StreamedReply {
    let mut reply = StreamedReply {
        status: response.status().as_u16(),
        retry_after: response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned()),
        ..StreamedReply::default()
    };
    if reply.status != 200 {
        reply.error = response.body_mut().read_json().unwrap();
        return reply;
    }
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    for line in BufReader::new(response.body_mut().as_reader()).lines() {
        match line {
            Err(why) => reply.lost = Some(why.to_string()),
            Ok(line) => match line.split_once(':') {
                Some(("", comment)) => reply.comments.push(comment.trim().to_owned()),
                Some(("data", " [DONE]")) => reply.is_done = true,
                Some(("data", data)) => reply.chunks.extend(serde_json::from_str::<Value>(data)),
                _ => assert_eq!(line, ""),
            },
        }
    }
    reply
}

pub fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {
        "name": name, "description": "", "parameters": {"type": "object", "properties": {}}}})
}

/// A request with one message of the user.
pub fn request(model: &str, user: &str) -> Value {
    json!({"model": model, "stream": true, "stream_options": {"include_usage": true},
           "messages": [{"role": "user", "content": user}]})
}

/// A conversation that goes on until the model makes no more calls.
#[derive(Debug, Default)]
pub struct ClientConversation {
    pub messages: Vec<Value>,
    /// All of its calls.
    pub calls: Vec<(String, String)>,
    /// Its texts, answer by answer.
    pub said: Vec<String>,
}

impl ClientConversation {
    pub fn with_system(system: &str) -> Self {
        Self { messages: vec![json!({"role": "system", "content": system})], ..Self::default() }
    }

    /// The user sends a message; `run` plays the page: from name and arguments to the text of a result.
    pub fn turn(
        &mut self,
        server: &ScriptedModel,
        model: &str,
        tools: &[&str],
        user: &str,
        mut run: impl FnMut(&str, &str) -> String,
    ) -> String {
        self.messages.push(json!({"role": "user", "content": user}));
        loop {
            let mut body = json!({"model": model, "stream": true, "messages": self.messages});
            if !tools.is_empty() {
                body["tools"] = tools.iter().map(|name| tool(name)).collect();
            }
            let reply = ask(server, &body);
            assert_eq!(reply.status, 200, "{}", reply.error);
            assert!(reply.is_done);
            let (text, calls) = (reply.text(), reply.calls());
            self.said.push(text.clone());
            let mut message =
                json!({"role": "assistant", "content": text, "reasoning_content": reply.reasoning()});
            if calls.is_empty() {
                assert_eq!(reply.finish(), Some("stop"));
                self.messages.push(message);
                return text;
            }
            assert_eq!(reply.finish(), Some("tool_calls"));
            message["tool_calls"] = calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                           "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            self.messages.push(message);
            for StreamedCall { id, name, arguments } in calls {
                let result = run(&name, &arguments);
                self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
                self.calls.push((name, arguments));
            }
        }
    }

    pub fn called(&self) -> Vec<&str> {
        self.calls.iter().map(|(name, _)| name.as_str()).collect()
    }
}
