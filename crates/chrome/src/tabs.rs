//! `chrome.tabs`: the tabs, and messages to their documents.

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

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = create)]
    async fn create_raw(properties: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = remove)]
    async fn remove_raw(tab: i32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = goBack)]
    async fn go_back_raw(tab: i32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = goForward)]
    async fn go_forward_raw(tab: i32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = reload)]
    async fn reload_raw(tab: i32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = connect)]
    fn connect_raw(tab: i32, options: JsValue) -> Result<RawPort, JsValue>;
}

/// The used fields of a `chrome.tabs.Tab`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tab {
    /// Absent for tabs that are not browser tabs (developer tools).
    pub id: Option<i32>,
    /// The window it is in.
    pub window_id: i32,
    /// Its address; empty if the extension may not see it.
    pub url: String,
    /// Its title; empty if the extension may not see it.
    pub title: String,
    /// `loading`, `complete` or `unloaded`.
    pub status: String,
    /// Whether it is the active tab of its window.
    pub active: bool,
    /// Whether it is discarded: unloaded from memory.
    pub discarded: bool,
    /// The tab from which it was opened, if that is in the same window.
    pub opener_tab_id: Option<i32>,
}

impl Tab {
    /// Reads a tab from an event.
    ///
    /// # Errors
    /// If it is not a tab.
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

/// The active tab of a window.
///
/// # Errors
/// If the window is closed.
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
/// If it is closed.
pub async fn get(tab: i32) -> Result<Tab, ChromeError> {
    Tab::from_js(get_raw(tab).await?)
}

/// Makes a tab the active one of its window.
///
/// # Errors
/// If it is closed.
pub async fn activate(tab: i32) -> Result<Tab, ChromeError> {
    let change = serde_wasm_bindgen::to_value(&TabChange { active: true })?;
    Tab::from_js(update_raw(tab, change).await?)
}

#[derive(Serialize)]
struct NewTab<'a> {
    url: &'a str,
    active: bool,
}

/// Opens an address in a new tab in the background.
///
/// # Errors
/// The browser's own.
pub async fn create(url: &str) -> Result<Tab, ChromeError> {
    let properties = serde_wasm_bindgen::to_value(&NewTab { url, active: false })?;
    Tab::from_js(create_raw(properties).await?)
}

/// Opens an address in a new tab and shows it.
///
/// # Errors
/// The browser's own.
pub async fn show(url: &str) -> Result<Tab, ChromeError> {
    let properties = serde_wasm_bindgen::to_value(&NewTab { url, active: true })?;
    Tab::from_js(create_raw(properties).await?)
}

/// Closes a tab.
///
/// # Errors
/// If it is closed.
pub async fn remove(tab: i32) -> Result<(), ChromeError> {
    remove_raw(tab).await?;
    Ok(())
}

#[derive(Serialize)]
struct NewAddress<'a> {
    url: &'a str,
}

/// Leads a tab to an address, or `back`, `forward`, `reload`.
///
/// # Errors
/// If it is closed, or there is nothing to go back or forward to.
pub async fn lead(tab: i32, to: &str) -> Result<(), ChromeError> {
    match to {
        "back" => go_back_raw(tab).await?,
        "forward" => go_forward_raw(tab).await?,
        "reload" => reload_raw(tab).await?,
        url => update_raw(tab, serde_wasm_bindgen::to_value(&NewAddress { url })?).await?,
    };
    Ok(())
}

/// The recipients of a message in a tab.
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
        /// Chrome's id of the document.
        #[serde(rename = "documentId")]
        document_id: String,
    },
}

/// Sends a text into a tab and waits for the first answer (a text; empty if it was not one).
///
/// # Errors
/// If nobody received it (see [`was_never_heard`]), or the document goes away before it answers.
pub async fn send(tab: i32, to: &Recipient, text: &str) -> Result<String, ChromeError> {
    let options = serde_wasm_bindgen::to_value(to)?;
    Ok(send_message_raw(tab, text, options).await?.as_string().unwrap_or_default())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PortOptions<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_id: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document_id: Option<&'a str>,
}

/// Opens a port of this name into a tab. For the two callbacks, see [`Port`]. If nobody receives it, the port is closed
/// with that reason (see [`was_never_heard`]).
///
/// # Errors
/// The browser's own.
pub fn connect(
    tab: i32,
    to: &Recipient,
    name: &str,
    on_message: impl FnMut(String) + 'static,
    on_disconnect: impl FnMut(Option<ChromeError>) + 'static,
) -> Result<Port, ChromeError> {
    // A flattened enum would become a `Map`, which Chrome does not read.
    let options = serde_wasm_bindgen::to_value(&match to {
        Recipient::AllFrames {} => PortOptions { name, frame_id: None, document_id: None },
        Recipient::TopFrame { frame_id } => {
            PortOptions { name, frame_id: Some(*frame_id), document_id: None }
        }
        Recipient::Document { document_id } => {
            PortOptions { name, frame_id: None, document_id: Some(document_id) }
        }
    })?;
    Ok(Port::over(connect_raw(tab, options)?, on_message, on_disconnect))
}

/// Whether a message reached nobody. Chrome says so only in words, which are the same for a closed tab, a
/// page without extensions and a document that is gone.
#[must_use]
pub fn was_never_heard(error: &ChromeError) -> bool {
    error.0.contains("Receiving end does not exist")
}
