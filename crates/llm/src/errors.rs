//! What a refusal means.
//!
//! The same body is read whether it came with an HTTP error or inside a stream that had begun well. Codes are asked
//! before the status, because services disagree about statuses (no balance is 402 at DeepSeek, 429 at GLM, 400 at
//! DashScope) and agree with themselves about codes.

use serde_json::Value;
use sidecar_protocol::error::{ErrorClass, ModelError};

pub(crate) mod refusal;
pub(crate) mod retry;

/// Longest message that is kept, in characters.
const MESSAGE_LIMIT: usize = 2_000;

/// Codes and types that services put into error bodies, in lower case, in the order in which they are asked. Numbers
/// must be the whole code; names may be a part of it, since some services append what exactly was exceeded.
const CODES: [(ErrorClass, &[&str]); 6] = [
    (
        ErrorClass::Money,
        &[
            "insufficient_quota",           // OpenAI
            "exceeded_current_quota_error", // Kimi
            "insufficient_balance",
            "arrearage",           // DashScope
            "billing_error",       // Anthropic
            "quotaexceeded",       // Ark
            "accountoverdueerror", // Ark
            // GLM, all with 429: no balance; the day's quota and the plan's are used up, which no short wait helps.
            "1113",
            "1304",
            "1308",
            "1309",
            "1310",
            "1311",
            "1312",
            "1313",
        ],
    ),
    (
        ErrorClass::Context,
        &[
            "context_length_exceeded",   // OpenAI and most gateways
            "exceed_context_size_error", // llama-server
            "request_too_large",
            "1261", // GLM
        ],
    ),
    (
        ErrorClass::Filter,
        &[
            "content_filter", // Azure, Kimi
            "content_policy_violation",
            "flagged_input",          // OpenRouter
            "data_inspection_failed", // DashScope, in two spellings
            "datainspectionfailed",
            "sensitivecontentdetected", // Ark, with the kind of content before or after it
            "1301",                     // GLM
        ],
    ),
    (
        ErrorClass::Overload,
        &[
            "overloaded", // engine_overloaded_error, ServerOverloaded, overloaded_error
            "insufficient_system_resource",
            "network_error",
            "server_error",
            "service_unavailable",
            "1234", // GLM: network, overload
            "1305",
        ],
    ),
    (
        ErrorClass::Rate,
        &[
            "rate_limit",
            "ratelimitexceeded",   // Ark
            "requestbursttoofast", // Ark
            "throttling",          // DashScope
            "limit_requests",      // DashScope
            "too_many_requests",
            "resource_exhausted", // Google
            "1302",               // GLM: concurrency, frequency
            "1303",
        ],
    ),
    (
        ErrorClass::Auth,
        &[
            "authentication", // authentication_error, AuthenticationError, invalid_authentication_error
            "invalid_api_key",
            "incorrect_api_key",
            "api_key_invalid", // Google, with 400
            "permission_error",
            "permission_denied",
            "1000", // GLM
            "1001",
            "1002",
            "1003",
            "1004",
        ],
    ),
];

/// How services that have no code for it say that a conversation is too long.
const TOO_LONG: [&str; 9] = [
    "maximum context length",                 // DeepSeek, OpenAI, vLLM
    "prompt is too long",                     // Anthropic
    "exceeds the context window",             // OpenAI
    "exceeded model token limit",             // Kimi
    "input token length too long",            // Kimi
    "range of input length",                  // DashScope
    "exceeds the available context size",     // llama-server
    "input token count exceeds",              // Google
    "longer than the model's context length", // SGLang
];

/// Reads a response that is no success: its status, its headers by lower-case name, and its body.
///
/// `Retry-After` is taken in seconds, and as a date when the response says what time it was (`Date`); there is no
/// clock here. `retry-after-ms` goes before it, and where no header says it, the body may.
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

/// The error that a chunk of a stream carries, if it does. `error: null` and `error: ""` are none.
pub(crate) fn find(chunk: &Value) -> Option<ModelError> {
    let carries = match chunk.get("error") {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Object(error)) => !error.is_empty(),
        _ => false,
    };
    // vLLM's flat form, and MiniMax's, which comes with status 200.
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
    // Inside a stream the HTTP status is a success; OpenRouter and vLLM give the real one as the code.
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

/// Reads an error that is no JSON: plain text, or a page of HTML, of which only the title says something.
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
        // Never implemented and never will be: waiting does not help.
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
            // FastAPI's list of what is wrong with a request.
            .chain(body.pointer("/detail/0/msg").and_then(Value::as_str))
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
    match error.pointer("/metadata/raw").and_then(Value::as_str) {
        // OpenRouter's own message is "Provider returned error"; this is what the provider returned.
        Some(raw) if !raw.trim().is_empty() => format!("{said}: {raw}"),
        _ => said.to_owned(),
    }
}

/// MiniMax's own code, when it is one of failure.
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

/// Google's wish in the body: `"retryDelay": "34s"`.
fn retry_delay(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    milliseconds(delay.strip_suffix('s')?, 1_000.0)
}

/// OpenAI's and Groq's wish, in words: "Please try again in 1m2.5s".
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
        // A full stop may follow.
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
    // The cast saturates; the wait is capped elsewhere.
    (number.is_finite() && number >= 0.0).then_some((number * unit) as u64)
}

fn title(html: &str) -> Option<&str> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(html[start..end].trim())
}

/// The beginning of a service's words, as much of it as is kept.
pub(crate) fn cap(text: &str) -> String {
    text.trim().chars().take(MESSAGE_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_headers(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn refusals_fall_into_classes() {
        use ErrorClass::{Auth, Context, Filter, Money, Overload, Protocol, Rate};
        let table = [
            // DeepSeek: https://api-docs.deepseek.com/quick_start/error_codes
            (
                401,
                r#"{"error":{"message":"m","type":"authentication_error","param":null,"code":"invalid_request_error"}}"#,
                Auth,
            ),
            (
                402,
                r#"{"error":{"message":"m","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
                Money,
            ),
            (
                400,
                r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
                Protocol,
            ),
            (422, r#"{"error":{"message":"m","type":"invalid_request_error"}}"#, Protocol),
            (429, r#"{"error":{"message":"m","type":"rate_limit_reached"}}"#, Rate),
            (500, r#"{"error":{"message":"m"}}"#, Overload),
            (503, r#"{"error":{"message":"m"}}"#, Overload),
            // No body that tells.
            (400, "", Protocol),
            (401, "", Auth),
            (402, "", Money),
            (403, "", Auth),
            (404, "", Protocol),
            (408, "", Overload),
            (413, "", Context),
            (429, "", Rate),
            (500, "", Overload),
            (501, "", Protocol),
            (502, "<html><head><title>502 Bad Gateway</title></head></html>", Overload),
            (504, "", Overload),
            (529, "", Overload),
            // OpenAI
            (
                429,
                r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Money,
            ),
            (429, r#"{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}"#, Rate),
            (
                400,
                r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                Context,
            ),
            (404, r#"{"error":{"message":"m","code":"model_not_found"}}"#, Protocol),
            // Kimi
            (429, r#"{"error":{"message":"m","type":"exceeded_current_quota_error"}}"#, Money),
            (429, r#"{"error":{"message":"m","type":"engine_overloaded_error"}}"#, Overload),
            (400, r#"{"error":{"message":"m","type":"content_filter"}}"#, Filter),
            (
                400,
                r#"{"error":{"message":"Your request exceeded model token limit : 8192","type":"invalid_request_error"}}"#,
                Context,
            ),
            // GLM
            (429, r#"{"error":{"code":"1113","message":"m"}}"#, Money),
            (429, r#"{"error":{"code":"1302","message":"m"}}"#, Rate),
            (429, r#"{"error":{"code":"1305","message":"m"}}"#, Overload),
            (400, r#"{"error":{"code":"1301","message":"m"}}"#, Filter),
            (400, r#"{"error":{"code":"1261","message":"m"}}"#, Context),
            (400, r#"{"error":{"code":"1002","message":"m"}}"#, Auth),
            (400, r#"{"error":{"code":"1214","message":"m"}}"#, Protocol),
            // DashScope, in the compatible form and its own
            (
                400,
                r#"{"error":{"message":"Range of input length should be [1, 98304]","code":"InvalidParameter"}}"#,
                Context,
            ),
            (400, r#"{"code":"Arrearage","message":"m","request_id":"r"}"#, Money),
            (400, r#"{"code":"DataInspectionFailed","message":"m"}"#, Filter),
            (429, r#"{"error":{"code":"Throttling.RateQuota","message":"m"}}"#, Rate),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
                Context,
            ),
            (413, r#"{"type":"error","error":{"type":"request_too_large","message":"m"}}"#, Context),
            (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, Overload),
            (403, r#"{"type":"error","error":{"type":"permission_error","message":"m"}}"#, Auth),
            (400, r#"{"error":{"message":"Your input exceeds the context window of this model."}}"#, Context),
            (429, r#"{"error":{"code":"QuotaExceeded","message":"m"}}"#, Money),
            // Ark
            (403, r#"{"error":{"code":"AccountOverdueError","message":"m"}}"#, Money),
            (400, r#"{"error":{"code":"InputTextSensitiveContentDetected","message":"m"}}"#, Filter),
            (429, r#"{"error":{"code":"ServerOverloaded","message":"m"}}"#, Overload),
            // OpenRouter
            (
                403,
                r#"{"error":{"code":403,"message":"m","metadata":{"reasons":["violence"],"flagged_input":"x"}}}"#,
                Filter,
            ),
            (402, r#"{"error":{"code":402,"message":"m"}}"#, Money),
            // Google's compatible endpoint
            (
                400,
                r#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
                Auth,
            ),
            (429, r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}"#, Rate),
            // llama-server and vLLM
            (
                400,
                r#"{"error":{"code":400,"message":"m","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}"#,
                Context,
            ),
            (503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, Overload),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 8 tokens","type":"BadRequestError","code":400}"#,
                Context,
            ),
            (422, r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#, Protocol),
        ];
        for (status, body, expected) in table {
            let error = classify(status, &no_headers, body);
            assert_eq!((error.class, error.status), (expected, Some(status)), "{status} {body}");
            assert!(body.is_empty() || !error.message.is_empty(), "{status} {body}");
        }
    }

    #[test]
    fn the_services_own_words_are_kept() {
        let message = |body| classify(400, &no_headers, body).message;
        assert_eq!(message(r#"{"error":{"message":"  model not found "}}"#), "model not found");
        assert_eq!(message(r#"{"error":"no such model"}"#), "no such model");
        assert_eq!(message(r#"{"message":"flat"}"#), "flat");
        assert_eq!(message(r#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(message(r#"{"detail":[{"loc":["body"],"msg":"Field required"}]}"#), "Field required");
        assert_eq!(
            message(
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"upstream says no"}}}"#
            ),
            "Provider returned error: upstream says no"
        );
        assert_eq!(message("upstream connect error\n"), "upstream connect error");
        assert_eq!(message("<!doctype html><TITLE> Sign in </TITLE>"), "Sign in");
        assert_eq!(message("<html></html>"), "");
        assert_eq!(message("[]"), "");
        assert_eq!(message(&"é".repeat(3_000)), "é".repeat(2_000));
    }

    #[test]
    fn a_wish_to_wait_is_read_in_each_form() {
        let wait = |headers: &[(&str, &str)], body: &str| {
            let get = |name: &str| {
                headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            classify(429, &get, body).retry_after_ms
        };
        let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(&[("retry-after", "7")], ""), Some(7_000));
        assert_eq!(wait(&[("retry-after", " 1.5 ")], ""), Some(1_500));
        assert_eq!(wait(&[("retry-after", "7"), ("retry-after-ms", "250")], ""), Some(250));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), now], ""), Some(60_000));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT"), now], ""), Some(0));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], ""), None);
        assert_eq!(wait(&[("retry-after", "soon"), now], ""), None);
        assert_eq!(wait(&[("retry-after", "-1")], ""), None);
        assert_eq!(wait(&[("retry-after", "inf")], ""), None);
        assert_eq!(wait(&[("retry-after", "1e30")], ""), Some(u64::MAX));
        assert_eq!(wait(&[], r#"{"error":{"details":[{"retryDelay":"34.5s"}]}}"#), Some(34_500));
        let told = |time: &str| {
            let body =
                format!(r#"{{"error":{{"message":"Rate limit. Please try again in {time} Thanks"}}}}"#);
            wait(&[], &body)
        };
        assert_eq!(told("350ms."), Some(350));
        assert_eq!(told("1m2.5s."), Some(62_500));
        assert_eq!(told("6h0m0s."), Some(21_600_000));
        assert_eq!(told("20 seconds."), None);
        assert_eq!(told("a while."), None);
    }

    #[test]
    fn errors_inside_a_stream_are_found_and_what_is_none_is_not() {
        let find = |chunk: &str| find(&serde_json::from_str(chunk).unwrap());
        for chunk in [
            r#"{"choices":[]}"#,
            r#"{"error":null}"#,
            r#"{"error":""}"#,
            r#"{"error":{}}"#,
            r#"{"base_resp":{"status_code":0}}"#,
        ] {
            assert_eq!(find(chunk), None, "{chunk}");
        }
        for (chunk, class, message) in [
            (
                r#"{"error":{"code":502,"message":"Provider disconnected"}}"#,
                ErrorClass::Overload,
                "Provider disconnected",
            ),
            (r#"{"error":{"code":429,"message":"slow down"}}"#, ErrorClass::Rate, "slow down"),
            (r#"{"error":"boom"}"#, ErrorClass::Protocol, "boom"),
            (r#"{"object":"error","message":"bad","code":400}"#, ErrorClass::Protocol, "bad"),
            (
                r#"{"base_resp":{"status_code":1008,"status_msg":"no balance"}}"#,
                ErrorClass::Money,
                "no balance",
            ),
        ] {
            assert_eq!(find(chunk), Some(ModelError::new(class, message)), "{chunk}");
        }
    }
}
