//! A `chrome.runtime.Port` that carries strings, on the side that opened it.

use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    /// The browser's own port.
    #[derive(Debug, Clone)]
    pub(crate) type RawPort;

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

    type Runtime;

    #[wasm_bindgen(thread_local_v2, js_namespace = chrome, js_name = runtime)]
    static RUNTIME: Runtime;

    #[wasm_bindgen(method, getter, js_name = lastError)]
    fn last_error(this: &Runtime) -> JsValue;
}

/// An open port. Dropping it closes it and removes its listeners.
#[derive(Debug)]
pub struct Port {
    raw: RawPort,
    message: Closure<dyn FnMut(JsValue)>,
    disconnect: Closure<dyn FnMut()>,
}

impl Port {
    /// Listens on a port that was just opened.
    ///
    /// `on_message` gets each string (other messages are dropped). `on_disconnect` is called at most once,
    /// when the other side goes away, with the browser's reason if there is one; never when we close the
    /// port.
    pub(crate) fn over(
        raw: RawPort,
        mut on_message: impl FnMut(String) + 'static,
        mut on_disconnect: impl FnMut(Option<ChromeError>) + 'static,
    ) -> Self {
        let message = Closure::<dyn FnMut(JsValue)>::new(move |message: JsValue| {
            if let Some(text) = message.as_string() {
                on_message(text);
            }
        });
        let disconnect = Closure::<dyn FnMut()>::new(move || {
            let reason = RUNTIME.with(Runtime::last_error);
            on_disconnect((!reason.is_undefined()).then(|| ChromeError::from(reason)));
        });
        raw.on_message().add_listener(message.as_ref());
        raw.on_disconnect().add_listener(disconnect.as_ref());
        Self { raw, message, disconnect }
    }

    /// Sends one string.
    ///
    /// # Errors
    /// If the port is closed.
    pub fn post(&self, text: &str) -> Result<(), ChromeError> {
        Ok(self.raw.post_message(text)?)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.raw.on_message().remove_listener(self.message.as_ref());
        self.raw.on_disconnect().remove_listener(self.disconnect.as_ref());
        // Fails only if it is closed already.
        let _ = self.raw.disconnect();
    }
}
