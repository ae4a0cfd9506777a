//! `chrome.runtime`: the worker's lifetime, and its ends of ports that others opened.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = getPlatformInfo)]
    async fn get_platform_info_raw() -> Result<JsValue, JsValue>;

    /// A `chrome.runtime.Port` that came with `onConnect`.
    #[derive(Debug, Clone)]
    pub type AcceptedPort;

    #[wasm_bindgen(catch, method, js_name = postMessage)]
    fn post_message(this: &AcceptedPort, message: &str) -> Result<(), JsValue>;
}

impl AcceptedPort {
    /// Sends one string.
    ///
    /// # Errors
    /// If the other end is gone.
    pub fn post(&self, text: &str) -> Result<(), ChromeError> {
        Ok(self.post_message(text)?)
    }
}

/// What the browser says about the document a message came from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageSender {
    /// Its tab.
    pub tab: SenderTab,
    /// Its frame.
    pub frame_id: i32,
    /// Chrome's id of it.
    pub document_id: String,
    /// How far it is: `prerender`, `active`, `cached` or `pending_deletion`.
    #[serde(default)]
    pub document_lifecycle: String,
    /// Its origin.
    #[serde(default)]
    pub origin: String,
}

/// What the extension looks at of a sender's tab.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SenderTab {
    /// Its id.
    pub id: i32,
}

impl MessageSender {
    /// Reads a sender that came with an event.
    ///
    /// # Errors
    /// When it is no document in a tab.
    pub fn from_js(value: JsValue) -> Result<Self, ChromeError> {
        Ok(serde_wasm_bindgen::from_value(value)?)
    }

    /// Whether the document is the one that the user sees, not one that is prepared in the background or kept for the
    /// way back.
    #[must_use]
    pub fn is_active(&self) -> bool {
        matches!(self.document_lifecycle.as_str(), "active" | "")
    }
}

/// A call without effect. Chrome counts calls of extension APIs as activity: one every 25 s keeps a worker
/// that only waits for a network stream from being stopped after 30 s.
pub async fn stay_awake() {
    let _ = get_platform_info_raw().await;
}
