//! A request to a model, from its parts to the bytes of an HTTP request.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use sidecar_protocol::settings::ProviderId;

use crate::base_url::{BaseUrlError, check_base_url};
use crate::calls::is_object;
use crate::dialect::{self, Dialect, ReasoningEcho};
use crate::message::{CallRecord, Message, ToolDefinition};
use crate::parameters;

/// All that one request says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// As the provider spells it.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call; may be empty.
    pub tools: Vec<ToolDefinition>,
    /// 0 to 2; the provider's own when absent.
    pub temperature: Option<f64>,
    /// Most tokens of the answer; the provider's own when absent.
    pub max_tokens: Option<u32>,
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The preset that the user chose.
    pub provider: ProviderId,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
}

/// A POST to be sent. It holds no key: the transport adds `Authorization: Bearer`, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Whole address.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// JSON text; the same request always gives the same bytes.
    pub body: String,
}

/// Why a request cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The endpoint's address is not usable.
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    /// No model is set.
    #[error("no model is chosen: name one in the settings")]
    NoModel,
    /// Not a number from 0 to 2.
    #[error("the temperature is {0}, but must be from 0 to 2: change it in the settings")]
    Temperature(f64),
    /// Two tools of one name: services refuse that.
    #[error("two tools are offered under the name `{0}`")]
    DuplicateTool(String),
    /// The request could not be written as JSON.
    #[error("the request could not be written: {0}")]
    Json(String),
}

/// Builds the request for an endpoint, in its dialect.
///
/// Services refuse a history in which a call has no result, a result no call, or an answer neither words nor calls;
/// a thread in which that once happened would be lost. So results are put behind their calls, a missing one is said
/// to be missing, and what belongs to nothing is left out.
///
/// # Errors
/// [`RequestError`]
pub fn build(endpoint: &Endpoint, request: &ChatRequest) -> Result<HttpRequest, RequestError> {
    let address = check_base_url(&endpoint.base_url)?;
    let dialect = dialect::of(&endpoint.provider, &address);
    let model = request.model.trim();
    if model.is_empty() {
        return Err(RequestError::NoModel);
    }
    if let Some(temperature) = request.temperature.filter(|value| !(0.0..=2.0).contains(value)) {
        return Err(RequestError::Temperature(temperature));
    }
    let body = Body {
        model,
        messages: wire_messages(&request.messages, dialect),
        tools: wire_tools(&request.tools)?,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        temperature: request.temperature,
        max_tokens: request.max_tokens,
    };
    Ok(HttpRequest {
        url: format!("{address}/chat/completions"),
        // No other header: Ollama's preflight refuses those that it does not know.
        headers: vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream".to_owned()),
        ],
        body: serde_json::to_string(&body).map_err(|error| RequestError::Json(error.to_string()))?,
    })
}

/// What is said of a call whose result was never recorded.
const NO_RESULT: &str = "No result was recorded for this call. Its effect is unknown.";

/// The body, in the order of its fields. What is left out on purpose: `tool_choice`, whose default is `auto`
/// everywhere and which some services refuse; `parallel_tool_calls` and `strict`, which few know.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// `content` is always a string: DeepSeek takes nothing else, and wants one even where there are only calls.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: FunctionKind,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

#[derive(Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: FunctionKind,
    function: WireDefinition<'a>,
}

#[derive(Serialize)]
struct WireDefinition<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
}

/// The one kind of tool that there is.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum FunctionKind {
    Function,
}

fn wire_messages(messages: &[Message], dialect: Dialect) -> Vec<WireMessage<'_>> {
    let mut wire = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match message {
            Message::System { text } => wire.push(WireMessage::System { content: text }),
            Message::User { text } => wire.push(WireMessage::User { content: text }),
            Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => {}
            Message::Assistant { reasoning, text, calls } => {
                wire.push(WireMessage::Assistant {
                    content: text,
                    reasoning_content: match dialect.reasoning {
                        ReasoningEcho::Always => Some(reasoning),
                        ReasoningEcho::WhenGiven => Some(reasoning.as_str()).filter(|text| !text.is_empty()),
                        ReasoningEcho::Never => None,
                    },
                    tool_calls: calls.iter().map(wire_call).collect(),
                });
                let (results, after) = split_results(rest);
                rest = after;
                wire.extend(calls.iter().map(|call| WireMessage::Tool {
                    tool_call_id: &call.id,
                    content: result_of(call, results).unwrap_or(NO_RESULT),
                }));
            }
            // A result that follows no call.
            Message::Tool { .. } => {}
        }
    }
    wire
}

/// The results that stand at the beginning, and what follows them.
fn split_results(messages: &[Message]) -> (&[Message], &[Message]) {
    let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
    messages.split_at(messages.iter().take_while(is_result).count())
}

fn result_of<'a>(call: &CallRecord, results: &'a [Message]) -> Option<&'a str> {
    results.iter().find_map(|message| match message {
        Message::Tool { call_id, text, .. } if *call_id == call.id => Some(text.as_str()),
        Message::Tool { .. } | Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => {
            None
        }
    })
}

fn wire_call(call: &CallRecord) -> WireCall<'_> {
    WireCall {
        id: &call.id,
        kind: FunctionKind::Function,
        function: WireFunction { name: wire_name(&call.name), arguments: wire_arguments(&call.arguments) },
    }
}

/// A name that a model made up (`functions.search:0`, or none at all) goes back as one that services accept: they check
/// the names of the whole history against the pattern of tool names and would refuse the thread for ever.
fn wire_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if (1..=64).contains(&name.len()) && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let portable: String = name.chars().take(64).map(|c| if fits(c) { c } else { '_' }).collect();
    Cow::Owned(if portable.is_empty() { "unknown".to_owned() } else { portable })
}

/// Arguments go back as they came. Only those that are no JSON object are put into one: vLLM, SGLang and llama-server
/// parse the arguments of the whole history and refuse the request when one does not parse, so that a single slip of
/// the model would be the end of its thread (<https://github.com/vllm-project/vllm/pull/48922>).
fn wire_arguments(arguments: &str) -> Cow<'_, str> {
    if is_object(arguments) {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "invalid_json": arguments }).to_string())
    }
}

fn wire_tools(tools: &[ToolDefinition]) -> Result<Vec<WireTool<'_>>, RequestError> {
    let mut names = HashSet::new();
    tools
        .iter()
        .map(|tool| {
            if !names.insert(tool.name.as_str()) {
                return Err(RequestError::DuplicateTool(tool.name.clone()));
            }
            Ok(WireTool {
                kind: FunctionKind::Function,
                function: WireDefinition {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: parameters::tidy(&tool.parameters),
                },
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn endpoint(provider: &str, base_url: &str) -> Endpoint {
        Endpoint { provider: provider.to_owned(), base_url: base_url.to_owned() }
    }

    fn deepseek() -> Endpoint {
        endpoint("deepseek", "https://api.deepseek.com")
    }

    fn custom() -> Endpoint {
        endpoint("custom", "http://localhost:8080/v1/")
    }

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned() }
    }

    fn call(id: &str, name: &str, arguments: &str) -> CallRecord {
        CallRecord { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    fn assistant(reasoning: &str, text: &str, calls: &[CallRecord]) -> Message {
        Message::Assistant { reasoning: reasoning.to_owned(), text: text.to_owned(), calls: calls.to_vec() }
    }

    fn tool(call_id: &str, text: &str) -> Message {
        Message::Tool { call_id: call_id.to_owned(), name: "find".to_owned(), text: text.to_owned() }
    }

    fn request(messages: Vec<Message>) -> ChatRequest {
        ChatRequest { model: "m".to_owned(), messages, ..ChatRequest::default() }
    }

    fn messages(endpoint: &Endpoint, messages: Vec<Message>) -> Value {
        let request = build(endpoint, &request(messages)).unwrap();
        serde_json::from_str::<Value>(&request.body).unwrap()["messages"].clone()
    }

    #[test]
    fn a_whole_request_in_its_bytes() {
        let request = ChatRequest {
            model: " deepseek-flash ".to_owned(),
            messages: vec![
                Message::System { text: "Help.".to_owned() },
                user("A flight to Lisbon, \"cheap\""),
                assistant("Look first.", "", &[call("call_00_x", "find", r#"{"to": "LIS"}"#)]),
                tool("call_00_x", r#"[{"price":99}]"#),
                assistant("", "There is one.", &[]),
                user("Thanks"),
            ],
            tools: vec![
                ToolDefinition {
                    name: "find".to_owned(),
                    description: "Finds flights".to_owned(),
                    parameters: json!({"properties":{"to":{"type":"string"}},"type":"object","$schema":"s"}),
                },
                ToolDefinition {
                    name: "list".to_owned(),
                    description: String::new(),
                    parameters: Value::Null,
                },
            ],
            temperature: Some(0.5),
            max_tokens: Some(1_000),
        };
        let expected = concat!(
            r#"{"model":"deepseek-flash","messages":["#,
            r#"{"role":"system","content":"Help."},"#,
            r#"{"role":"user","content":"A flight to Lisbon, \"cheap\""},"#,
            r#"{"role":"assistant","content":"","reasoning_content":"Look first.","#,
            r#""tool_calls":[{"id":"call_00_x","type":"function","#,
            r#""function":{"name":"find","arguments":"{\"to\": \"LIS\"}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"call_00_x","content":"[{\"price\":99}]"},"#,
            r#"{"role":"assistant","content":"There is one.","reasoning_content":""},"#,
            r#"{"role":"user","content":"Thanks"}],"#,
            r#""tools":[{"type":"function","function":{"name":"find","description":"Finds flights","#,
            r#""parameters":{"properties":{"to":{"type":"string"}},"type":"object"}}},"#,
            r#"{"type":"function","function":{"name":"list","description":"","#,
            r#""parameters":{"properties":{},"type":"object"}}}],"#,
            r#""stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"max_tokens":1000}"#,
        );
        let built = build(&deepseek(), &request).unwrap();
        assert_eq!(
            built,
            HttpRequest {
                url: "https://api.deepseek.com/chat/completions".to_owned(),
                headers: vec![
                    ("content-type".to_owned(), "application/json".to_owned()),
                    ("accept".to_owned(), "text/event-stream".to_owned()),
                ],
                body: expected.to_owned(),
            }
        );
        assert_eq!(build(&deepseek(), &request).unwrap(), built, "the same request gives the same bytes");
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let built = build(&custom(), &request(vec![user("Hi")])).unwrap();
        assert_eq!(built.url, "http://localhost:8080/v1/chat/completions");
        assert_eq!(
            built.body,
            concat!(
                r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"#,
                r#""stream":true,"stream_options":{"include_usage":true}}"#
            )
        );
    }

    #[test]
    fn thoughts_go_back_as_the_dialect_wants() {
        let history =
            || vec![user("Hi"), assistant("Hm.", "One", &[]), user("More"), assistant("", "Two", &[])];
        let fields = |endpoint: &Endpoint| {
            let messages = messages(endpoint, history());
            [1, 3].map(|index| messages[index].get("reasoning_content").cloned())
        };
        let groq = endpoint("custom", "https://api.groq.com/openai/v1");
        assert_eq!(fields(&deepseek()), [Some(json!("Hm.")), Some(json!(""))]);
        assert_eq!(fields(&endpoint("custom", "https://api.deepseek.com/v1")), fields(&deepseek()));
        assert_eq!(fields(&custom()), [Some(json!("Hm.")), None]);
        assert_eq!(fields(&groq), [None, None]);
    }

    #[test]
    fn every_call_is_answered_in_order_and_strays_are_left_out() {
        let calls = [call("a", "find", "{}"), call("b", "find", "{}"), call("c", "find", "{}")];
        let history = vec![
            tool("z", "of no call"),
            user("Hi"),
            assistant("", "", &calls),
            tool("c", "third"),
            tool("a", "first"),
            tool("z", "of no call"),
            assistant("only thoughts", "", &[]),
            tool("b", "too late"),
            user("More"),
        ];
        let function =
            |id: &str| json!({"id":id,"type":"function","function":{"name":"find","arguments":"{}"}});
        let expected = json!([
            {"role":"user","content":"Hi"},
            {"role":"assistant","content":"","tool_calls":[function("a"), function("b"), function("c")]},
            {"role":"tool","tool_call_id":"a","content":"first"},
            {"role":"tool","tool_call_id":"b","content":NO_RESULT},
            {"role":"tool","tool_call_id":"c","content":"third"},
            {"role":"user","content":"More"},
        ]);
        assert_eq!(messages(&custom(), history), expected);
    }

    #[test]
    fn arguments_go_back_as_they_came_unless_they_would_break_the_history() {
        let sent = |arguments: &str| {
            let history =
                vec![user("Hi"), assistant("", "", &[call("a", "find", arguments)]), tool("a", "x")];
            let messages = messages(&custom(), history);
            messages[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned()
        };
        assert_eq!(sent("{ \"b\" : 1,\n\"a\":2 }"), "{ \"b\" : 1,\n\"a\":2 }");
        assert_eq!(sent("{\"a\":"), r#"{"invalid_json":"{\"a\":"}"#);
        assert_eq!(sent("[1]"), r#"{"invalid_json":"[1]"}"#);
    }

    #[test]
    fn names_that_a_model_made_up_go_back_as_acceptable_ones() {
        let sent = |name: &str| {
            let history = vec![user("Hi"), assistant("", "", &[call("a", name, "{}")]), tool("a", "x")];
            let messages = messages(&custom(), history);
            messages[1]["tool_calls"][0]["function"]["name"].as_str().unwrap().to_owned()
        };
        assert_eq!(sent("find"), "find");
        assert_eq!(sent("functions.find:0"), "functions_find_0");
        assert_eq!(sent("查询"), "__");
        assert_eq!(sent(""), "unknown");
        assert_eq!(sent(&"x".repeat(65)), "x".repeat(64));
    }

    #[test]
    fn what_cannot_be_sent_says_why() {
        let fails = |endpoint: &Endpoint, change: fn(&mut ChatRequest)| {
            let mut request = request(vec![user("Hi")]);
            change(&mut request);
            build(endpoint, &request).unwrap_err()
        };
        let insecure = endpoint("custom", "http://llm.example");
        let host = "llm.example".to_owned();
        assert_eq!(fails(&insecure, |_| {}), RequestError::BaseUrl(BaseUrlError::Insecure { host }));
        assert_eq!(fails(&custom(), |request| request.model = " ".to_owned()), RequestError::NoModel);
        assert_eq!(
            fails(&custom(), |request| request.temperature = Some(2.1)),
            RequestError::Temperature(2.1)
        );
        assert!(matches!(
            fails(&custom(), |request| request.temperature = Some(f64::NAN)),
            RequestError::Temperature(value) if value.is_nan()
        ));
        let twice = |request: &mut ChatRequest| {
            let tool = ToolDefinition {
                name: "find".to_owned(),
                description: String::new(),
                parameters: Value::Null,
            };
            request.tools = vec![tool.clone(), tool];
        };
        assert_eq!(fails(&custom(), twice), RequestError::DuplicateTool("find".to_owned()));
    }
}
