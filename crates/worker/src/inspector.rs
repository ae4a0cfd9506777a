//! Asks the inspector (`crates/inspector`) about a site's tools, and about turns. The shim creates its module when it is first asked.

use sidecar_evals::exchange::{LeadQuestion, LedStep};
use sidecar_protocol::eval::{SuiteCheck, SuiteQuestion};
use sidecar_protocol::lint::{ContractQuestion, ContractView, LintNote, LintQuestion};
use sidecar_protocol::recording::{TurnCase, TurnQuestion};
use wasm_bindgen::prelude::*;

use crate::other_module::text_of;

/// Time limit for an answer, in milliseconds. The first one includes compiling the module.
const PATIENCE_MS: u32 = 20_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = inspector, js_name = lint, catch)]
    async fn ask_for_notes(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = contract, catch)]
    async fn ask_for_contract(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = evalStep, catch)]
    async fn ask_for_step(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = recordCase, catch)]
    async fn ask_for_case(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = checkSuite, catch)]
    async fn ask_about_suite(question: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = inspector, js_name = example, catch)]
    async fn ask_for_example(schema: &str) -> Result<JsValue, JsValue>;
}

/// What is wrong with tools. `None` if the inspector does not answer.
pub async fn lint(question: &LintQuestion) -> Option<Vec<LintNote>> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_for_notes(&question), "inspector", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// The contract of tools. `None` if the inspector does not answer.
pub async fn contract(question: &ContractQuestion) -> Option<ContractView> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_for_contract(&question), "inspector", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// The next step of a run of an eval. `None` if the inspector does not answer.
pub async fn eval_step(question: &LeadQuestion) -> Option<LedStep> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_for_step(&question), "inspector", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// A turn as a case of an eval. `None` if the inspector does not answer.
pub async fn record_case(question: &TurnQuestion) -> Option<TurnCase> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_for_case(&question), "inspector", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// What is wrong with a suite of evals. `None` if the inspector does not answer.
pub async fn check_suite(question: &SuiteQuestion) -> Option<Vec<SuiteCheck>> {
    let question = serde_json::to_string(question).ok()?;
    let text = text_of(ask_about_suite(&question), "inspector", PATIENCE_MS).await?;
    serde_json::from_str(&text).ok()
}

/// Arguments that fit a schema, as far as they can be made up: JSON text of an object. `{}` if the inspector does not
/// answer.
pub async fn example(schema: &str) -> String {
    text_of(ask_for_example(schema), "inspector", PATIENCE_MS).await.unwrap_or_else(|| "{}".to_owned())
}
