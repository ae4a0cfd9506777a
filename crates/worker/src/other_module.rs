//! Answers of WASM modules that the shim makes at their first use.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::prelude::*;

/// The text that a module answers. `None` if it fails, or does not answer within so many milliseconds; the console is told.
pub async fn text_of(
    asked: impl Future<Output = Result<JsValue, JsValue>>,
    module: &str,
    most_ms: u32,
) -> Option<String> {
    let error = match select(pin!(asked), TimeoutFuture::new(most_ms)).await {
        Either::Left((Ok(text), _)) => return text.as_string(),
        Either::Left((Err(error), _)) => error,
        Either::Right(_) => "it does not answer".into(),
    };
    web_sys::console::warn_2(&format!("The {module} cannot be asked.").into(), &error);
    None
}
