//! A request to a model, from its parts to the bytes of an HTTP request, in any of the protocols.

use std::collections::HashSet;

use serde_json::{Map, Value};
use sidecar_protocol::schema::SchemaProfile;
use sidecar_protocol::settings::{Effort, ProviderId, ToolForm};

use crate::anthropic;
use crate::base_url::{BaseUrl, BaseUrlError, check_base_url};
use crate::chat;
use crate::dialect::{self, Dialect, Forced, KeyHeader};
use crate::echo::Source;
use crate::gemini;
use crate::history::{self, Said};
use crate::in_words::{self, AnswerSchema};
use crate::message::{Message, ToolDefinition};
use crate::ollama;
use crate::providers::window_hint;
use crate::responses;
use crate::wire::WireProtocol;

/// All that one request says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// As the provider spells it.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call; may be empty.
    pub tools: Vec<ToolDefinition>,
    /// 0 to 2; the provider's own when absent. Lowered to the most that the service takes, and left out for models that
    /// take none.
    pub temperature: Option<f64>,
    /// Most tokens of the answer; the provider's own when absent.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; the provider's own when absent.
    pub effort: Option<Effort>,
    /// Whether the model must call a tool; as it likes when absent.
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls in one answer; the provider's own when absent. Sent only to services
    /// that know it.
    pub parallel_calls: Option<bool>,
    /// Tokens of the model's window; only Ollama asks for it, and has [`ollama::DEFAULT_WINDOW`] when absent.
    pub context_window: Option<u32>,
    /// Fields that the service refused ([`crate::ModelError::refused_field`]): they are not sent, as far as a request can do
    /// without them. A dot leads into a field: `reasoning.summary`. Without `tools` ([`in_words::TOOLS`]) the tools are
    /// described in words, and where the service can hold an answer to a schema, it is asked to.
    pub leave_out: Vec<String>,
}

/// Whether a model must call a tool. Where the service cannot be told so, the request does what it can: it offers no
/// tool, or only the one that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// It must call none.
    None,
    /// It must call one.
    Required,
    /// It must call the one of this name.
    Named(String),
}

/// Where a request goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The preset that the user chose.
    pub provider: ProviderId,
    /// Up to and without `/chat/completions`, or what stands for it in the service's protocol.
    pub base_url: String,
}

impl Endpoint {
    /// Who answers there, for [`crate::Decoder::for_source`].
    ///
    /// # Errors
    /// [`BaseUrlError`]
    pub fn source(&self) -> Result<Source, BaseUrlError> {
        let address = check_base_url(&self.base_url)?;
        Ok(source(dialect::of(&self.provider, &address), &address))
    }

    /// How a request tells a model there of its tools.
    #[must_use]
    pub fn form_of(&self, request: &ChatRequest) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| in_words::form_of(dialect, request))
    }

    /// How a model there is told of its tools, where it is not sent these fields ([`ChatRequest::leave_out`]).
    #[must_use]
    pub fn form(&self, leave_out: &[String]) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| in_words::form(dialect, leave_out))
    }

    /// Tokens of a model's window there, where that is known. `listed` is what the service said of it, if it did.
    #[must_use]
    pub fn window(&self, model: &str, listed: Option<u32>) -> Option<u32> {
        let known = listed.or_else(|| window_hint(&self.provider, model));
        match self.dialect().map(|dialect| dialect.protocol) {
            // There it is asked for with each request.
            Some(WireProtocol::OllamaChat) => {
                Some(known.map_or(ollama::DEFAULT_WINDOW, |known| known.min(ollama::DEFAULT_WINDOW)))
            }
            Some(
                WireProtocol::ChatCompletions
                | WireProtocol::Responses
                | WireProtocol::Messages
                | WireProtocol::GenerateContent,
            )
            | None => known,
        }
    }

    /// `None` where the address is none.
    fn dialect(&self) -> Option<&'static Dialect> {
        Some(dialect::of(&self.provider, &check_base_url(&self.base_url).ok()?))
    }

    /// What the service takes of JSON Schema in the parameters of a tool; the least of all where the address is none.
    #[must_use]
    pub fn schema_profile(&self) -> SchemaProfile {
        self.dialect().map_or(SchemaProfile::PORTABLE, |dialect| dialect.schema)
    }
}

/// A POST to be sent. It holds no key: the transport adds the header that [`HttpRequest::key_header`] names, and
/// nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Whole address.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub key_header: KeyHeader,
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

/// Builds the request for an endpoint, in its protocol and dialect. A history that services would refuse is made one
/// that they accept.
///
/// # Errors
/// [`RequestError`]
pub fn build(endpoint: &Endpoint, request: &ChatRequest) -> Result<HttpRequest, RequestError> {
    let address = check_base_url(&endpoint.base_url)?;
    let dialect = dialect::of(&endpoint.provider, &address);
    let form = in_words::form_of(dialect, request);
    let answers = (form == ToolForm::Schema).then(|| AnswerSchema::of(&request.tools));
    let request = in_words::worded(request, form);
    let plan = Plan { answers: answers.as_ref(), ..Plan::new(dialect, &address, &request)? };
    let (url, body) = match dialect.protocol {
        WireProtocol::ChatCompletions => (chat::request::url(&address), chat::request::body(&plan)),
        WireProtocol::Responses => (responses::request::url(&address), responses::request::body(&plan)),
        WireProtocol::Messages => (anthropic::request::url(&address), anthropic::request::body(&plan)),
        WireProtocol::GenerateContent => {
            (gemini::request::url(&address, plan.model), gemini::request::body(&plan))
        }
        WireProtocol::OllamaChat => (ollama::request::url(&address), ollama::request::body(&plan)),
    };
    let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Ok(HttpRequest {
        url,
        headers: dialect.protocol.headers().iter().map(header).collect(),
        key_header: dialect.key_header,
        body: body.map_err(|error| RequestError::Json(error.to_string()))?,
    })
}

impl WireProtocol {
    /// The headers of a request, but for the key's. No others: Ollama's preflight refuses those that it does not know.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ChatCompletions | Self::Responses | Self::GenerateContent => {
                &[("content-type", "application/json"), ("accept", "text/event-stream")]
            }
            Self::OllamaChat => &[("content-type", "application/json"), ("accept", "application/x-ndjson")],
            Self::Messages => &[
                ("content-type", "application/json"),
                ("accept", "text/event-stream"),
                ("anthropic-version", "2023-06-01"),
                // Without it Anthropic refuses what comes from a browser.
                // https://github.com/anthropics/anthropic-sdk-typescript#browser-support
                ("anthropic-dangerous-direct-browser-access", "true"),
            ],
        }
    }
}

/// A request with all that its dialect says about it decided: the protocols lay it out.
pub(crate) struct Plan<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) request: &'a ChatRequest,
    pub(crate) model: &'a str,
    pub(crate) history: Vec<Said<'a>>,
    /// What is offered, after all choices.
    pub(crate) tools: Vec<&'a ToolDefinition>,
    /// What is said about choosing; absent where nothing is.
    pub(crate) choice: Option<&'a ToolChoice>,
    pub(crate) parallel_calls: Option<bool>,
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
    /// What the answer must be, where the service holds it to a schema.
    pub(crate) answers: Option<&'a AnswerSchema<'a>>,
    /// Fields that the dialect adds to the body.
    pub(crate) extra: Map<String, Value>,
}

impl<'a> Plan<'a> {
    fn new(dialect: &'a Dialect, address: &BaseUrl, request: &'a ChatRequest) -> Result<Self, RequestError> {
        let model = request.model.trim();
        if model.is_empty() {
            return Err(RequestError::NoModel);
        }
        if let Some(temperature) = request.temperature.filter(|value| !(0.0..=2.0).contains(value)) {
            return Err(RequestError::Temperature(temperature));
        }
        let mut names = HashSet::new();
        if let Some(twice) = request.tools.iter().find(|tool| !names.insert(tool.name.as_str())) {
            return Err(RequestError::DuplicateTool(twice.name.clone()));
        }
        let is_sent = |field: &str| !request.leave_out.iter().any(|name| name == field);
        let (tools, choice) = choose(dialect, request, is_sent("tool_choice"));
        let mut extra = dialect.extra_fields(model, request.effort);
        for path in &request.leave_out {
            remove(&mut extra, path);
        }
        Ok(Self {
            dialect,
            request,
            model,
            history: history::read(&request.messages, &source(dialect, address)),
            choice,
            parallel_calls: request
                .parallel_calls
                .filter(|_| dialect.parallel_calls && !tools.is_empty() && is_sent("parallel_tool_calls")),
            tools,
            temperature: request
                .temperature
                .filter(|_| is_sent("temperature") && !dialect.has_fixed_sampling(model))
                .map(|value| value.min(dialect.hottest)),
            max_tokens: request.max_tokens,
            answers: None,
            extra,
        })
    }

    /// Whether a field may be sent.
    pub(crate) fn sends(&self, field: &str) -> bool {
        !self.request.leave_out.iter().any(|name| name == field)
    }
}

fn source(dialect: &Dialect, address: &BaseUrl) -> Source {
    Source { protocol: dialect.protocol, origin: address.origin().to_owned() }
}

/// What is offered and what is said about choosing.
fn choose<'a>(
    dialect: &Dialect,
    request: &'a ChatRequest,
    is_sent: bool,
) -> (Vec<&'a ToolDefinition>, Option<&'a ToolChoice>) {
    let mut tools: Vec<_> = request.tools.iter().collect();
    let can_force = match dialect.forced {
        Forced::Yes => true,
        Forced::WithoutThinking => request.effort == Some(Effort::Off),
        Forced::No => false,
    };
    let choice = request.tool_choice.as_ref().filter(|choice| {
        let is_known = is_sent
            && match choice {
                ToolChoice::None => dialect.none_choice,
                ToolChoice::Required | ToolChoice::Named(_) => can_force,
            };
        if !is_known {
            match choice {
                ToolChoice::None => tools.clear(),
                ToolChoice::Required => {}
                ToolChoice::Named(name) => tools.retain(|tool| tool.name == *name),
            }
        }
        is_known
    });
    let choice = choice.filter(|_| !tools.is_empty());
    (tools, choice)
}

/// Takes a field out; a dot leads into one.
fn remove(fields: &mut Map<String, Value>, path: &str) {
    match path.split_once('.') {
        None => {
            fields.remove(path);
        }
        Some((head, rest)) => {
            if let Some(Value::Object(inner)) = fields.get_mut(head) {
                remove(inner, rest);
            }
        }
    }
}
