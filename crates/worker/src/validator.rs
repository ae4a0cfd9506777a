//! Asks the validator (`crates/validator`) to validate arguments and schemas. The shim creates its module
//! when it is first asked.

use sidecar_protocol::tool_run::PlacedMistake;
use sidecar_schema::Mistake;
use wasm_bindgen::prelude::*;

use crate::other_module::text_of;

/// Time limit for an answer, in milliseconds. The first one includes compiling the module.
const PATIENCE_MS: u32 = 10_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = validator, js_name = mistake, catch)]
    async fn ask_for_mistake(schema: &str, arguments: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = validator, js_name = mistakes, catch)]
    async fn ask_for_mistakes(schema: &str, arguments: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = validator, js_name = problem, catch)]
    async fn ask_for_problem(schema: &str) -> Result<JsValue, JsValue>;
}

/// What is wrong with arguments by a schema. `None` if they fit, if the schema cannot be used, and if the
/// validator does not answer: the page validates arguments too.
pub async fn mistake(schema: &str, arguments: &str) -> Option<Mistake> {
    let text = text_of(ask_for_mistake(schema, arguments), "validator", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// What is wrong with arguments by a schema, each mistake at its place. Empty if they fit, if the schema cannot be used, and
/// if the validator does not answer.
pub async fn mistakes(schema: &str, arguments: &str) -> Vec<PlacedMistake> {
    let text = text_of(ask_for_mistakes(schema, arguments), "validator", PATIENCE_MS).await;
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// What is wrong with a schema, in words for its developer; empty if nothing is, or if the validator does not
/// answer.
pub async fn problem(schema: &str) -> String {
    text_of(ask_for_problem(schema), "validator", PATIENCE_MS).await.unwrap_or_default()
}
