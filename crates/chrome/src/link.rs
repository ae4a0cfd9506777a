//! The panel's end of its port to the worker, and the two facts about its surroundings that it tells in `hello`.

use wasm_bindgen::prelude::*;

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

    #[derive(Debug, Clone)]
    type RawPort;

    #[wasm_bindgen(catch, method, js_name = postMessage)]
    fn post_message(this: &RawPort, message: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, method)]
    fn disconnect(this: &RawPort) -> Result<(), JsValue>;

    #[wasm_bindgen(method, getter, js_name = onMessage)]
    fn on_message(this: &RawPort) -> ChromeEvent;

    #[wasm_bindgen(method, getter, js_name = onDisconnect)]
    fn on_disconnect(this: &RawPort) -> ChromeEvent;

    type ChromeEvent;

    #[wasm_bindgen(method, js_name = addListener)]
    fn add_listener(this: &ChromeEvent, listener: &JsValue);

    #[wasm_bindgen(method, js_name = removeListener)]
    fn remove_listener(this: &ChromeEvent, listener: &JsValue);

    #[wasm_bindgen(extends = js_sys::Object)]
    type BrowserWindow;

    #[wasm_bindgen(method, getter)]
    fn id(this: &BrowserWindow) -> Option<i32>;
}

/// An open `chrome.runtime` port that carries texts. Dropping it closes it and forgets its listeners.
#[derive(Debug)]
pub struct Port {
    raw: RawPort,
    message: Closure<dyn FnMut(JsValue)>,
    disconnect: Closure<dyn FnMut()>,
}

impl Port {
    /// Opens a port of this name to the extension's worker, waking it when it sleeps.
    ///
    /// `on_message` gets each text (what is no text is dropped); `on_disconnect` is called at most once, when the
    /// other side goes away, and never for our own closing.
    ///
    /// # Errors
    /// The browser's error when the extension was reloaded or removed meanwhile.
    pub fn connect(
        name: &str,
        mut on_message: impl FnMut(String) + 'static,
        on_disconnect: impl FnMut() + 'static,
    ) -> Result<Self, JsValue> {
        let info: ConnectInfo = js_sys::Object::new().unchecked_into();
        info.set_name(name);
        let raw = runtime_connect(&info)?;
        let message = Closure::<dyn FnMut(JsValue)>::new(move |message: JsValue| {
            if let Some(text) = message.as_string() {
                on_message(text);
            }
        });
        let disconnect = Closure::<dyn FnMut()>::new(on_disconnect);
        raw.on_message().add_listener(message.as_ref());
        raw.on_disconnect().add_listener(disconnect.as_ref());
        Ok(Self { raw, message, disconnect })
    }

    /// Sends one text.
    ///
    /// # Errors
    /// The browser's error when the port is closed.
    pub fn post(&self, text: &str) -> Result<(), JsValue> {
        self.raw.post_message(text)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.raw.on_message().remove_listener(self.message.as_ref());
        self.raw.on_disconnect().remove_listener(self.disconnect.as_ref());
        // Refused only when it is closed already.
        let _ = self.raw.disconnect();
    }
}

/// The id of the window this document is shown in.
///
/// # Errors
/// The browser's error, or `undefined` when the window has no id.
pub async fn current_window() -> Result<i32, JsValue> {
    let window: BrowserWindow = windows_get_current().await?.unchecked_into();
    window.id().ok_or(JsValue::UNDEFINED)
}

/// The browser's interface language, a BCP 47 tag; empty when it does not say.
#[must_use]
pub fn ui_language() -> String {
    i18n_ui_language().unwrap_or_default()
}
