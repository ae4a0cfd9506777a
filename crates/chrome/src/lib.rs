//! Typed, thin bindings of the `chrome.*` functions that the extension uses, and of the browser's own
//! model. No other crate uses `chrome`.

pub mod action;
pub mod alarms;
pub mod extension;
pub mod i18n;
pub mod language_model;
pub mod link;
pub mod notifications;
pub mod port;
pub mod runtime;
pub mod scripting;
pub mod storage;
pub mod tabs;
pub mod user_scripts;
pub mod windows;

use wasm_bindgen::JsValue;

/// An error of the browser.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ChromeError(
    /// The browser's message.
    pub String,
);

impl From<JsValue> for ChromeError {
    fn from(value: JsValue) -> Self {
        let message = js_sys::Reflect::get(&value, &"message".into()).ok().and_then(|text| text.as_string());
        Self(message.or_else(|| value.as_string()).unwrap_or_else(|| format!("{value:?}")))
    }
}

impl From<serde_wasm_bindgen::Error> for ChromeError {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        Self(error.to_string())
    }
}
