//! Asks the inspector (`crates/inspector`) about a site's tools. The shim creates its module when it is first asked.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_protocol::lint::{LintNote, LintQuestion};
use wasm_bindgen::prelude::*;

/// Time limit for an answer, in milliseconds. The first one includes compiling the module.
const PATIENCE_MS: u32 = 20_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = inspector, js_name = lint, catch)]
    async fn ask_for_notes(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = example, catch)]
    async fn ask_for_example(schema: &str) -> Result<JsValue, JsValue>;
}

/// What is wrong with tools. `None` if the inspector does not answer.
pub async fn lint(question: &LintQuestion) -> Option<Vec<LintNote>> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_for_notes(&question)).await?;
    serde_json::from_str(&text).ok()
}

/// Arguments that fit a schema, as far as they can be made up: JSON text of an object. `{}` if the inspector does not
/// answer.
pub async fn example(schema: &str) -> String {
    text_of(ask_for_example(schema)).await.unwrap_or_else(|| "{}".to_owned())
}

async fn text_of(asked: impl Future<Output = Result<JsValue, JsValue>>) -> Option<String> {
    let error = match select(pin!(asked), TimeoutFuture::new(PATIENCE_MS)).await {
        Either::Left((Ok(text), _)) => return text.as_string(),
        Either::Left((Err(error), _)) => error,
        Either::Right(_) => "it does not answer".into(),
    };
    web_sys::console::warn_2(&"The inspector cannot be asked.".into(), &error);
    None
}
