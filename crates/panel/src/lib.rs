//! The side panel: views over the worker's snapshots. It owns no product state, talks only to the worker, and never
//! gets a saved key back.

use leptos::mount::mount_to_body;
use wasm_bindgen::prelude::wasm_bindgen;

mod announce;
mod app;
mod frame;
mod parts;
mod phrases;
mod state;
mod views;
mod word;

/// Mounts the panel in place of the static frame that `panel.html` paints first.
#[wasm_bindgen]
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(frame) = leptos::prelude::document().get_element_by_id("frame") {
        frame.remove();
    }
    mount_to_body(app::App);
}
