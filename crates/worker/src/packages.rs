//! Packages of SKILLs: asks the importer (`crates/importer`) about them, and fetches them from where the user says. The
//! shim creates its module when it is first asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gloo_net::http::{Method, RequestBuilder};
use sidecar_protocol::skill::UPLOAD_LIMIT;
use wasm_bindgen::prelude::*;

use crate::body::AbortOnDrop;
use crate::transport::{anonymous, body_of, read_bytes};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = importer, js_name = answer, catch)]
    async fn ask_importer(question: &str) -> Result<JsValue, JsValue>;
}

/// Asks about packages. `None` if the importer does not answer.
pub async fn read(question: &str) -> Option<String> {
    match ask_importer(question).await {
        Ok(answer) => answer.as_string(),
        Err(error) => {
            web_sys::console::warn_2(&"The importer cannot be asked.".into(), &error);
            None
        }
    }
}

/// What is at an address, in base64. What leads elsewhere is refused: nobody may ask where without going there.
///
/// # Errors
/// Why there is nothing: a sentence, or the HTTP status.
pub async fn fetch(address: &str) -> Result<String, String> {
    let abort = AbortOnDrop::new()?;
    let request = anonymous(RequestBuilder::new(address).method(Method::GET), &[], &abort);
    let request = request.build().map_err(|error| error.to_string())?;
    let response = request.send().await.map_err(|_| {
        "nothing was reached there, or it leads to another address, which is not followed".to_owned()
    })?;
    if !response.ok() {
        return Err(response.status().to_string());
    }
    let bytes = read_bytes(body_of(&response, abort), UPLOAD_LIMIT).await.map_err(|error| error.message)?;
    Ok(STANDARD.encode(bytes))
}
