//! The workbench: a wide page in a tab of its own, or in the browser's developer tools, that shows everything about the tools
//! of one tab's page. It owns no product state and talks only to the worker.

use leptos::mount::mount_to_body;
use wasm_bindgen::prelude::wasm_bindgen;

mod app;
mod binding;
mod definitions;
mod evals;
mod form;
mod frame;
mod place;
mod segment;
mod state;
mod trials;
mod views;
mod whole_tool;
mod word;

/// Mounts the workbench in place of the static frame that `workbench.html` paints first. In the browser's developer tools,
/// `inspected` is the id of the tab that they inspect.
#[wasm_bindgen]
pub fn start(inspected: Option<i32>) {
    console_error_panic_hook::set_once();
    if let Some(frame) = leptos::prelude::document().get_element_by_id("frame") {
        frame.remove();
    }
    mount_to_body(move || app::app(inspected));
}
