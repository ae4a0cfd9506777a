//! Transport to the browser's own model. Requests and answers use the protocol of Ollama, which also runs
//! models on the user's computer, so they need no code of their own ([`sidecar_llm::providers::on_device`]).

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt, stream};
use serde::Serialize;
use sidecar_agent::{Keys, LlmTransport, Response};
use sidecar_chrome::ChromeError;
use sidecar_chrome::language_model::{self, Availability, Session};
use sidecar_llm::providers::on_device::{self, DevicePrompt};
use sidecar_llm::{Endpoint, HttpRequest, ModelAbilities};
use sidecar_protocol::{ErrorClass, ModelError};
use wasm_bindgen::{JsCast, JsValue};
use wasm_streams::ReadableStream;

use crate::body::{AbortOnDrop, Body};

/// The transport to the browser's own model.
#[derive(Debug, Clone)]
pub struct OnDevice {
    /// The keys for all endpoints, which are removed from what services and pages say.
    pub keys: Keys,
}

impl LlmTransport for OnDevice {
    type Body = Body;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn abilities(&self, _endpoint: &Endpoint, _model: &str) -> ModelAbilities {
        ModelAbilities::default()
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Body>, ModelError> {
        match language_model::state().await {
            Availability::Available => {}
            Availability::Unavailable | Availability::Downloadable | Availability::Downloading => {
                return Err(on_device::is_missing());
            }
        }
        let prompt = DevicePrompt::read(&request.body)?;
        let (last, before) = prompt.last();
        let abort = AbortOnDrop::new().map_err(|error| ModelError::new(ErrorClass::Network, error))?;
        let signal = abort.0.signal().into();
        let session = language_model::begin(&js(before), &signal).await.map_err(|error| exception(&error))?;
        let conversation = Conversation { session, _abort: abort };
        let schema = prompt.format.as_ref().map(js);
        let answer =
            conversation.session.ask(last, schema.as_ref(), &signal).map_err(|error| exception(&error))?;
        let words =
            ReadableStream::from_raw(answer.unchecked_into()).into_stream().map(|piece| match piece {
                Ok(text) => on_device::words(&text.as_string().unwrap_or_default()),
                Err(error) => on_device::failure(&exception(&error)),
            });
        let end = stream::once(async { on_device::end() });
        let lines = words.chain(end).map(|line| Ok(line.into_bytes()));
        let lines = AnswerLines { lines: lines.boxed_local(), _conversation: conversation };
        Ok(Response { status: 200, headers: Vec::new(), body: lines.boxed_local() })
    }
}

/// A session with the model. Dropping it ends the session.
struct Conversation {
    session: Session,
    _abort: AbortOnDrop,
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.session.destroy();
    }
}

/// The lines of an answer. Keeps the session alive while the answer is read.
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

/// The error that an exception of the browser stands for.
fn exception(error: &JsValue) -> ModelError {
    let name = js_sys::Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
    on_device::exception(name.as_deref(), ChromeError::from(error.clone()).0)
}

/// Converts a value to a JavaScript value.
fn js(value: &(impl Serialize + ?Sized)) -> JsValue {
    let text = serde_json::to_string(value).unwrap_or_default();
    js_sys::JSON::parse(&text).unwrap_or_default()
}
