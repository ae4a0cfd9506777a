//! The side panel: a view over the worker's snapshots. It holds no truth, speaks to nobody but the worker, and never
//! gets a key back once it is saved.

use leptos::mount::mount_to_body;
use wasm_bindgen::prelude::wasm_bindgen;

mod announce;
mod app;
mod frame;
mod link;
mod phrases;
mod state;
mod views;
mod word;

/// Puts the panel into its document, in place of the frame that was painted before this module was here.
#[wasm_bindgen]
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(frame) = leptos::prelude::document().get_element_by_id("frame") {
        frame.remove();
    }
    mount_to_body(app::App);
}
