//! `chrome.storage`: small JSON texts by key.

use std::cell::RefCell;

use js_sys::{Object, Reflect};
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

thread_local! {
    /// Values that were read before anybody asked for them, by area and key. Each answers one question at most.
    static FIRST: RefCell<Object> = RefCell::new(Object::new());
}

/// Makes known what was read ahead: objects by the name of their area, with values by key, `null` for a key that has none.
/// What is missing is read when it is asked for.
pub fn know_first(values: Object) {
    FIRST.set(values);
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
    /// Takes a value that was read ahead.
    fn take_first(self, key: &str) -> Option<JsValue> {
        let area = match self {
            Self::Local => "local",
            Self::Session => "session",
        };
        let values =
            FIRST.with_borrow(|values| Reflect::get(values, &area.into()).ok()?.dyn_into::<Object>().ok())?;
        let key = key.into();
        let value = Reflect::get(&values, &key).ok().filter(|value| !value.is_undefined())?;
        Reflect::delete_property(&values, &key).ok()?;
        Some(value)
    }

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
        let item = match self.take_first(key) {
            Some(first) => first,
            None => Reflect::get(&self.raw().get_raw(key).await?, &key.into())?,
        };
        match item.as_string() {
            None if !item.is_undefined() && !item.is_null() => {
                Err(ChromeError(format!("what is stored as {key} is no text")))
            }
            text => Ok(text),
        }
    }

    /// Deletes a text. Nothing happens when there is none.
    ///
    /// # Errors
    /// If the area cannot be written.
    pub async fn remove(self, key: &str) -> Result<(), ChromeError> {
        self.take_first(key);
        self.raw().remove_raw(key).await?;
        Ok(())
    }

    /// Writes a text.
    ///
    /// # Errors
    /// If the area is full or cannot be written.
    pub async fn set(self, key: &str, text: &str) -> Result<(), ChromeError> {
        self.take_first(key);
        let items = Object::new();
        Reflect::set(&items, &key.into(), &text.into())?;
        self.raw().set_raw(&items).await?;
        Ok(())
    }
}
