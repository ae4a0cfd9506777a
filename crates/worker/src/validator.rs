//! Asks the validator (`crates/validator`) to validate arguments and schemas. The shim creates its module
//! when it is first asked.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_schema::Mistake;
use wasm_bindgen::prelude::*;

/// Time limit for an answer, in milliseconds. The first one includes compiling the module.
const PATIENCE_MS: u32 = 10_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = validator, js_name = mistake, catch)]
    async fn ask_for_mistake(schema: &str, arguments: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = validator, js_name = problem, catch)]
    async fn ask_for_problem(schema: &str) -> Result<JsValue, JsValue>;
}

/// What is wrong with arguments by a schema. `None` if they fit, if the schema cannot be used, and if the
/// validator does not answer: the page validates arguments too.
pub async fn mistake(schema: &str, arguments: &str) -> Option<Mistake> {
    let text = text_of(ask_for_mistake(schema, arguments)).await?;
    serde_json::from_str(&text).ok()
}

/// What is wrong with a schema, in words for its developer; empty if nothing is, or if the validator does not
/// answer.
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
