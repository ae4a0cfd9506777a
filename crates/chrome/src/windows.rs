//! `chrome.windows`: the focused window.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "windows"], js_name = update)]
    async fn update_raw(window: i32, change: JsValue) -> Result<JsValue, JsValue>;
}

#[derive(Serialize)]
struct WindowChange {
    focused: bool,
}

/// Focuses a window.
///
/// # Errors
/// If it is closed.
pub async fn focus(window: i32) -> Result<(), ChromeError> {
    update_raw(window, serde_wasm_bindgen::to_value(&WindowChange { focused: true })?).await?;
    Ok(())
}
