//! Finds the cause of an error response, where more is known than its class.

use serde_json::Value;
use sidecar_protocol::error::{Cause, ErrorClass, ModelError};

use crate::dialects::{self, Constraint};
use crate::errors::classify;
use crate::providers::base_url::check_base_url;
use crate::request::endpoint::Endpoint;

/// Request fields that can be left out. If one contains another, the longer name comes first.
const FIELDS: [&str; 23] = [
    "reasoning.summary",
    "reasoning.effort",
    "reasoning_content",
    "reasoning_effort",
    "reasoning_split",
    "reasoning",
    "parallel_tool_calls",
    "tool_choice",
    "stream_options",
    "temperature",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "include",
    "store",
    "chat_template_kwargs",
    "enable_thinking",
    "thinking_budget",
    "thinkingConfig",
    "output_config",
    "thinking",
    "think",
    "strict",
];

/// How services say that they do not accept a field.
const REFUSED: [&str; 12] = [
    "unsupported",  // OpenAI, Groq
    "not support",  // "is not supported", "does not support"
    "unknown",      // OpenAI; Google's "Unknown name"
    "unrecognized", // OpenAI's older "Unrecognized request argument supplied"
    "unexpected",
    "extra inputs are not permitted", // FastAPI: Mistral, vLLM, Anthropic
    "extra_forbidden",
    "not permitted",
    "not allowed",
    "deprecated",        // Anthropic: "`temperature` is deprecated for this model"
    "cannot find field", // Google
    "invalid parameter",
];

/// How servers say that they cannot constrain an answer to a schema, and the field that requested it. Some
/// say so with status 500.
const NO_SCHEMA: [(&str, Constraint); 4] = [
    ("response_format", Constraint::ResponseFormat), // LM Studio, older llama-server, vLLM, services
    ("json_schema", Constraint::ResponseFormat),     // llama-server
    ("schema in format", Constraint::Format),        // Ollama: "invalid JSON schema in format"
    ("invalid format", Constraint::Format),          // Ollama
];

/// How servers say that they or their model do not support tool calls.
const NO_TOOLS: [&str; 3] = [
    "does not support tools",             // Ollama
    "tools param requires --jinja",       // llama-server
    "requires --enable-auto-tool-choice", // vLLM
];

/// The field that counts as refused where a service, or a model, takes no pictures.
pub const PICTURES: &str = "image_url";

/// How services name pictures when they say so.
const PICTURE_WORDS: [&str; 5] = ["image_url", "image input", "images", "multimodal", "vision"];

/// Ollama's default port; people enter its address as any OpenAI-compatible one.
const OLLAMA_PORT: &str = ":11434";

/// Reads an error response like [`classify`], and adds the cause, with what is known of the endpoint.
#[must_use]
pub fn refusal(
    endpoint: &Endpoint,
    status: u16,
    headers: &dyn Fn(&str) -> Option<String>,
    body: &str,
) -> ModelError {
    let error = classify(status, headers, body);
    let address = check_base_url(&endpoint.base_url).ok();
    let dialect = address.as_ref().map(|address| dialects::of(&endpoint.provider, address));
    let is_ollama = dialect.is_some_and(|dialect| dialect.checks_origin)
        || address.is_some_and(|address| address.origin().ends_with(OLLAMA_PORT));
    // The body is empty. https://github.com/ollama/ollama/blob/main/docs/faq.md
    if status == 403 && is_ollama {
        let message = "Ollama takes no requests from browser extensions unless it is started with \
                       OLLAMA_ORIGINS=chrome-extension://*";
        let cause = Some(Cause::Origin);
        return ModelError { class: ErrorClass::Protocol, message: message.to_owned(), cause, ..error };
    }
    let cause = match error.class {
        ErrorClass::Auth => dialect.filter(|dialect| dialect.separate_keys).map(|_| Cause::OtherPlatform),
        ErrorClass::Protocol | ErrorClass::Overload => cause(status, &error.message, body),
        ErrorClass::NoKey
        | ErrorClass::Money
        | ErrorClass::Rate
        | ErrorClass::Context
        | ErrorClass::Filter
        | ErrorClass::Network
        | ErrorClass::StreamCut => None,
    };
    ModelError { cause, ..error }
}

fn cause(status: u16, message: &str, body: &str) -> Option<Cause> {
    let message = message.to_lowercase();
    if NO_TOOLS.iter().any(|phrase| message.contains(phrase)) {
        return Some(Cause::NoTools);
    }
    if let Some((_, constraint)) = NO_SCHEMA.iter().find(|(phrase, _)| message.contains(phrase)) {
        return Some(Cause::Field(constraint.field().to_owned()));
    }
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let body = body.get(0).unwrap_or(&body);
    if matches!(status, 400 | 422)
        && let Some(field) = refused_field(&message, body)
    {
        return Some(Cause::Field(field.to_owned()));
    }
    // OpenRouter: "No endpoints found that support image input", with status 404.
    let is_about_pictures = PICTURE_WORDS.iter().any(|word| message.contains(word));
    if is_about_pictures && matches!(status, 400 | 404 | 415 | 422) && (status == 404 || is_refusal(&message))
    {
        return Some(Cause::Field(PICTURES.to_owned()));
    }
    let code = body.pointer("/error/code").or_else(|| body.get("code")).and_then(Value::as_str);
    let is_unknown_model = (status == 404 && message.contains("model"))
        || code.is_some_and(|code| {
            // OpenAI's, GLM's and Ark's.
            matches!(code, "model_not_found" | "1211" | "InvalidEndpointOrModel.NotFound")
        });
    is_unknown_model.then_some(Cause::Model)
}

/// The field that a service names, in a field of its own or in its message.
fn refused_field(message: &str, body: &Value) -> Option<&'static str> {
    let known = |name: &str| FIELDS.into_iter().find(|field| *field == name);
    let parameter = body.pointer("/error/param").or_else(|| body.get("param")).and_then(Value::as_str);
    if let Some(field) = parameter.and_then(known) {
        return Some(field);
    }
    // FastAPI: the place in the request, and what is wrong there.
    let details = body.get("detail").and_then(Value::as_array).into_iter().flatten();
    let place = |detail: &Value| known(detail.get("loc")?.as_array()?.last()?.as_str()?);
    if let Some(field) =
        details.filter(|detail| is_refusal(&detail.to_string().to_lowercase())).find_map(place)
    {
        return Some(field);
    }
    if !is_refusal(message) {
        return None;
    }
    // Ollama: `"name" does not support thinking`; the field is `think`.
    if message.ends_with("does not support thinking") {
        return known("think");
    }
    FIELDS.into_iter().find(|field| names(message, &field.to_lowercase()))
}

fn is_refusal(text: &str) -> bool {
    REFUSED.iter().any(|phrase| text.contains(phrase))
}

/// Whether a text names a field, and not just a longer word that contains its name. A name that is also an
/// English word counts only in quotes.
fn names(text: &str, field: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_quote = |c: Option<char>| c.is_some_and(|c| matches!(c, '\'' | '"' | '`'));
    let is_plain = !field.contains(['_', '.']);
    text.match_indices(field).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + field.len()..].chars().next();
        if is_plain {
            is_quote(before) && is_quote(after)
        } else {
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::endpoint;

    fn read(provider: &str, base_url: &str, status: u16, body: &str) -> ModelError {
        refusal(&endpoint(provider, base_url), status, &|_| None, body)
    }

    #[test]
    fn refused_fields_are_named() {
        for (body, field) in [
            (
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
                Some("max_tokens"),
            ),
            (
                r#"{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}"#,
                Some("include"),
            ),
            (
                r#"{"error":{"message":"Unsupported parameter: 'reasoning.summary'"}}"#,
                Some("reasoning.summary"),
            ),
            (
                r#"{"error":{"message":"Unrecognized request argument supplied: parallel_tool_calls"}}"#,
                Some("parallel_tool_calls"),
            ),
            (
                r#"{"error":{"message":"'messages.1' : property 'reasoning_content' is unsupported"}}"#,
                Some("reasoning_content"),
            ),
            (
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
                Some("stream_options"),
            ),
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model."}}"#,
                Some("temperature"),
            ),
            (
                r#"{"error":{"message":"thinking: Extra inputs are not permitted, see \"thinking\""}}"#,
                Some("thinking"),
            ),
            (r#"{"error":"\"qwen2:7b\" does not support thinking"}"#, Some("think")),
            (
                r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"thinkingConfig\" at 'generation_config': Cannot find field."}}]"#,
                Some("thinkingConfig"),
            ),
            (
                r#"{"error":{"message":"messages[1].content: unknown variant `image_url`, expected `text`"}}"#,
                Some(PICTURES),
            ),
            (r#"{"error":{"message":"This model does not support image inputs."}}"#, Some(PICTURES)),
            (r#"{"error":{"message":"images must be smaller than 20 MB"}}"#, None),
            // Words that are not names of fields, and fields that a request cannot do without.
            (r#"{"error":{"message":"this reasoning model is not supported in your store"}}"#, None),
            (r#"{"error":{"message":"Unsupported parameter: 'messages'","param":"messages"}}"#, None),
            (r#"{"error":{"message":"max_tokens must be positive"}}"#, None),
            (r#"{"error":{"message":"unknown field my_max_tokens_2"}}"#, None),
            ("not json", None),
        ] {
            assert_eq!(read("custom", "https://llm.example", 400, body).refused_field(), field, "{body}");
        }
        let body = r#"{"error":{"message":"Unsupported parameter: 'temperature'"}}"#;
        assert_eq!(read("custom", "https://llm.example", 500, body).refused_field(), None);
    }

    #[test]
    fn keys_of_another_platform_are_suspected() {
        let body = r#"{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}"#;
        let cause =
            |provider: &str, base_url: &str, status: u16| read(provider, base_url, status, body).cause;
        for provider in ["kimi", "qwen", "glm", "minimax"] {
            assert_eq!(cause(provider, "https://llm.example", 401), Some(Cause::OtherPlatform), "{provider}");
        }
        assert_eq!(cause("custom", "https://api.moonshot.cn/v1", 401), Some(Cause::OtherPlatform));
        assert_eq!(cause("deepseek", "https://api.deepseek.com", 401), None);
        assert_eq!(read("kimi", "https://llm.example", 429, "").cause, None);
        let minimax = r#"{"base_resp":{"status_code":1004,"status_msg":"login fail"}}"#;
        assert_eq!(read("minimax", "https://llm.example", 200, minimax).cause, Some(Cause::OtherPlatform));
    }

    #[test]
    fn ollama_says_nothing_so_we_do() {
        for (provider, base_url) in [
            ("ollama", "http://localhost:11434"),
            ("ollama", "http://192.168.1.2:9000/v1"),
            ("custom", "http://localhost:11434/v1"),
        ] {
            let refusal = read(provider, base_url, 403, "");
            assert_eq!((refusal.class, refusal.cause), (ErrorClass::Protocol, Some(Cause::Origin)));
            assert!(refusal.message.contains("OLLAMA_ORIGINS=chrome-extension://*"));
        }
        assert_eq!(read("custom", "https://llm.example", 403, "").class, ErrorClass::Auth);
    }

    #[test]
    fn models_that_are_missing_or_call_no_tools_are_told_apart() {
        let cause = |status: u16, body: &str| read("custom", "https://llm.example", status, body).cause;
        for (status, body, expected) in [
            (404, r#"{"error":"model 'x' not found"}"#, Some(Cause::Model)),
            (400, r#"{"error":{"message":"m","code":"model_not_found"}}"#, Some(Cause::Model)),
            (400, r#"{"error":{"code":"1211","message":"m"}}"#, Some(Cause::Model)),
            (404, "", None),
            (400, r#"{"error":"registry/x does not support tools"}"#, Some(Cause::NoTools)),
            (500, r#"{"error":{"message":"tools param requires --jinja flag"}}"#, Some(Cause::NoTools)),
            (
                400,
                r#"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}"#,
                Some(Cause::NoTools),
            ),
        ] {
            assert_eq!(cause(status, body), expected, "{body}");
        }
    }

    #[test]
    fn servers_that_hold_no_answer_to_a_schema_are_understood() {
        for (status, body, field) in [
            (400, r#"{"error":"'response_format.type' must be 'json_object' or 'text'"}"#, "response_format"),
            (
                500,
                r#"{"error":{"code":500,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema"}}"#,
                "response_format",
            ),
            (
                400,
                r#"{"error":{"message":"This response_format type is unavailable now"}}"#,
                "response_format",
            ),
            (
                400,
                r#"{"error":{"message":"\"json_schema\": JSON schema conversion failed"}}"#,
                "response_format",
            ),
            (500, r#"{"error":"invalid JSON schema in format"}"#, "format"),
        ] {
            assert_eq!(read("custom", "https://llm.example", status, body).refused_field(), Some(field));
        }
    }
}
