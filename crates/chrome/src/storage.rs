//! `chrome.storage`: small JSON texts by key.

use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    /// One storage area.
    #[derive(Debug, Clone)]
    type StorageArea;

    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "storage"], js_name = local)]
    static LOCAL: StorageArea;

    #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "storage"], js_name = session)]
    static SESSION: StorageArea;

    #[wasm_bindgen(catch, method, js_name = get)]
    async fn get_raw(this: &StorageArea, key: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, method, js_name = remove)]
    async fn remove_raw(this: &StorageArea, key: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, method, js_name = set)]
    async fn set_raw(this: &StorageArea, items: &JsValue) -> Result<JsValue, JsValue>;
}

/// The areas the extension uses. `sync` is not one of them: nothing leaves this browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Kept on disk until the extension is removed.
    Local,
    /// Kept in memory until the browser closes.
    Session,
}

impl Area {
    fn raw(self) -> StorageArea {
        match self {
            Self::Local => LOCAL.with(Clone::clone),
            Self::Session => SESSION.with(Clone::clone),
        }
    }

    /// Reads a text; `None` if there is none.
    ///
    /// # Errors
    /// If the area cannot be read, or the value is not a string.
    pub async fn get(self, key: &str) -> Result<Option<String>, ChromeError> {
        let items = self.raw().get_raw(key).await?;
        let item = js_sys::Reflect::get(&items, &key.into())?;
        match item.as_string() {
            None if !item.is_undefined() => Err(ChromeError(format!("what is stored as {key} is no text"))),
            text => Ok(text),
        }
    }

    /// Deletes a text. Nothing happens when there is none.
    ///
    /// # Errors
    /// If the area cannot be written.
    pub async fn remove(self, key: &str) -> Result<(), ChromeError> {
        self.raw().remove_raw(key).await?;
        Ok(())
    }

    /// Writes a text.
    ///
    /// # Errors
    /// If the area is full or cannot be written.
    pub async fn set(self, key: &str, text: &str) -> Result<(), ChromeError> {
        let items = js_sys::Object::new();
        js_sys::Reflect::set(&items, &key.into(), &text.into())?;
        self.raw().set_raw(&items).await?;
        Ok(())
    }
}
