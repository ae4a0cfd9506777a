//! To the model's service: `fetch`, with the key added here and nowhere else.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use gloo_net::http::Request;
use sidecar_agent::{LlmTransport, Response};
use sidecar_llm::HttpRequest;
use sidecar_protocol::{ErrorClass, ModelError};
use wasm_bindgen::{JsCast, JsValue};
use wasm_streams::ReadableStream;
use web_sys::{AbortController, ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect};

/// What a request needs beyond the turn's own words.
#[derive(Debug)]
pub struct FetchTransport {
    /// The key for the endpoint in use.
    pub key: Option<String>,
    /// Whether the endpoint answers without one.
    pub key_optional: bool,
}

impl LlmTransport for FetchTransport {
    type Body = Body;

    fn conceal(&self, text: String) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "…"),
            None => text,
        }
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Body>, ModelError> {
        if self.key.is_none() && !self.key_optional {
            return Err(ModelError::new(ErrorClass::NoKey, ""));
        }
        let abort = AbortOnDrop::new().map_err(network)?;
        let mut builder = Request::post(&request.url)
            // A model's service knows the user by the key alone, and a key is never carried to another address.
            .credentials(RequestCredentials::Omit)
            .redirect(RequestRedirect::Error)
            .referrer_policy(ReferrerPolicy::NoReferrer)
            .cache(RequestCache::NoStore)
            .abort_signal(Some(&abort.0.signal()));
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(key) = &self.key {
            let (name, value) = request.key_header.with(key);
            builder = builder.header(name, &value);
        }
        let response = builder.body(request.body).map_err(network)?.send().await.map_err(network)?;
        let headers = response.headers().entries().collect();
        let stream = response.body().map(|raw| ReadableStream::from_raw(raw.unchecked_into()).into_stream());
        Ok(Response { status: response.status(), headers, body: Body { stream, _abort: abort } })
    }
}

fn network(error: impl std::fmt::Display) -> ModelError {
    ModelError::new(ErrorClass::Network, error.to_string())
}

/// The body of a response. Dropping it hangs up.
pub struct Body {
    stream: Option<wasm_streams::readable::IntoStream<'static>>,
    _abort: AbortOnDrop,
}

impl Stream for Body {
    type Item = Result<Vec<u8>, String>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(None) };
        Pin::new(stream).poll_next(context).map(|item| {
            item.map(|chunk| match chunk {
                Ok(chunk) => Ok(js_sys::Uint8Array::new(&chunk).to_vec()),
                Err(error) => Err(describe(&error)),
            })
        })
    }
}

fn describe(error: &JsValue) -> String {
    sidecar_chrome::ChromeError::from(error.clone()).0
}

struct AbortOnDrop(AbortController);

impl AbortOnDrop {
    fn new() -> Result<Self, String> {
        AbortController::new().map(Self).map_err(|error| describe(&error))
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
