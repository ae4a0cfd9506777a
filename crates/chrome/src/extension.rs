//! `chrome.extension`: whether this code runs for private windows.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "extension"], js_name = inIncognitoContext)]
    static IN_INCOGNITO_CONTEXT: JsValue;
}

/// Whether this worker or panel serves private windows. The manifest requests separate instances
/// (`"incognito": "split"`).
#[must_use]
pub fn is_private() -> bool {
    IN_INCOGNITO_CONTEXT.with(JsValue::is_truthy)
}
