//! `chrome.alarms`: wakes the worker. An alarm outlives the worker that set it.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "alarms"], js_name = create)]
    async fn create_raw(name: &str, info: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "alarms"], js_name = clear)]
    async fn clear_raw(name: &str) -> Result<JsValue, JsValue>;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AlarmInfo {
    period_in_minutes: f64,
}

/// Wakes the worker periodically. Replaces an earlier alarm of this name. Chrome's shortest period is half
/// a minute.
///
/// # Errors
/// The browser's own.
pub async fn repeat(name: &str, period_in_minutes: f64) -> Result<(), ChromeError> {
    create_raw(name, serde_wasm_bindgen::to_value(&AlarmInfo { period_in_minutes })?).await?;
    Ok(())
}

/// Removes an alarm, if it exists.
///
/// # Errors
/// The browser's own.
pub async fn clear(name: &str) -> Result<(), ChromeError> {
    clear_raw(name).await?;
    Ok(())
}
