//! `chrome.sidePanel`.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "sidePanel"], js_name = setPanelBehavior)]
    async fn set_panel_behavior_raw(behavior: JsValue) -> Result<JsValue, JsValue>;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Behavior {
    open_panel_on_action_click: bool,
}

/// Lets a click on the toolbar icon open and close the panel.
///
/// # Errors
/// The browser's own.
pub async fn open_on_action_click() -> Result<(), ChromeError> {
    set_panel_behavior_raw(serde_wasm_bindgen::to_value(&Behavior { open_panel_on_action_click: true })?)
        .await?;
    Ok(())
}
