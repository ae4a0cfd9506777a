//! A "no" as DeepSeek says it: a status and `{"error":{message,type,param,code}}`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// One refused request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {message}")]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// `error.type`.
    pub kind: String,
    /// `error.code`.
    pub code: String,
    /// `error.message`: what is wrong, in the service's words or close to them.
    pub message: String,
    /// The `Retry-After` header, in seconds.
    pub retry_after: Option<u32>,
}

impl Refusal {
    /// A refusal with the type, code and words that the service uses for a status.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        let (kind, code, message) = match status {
            401 => ("authentication_error", "invalid_request_error", "Authentication Fails"),
            402 => ("unknown_error", "invalid_request_error", "Insufficient Balance"),
            422 => ("invalid_request_error", "invalid_request_error", "Invalid Parameters"),
            429 => ("rate_limit_error", "rate_limit_error", "Rate limit reached: requests are sent too fast"),
            503 => ("service_unavailable_error", "service_unavailable_error", "Service is too busy"),
            500..=599 => ("server_error", "server_error", "Internal server error"),
            _ => ("invalid_request_error", "invalid_request_error", "Bad request"),
        };
        Self { status, kind: kind.into(), code: code.into(), message: message.into(), retry_after: None }
    }

    /// 400: the request is not one that the service takes.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::of_status(400) }
    }

    /// 401: no key, or one that is not accepted.
    #[must_use]
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::of_status(401) }
    }

    /// The JSON body.
    #[must_use]
    pub fn body(&self) -> Value {
        json!({"error": {"message": self.message, "type": self.kind, "param": null, "code": self.code}})
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
