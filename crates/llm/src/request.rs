//! Builds the HTTP request to a model, in any of the protocols.

use sidecar_protocol::settings::ToolForm;

use crate::dialects::{self, KeyHeader};
use crate::prompted::{self, AnswerSchema};
use crate::protocols::anthropic;
use crate::protocols::chat;
use crate::protocols::gemini;
use crate::protocols::ollama;
use crate::providers::base_url::check_base_url;
pub(crate) mod chat_request;
pub(crate) mod endpoint;
pub(crate) mod percent;
pub(crate) mod plan;
pub mod tokens;

use chat_request::ChatRequest;
use endpoint::Endpoint;
use plan::{RequestError, RequestPlan};

use crate::protocols::responses;
use crate::wire::WireProtocol;

/// A POST request. It contains no key: the transport adds the header that [`HttpRequest::key_header`]
/// names, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The complete URL.
    pub url: String,
    /// Lower-case names, and values.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub key_header: KeyHeader,
    /// JSON text; equal requests always give the same bytes.
    pub body: String,
}

/// Builds the request for an endpoint, in its protocol and dialect. A history that services would refuse is
/// repaired first.
///
/// # Errors
/// [`RequestError`]
pub fn build(endpoint: &Endpoint, request: &ChatRequest) -> Result<HttpRequest, RequestError> {
    let address = check_base_url(&endpoint.base_url)?;
    let dialect = dialects::of(&endpoint.provider, &address);
    let form = prompted::form_of(dialect, request);
    let answers = (form == ToolForm::Schema).then(|| AnswerSchema::of(&request.tools));
    let request = prompted::with_prompted_tools(request, form);
    let plan = RequestPlan { answers: answers.as_ref(), ..RequestPlan::new(dialect, &address, &request)? };
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
    /// The headers of a request, except for the key's. There must be no others: Ollama's CORS preflight
    /// refuses headers that it does not know.
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
                // Without it Anthropic refuses requests from a browser.
                // https://github.com/anthropics/anthropic-sdk-typescript#browser-support
                ("anthropic-dangerous-direct-browser-access", "true"),
            ],
        }
    }
}
