//! The side panel: a view over the worker's snapshots. It holds no truth, speaks to nobody but the worker, and never
//! gets a key back once it is saved.

use leptos::mount::mount_to_body;
use wasm_bindgen::prelude::wasm_bindgen;

mod address;
mod announce;
mod app;
mod arguments;
mod arming;
mod attachments;
mod button;
mod calls;
mod card;
mod chat;
mod clock;
mod composer;
mod copy;
mod decision;
mod download;
mod elsewhere;
mod empty;
mod failure;
mod focus;
mod folds;
mod follow;
mod header;
mod hidden;
mod history;
mod icons;
mod item;
mod link;
mod log;
mod long_list;
mod long_text;
mod markdown;
mod meter;
mod model_switch;
mod notices;
mod part;
mod pinned;
mod queue;
mod resize;
mod rows;
mod sentences;
mod settings;
mod shortcuts;
mod site_switches;
mod state;
mod tabs;
mod temporary;
mod threads;
mod timeline;
mod tool_form;
mod tools;
mod transcript;
mod when;
mod words;

/// Puts the panel into its document, in place of the frame that was painted before this module was here.
#[wasm_bindgen]
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(frame) = leptos::prelude::document().get_element_by_id("frame") {
        frame.remove();
    }
    mount_to_body(app::App);
}
