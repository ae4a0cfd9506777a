//! Classifies error responses.
//!
//! The same body is read whether it comes with an HTTP error or within a stream. Codes come before the
//! status, because services disagree about statuses (no balance is 402 at DeepSeek, 429 at GLM, 400 at
//! DashScope) but each uses its codes consistently.

use serde_json::Value;
use sidecar_protocol::error::{ErrorClass, ModelError};

pub(crate) mod refusal;
pub(crate) mod retry;
mod table;
#[cfg(test)]
mod tests;

use table::{CODES, TOO_LONG};

/// Maximum characters of a message.
const MESSAGE_LIMIT: usize = 2_000;

/// Reads an error response: its status, its headers by lower-case name, and its body.
///
/// `Retry-After` is read in seconds, or as a date if the response has a `Date`; there is no clock here.
/// `retry-after-ms` comes before it, and without either header the body may name a delay.
#[must_use]
pub fn classify(status: u16, headers: &dyn Fn(&str) -> Option<String>, body: &str) -> ModelError {
    let mut error = match serde_json::from_str::<Value>(body) {
        Ok(value) => from_json(Some(status), &value),
        Err(_) => from_text(Some(status), body),
    };
    if let Some(wait) = retry_after_ms(headers) {
        error.retry_after_ms = Some(wait);
    }
    error
}

/// The error in a chunk of a stream, if any. `error: null` and `error: ""` are none.
pub(crate) fn find(chunk: &Value) -> Option<ModelError> {
    let carries = match chunk.get("error") {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Object(error)) => !error.is_empty(),
        _ => false,
    };
    // vLLM's flat format, and MiniMax's, which comes with status 200.
    let is_flat = chunk.get("object").and_then(Value::as_str) == Some("error");
    (carries || is_flat || minimax_code(chunk).is_some()).then(|| from_json(None, chunk))
}

/// Reads an error body, or any object that is known to be an error.
pub(crate) fn from_json(status: Option<u16>, body: &Value) -> ModelError {
    // Google wraps the body in an array.
    let body = body.get(0).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let codes = codes(body, error);
    let message = message(body, error);
    // Within a stream the HTTP status is a success; OpenRouter and vLLM give the real one as the code.
    let hint = status.or_else(|| codes.iter().find_map(|code| code.parse().ok().filter(|code| *code >= 400)));
    let class = match minimax_code(body) {
        Some(code) => minimax_class(code),
        None => class(hint, &codes, &message),
    };
    ModelError {
        class,
        status,
        message: cap(&message),
        retry_after_ms: retry_delay(error).or_else(|| told_delay(&message)),
        cause: None,
    }
}

/// Reads an error that is not JSON: plain text, or an HTML page, of which only the title is kept.
pub(crate) fn from_text(status: Option<u16>, text: &str) -> ModelError {
    let text = text.trim();
    let message = if text.starts_with('<') { title(text).unwrap_or_default() } else { text };
    ModelError {
        class: class(status, &[], message),
        status,
        message: cap(message),
        retry_after_ms: None,
        cause: None,
    }
}

fn class(status: Option<u16>, codes: &[String], message: &str) -> ErrorClass {
    match status {
        Some(401) => return ErrorClass::Auth,
        Some(402) => return ErrorClass::Money,
        _ => {}
    }
    let is_in = |signal: &str| {
        let is_number = signal.bytes().all(|byte| byte.is_ascii_digit());
        codes.iter().any(|code| if is_number { code == signal } else { code.contains(signal) })
    };
    if let Some((class, _)) = CODES.iter().find(|(_, signals)| signals.iter().any(|signal| is_in(signal))) {
        return *class;
    }
    let message = message.to_lowercase();
    if TOO_LONG.iter().any(|phrase| message.contains(phrase)) {
        return ErrorClass::Context;
    }
    if message.contains("insufficient balance") {
        return ErrorClass::Money;
    }
    match status {
        Some(403) => ErrorClass::Auth,
        Some(413) => ErrorClass::Context,
        Some(429) => ErrorClass::Rate,
        // Not implemented: waiting does not help.
        Some(501 | 505) => ErrorClass::Protocol,
        Some(408 | 500..=599) => ErrorClass::Overload,
        _ => ErrorClass::Protocol,
    }
}

/// Everything in an error that names its kind, in lower case.
fn codes(body: &Value, error: &Value) -> Vec<String> {
    let fields = ["code", "type", "status"];
    let mut codes: Vec<_> = [error, body]
        .into_iter()
        .flat_map(|object| fields.iter().filter_map(|field| object.get(field)))
        .filter_map(|value| match value {
            Value::String(code) => Some(code.to_lowercase()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        })
        .collect();
    // Google says INVALID_ARGUMENT and puts the reason into the details.
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    codes.extend(details.filter_map(|detail| Some(detail.get("reason")?.as_str()?.to_lowercase())));
    if error.pointer("/metadata/flagged_input").is_some() {
        codes.push("flagged_input".to_owned());
    }
    codes
}

fn message(body: &Value, error: &Value) -> String {
    let said =
        [error.get("message"), error.get("msg"), Some(error), error.get("detail"), body.get("message")]
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .chain(body.pointer("/base_resp/status_msg").and_then(Value::as_str))
            // FastAPI's list of errors in a request.
            .chain(body.pointer("/detail/0/msg").and_then(Value::as_str))
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
    match error.pointer("/metadata/raw").and_then(Value::as_str) {
        // OpenRouter's own message is "Provider returned error"; this is the provider's message.
        Some(raw) if !raw.trim().is_empty() => format!("{said}: {raw}"),
        _ => said.to_owned(),
    }
}

/// MiniMax's own code, if it is an error.
fn minimax_code(body: &Value) -> Option<i64> {
    body.pointer("/base_resp/status_code").and_then(Value::as_i64).filter(|code| *code != 0)
}

fn minimax_class(code: i64) -> ErrorClass {
    match code {
        1000 | 1001 | 1024 | 1033 => ErrorClass::Overload,
        1002 => ErrorClass::Rate,
        1004 => ErrorClass::Auth,
        1008 => ErrorClass::Money,
        1026 | 1027 => ErrorClass::Filter,
        1039 => ErrorClass::Context,
        _ => ErrorClass::Protocol,
    }
}

/// Google's delay in the body: `"retryDelay": "34s"`.
fn retry_delay(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    milliseconds(delay.strip_suffix('s')?, 1_000.0)
}

/// OpenAI's and Groq's delay in words: "Please try again in 1m2.5s".
fn told_delay(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once("try again in ")?;
    let mut rest = rest.trim_start();
    let mut wait: Option<u64> = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return wait,
        };
        // The number may be the end of a sentence.
        let Some(part) = milliseconds(number, unit) else { return wait };
        wait = Some(wait.unwrap_or_default().saturating_add(part));
        rest = &after[letters..];
    }
}

fn retry_after_ms(headers: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    if let Some(wait) = headers("retry-after-ms").and_then(|value| milliseconds(&value, 1.0)) {
        return Some(wait);
    }
    let value = headers("retry-after")?;
    milliseconds(&value, 1_000.0).or_else(|| {
        let then = httpdate::parse_http_date(value.trim()).ok()?;
        let now = httpdate::parse_http_date(headers("date")?.trim()).ok()?;
        let wait = then.duration_since(now).unwrap_or_default();
        u64::try_from(wait.as_millis()).ok()
    })
}

fn milliseconds(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    // The cast saturates; the delay is capped elsewhere.
    (number.is_finite() && number >= 0.0).then_some((number * unit) as u64)
}

fn title(html: &str) -> Option<&str> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(html[start..end].trim())
}

/// A service's message, cut to the maximum length.
pub(crate) fn cap(text: &str) -> String {
    text.trim().chars().take(MESSAGE_LIMIT).collect()
}
