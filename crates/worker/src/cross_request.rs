//! Requests of SKILLs to origins other than the page's: without cookies, and only to where they were declared to go.

use gloo_net::http::{Method, RequestBuilder};
use sidecar_protocol::ErrorClass;
use sidecar_session::browser::{CrossAnswer, CrossRequest, RequestFault};

use crate::body::AbortOnDrop;
use crate::transport::{anonymous, body_of, read};

/// Maximum bytes of an answer.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Sends a request and reads the answer. What leads elsewhere cannot be told from what is not reached.
///
/// # Errors
/// Why there is none.
pub async fn fetch(asked: CrossRequest) -> Result<CrossAnswer, RequestFault> {
    let CrossRequest { method, url, headers, body } = asked;
    let abort = AbortOnDrop::new().map_err(|_| RequestFault::Network)?;
    let method = method.parse::<Method>().map_err(|_| RequestFault::Network)?;
    let builder = anonymous(RequestBuilder::new(&url).method(method), &headers, &abort);
    let request = match body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    let response =
        request.map_err(|_| RequestFault::Network)?.send().await.map_err(|_| RequestFault::Network)?;
    let status = response.status();
    match read(body_of(&response, abort), MOST_BYTES).await {
        Ok(text) => Ok(CrossAnswer { status, text }),
        Err(error) if error.class == ErrorClass::Protocol => Err(RequestFault::TooLarge),
        Err(_) => Err(RequestFault::Timeout),
    }
}
