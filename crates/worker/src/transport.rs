//! Transport to the model: by `fetch` to its service, with the key added here and nowhere else, or to the
//! browser's own model.

use futures::StreamExt;
use futures::future::{Either, select};
use gloo_net::http::{Request, RequestBuilder, Response as GlooResponse};
use gloo_timers::future::TimeoutFuture;
use sidecar_agent::{Keys, LlmTransport, Response};
use sidecar_llm::{Endpoint, FactsRequest, HttpRequest, KeyHeader, ModelAbilities};
use sidecar_protocol::settings::ModelInfo;
use sidecar_protocol::{ErrorClass, ModelError};
use sidecar_session::browser::ModelTransport;
use sidecar_session::settings::Access;
use wasm_bindgen::JsCast;
use wasm_streams::ReadableStream;
use web_sys::{ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect};

use crate::body::{AbortOnDrop, Body, HttpBody};
use crate::on_device::OnDevice;

/// Maximum bytes of a list of models. OpenRouter's, the longest known, has about one million.
const LIST_LIMIT: usize = 16 * 1024 * 1024;

/// Maximum bytes of an answer about one model. Ollama's contains the model's licence and its list of tensors.
const FACTS_LIMIT: usize = 4 * 1024 * 1024;

/// Time limit for reading a list of models or an answer about one model, in milliseconds.
const READ_LIMIT_MS: u32 = 60_000;

/// The transport to a model's service.
#[derive(Debug)]
pub struct FetchTransport {
    /// The key for the endpoint in use.
    pub key: Option<String>,
    /// Whether the endpoint answers without a key.
    pub key_optional: bool,
    /// The keys for all endpoints, which are removed from what services and pages say.
    pub keys: Keys,
}

/// The transport to a model.
#[derive(Debug)]
pub enum Transport {
    /// To a service over HTTP.
    Fetch(FetchTransport),
    /// To the browser's own model.
    OnDevice(OnDevice),
}

impl LlmTransport for Transport {
    type Body = Body;

    fn keys(&self) -> &Keys {
        match self {
            Self::Fetch(transport) => transport.keys(),
            Self::OnDevice(transport) => transport.keys(),
        }
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Body>, ModelError> {
        match self {
            Self::Fetch(transport) => transport.post(request).await,
            Self::OnDevice(transport) => transport.post(request).await,
        }
    }

    async fn abilities(&self, endpoint: &Endpoint, model: &str) -> ModelAbilities {
        match self {
            Self::Fetch(transport) => transport.abilities(endpoint, model).await,
            Self::OnDevice(transport) => transport.abilities(endpoint, model).await,
        }
    }
}

impl Transport {
    /// The transport to a provider.
    pub fn to(Access { key, key_optional, is_on_device, keys }: Access) -> Self {
        match is_on_device {
            true => Self::OnDevice(OnDevice { keys }),
            false => Self::Fetch(FetchTransport { key, key_optional, keys }),
        }
    }
}

impl ModelTransport for Transport {
    async fn models(&self, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError> {
        match self {
            Self::Fetch(transport) => transport.models(endpoint).await,
            Self::OnDevice(_) => Ok(Vec::new()),
        }
    }
}

impl LlmTransport for FetchTransport {
    type Body = Body;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Body>, ModelError> {
        let HttpRequest { url, headers, key_header, body } = request;
        self.send(Request::post(&url), &headers, key_header, Some(body)).await
    }

    async fn abilities(&self, endpoint: &Endpoint, model: &str) -> ModelAbilities {
        self.facts(endpoint, model).await.map(|text| sidecar_llm::abilities(&text)).unwrap_or_default()
    }
}

impl FetchTransport {
    /// What a server says of a model; `None` if it cannot be asked.
    async fn facts(&self, endpoint: &Endpoint, model: &str) -> Option<String> {
        let FactsRequest { url, headers, key_header, body } = sidecar_llm::facts_request(endpoint, model)?;
        let request = if body.is_some() { Request::post(&url) } else { Request::get(&url) };
        let response = self.send(request, &headers, key_header, body).await.ok()?;
        let is_there = (200..300).contains(&response.status);
        read(response.body, FACTS_LIMIT).await.ok().filter(|_| is_there)
    }

    async fn models(&self, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError> {
        let list = sidecar_llm::list_request(endpoint)
            .map_err(|error| ModelError::new(ErrorClass::Protocol, error.to_string()))?;
        let Response { status, headers, body } =
            self.send(Request::get(&list.url), &list.headers, list.key_header, None).await?;
        let text = read(body, LIST_LIMIT).await?;
        let header = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        self.keys.conceal_models(sidecar_llm::listed(endpoint, status, &header, &text))
    }

    async fn send(
        &self,
        mut builder: RequestBuilder,
        headers: &[(String, String)],
        key_header: KeyHeader,
        body: Option<String>,
    ) -> Result<Response<Body>, ModelError> {
        if self.key.is_none() && !self.key_optional {
            return Err(ModelError::new(ErrorClass::NoKey, ""));
        }
        let abort = AbortOnDrop::new().map_err(network)?;
        builder = anonymous(builder, headers, &abort);
        if let Some(key) = &self.key {
            let (name, value) = key_header.with(key);
            builder = builder.header(name, &value);
        }
        let request = match body {
            Some(body) => builder.body(body),
            None => builder.build(),
        };
        let response = request.map_err(network)?.send().await.map_err(network)?;
        let headers = response.headers().entries().collect();
        Ok(Response { status: response.status(), headers, body: body_of(&response, abort) })
    }
}

/// A request that tells nothing of the user: a key is all that identifies them to a model's service. It does not follow
/// a redirect to another address.
pub fn anonymous(
    builder: RequestBuilder,
    headers: &[(String, String)],
    abort: &AbortOnDrop,
) -> RequestBuilder {
    let builder = builder
        .credentials(RequestCredentials::Omit)
        .redirect(RequestRedirect::Error)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .cache(RequestCache::NoStore)
        .abort_signal(Some(&abort.0.signal()));
    headers.iter().fold(builder, |builder, (name, value)| builder.header(name, value))
}

/// The body of a response as it arrives.
pub fn body_of(response: &GlooResponse, abort: AbortOnDrop) -> Body {
    let stream = response.body().map(|raw| ReadableStream::from_raw(raw.unchecked_into()).into_stream());
    HttpBody { stream, _abort: abort }.boxed_local()
}

/// Reads a whole body as text; see [`read_bytes`].
pub async fn read(body: Body, limit: usize) -> Result<String, ModelError> {
    Ok(String::from_utf8_lossy(&read_bytes(body, limit).await?).into_owned())
}

/// Reads a whole body. Aborts the request if it takes too long or the body is too large.
pub async fn read_bytes(mut body: Body, limit: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    let mut timer = TimeoutFuture::new(READ_LIMIT_MS);
    loop {
        match select(body.next(), timer).await {
            Either::Left((Some(chunk), left)) => {
                bytes.extend_from_slice(&chunk.map_err(network)?);
                timer = left;
            }
            Either::Left((None, _)) => return Ok(bytes),
            Either::Right(_) => return Err(ModelError::new(ErrorClass::Network, "the reply does not end")),
        }
        if bytes.len() > limit {
            return Err(ModelError::new(ErrorClass::Protocol, "the reply is too long"));
        }
    }
}

fn network(error: impl std::fmt::Display) -> ModelError {
    ModelError::new(ErrorClass::Network, error.to_string())
}
