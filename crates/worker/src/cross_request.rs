//! Requests of SKILLs to origins other than the page's: without cookies, and only to where they were declared to go.

use futures::StreamExt;
use futures::future::{Either, select};
use gloo_net::http::{Method, RequestBuilder};
use gloo_timers::future::TimeoutFuture;
use sidecar_session::browser::{CrossAnswer, CrossRequest, RequestFault};
use wasm_bindgen::JsCast;
use wasm_streams::ReadableStream;
use web_sys::{ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect};

use crate::body::AbortOnDrop;

/// Maximum bytes of an answer.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// How long an answer may take, in milliseconds.
const LIMIT_MS: u32 = 30_000;

/// Sends a request and reads the answer.
///
/// # Errors
/// Why there is none. What leads elsewhere cannot be told from what is not reached.
pub async fn fetch(request: CrossRequest) -> Result<CrossAnswer, RequestFault> {
    match select(Box::pin(answer(request)), TimeoutFuture::new(LIMIT_MS)).await {
        Either::Left((answered, _)) => answered,
        Either::Right(_) => Err(RequestFault::Timeout),
    }
}

async fn answer(
    CrossRequest { method, url, headers, body }: CrossRequest,
) -> Result<CrossAnswer, RequestFault> {
    let unreached = |_| RequestFault::Network;
    let abort = AbortOnDrop::new().map_err(|_| RequestFault::Network)?;
    let mut builder = RequestBuilder::new(&url)
        .method(method.parse::<Method>().map_err(|_| RequestFault::Network)?)
        .credentials(RequestCredentials::Omit)
        .redirect(RequestRedirect::Error)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .cache(RequestCache::NoStore)
        .abort_signal(Some(&abort.0.signal()));
    for (name, value) in &headers {
        builder = builder.header(name, value);
    }
    let request = match body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    let response = request.map_err(unreached)?.send().await.map_err(unreached)?;
    let status = response.status();
    let mut bytes = Vec::new();
    if let Some(raw) = response.body() {
        let mut stream = ReadableStream::from_raw(raw.unchecked_into()).into_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|_| RequestFault::Network)?;
            bytes.extend_from_slice(&js_sys::Uint8Array::new(&chunk).to_vec());
            if bytes.len() > MOST_BYTES {
                return Err(RequestFault::TooLarge);
            }
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| RequestFault::Form)?;
    Ok(CrossAnswer { status, text })
}

/// A text file of the extension; `None` if it cannot be read.
pub async fn own_file(path: &str) -> Option<String> {
    let response = RequestBuilder::new(path).build().ok()?.send().await.ok()?;
    if response.ok() { response.text().await.ok() } else { None }
}
