//! `chrome.extension`: in which kind of window this code runs.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "extension"], js_name = inIncognitoContext)]
    static IN_INCOGNITO_CONTEXT: JsValue;
}

/// Whether this worker or panel is that of private windows. The manifest asks for one of each ("split"), and the browser
/// says which it is.
#[must_use]
pub fn is_private() -> bool {
    IN_INCOGNITO_CONTEXT.with(JsValue::is_truthy)
}
