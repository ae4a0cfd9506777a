//! The scripted server in the role of every service, and a client for it.

use std::io::Read;

use serde_json::{Value, json};
use sidecar_llm::providers::ON_DEVICE;
use sidecar_llm::{Endpoint, HttpRequest, ToolDefinition, providers};
use sidecar_testkit::{DEFAULT_KEY, Scenarios, ScriptedModel, ServerOptions};
use ureq::Agent;

/// Reasoning, text and two calls, then one call, then an answer with their results. In the next turn one
/// call.
pub const SCENARIO: &str = r#"
about = "Two rounds of tools."

[[step]]
when = "rounds == 0 and turn == 1"
think = "Both, première fois 你好."
say = "I look twice."
calls = "[{'name': 'find', 'arguments': {'to': 'Lisboa', 'max': 2}}, {'name': 'list', 'arguments': {}}]"

[[step]]
when = "rounds == 0"
think = "Once more."
call = "list"

[[step]]
when = "rounds == 1 and turn == 1"
think = "And now the other."
call = "find"
arguments = "{'to': 'Porto'}"

[[step]]
think = "That is all."
say = "{% for result in results %}{{ result.name }}({{ result.arguments }}) gave {{ result.text }}. {% endfor %}"
"#;

pub fn start() -> ScriptedModel {
    let mut scenarios = Scenarios::default();
    scenarios.add("it", SCENARIO).unwrap();
    for model in providers().iter().flat_map(|provider| provider.models) {
        scenarios.add(model.id, SCENARIO).unwrap();
    }
    ScriptedModel::start(ServerOptions::new(scenarios)).unwrap()
}

/// The endpoint of each provider, at the scripted server, with its known models.
pub fn endpoints(server: &ScriptedModel) -> Vec<(Endpoint, Vec<&'static str>)> {
    let endpoint = |provider: &'static sidecar_llm::Provider| {
        let base_url =
            server.base_url(provider.id).unwrap_or_else(|| panic!("the server is no {}", provider.id));
        let models = provider.models.iter().map(|model| model.id).chain(["it"]).collect();
        (Endpoint { provider: provider.id.to_owned(), base_url }, models)
    };
    // The browser's own model is no server.
    providers().iter().filter(|provider| provider.id != ON_DEVICE).map(endpoint).collect()
}

pub fn tools() -> Vec<ToolDefinition> {
    vec![
        ToolDefinition {
            name: "find".to_owned(),
            description: "Finds flights".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"to": {"type": "string"}, "max": {"type": "integer", "description": "How many"}},
                "required": ["to"], "additionalProperties": false,
            }),
        },
        ToolDefinition { name: "list".to_owned(), description: String::new(), parameters: Value::Null },
    ]
}

pub fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).build().into()
}

/// Status and body of a complete response.
pub fn send(request: &HttpRequest, body: &str) -> (u16, Vec<u8>) {
    let mut response = post(request, body);
    let body = response.body_mut().read_to_vec().unwrap();
    (response.status().as_u16(), body)
}

/// Status of a response, and as much of its body as arrives.
pub fn receive(request: &HttpRequest, body: &str) -> (u16, Vec<u8>) {
    let mut response = post(request, body);
    let mut bytes = Vec::new();
    // Some tests are about a lost connection.
    let _ = response.body_mut().as_reader().read_to_end(&mut bytes);
    (response.status().as_u16(), bytes)
}

pub fn post(request: &HttpRequest, body: &str) -> ureq::http::Response<ureq::Body> {
    let mut post = agent().post(&request.url);
    for (name, value) in &request.headers {
        post = post.header(name, value);
    }
    let (name, key) = request.key_header.with(DEFAULT_KEY);
    post.header(name, key).send(body).unwrap()
}
