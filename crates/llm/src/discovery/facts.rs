//! Asks a server whether a model supports tool calls.

use serde_json::Value;

use crate::dialects::{self, FactsSource, KeyHeader};
use crate::providers::base_url::check_base_url;
use crate::request::endpoint::Endpoint;
use crate::request::percent::encoded;

/// A request for a model's capabilities. It contains no key: the transport adds the header that
/// `key_header` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsRequest {
    /// The complete URL.
    pub url: String,
    /// Lower-case names, and values.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub key_header: KeyHeader,
    /// JSON text for a POST; absent for a GET.
    pub body: Option<String>,
}

/// The request for a model's capabilities; `None` if the service has none, or the address is invalid.
#[must_use]
pub fn facts_request(endpoint: &Endpoint, model: &str) -> Option<FactsRequest> {
    let address = check_base_url(&endpoint.base_url).ok()?;
    let dialect = dialects::of(&endpoint.provider, &address);
    let address = address.to_string();
    let root = address.strip_suffix("/v1").unwrap_or(&address);
    let (url, body) = match dialect.facts? {
        // A server with one model ignores the name; one with many must not load the model for this.
        FactsSource::Props => (format!("{root}/props?model={}&autoload=false", encoded(model)), None),
        FactsSource::Show => {
            (format!("{root}/api/show"), Some(serde_json::json!({ "model": model }).to_string()))
        }
    };
    let content = body.is_some().then_some(("content-type", "application/json"));
    let headers = [("accept", "application/json")].into_iter().chain(content);
    Some(FactsRequest {
        url,
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        key_header: dialect.key_header,
        body,
    })
}

/// What a model can do; what its server does not say is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelAbilities {
    /// Whether it supports tool calls.
    pub takes_tools: Option<bool>,
    /// Whether it sees pictures.
    pub sees: Option<bool>,
}

/// A model's abilities, from the response: `capabilities` of Ollama, `chat_template_caps` and `modalities` of llama.cpp.
#[must_use]
pub fn abilities(body: &str) -> ModelAbilities {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let said = |pointer: &str| value.pointer(pointer).and_then(Value::as_bool);
    let listed = value.get("capabilities").and_then(Value::as_array);
    let has = |ability: &str| listed.map(|listed| listed.iter().any(|one| one == ability));
    ModelAbilities {
        takes_tools: said("/chat_template_caps/supports_tools").or_else(|| has("tools")),
        sees: said("/modalities/vision").or_else(|| has("vision")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::endpoint;

    #[test]
    fn facts_request_has_the_form_of_each_server() {
        let asked = |provider: &str, base_url: &str| {
            let request = facts_request(&endpoint(provider, base_url), "qwen 3:4b")?;
            assert_eq!(request.headers.len(), 1 + usize::from(request.body.is_some()));
            Some((request.url, request.body))
        };
        let show = Some(r#"{"model":"qwen 3:4b"}"#.to_owned());
        for (provider, base_url, expected) in [
            (
                "llama-server",
                "http://localhost:8080/v1",
                Some(("http://localhost:8080/props?model=qwen%203%3A4b&autoload=false", None)),
            ),
            ("ollama", "http://localhost:11434", Some(("http://localhost:11434/api/show", show.clone()))),
            ("ollama", "http://localhost:11434/v1", Some(("http://localhost:11434/api/show", show))),
            ("vllm", "http://localhost:8000/v1", None),
            ("custom", "https://llm.example/v1", None),
            ("llama-server", "no address", None),
        ] {
            let expected = expected.map(|(url, body)| (url.to_owned(), body));
            assert_eq!(asked(provider, base_url), expected, "{provider} {base_url}");
        }
    }

    #[test]
    fn facts_are_read_from_each_servers_answer() {
        for (body, takes_tools, sees) in [
            (
                json!({"chat_template_caps": {"supports_tools": true, "supports_tool_calls": true}}),
                Some(true),
                None,
            ),
            (
                json!({"chat_template_caps": {"supports_tools": false}, "modalities": {"vision": true, "audio": false}}),
                Some(false),
                Some(true),
            ),
            (json!({"modalities": {"vision": false}}), None, Some(false)),
            (json!({"capabilities": ["completion", "tools"], "details": {}}), Some(true), Some(false)),
            (json!({"capabilities": ["completion", "vision"]}), Some(false), Some(true)),
            (json!({"chat_template": "…"}), None, None),
            (json!({"capabilities": "tools", "modalities": ["vision"]}), None, None),
            (json!([]), None, None),
        ] {
            assert_eq!(abilities(&body.to_string()), ModelAbilities { takes_tools, sees }, "{body}");
        }
        assert_eq!(abilities("404 page not found"), ModelAbilities::default());
    }
}
