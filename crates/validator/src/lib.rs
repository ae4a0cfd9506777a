//! Checks the arguments of calls, and the schemas of pages.
//!
//! A WASM module of its own: JSON Schema would be half of the worker, and most wakes do not need it. The
//! shim instantiates it when the worker first asks, and again after it has failed. `sidecar_schema` does
//! the work.

use std::cell::RefCell;

use sidecar_schema::Validators;
use wasm_bindgen::prelude::*;

thread_local! {
    static VALIDATORS: RefCell<Validators> = RefCell::new(Validators::default());
}

/// Called once for each instance of this module, before anything else.
#[wasm_bindgen(start)]
pub fn start() {
    // A panic ends this instance without a message; the shim instantiates another.
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
}

/// What is wrong with arguments (JSON text of an object) by a schema (JSON text), as the JSON text of a
/// [`sidecar_schema::Mistake`]; `undefined` if they fit, or if the schema cannot be used.
#[wasm_bindgen]
pub fn mistake(schema: &str, arguments: &str) -> Option<String> {
    let mistake = VALIDATORS.with_borrow_mut(|validators| validators.mistake(schema, arguments))?;
    serde_json::to_string(&mistake).ok()
}

/// What is wrong with a schema (JSON text), in words for its developer; `undefined` if nothing is.
#[wasm_bindgen]
pub fn problem(schema: &str) -> Option<String> {
    sidecar_schema::problem(schema).map(|problem| problem.to_string())
}

/// What is wrong with arguments (JSON text of an object) by a schema (JSON text), as the JSON text of a list of
/// `PlacedMistake`s of the protocol.
#[wasm_bindgen]
pub fn mistakes(schema: &str, arguments: &str) -> Option<String> {
    let mistakes = VALIDATORS.with_borrow_mut(|validators| validators.mistakes(schema, arguments));
    serde_json::to_string(&mistakes).ok()
}
