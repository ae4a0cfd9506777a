//! `LanguageModel`, the browser's own model: Chrome's Prompt API, in windows and in an extension's worker.
//! <https://developer.chrome.com/docs/ai/prompt-api>

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    type LanguageModel;

    #[wasm_bindgen(catch, static_method_of = LanguageModel)]
    async fn availability(options: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, static_method_of = LanguageModel)]
    async fn create(options: &JsValue) -> Result<JsValue, JsValue>;

    /// A conversation with the model. It uses memory until it is destroyed.
    #[derive(Debug)]
    pub type Session;

    #[wasm_bindgen(catch, method, js_name = promptStreaming)]
    fn prompt_streaming(this: &Session, prompt: &str, options: &JsValue) -> Result<JsValue, JsValue>;

    /// Ends it, and whatever it is doing.
    #[wasm_bindgen(method)]
    pub fn destroy(this: &Session);
}

/// Whether the model can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The browser has no model for this device.
    Unavailable,
    /// It has to be downloaded first.
    Downloadable,
    /// It is being downloaded.
    Downloading,
    /// It can be used.
    Available,
}

/// Whether the browser has this API.
#[must_use]
pub fn is_known() -> bool {
    Reflect::has(&js_sys::global(), &"LanguageModel".into()).unwrap_or_default()
}

/// Whether the model can be used now.
pub async fn state() -> Availability {
    let said = LanguageModel::availability(&options()).await.ok();
    match said.and_then(|said| said.as_string()).as_deref() {
        Some("available") => Availability::Available,
        Some("downloading") => Availability::Downloading,
        Some("downloadable") => Availability::Downloadable,
        Some(_) | None => Availability::Unavailable,
    }
}

/// Downloads the model. Call it in a document, during a user activation. `progress` gets the downloaded
/// part, from 0 to 1.
///
/// # Errors
/// The browser's own.
pub async fn download(progress: impl FnMut(f64) + 'static) -> Result<(), ChromeError> {
    let mut progress = progress;
    let heard = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let loaded = Reflect::get(&event, &"loaded".into()).ok().and_then(|loaded| loaded.as_f64());
        progress(loaded.unwrap_or_default());
    });
    let listener: js_sys::Function = heard.as_ref().unchecked_ref::<js_sys::Function>().clone();
    let monitor = Closure::<dyn FnMut(JsValue)>::new(move |monitor: JsValue| {
        let add = Reflect::get(&monitor, &"addEventListener".into()).ok();
        if let Some(add) = add.and_then(|add| add.dyn_into::<js_sys::Function>().ok()) {
            let _ = add.call2(&monitor, &"downloadprogress".into(), &listener);
        }
    });
    let options = options();
    set(&options, "monitor", monitor.as_ref());
    let session = LanguageModel::create(&options).await?;
    session.unchecked_into::<Session>().destroy();
    Ok(())
}

/// Creates a session with these messages, `{role, content}` each. It lasts until the signal is aborted.
///
/// # Errors
/// The browser's own exception: its `name` tells what is wrong.
pub async fn begin(messages: &JsValue, signal: &JsValue) -> Result<Session, JsValue> {
    let options = options();
    set(&options, "initialPrompts", messages);
    set(&options, "signal", signal);
    Ok(LanguageModel::create(&options).await?.unchecked_into())
}

impl Session {
    /// The answer to a prompt, as a `ReadableStream` of strings. With a JSON Schema, the answer is
    /// constrained to it.
    ///
    /// # Errors
    /// The browser's own exception.
    pub fn ask(&self, prompt: &str, schema: Option<&JsValue>, signal: &JsValue) -> Result<JsValue, JsValue> {
        let options = Object::new();
        if let Some(schema) = schema {
            set(&options, "responseConstraint", schema);
        }
        set(&options, "signal", signal);
        self.prompt_streaming(prompt, &options)
    }
}

/// Text in, text out. English is the language that all versions of Chrome's model support.
fn options() -> Object {
    const OPTIONS: &str = r#"{
        "expectedInputs": [{"type": "text", "languages": ["en"]}],
        "expectedOutputs": [{"type": "text", "languages": ["en"]}]
    }"#;
    js_sys::JSON::parse(OPTIONS).map(JsCast::unchecked_into).unwrap_or_default()
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // Setting a property of a plain object cannot fail.
    let _ = Reflect::set(object, &name.into(), value);
}
