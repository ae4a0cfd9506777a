//! The extension itself: whether this code runs for private windows, and the browser's page about it.

use wasm_bindgen::prelude::*;

use crate::{ChromeError, tabs};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "extension"], js_name = inIncognitoContext)]
    static IN_INCOGNITO_CONTEXT: JsValue;

    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "runtime"], js_name = id)]
    static ID: JsValue;
}

/// Whether this worker or panel serves private windows. The manifest requests separate instances
/// (`"incognito": "split"`).
#[must_use]
pub fn is_private() -> bool {
    IN_INCOGNITO_CONTEXT.with(JsValue::is_truthy)
}

/// Shows the browser's page with the details of this extension, where the user grants it what it cannot ask for.
///
/// # Errors
/// The browser's own.
pub async fn show_details() -> Result<(), ChromeError> {
    let id = ID.with(JsValue::as_string).unwrap_or_default();
    tabs::show(&format!("chrome://extensions/?id={id}")).await?;
    Ok(())
}
