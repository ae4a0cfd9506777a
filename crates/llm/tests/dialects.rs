//! Whole conversations with every provider, as the scripted server plays it: what we send is what that service takes,
//! and what it wants back it gets. The server is another reading of the services; it shares no code with this crate.
#![allow(clippy::unwrap_used)] // all of it is a test

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use sidecar_llm::providers::ON_DEVICE;
use sidecar_llm::{
    Answer, CallRecord, ChatRequest, Decoder, Effort, Endpoint, ErrorClass, HttpRequest, KeyHeader, Message,
    ModelEvent, ToolChoice, ToolDefinition, ToolForm, WireProtocol, build, list_request, providers,
    read_list, refusal,
};
use sidecar_testkit::delivery::{Amount, Delivery};
use sidecar_testkit::{DEFAULT_KEY, Fault, Scenarios, ScriptedModel, ServerOptions, Until};
use ureq::Agent;

/// Thinks, speaks and calls two tools, then one; then tells what they gave. In the next turn it calls one.
const SCENARIO: &str = r#"
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

fn start() -> ScriptedModel {
    let mut scenarios = Scenarios::default();
    scenarios.add("it", SCENARIO).unwrap();
    for model in providers().iter().flat_map(|provider| provider.models) {
        scenarios.add(model.id, SCENARIO).unwrap();
    }
    ScriptedModel::start(ServerOptions::new(scenarios)).unwrap()
}

/// The provider, its models as far as they are known, and where the server is it.
fn endpoints(server: &ScriptedModel) -> Vec<(Endpoint, Vec<&'static str>)> {
    let endpoint = |provider: &'static sidecar_llm::Provider| {
        let base_url =
            server.base_url(provider.id).unwrap_or_else(|| panic!("the server is no {}", provider.id));
        let models = provider.models.iter().map(|model| model.id).chain(["it"]).collect();
        (Endpoint { provider: provider.id.to_owned(), base_url }, models)
    };
    // The browser's own model is no server.
    providers().iter().filter(|provider| provider.id != ON_DEVICE).map(endpoint).collect()
}

fn tools() -> Vec<ToolDefinition> {
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

fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).build().into()
}

/// Status and body of a response that comes whole.
fn send(request: &HttpRequest, body: &str) -> (u16, Vec<u8>) {
    let mut response = post(request, body);
    let body = response.body_mut().read_to_vec().unwrap();
    (response.status().as_u16(), body)
}

/// Status of a response, and as much of its body as comes.
fn receive(request: &HttpRequest, body: &str) -> (u16, Vec<u8>) {
    let mut response = post(request, body);
    let mut bytes = Vec::new();
    // A lost connection is what some tests are about.
    let _ = response.body_mut().as_reader().read_to_end(&mut bytes);
    (response.status().as_u16(), bytes)
}

fn post(request: &HttpRequest, body: &str) -> ureq::http::Response<ureq::Body> {
    let mut post = agent().post(&request.url);
    for (name, value) in &request.headers {
        post = post.header(name, value);
    }
    let (name, key) = request.key_header.with(DEFAULT_KEY);
    post.header(name, key).send(body).unwrap()
}

fn answer(endpoint: &Endpoint, request: &ChatRequest) -> Result<Answer, String> {
    let built = build(endpoint, request).unwrap();
    let (status, body) = send(&built, &built.body);
    let words = String::from_utf8_lossy(&body);
    if status != 200 {
        return Err(format!("{}, {:?}: {status} {words}\n{}", endpoint.provider, request.effort, built.body));
    }
    let prefix = format!("c{}_", request.messages.len());
    let mut decoder = Decoder::for_source(endpoint.source().unwrap()).with_call_prefix(prefix);
    let form = endpoint.form_of(request);
    if form != ToolForm::Native {
        decoder = decoder.offering(request.tools.iter().map(|tool| tool.name.clone())).in_form(form);
    }
    body.chunks(11).for_each(|piece| drop(decoder.feed(piece)));
    decoder.end().map_err(|error| format!("{}: {error:?}\n{words}", endpoint.provider))
}

/// A conversation so far, and what the model gave in it.
#[derive(Debug, Clone)]
struct Conversation {
    request: ChatRequest,
    answers: Vec<Answer>,
}

impl Conversation {
    fn new(model: &str, effort: Option<Effort>) -> Self {
        let system = Message::System { text: "Help with flights.".to_owned() };
        let request = ChatRequest {
            model: model.to_owned(),
            messages: vec![system],
            tools: tools(),
            effort,
            max_tokens: Some(20_000),
            temperature: Some(0.5),
            parallel_calls: Some(true),
            ..ChatRequest::default()
        };
        Self { request, answers: Vec::new() }
    }

    /// The user speaks, and tools run until the model needs none.
    fn turn(&mut self, endpoint: &Endpoint, text: &str) -> String {
        self.request.messages.push(Message::User { text: text.to_owned() });
        loop {
            let answer = answer(endpoint, &self.request).unwrap_or_else(|why| panic!("{why}"));
            self.answers.push(answer.clone());
            let Answer { reasoning, text, calls, usage, provider_state, .. } = answer;
            assert!(usage.is_some_and(|usage| usage.input > 0 && usage.output > 0), "{}", endpoint.provider);
            let message =
                Message::Assistant { reasoning, text: text.clone(), calls: calls.clone(), provider_state };
            self.request.messages.push(message);
            if calls.is_empty() {
                return text;
            }
            for CallRecord { id, name, arguments } in calls {
                let text = format!("<{name} {}>", serde_json::from_str::<Value>(&arguments).unwrap());
                self.request.messages.push(Message::Tool { call_id: id, name, text });
            }
        }
    }
}

const FIRST: &str = "list({}) gave <list {}>. find({\"to\":\"Porto\"}) gave <find {\"to\":\"Porto\"}>. ";

const EFFORTS: [Option<Effort>; 5] =
    [None, Some(Effort::Off), Some(Effort::Low), Some(Effort::Medium), Some(Effort::High)];

#[test]
fn every_provider_in_every_effort() {
    let server = start();
    for (endpoint, models) in endpoints(&server) {
        for (model, effort) in models.iter().flat_map(|model| EFFORTS.map(|effort| (*model, effort))) {
            let place = format!("{} {model} {effort:?}", endpoint.provider);
            let mut conversation = Conversation::new(model, effort);
            let text = conversation.turn(&endpoint, "Find me a flight");
            assert!(text.starts_with("find({") && text.ends_with(FIRST), "{place}: {text}");
            assert_eq!(conversation.turn(&endpoint, "And again"), "list({}) gave <list {}>. ", "{place}");
            let calls =
                |answer: &Answer| answer.calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
            let called: Vec<_> = conversation.answers.iter().map(calls).collect();
            let none: [&str; 0] = [];
            assert_eq!(called, [&["find", "list"][..], &["find"], &none, &["list"], &none], "{place}");
            assert_eq!(conversation.answers[0].text, "I look twice.", "{place}");
            // Where thoughts came, they are the thoughts that were had.
            let thoughts: Vec<_> =
                conversation.answers.iter().map(|answer| answer.reasoning.as_str()).collect();
            let had = [
                "Both, première fois 你好.",
                "And now the other.",
                "That is all.",
                "Once more.",
                "That is all.",
            ];
            assert!(thoughts == had || thoughts == [""; 5], "{place}: {thoughts:?}");
            if effort == Some(Effort::High) && model == "it" {
                assert_eq!(thoughts, had, "{place}");
            }
        }
    }
}

#[test]
fn a_conversation_goes_on_with_every_other_provider() {
    let server = start();
    let endpoints = endpoints(&server);
    for (from, _) in &endpoints {
        let mut begun = Conversation::new("it", None);
        begun.turn(from, "Find me a flight");
        for (to, _) in &endpoints {
            for effort in [None, Some(Effort::High)] {
                // Also in the middle of a turn, behind the results of the first calls.
                let mut middle = begun.clone();
                middle.request.effort = effort;
                middle.request.messages.truncate(5);
                let went_on =
                    answer(to, &middle.request).unwrap_or_else(|why| panic!("from {}: {why}", from.provider));
                assert_eq!(went_on.calls.len(), 1);
                let mut whole = begun.clone();
                whole.request.effort = effort;
                let text = whole.turn(to, "And again");
                assert_eq!(text, "list({}) gave <list {}>. ", "from {} to {}", from.provider, to.provider);
            }
        }
    }
}

#[test]
fn a_choice_is_never_refused() {
    let server = start();
    for (endpoint, models) in endpoints(&server) {
        for (model, effort) in models.iter().flat_map(|model| EFFORTS.map(|effort| (*model, effort))) {
            for choice in [ToolChoice::None, ToolChoice::Required, ToolChoice::Named("list".to_owned())] {
                let mut request = Conversation::new(model, effort).request;
                request.messages.push(Message::User { text: "Find me a flight".to_owned() });
                request.tool_choice = Some(choice.clone());
                let answered = answer(&endpoint, &request);
                assert!(answered.is_ok(), "{model} {choice:?}: {answered:?}");
            }
        }
    }
}

/// Changes every object in a body; those that become `null` are taken out of their arrays.
fn change(value: &mut Value, by: &dyn Fn(&mut Value)) {
    match value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| change(element, by));
            elements.retain(|element| !element.is_null());
        }
        Value::Object(members) => members.iter_mut().for_each(|(_, member)| change(member, by)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if value.is_object() {
        by(value);
    }
}

fn is(value: &Value, kind: &str) -> bool {
    value["type"] == kind
}

/// Ways to break a request that a service must refuse, by what they are called.
type Breakage = (&'static str, fn(&mut Value));

const OF_CHAT: [Breakage; 3] = [
    ("a call without its result", |body| {
        change(body, &|value| {
            if value["role"] == "tool" {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a schema of no object", |body| body["tools"][0]["function"]["parameters"] = json!({"type": "array"})),
];

const OF_RESPONSES: [Breakage; 5] = [
    ("a call without its reasoning", |body| {
        change(body, &|value| {
            if is(value, "reasoning") {
                *value = Value::Null;
            }
        });
    }),
    ("reasoning that was changed", |body| {
        change(body, &|value| {
            if is(value, "reasoning") {
                value["encrypted_content"] = json!("b3RoZXI");
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if is(value, "function_call_output") {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a strict schema that is not closed", |body| {
        body["tools"][0]["strict"] = json!(true);
    }),
];

const OF_MESSAGES: [Breakage; 6] = [
    ("a call without its thoughts", |body| {
        change(body, &|value| {
            if is(value, "thinking") {
                *value = Value::Null;
            }
        });
    }),
    ("thoughts that were changed", |body| {
        change(body, &|value| {
            if is(value, "thinking") {
                value["thinking"] = json!("Something else.");
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if is(value, "tool_result") {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a forced call while it thinks", |body| body["tool_choice"] = json!({"type": "any"})),
    ("a schema with alternatives at its top", |body| body["tools"][0]["input_schema"]["anyOf"] = json!([])),
];

const OF_GEMINI: [Breakage; 5] = [
    ("a call without its signature", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("thoughtSignature");
        });
    }),
    ("a call that was changed", |body| {
        change(body, &|value| {
            if value.get("functionCall").is_some() {
                value["functionCall"]["args"] = json!({"to": "Faro"});
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if value.get("functionResponse").is_some() {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0]["functionDeclarations"][0].clone();
        body["tools"][0]["functionDeclarations"].as_array_mut().unwrap().push(tool);
    }),
    ("a schema in the wrong field", |body| {
        let tool = body["tools"][0]["functionDeclarations"][0].as_object_mut().unwrap();
        let schema = tool.remove("parametersJsonSchema").unwrap();
        tool.insert("parameters".to_owned(), schema);
    }),
];

const OF_OLLAMA: [Breakage; 1] = [("arguments as text", |body| {
    change(body, &|value| {
        if value.get("arguments").is_some() {
            value["arguments"] = json!("{}");
        }
    });
})];

/// What providers want of Chat Completions beyond that.
fn own_breakages(provider: &str) -> Vec<Breakage> {
    let without_content: Breakage = ("an answer without its thoughts", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("reasoning_content");
        });
    });
    let without_details: Breakage = ("a call without its details", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("reasoning_details");
        });
    });
    let changed_details: Breakage = ("details that were changed", |body| {
        change(body, &|value| {
            if is(value, "reasoning.text") {
                value["text"] = json!("Something else.");
            }
        });
    });
    let forced: Breakage = ("a forced call", |body| body["tool_choice"] = json!("required"));
    let broken: Breakage = ("arguments that are no JSON", |body| {
        change(body, &|value| {
            if value.get("arguments").is_some() {
                value["arguments"] = json!("{");
            }
        });
    });
    match provider {
        "deepseek" | "kimi" => vec![without_content, forced],
        "minimax" | "openrouter" => vec![without_details, changed_details],
        "qwen" | "glm" => vec![forced],
        "llama-server" | "vllm" => vec![broken],
        _ => Vec::new(),
    }
}

#[test]
fn what_a_service_wants_is_refused_where_it_is_missing() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let mut conversation = Conversation::new("it", Some(Effort::High));
        conversation.turn(&endpoint, "Find me a flight");
        // Behind the results of the first calls.
        conversation.request.messages.truncate(5);
        let built = build(&endpoint, &conversation.request).unwrap();
        let breakages: &[Breakage] = match endpoint.source().unwrap().protocol {
            WireProtocol::ChatCompletions => &OF_CHAT,
            WireProtocol::Responses => &OF_RESPONSES,
            WireProtocol::Messages => &OF_MESSAGES,
            WireProtocol::GenerateContent => &OF_GEMINI,
            WireProtocol::OllamaChat => &OF_OLLAMA,
        };
        assert_eq!(send(&built, &built.body).0, 200);
        for (name, break_it) in breakages.iter().chain(&own_breakages(&endpoint.provider)) {
            let mut body: Value = serde_json::from_str(&built.body).unwrap();
            break_it(&mut body);
            assert_ne!(
                body.to_string(),
                serde_json::from_str::<Value>(&built.body).unwrap().to_string(),
                "{name}"
            );
            let (status, reply) = send(&built, &body.to_string());
            let reply = String::from_utf8_lossy(&reply);
            let place = format!("{}, {name}: {status} {reply}", endpoint.provider);
            // MiniMax refuses with a success.
            assert!((400..500).contains(&status) || reply.contains("base_resp"), "{place}");
            let refused = refusal(&endpoint, status, &|_| None, &reply);
            assert_eq!(refused.class, ErrorClass::Protocol, "{place}");
            assert!(!refused.message.is_empty(), "{place}");
        }
    }
}

#[test]
fn keys_are_sent_as_each_service_takes_them() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let mut request = Conversation::new("it", None).request;
        request.messages.push(Message::User { text: "Find me a flight".to_owned() });
        server.set_key("sk-another");
        let built = build(&endpoint, &request).unwrap();
        let (status, body) = send(&built, &built.body);
        let body = String::from_utf8_lossy(&body);
        let preset = providers().iter().find(|provider| provider.id == endpoint.provider).unwrap();
        if preset.key_optional {
            assert_eq!(status, 200, "{}: {body}", endpoint.provider);
        } else {
            let class = refusal(&endpoint, status, &|_| None, &body).class;
            assert_eq!(class, ErrorClass::Auth, "{}: {status} {body}", endpoint.provider);
        }
        server.set_key(DEFAULT_KEY);
    }
}

#[test]
fn every_list_of_models_is_read() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let request = list_request(&endpoint).unwrap();
        let mut get = agent().get(&request.url);
        for (name, value) in &request.headers {
            get = get.header(name, value);
        }
        let (name, key): (_, String) = KeyHeader::with(request.key_header, DEFAULT_KEY);
        let body = get.header(name, key).call().unwrap().body_mut().read_to_string().unwrap();
        let models = read_list(&body).unwrap_or_else(|why| panic!("{}: {why:?} {body}", endpoint.provider));
        assert!(models.iter().any(|model| model.id == "it"), "{}: {body}", endpoint.provider);
    }
}

/// What goes wrong on the way, in every protocol.
#[test]
fn faults_of_delivery_are_met_in_every_protocol() {
    let server = start();
    let fault = |delivery: Delivery| server.fault(Fault { delivery, ..Fault::default() });
    let number = |number: u64| Some(Amount::Number(number));
    for (endpoint, _) in endpoints(&server) {
        let mut request = Conversation::new("it", Some(Effort::High)).request;
        request.messages.push(Message::User { text: "Find me a flight".to_owned() });
        let built = build(&endpoint, &request).unwrap();
        let read = |delivery: Option<Delivery>| {
            delivery.into_iter().for_each(&fault);
            let (status, bytes) = receive(&built, &built.body);
            assert_eq!(status, 200);
            let mut decoder = Decoder::for_source(endpoint.source().unwrap());
            let mut events = decoder.feed(&bytes);
            events.extend(decoder.close());
            let has_call = events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. }));
            (decoder.end(), has_call, bytes.len())
        };
        let provider = &endpoint.provider;
        let said = |answer: &Answer| {
            let calls = answer.calls.iter().map(|call| (call.name.clone(), call.arguments.clone()));
            (answer.text.clone(), answer.reasoning.clone(), calls.collect::<Vec<_>>())
        };
        let (whole, _, length) = read(None);
        let whole = said(&whole.unwrap());
        let bytes = read(Some(Delivery { byte_by_byte: Some(true), ..Delivery::default() })).0.unwrap();
        assert_eq!(said(&bytes), whole, "{provider}");
        let large = read(Some(Delivery { tokens_per_event: number(50), ..Delivery::default() })).0.unwrap();
        assert_eq!(said(&large), whole, "{provider}");

        for delivery in [
            Delivery { cut_after_event: number(4), ..Delivery::default() },
            Delivery { cut_after_event: number(4), cut_cleanly: Some(true), ..Delivery::default() },
            Delivery { cut_at_byte: number(length as u64 / 2), ..Delivery::default() },
        ] {
            let (cut, has_call, _) = read(Some(delivery.clone()));
            let class = cut.map_err(|error| error.class);
            assert_eq!((class, has_call), (Err(ErrorClass::StreamCut), false), "{provider} {delivery:?}");
        }
        let (failed, has_call, _) =
            read(Some(Delivery { error_after_event: number(4), ..Delivery::default() }));
        let error = failed.unwrap_err();
        assert_eq!((error.message.as_str(), has_call), ("Internal server error", false), "{provider}");

        server.reset();
        let held = Delivery { hold_after_event: number(4), ..Delivery::default() };
        let released = std::thread::scope(|scope| {
            let reading = scope.spawn(|| read(Some(held)).0.unwrap());
            server.wait(1, Until::Held, Duration::from_secs(10)).unwrap();
            assert_eq!(server.release(None), [1]);
            reading.join().unwrap()
        });
        assert_eq!(said(&released), whole, "{provider}");
    }
}

/// Calls one tool in each answer, as who is told of tools in words is asked to.
const ONE_BY_ONE: &str = r#"
about = "Two tools, one by one."

[[step]]
when = "rounds == 0"
say = "I look."
call = "find"
arguments = "{'to': 'Lisboa'}"

[[step]]
when = "rounds == 1"
call = "list"

[[step]]
say = "{% for result in results %}{{ result.name }}({{ result.arguments }}) gave {{ result.text }}. {% endfor %}"
"#;

#[test]
fn model_without_tools_holds_the_conversation_prompted_and_by_schema() {
    let mut scenarios = Scenarios::default();
    scenarios.add("it", ONE_BY_ONE).unwrap();
    let server = ScriptedModel::start(ServerOptions::new(scenarios)).unwrap();
    let mut forms = Vec::new();
    let at_root = Endpoint { provider: "custom".to_owned(), base_url: server.url() };
    for endpoint in endpoints(&server).into_iter().map(|(endpoint, _)| endpoint).chain([at_root]) {
        for other_fields in [&[][..], &["response_format", "format"]] {
            let mut conversation = Conversation::new("textual-it", None);
            let mut leave_out: Vec<String> = other_fields.iter().copied().map(str::to_owned).collect();
            conversation.request.messages.push(Message::User { text: "Find me a flight".to_owned() });
            let form = loop {
                // What is refused is left out, until nothing is.
                conversation.request.leave_out.clone_from(&leave_out);
                let built = build(&endpoint, &conversation.request).unwrap();
                let (status, body) = send(&built, &built.body);
                let error = refusal(&endpoint, status, &|_| None, &String::from_utf8_lossy(&body));
                match error.refused_field() {
                    Some(field) if !leave_out.iter().any(|left| left == field) => {
                        leave_out.push(field.to_owned())
                    }
                    _ => break endpoint.form_of(&conversation.request),
                }
            };
            conversation.request.messages.pop();
            let found = r#"find({"to":"Lisboa"}) gave <find {"to":"Lisboa"}>. list({}) gave <list {}>. "#;
            for turn in ["Find me a flight", "And again"] {
                assert_eq!(conversation.turn(&endpoint, turn), found, "{} {form:?}", endpoint.provider);
            }
            let called = conversation.answers.iter().map(|answer| answer.calls.len()).collect::<Vec<_>>();
            assert_eq!(called, [1, 1, 0, 1, 1, 0], "{} {form:?}", endpoint.provider);
            forms.push((endpoint.provider.clone(), form));
        }
    }
    let held: Vec<_> =
        forms.iter().filter(|(_, form)| *form == ToolForm::Schema).map(|(name, _)| name.as_str()).collect();
    assert_eq!(held, ["openrouter", "ollama", "llama-server", "lmstudio", "vllm"]);
    assert_eq!(
        forms.iter().filter(|(_, form)| *form == ToolForm::Prompted).count(),
        forms.len() - held.len()
    );
}
