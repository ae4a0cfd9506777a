//! `chrome.i18n`: the texts of `_locales` in the browser's language, for what the browser itself shows; the
//! panel has texts of its own.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "i18n"], js_name = getMessage)]
    fn get_message_raw(name: &str, substitutions: Vec<String>) -> Result<String, JsValue>;
}

/// A text with its placeholders filled in; empty if there is none of that name.
#[must_use]
pub fn message(name: &str, values: &[&str]) -> String {
    get_message_raw(name, values.iter().map(|value| (*value).to_owned()).collect()).unwrap_or_default()
}
