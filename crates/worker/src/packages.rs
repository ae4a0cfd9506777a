//! Packages of SKILLs: asks the importer (`crates/importer`) about them, and fetches them from where the user says. The
//! shim creates its module when it is first asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gloo_net::http::{Method, RequestBuilder};
use sidecar_protocol::skill::UPLOAD_LIMIT;
use sidecar_session::browser::FileFault;
use wasm_bindgen::prelude::*;
use web_sys::{RequestRedirect, ResponseType};

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

/// What is at an address, in base64. A redirect is told as such and not followed: the browser answers it without saying
/// where it leads, and requests nothing there.
///
/// # Errors
/// Why there is nothing.
pub async fn fetch(address: &str) -> Result<String, FileFault> {
    let abort = AbortOnDrop::new().map_err(FileFault::Unread)?;
    let request = anonymous(RequestBuilder::new(address).method(Method::GET), &[], &abort);
    let request = request.redirect(RequestRedirect::Manual).build();
    let request = request.map_err(|error| FileFault::Unread(error.to_string()))?;
    let response =
        request.send().await.map_err(|_| FileFault::Unread("nothing was reached there".to_owned()))?;
    if response.type_() == ResponseType::Opaqueredirect {
        return Err(FileFault::Redirect);
    }
    if !response.ok() {
        return Err(FileFault::Unread(response.status().to_string()));
    }
    let bytes = read_bytes(body_of(&response, abort), UPLOAD_LIMIT).await;
    let bytes = bytes.map_err(|error| FileFault::Unread(error.message))?;
    Ok(STANDARD.encode(bytes))
}
