//! Refusals, in the format of each service.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::service::ErrorShape;

/// One refused request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {message}")]
pub struct ServiceRefusal {
    /// HTTP status.
    pub status: u16,
    /// `error.type`.
    pub kind: String,
    /// `error.code`.
    pub code: String,
    /// `error.message`: what is wrong, in the service's words or similar ones.
    pub message: String,
    /// The `Retry-After` header, in seconds.
    pub retry_after: Option<u32>,
}

impl ServiceRefusal {
    /// A refusal with the type, code and message that the service uses for a status.
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

    /// 400: the service does not accept the request.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::of_status(400) }
    }

    /// 401: no key, or one that is not accepted.
    #[must_use]
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::of_status(401) }
    }

    /// The JSON body, in a service's format.
    #[must_use]
    pub(crate) fn body(&self, shape: ErrorShape) -> Value {
        let message = &self.message;
        match shape {
            ErrorShape::OpenAi => {
                json!({"error": {"message": message, "type": self.kind, "param": null, "code": self.code}})
            }
            ErrorShape::Glm => {
                let code = match self.status {
                    401 => "1002",
                    402 => "1113",
                    429 => "1302",
                    500..=599 => "1305",
                    _ => "1214",
                };
                json!({"error": {"code": code, "message": message}})
            }
            ErrorShape::Kimi => {
                let kind = match self.status {
                    401 => "invalid_authentication_error",
                    402 => "exceeded_current_quota_error",
                    429 => "rate_limit_reached_error",
                    500..=599 => "engine_overloaded_error",
                    _ => "invalid_request_error",
                };
                json!({"error": {"type": kind, "message": message}})
            }
            ErrorShape::MiniMax => {
                let code = match self.status {
                    401 => 1004,
                    402 => 1008,
                    429 => 1002,
                    500..=599 => 1000,
                    _ => 2013,
                };
                json!({"base_resp": {"status_code": code, "status_msg": message}})
            }
            ErrorShape::OpenRouter => json!({"error": {"code": self.status, "message": message}}),
            ErrorShape::Vllm => {
                json!({"object": "error", "message": message, "type": "BadRequestError", "param": null, "code": self.status})
            }
            ErrorShape::Anthropic => {
                let kind = match self.status {
                    401 => "authentication_error",
                    402 => "billing_error",
                    403 => "permission_error",
                    404 => "not_found_error",
                    413 => "request_too_large",
                    429 => "rate_limit_error",
                    503 | 529 => "overloaded_error",
                    500..=599 => "api_error",
                    _ => "invalid_request_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"})
            }
            ErrorShape::Google => {
                let (code, status) = match self.status {
                    401 => (400, "INVALID_ARGUMENT"),
                    402 | 403 => (403, "PERMISSION_DENIED"),
                    404 => (404, "NOT_FOUND"),
                    429 => (429, "RESOURCE_EXHAUSTED"),
                    503 => (503, "UNAVAILABLE"),
                    status @ 500..=599 => (status, "INTERNAL"),
                    status => (status, "INVALID_ARGUMENT"),
                };
                let mut error = json!({"code": code, "message": message, "status": status});
                if self.status == 401 {
                    error["details"] = json!([{"reason": "API_KEY_INVALID", "domain": "googleapis.com"}]);
                }
                json!({ "error": error })
            }
            ErrorShape::Ollama => json!({ "error": message }),
        }
    }

    /// The HTTP status that a service uses: MiniMax sends every refusal with 200, and Google an invalid key
    /// with 400.
    fn http_status(&self, shape: ErrorShape) -> u16 {
        match shape {
            ErrorShape::MiniMax => 200,
            ErrorShape::Google if self.status == 401 => 400,
            ErrorShape::OpenAi
            | ErrorShape::Glm
            | ErrorShape::Kimi
            | ErrorShape::OpenRouter
            | ErrorShape::Vllm
            | ErrorShape::Anthropic
            | ErrorShape::Google
            | ErrorShape::Ollama => self.status,
        }
    }

    /// The response with which a service sends it.
    pub(crate) fn response(&self, shape: ErrorShape) -> Response {
        let status =
            StatusCode::from_u16(self.http_status(shape)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.body(shape))).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
