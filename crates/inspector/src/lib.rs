//! Looks at a site's tools for their developer, makes up arguments for them, and makes cases of turns.
//!
//! A WASM module of its own: it is needed only where somebody inspects or runs tools by hand. The shim instantiates it when
//! the worker first asks, and again after it has failed. `sidecar_lint`, `sidecar_evals`, `sidecar_form`
//! and `sidecar_runs` do the work.

use serde_json::Value;
use sidecar_agent::fence::framed;
use sidecar_evals::exchange;
use sidecar_evals::tools::SuiteTool;
use sidecar_schema::Validators;
use wasm_bindgen::prelude::*;

/// Called once for each instance of this module, before anything else.
#[wasm_bindgen(start)]
pub fn start() {
    // A panic ends this instance without a message; the shim instantiates another.
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
}

/// What is wrong with the tools of a page: JSON text of a list of [`sidecar_lint::exchange::LintNote`]s, for that of a
/// [`sidecar_lint::exchange::LintQuestion`].
#[wasm_bindgen]
pub fn lint(question: &str) -> String {
    sidecar_lint::exchange::answer(question)
}

/// A snapshot of the tools of a page, and what has changed since an earlier one: JSON text of a
/// [`sidecar_lint::exchange::ContractView`], for that of a [`sidecar_lint::exchange::ContractQuestion`].
#[wasm_bindgen]
pub fn contract(question: &str) -> Option<String> {
    sidecar_lint::exchange::contract_answer(question)
}

/// The next step of a run of an eval: JSON text of a [`sidecar_evals::exchange::LedStep`], for that of a
/// [`sidecar_evals::exchange::LeadQuestion`].
#[wasm_bindgen(js_name = evalStep)]
pub fn eval_step(question: &str) -> Option<String> {
    let question = serde_json::from_str(question).ok()?;
    let mut validators = Validators::default();
    let mut check = |tool: &SuiteTool, arguments: &Value| {
        let mistake = validators.mistake(&tool.input_schema.to_string(), &arguments.to_string())?;
        Some(mistake.text)
    };
    serde_json::to_string(&exchange::answer(&question, framed, &mut check)).ok()
}

/// A turn as a case of an eval: JSON text of a `TurnCase`, for that of a `TurnQuestion` of
/// [`sidecar_runs::recording`].
#[wasm_bindgen(js_name = recordCase)]
pub fn record_case(question: &str) -> Option<String> {
    sidecar_runs::recording::answered(question)
}

/// What is wrong with a suite of evals: JSON text of a list of [`sidecar_protocol::eval::SuiteCheck`]s, for that of a
/// [`sidecar_protocol::eval::SuiteQuestion`].
#[wasm_bindgen(js_name = checkSuite)]
pub fn check_suite(question: &str) -> Option<String> {
    let question = serde_json::from_str(question).ok()?;
    serde_json::to_string(&sidecar_evals::lint::answer(&question)).ok()
}

/// Arguments for a tool with this schema (JSON text; empty if there is none), as far as they can be made up: JSON text of an
/// object.
#[wasm_bindgen]
pub fn example(schema: &str) -> String {
    let schema = serde_json::from_str(schema).unwrap_or_default();
    sidecar_form::example(&schema, sidecar_form::Fill::Required).text
}
