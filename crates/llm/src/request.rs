//! A request to a model, from its parts to the bytes of an HTTP request.

use sidecar_protocol::settings::ProviderId;

use crate::base_url::BaseUrlError;
use crate::message::{Message, ToolDefinition};

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
}

/// Builds the request for an endpoint, in its dialect.
///
/// # Errors
/// [`RequestError`]
pub fn build(_endpoint: &Endpoint, _request: &ChatRequest) -> Result<HttpRequest, RequestError> {
    unimplemented!()
}
