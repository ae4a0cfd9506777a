//! Reads and checks packages of SKILLs.
//!
//! A WASM module of its own: YAML, zip and the schema of packages are needed only when somebody adds a SKILL. The shim
//! instantiates it when the worker first asks, and again after it has failed. `sidecar_skills` does the work.

use wasm_bindgen::prelude::*;

/// Called once for each instance of this module, before anything else.
#[wasm_bindgen(start)]
pub fn start() {
    // A panic ends this instance without a message; the shim instantiates another.
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
}

/// Answers a question about packages: JSON text of a [`sidecar_skills::exchange::PackageQuestion`], answered by that of a
/// [`sidecar_skills::exchange::PackageAnswer`].
#[wasm_bindgen]
pub fn answer(question: &str) -> String {
    sidecar_skills::import::answer(question)
}
