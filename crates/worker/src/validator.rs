//! What is wrong with arguments, and with the schemas of pages, as the validator says (`crates/validator`). Its module is
//! made by the shim when it is first asked.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_schema::Mistake;
use wasm_bindgen::prelude::*;

/// How long an answer may take, in milliseconds. The first one waits for the module to be compiled.
const PATIENCE_MS: u32 = 10_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = validator, js_name = mistake, catch)]
    async fn ask_for_mistake(schema: &str, arguments: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = validator, js_name = problem, catch)]
    async fn ask_for_problem(schema: &str) -> Result<JsValue, JsValue>;
}

/// What is wrong with arguments by a schema. `None` when they fit, when the schema cannot tell, and when the validator
/// cannot be asked: the page checks what it gets, too.
pub async fn mistake(schema: &str, arguments: &str) -> Option<Mistake> {
    let text = text_of(ask_for_mistake(schema, arguments)).await?;
    serde_json::from_str(&text).ok()
}

/// What is wrong with a schema, in words for its developer; empty when nothing is.
pub async fn problem(schema: &str) -> String {
    text_of(ask_for_problem(schema)).await.unwrap_or_default()
}

async fn text_of(asked: impl Future<Output = Result<JsValue, JsValue>>) -> Option<String> {
    let error = match select(pin!(asked), TimeoutFuture::new(PATIENCE_MS)).await {
        Either::Left((Ok(text), _)) => return text.as_string(),
        Either::Left((Err(error), _)) => error,
        Either::Right(_) => "it does not answer".into(),
    };
    web_sys::console::warn_2(&"The validator cannot be asked.".into(), &error);
    None
}
