//! The body of a response as a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use futures::stream::LocalBoxStream;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// The body of a response. Dropping it aborts the request.
pub type Body = LocalBoxStream<'static, Result<Vec<u8>, String>>;

/// The body of an HTTP response.
pub struct HttpBody {
    pub stream: Option<wasm_streams::readable::IntoStream<'static>>,
    pub _abort: AbortOnDrop,
}

impl Stream for HttpBody {
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

/// The browser's error message.
fn describe(error: &JsValue) -> String {
    sidecar_chrome::ChromeError::from(error.clone()).0
}

/// Aborts its signal when it is dropped.
pub struct AbortOnDrop(pub AbortController);

impl AbortOnDrop {
    /// A signal that has not been aborted.
    ///
    /// # Errors
    /// The browser's error message.
    pub fn new() -> Result<Self, String> {
        AbortController::new().map(Self).map_err(|error| describe(&error))
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
