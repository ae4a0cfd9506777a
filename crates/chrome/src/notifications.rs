//! `chrome.notifications`: messages to the user outside the browser's window.

use serde::Serialize;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "notifications"], js_name = create)]
    async fn create_raw(id: &str, options: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "notifications"], js_name = clear)]
    async fn clear_raw(id: &str) -> Result<JsValue, JsValue>;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    icon_url: &'static str,
    title: &'a str,
    message: &'a str,
    require_interaction: bool,
}

/// Shows a notification that stays until the user reacts. The icon is a path in the extension. If the
/// system shows no notifications, that is not an error: the toolbar icon shows the same.
pub fn show(id: &str, icon_url: &'static str, title: &str, message: &str) {
    let options = Options { kind: "basic", icon_url, title, message, require_interaction: true };
    let (id, options) = (id.to_owned(), serde_wasm_bindgen::to_value(&options));
    wasm_bindgen_futures::spawn_local(async move {
        if let Ok(options) = options {
            let _ = create_raw(&id, options).await;
        }
    });
}

/// Removes a notification, if it exists.
pub fn clear(id: &str) {
    let id = id.to_owned();
    wasm_bindgen_futures::spawn_local(async move {
        let _ = clear_raw(&id).await;
    });
}
