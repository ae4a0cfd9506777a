//! Looks at a site's tools for their developer, and makes up arguments for them.
//!
//! A WASM module of its own: it is needed only where somebody inspects or runs tools by hand. The shim instantiates it when
//! the worker first asks, and again after it has failed. `sidecar_lint` and `sidecar_form` do the work.

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

/// Arguments for a tool with this schema (JSON text; empty if there is none), as far as they can be made up: JSON text of an
/// object.
#[wasm_bindgen]
pub fn example(schema: &str) -> String {
    let schema = serde_json::from_str(schema).unwrap_or_default();
    sidecar_form::example(&schema, sidecar_form::Fill::Required).text
}
