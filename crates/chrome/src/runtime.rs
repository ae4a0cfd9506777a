//! `chrome.runtime`: the worker's own life, and its ends of ports that others opened.

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
    /// Sends a text.
    ///
    /// # Errors
    /// When the other end is gone.
    pub fn post(&self, text: &str) -> Result<(), ChromeError> {
        Ok(self.post_message(text)?)
    }
}

/// A call without effect. Chrome counts extension calls as activity: one every 25 s keeps a worker that only waits
/// for a network stream from being stopped after 30 s.
pub async fn stay_awake() {
    let _ = get_platform_info_raw().await;
}
