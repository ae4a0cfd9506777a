//! The routes under `/__scripted`, with which tests read requests and cause faults.
//!
//! They have no CORS headers, so a web page cannot read them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::fault::Fault;
use crate::journal::{Until, WaitError};

/// The default timeout of a wait, in milliseconds.
const WAIT_MS: u64 = 10_000;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/requests", get(requests))
        .route("/wait", get(wait))
        .route("/release", post(release))
        .route("/faults", post(add_fault).delete(clear_faults))
        .route("/key", put(set_key))
        .route("/reset", post(reset))
}

/// `GET requests`: `{requests: Entry[]}`, oldest first.
async fn requests(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({"requests": app.journal.entries()}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wait {
    request: u32,
    until: Until,
    timeout_ms: Option<u64>,
}

/// `GET wait?request=N&until=seen|held|finished|aborted|ended[&timeoutMs=N]`: the entry as soon as it has
/// reached that phase; 408 on a timeout, 409 if it cannot happen any more.
async fn wait(State(app): State<Arc<App>>, query: Result<Query<Wait>, QueryRejection>) -> Response {
    let Query(wait) = match query {
        Ok(query) => query,
        Err(why) => return refuse(StatusCode::BAD_REQUEST, &why.body_text()),
    };
    let most = Duration::from_millis(wait.timeout_ms.unwrap_or(WAIT_MS));
    match app.journal.wait(wait.request, wait.until, most).await {
        Ok(entry) => Json(entry).into_response(),
        Err(why @ WaitError::TimedOut { .. }) => refuse(StatusCode::REQUEST_TIMEOUT, &why.to_string()),
        Err(why @ WaitError::EndedOtherwise { .. }) => refuse(StatusCode::CONFLICT, &why.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    request: Option<u32>,
}

/// `POST release {request?}`: `{released: N[]}`; 409 if the named request is not held.
async fn release(State(app): State<Arc<App>>, body: Result<Json<Release>, JsonRejection>) -> Response {
    let Json(Release { request }) = match body {
        Ok(body) => body,
        Err(why) => return refuse(StatusCode::BAD_REQUEST, &why.body_text()),
    };
    let released = app.release(request);
    match request {
        Some(number) if released.is_empty() => {
            refuse(StatusCode::CONFLICT, &format!("request {number} is not held"))
        }
        _ => Json(json!({"released": released})).into_response(),
    }
}

/// `POST faults`, a [`Fault`].
async fn add_fault(State(app): State<Arc<App>>, body: Result<Json<Fault>, JsonRejection>) -> Response {
    match body {
        Ok(Json(fault)) => {
            app.faults().add(fault);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(why) => refuse(StatusCode::BAD_REQUEST, &why.body_text()),
    }
}

/// `DELETE faults`
async fn clear_faults(State(app): State<Arc<App>>) -> StatusCode {
    app.faults().clear();
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    key: String,
}

/// `PUT key {key}`: the key accepted from now on.
async fn set_key(State(app): State<Arc<App>>, body: Result<Json<Key>, JsonRejection>) -> Response {
    match body {
        Ok(Json(Key { key })) => {
            app.set_key(&key);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(why) => refuse(StatusCode::BAD_REQUEST, &why.body_text()),
    }
}

/// `POST reset`: removes all requests, faults and holds, and restores the first key.
async fn reset(State(app): State<Arc<App>>) -> StatusCode {
    app.reset();
    StatusCode::NO_CONTENT
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"error": message}))).into_response()
}
