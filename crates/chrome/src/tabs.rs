//! `chrome.tabs`: which tabs there are, and messages to the documents in them.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::ChromeError;
use crate::port::{Port, RawPort};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = query)]
    async fn query_raw(query: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = get)]
    async fn get_raw(tab: i32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = update)]
    async fn update_raw(tab: i32, change: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = sendMessage)]
    async fn send_message_raw(tab: i32, message: &str, options: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = connect)]
    fn connect_raw(tab: i32, options: JsValue) -> Result<RawPort, JsValue>;
}

/// What the extension looks at of a `chrome.tabs.Tab`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tab {
    /// Absent for tabs that are no tabs (developer tools).
    pub id: Option<i32>,
    /// The window it is in.
    pub window_id: i32,
    /// Its address; empty where we may not know.
    pub url: String,
    /// Its title; empty where we may not know.
    pub title: String,
    /// `loading`, `complete` or `unloaded`.
    pub status: String,
    /// Whether it is the one shown in its window.
    pub active: bool,
    /// Whether it was put to sleep.
    pub discarded: bool,
}

impl Tab {
    /// Reads a tab that came with an event.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_js(value: JsValue) -> Result<Self, ChromeError> {
        Ok(serde_wasm_bindgen::from_value(value)?)
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct TabQuery {
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<i32>,
}

#[derive(Serialize)]
struct TabChange {
    active: bool,
}

/// The tab shown in a window.
///
/// # Errors
/// When the window is gone.
pub async fn active_in(window_id: i32) -> Result<Option<Tab>, ChromeError> {
    let query = TabQuery { active: Some(true), window_id: Some(window_id) };
    let tabs: Vec<Tab> =
        serde_wasm_bindgen::from_value(query_raw(serde_wasm_bindgen::to_value(&query)?).await?)?;
    Ok(tabs.into_iter().next())
}

/// All tabs of all windows.
///
/// # Errors
/// The browser's own.
pub async fn all() -> Result<Vec<Tab>, ChromeError> {
    let query = serde_wasm_bindgen::to_value(&TabQuery::default())?;
    Ok(serde_wasm_bindgen::from_value(query_raw(query).await?)?)
}

/// A tab.
///
/// # Errors
/// When it is closed.
pub async fn get(tab: i32) -> Result<Tab, ChromeError> {
    Tab::from_js(get_raw(tab).await?)
}

/// Shows a tab in its window.
///
/// # Errors
/// When it is closed.
pub async fn activate(tab: i32) -> Result<Tab, ChromeError> {
    let change = serde_wasm_bindgen::to_value(&TabChange { active: true })?;
    Tab::from_js(update_raw(tab, change).await?)
}

/// Who in a tab is to hear a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Recipient {
    /// Every frame.
    AllFrames {},
    /// The top frame.
    TopFrame {
        /// 0.
        #[serde(rename = "frameId")]
        frame_id: i32,
    },
    /// One document.
    Document {
        /// Chrome's id of it.
        #[serde(rename = "documentId")]
        document_id: String,
    },
}

/// Sends a text into a tab and waits for the first answer (a text; empty when it was none).
///
/// # Errors
/// When nobody is there to hear it (see [`was_never_heard`]), or the document goes away before it answers.
pub async fn send(tab: i32, to: &Recipient, text: &str) -> Result<String, ChromeError> {
    let options = serde_wasm_bindgen::to_value(to)?;
    Ok(send_message_raw(tab, text, options).await?.as_string().unwrap_or_default())
}

/// Opens a port into a tab. What the two functions get: [`Port`]'s. When nobody is there to hear it, that is the reason
/// of its closing (see [`was_never_heard`]).
///
/// # Errors
/// The browser's own.
pub fn connect(
    tab: i32,
    to: &Recipient,
    on_message: impl FnMut(String) + 'static,
    on_disconnect: impl FnMut(Option<ChromeError>) + 'static,
) -> Result<Port, ChromeError> {
    let options = serde_wasm_bindgen::to_value(to)?;
    Ok(Port::over(connect_raw(tab, options)?, on_message, on_disconnect))
}

/// Whether a message did not reach anybody. Chrome says so in words only; these are the same for a closed tab, a page
/// that lets no extension in and a document that is gone.
#[must_use]
pub fn was_never_heard(error: &ChromeError) -> bool {
    error.0.contains("Receiving end does not exist")
}
