//! To the browser's own model. It is asked, and answers, in the protocol of Ollama, which serves models on one's own
//! computer too: so all that is known of requests and answers holds for it.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sidecar_agent::{Keys, LlmTransport, Response};
use sidecar_chrome::ChromeError;
use sidecar_chrome::language_model::{self, Availability, Session};
use sidecar_llm::{Endpoint, HttpRequest};
use sidecar_protocol::{Cause, ErrorClass, ModelError};
use wasm_bindgen::{JsCast, JsValue};
use wasm_streams::ReadableStream;

use crate::body::{AbortOnDrop, Body};

/// The way to the browser's own model.
#[derive(Debug, Clone)]
pub struct OnDevice {
    /// The keys for all endpoints: it is told what others said.
    pub keys: Keys,
}

/// What of a request the browser's model takes.
#[derive(Deserialize)]
struct Asked {
    messages: Vec<Said>,
    format: Option<Value>,
}

#[derive(Serialize, Deserialize)]
struct Said {
    role: String,
    content: String,
}

impl LlmTransport for OnDevice {
    type Body = Body;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn takes_tools(&self, _endpoint: &Endpoint, _model: &str) -> Option<bool> {
        None
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Body>, ModelError> {
        match language_model::state().await {
            Availability::Available => {}
            Availability::Unavailable | Availability::Downloadable | Availability::Downloading => {
                let error = ModelError::new(ErrorClass::Network, "");
                return Err(ModelError { cause: Some(Cause::NotOnDevice), ..error });
            }
        }
        let asked: Asked = serde_json::from_str(&request.body)
            .map_err(|error| ModelError::new(ErrorClass::Protocol, error.to_string()))?;
        let (last, before) = match asked.messages.split_last() {
            Some((last, before)) => (last.content.as_str(), before),
            None => ("", &[][..]),
        };
        let abort = AbortOnDrop::new().map_err(|error| ModelError::new(ErrorClass::Network, error))?;
        let signal = abort.0.signal().into();
        let session = language_model::begin(&js(before), &signal).await.map_err(|error| refusal(&error))?;
        let conversation = Conversation { session, _abort: abort };
        let schema = asked.format.as_ref().map(js);
        let answer =
            conversation.session.ask(last, schema.as_ref(), &signal).map_err(|error| refusal(&error))?;
        let words =
            ReadableStream::from_raw(answer.unchecked_into()).into_stream().map(|piece| match piece {
                Ok(text) => json!({"message": {"content": text.as_string()}, "done": false}),
                Err(error) => json!({"error": refusal(&error).message}),
            });
        let end = stream::once(async { json!({"done": true, "done_reason": "stop"}) });
        let lines = words.chain(end).map(|object| Ok(format!("{object}\n").into_bytes()));
        let lines = AnswerLines { lines: lines.boxed_local(), _conversation: conversation };
        Ok(Response { status: 200, headers: Vec::new(), body: lines.boxed_local() })
    }
}

/// A conversation that ends when it is dropped.
struct Conversation {
    session: Session,
    _abort: AbortOnDrop,
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.session.destroy();
    }
}

/// An answer with the conversation in which it is given.
struct AnswerLines {
    lines: Body,
    _conversation: Conversation,
}

impl Stream for AnswerLines {
    type Item = Result<Vec<u8>, String>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.poll_next_unpin(context)
    }
}

/// What an exception of the browser means. <https://webidl.spec.whatwg.org/#idl-DOMException-error-names>
fn refusal(error: &JsValue) -> ModelError {
    let name = js_sys::Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
    let message = ChromeError::from(error.clone()).0;
    match name.as_deref() {
        Some("QuotaExceededError") => {
            ModelError::new(ErrorClass::Context, format!("context_length_exceeded: {message}"))
        }
        Some("NotAllowedError" | "InvalidStateError") => {
            let error = ModelError::new(ErrorClass::Network, message);
            ModelError { cause: Some(Cause::NotOnDevice), ..error }
        }
        Some(name) => ModelError::new(ErrorClass::Protocol, format!("{name}: {message}")),
        None => ModelError::new(ErrorClass::Protocol, message),
    }
}

/// A value as the browser's own.
fn js(value: &(impl Serialize + ?Sized)) -> JsValue {
    let text = serde_json::to_string(value).unwrap_or_default();
    js_sys::JSON::parse(&text).unwrap_or_default()
}
