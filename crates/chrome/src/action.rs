//! `chrome.action`: the number on the toolbar icon.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "action"], js_name = setBadgeText)]
    async fn set_badge_text_raw(details: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "action"], js_name = setBadgeBackgroundColor)]
    async fn set_badge_background_color_raw(details: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "action"], js_name = setBadgeTextColor)]
    async fn set_badge_text_color_raw(details: JsValue) -> Result<JsValue, JsValue>;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BadgeText<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tab_id: Option<i32>,
    text: &'a str,
}

#[derive(Serialize)]
struct Color<'a> {
    color: &'a str,
}

/// Shows a short text on the icon while this tab is active, or in all tabs without a text of their own; an
/// empty text removes it.
///
/// # Errors
/// If the tab is closed.
pub async fn set_badge_text(tab_id: Option<i32>, text: &str) -> Result<(), ChromeError> {
    set_badge_text_raw(serde_wasm_bindgen::to_value(&BadgeText { tab_id, text })?).await?;
    Ok(())
}

/// Sets the badge's colours (CSS) for all tabs.
///
/// # Errors
/// The browser's own.
pub async fn set_badge_colors(background: &str, text: &str) -> Result<(), ChromeError> {
    set_badge_background_color_raw(serde_wasm_bindgen::to_value(&Color { color: background })?).await?;
    set_badge_text_color_raw(serde_wasm_bindgen::to_value(&Color { color: text })?).await?;
    Ok(())
}
