//! The panel's end of its port to the worker, and two facts that it sends in `hello`.

use wasm_bindgen::prelude::*;

use crate::ChromeError;
use crate::port::{Port, RawPort};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = connect)]
    fn runtime_connect(info: &ConnectInfo) -> Result<RawPort, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "windows"], js_name = getCurrent)]
    async fn windows_get_current() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "i18n"], js_name = getUILanguage)]
    fn i18n_ui_language() -> Result<String, JsValue>;

    #[wasm_bindgen(extends = js_sys::Object)]
    type ConnectInfo;

    #[wasm_bindgen(method, setter, js_name = name)]
    fn set_name(this: &ConnectInfo, name: &str);

    #[wasm_bindgen(extends = js_sys::Object)]
    type BrowserWindow;

    #[wasm_bindgen(method, getter)]
    fn id(this: &BrowserWindow) -> Option<i32>;
}

/// Opens a port with this name to the extension's worker, which wakes the worker.
///
/// For the two callbacks, see [`Port`].
///
/// # Errors
/// If the extension was reloaded or removed meanwhile.
pub fn connect(
    name: &str,
    on_message: impl FnMut(String) + 'static,
    mut on_disconnect: impl FnMut() + 'static,
) -> Result<Port, ChromeError> {
    let info: ConnectInfo = js_sys::Object::new().unchecked_into();
    info.set_name(name);
    Ok(Port::over(runtime_connect(&info)?, on_message, move |_| on_disconnect()))
}

/// The id of the window that shows this document.
///
/// # Errors
/// The browser's error, or `undefined` if the window has no id.
pub async fn current_window() -> Result<i32, JsValue> {
    let window: BrowserWindow = windows_get_current().await?.unchecked_into();
    window.id().ok_or(JsValue::UNDEFINED)
}

/// The browser's interface language, a BCP 47 tag; empty if unknown.
#[must_use]
pub fn ui_language() -> String {
    i18n_ui_language().unwrap_or_default()
}
