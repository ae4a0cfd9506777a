//! The list of a service's models.

use serde::Deserialize;
use serde_json::Value;
use sidecar_protocol::error::{ErrorClass, ModelError};
use sidecar_protocol::settings::ModelInfo;

use crate::dialects::{self, KeyHeader};
use crate::errors;
use crate::providers::base_url::check_base_url;
use crate::request::endpoint::Endpoint;
use crate::request::plan::RequestError;
use crate::wire::WireProtocol;

/// Maximum number of models that are kept. OpenRouter, which has the most, lists some hundreds.
const MODEL_LIMIT: usize = 2_000;

/// Maximum characters of a model's id or name.
const NAME_LIMIT: usize = 200;

/// A GET for the list. It contains no key: the transport adds the header that `key_header` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRequest {
    /// The complete URL.
    pub url: String,
    /// Lower-case names, and values.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub key_header: KeyHeader,
}

/// The request for an endpoint's list of models.
///
/// # Errors
/// [`RequestError::BaseUrl`]
pub fn list_request(endpoint: &Endpoint) -> Result<ListRequest, RequestError> {
    let address = check_base_url(&endpoint.base_url)?;
    let dialect = dialects::of(&endpoint.provider, &address);
    let path = match dialect.protocol {
        WireProtocol::ChatCompletions | WireProtocol::Responses => "/models",
        // https://docs.anthropic.com/en/api/models-list
        WireProtocol::Messages if address.path().ends_with("/v1") => "/models?limit=1000",
        WireProtocol::Messages => "/v1/models?limit=1000",
        // https://ai.google.dev/api/models#method:-models.list
        WireProtocol::GenerateContent if address.path().is_empty() => "/v1beta/models?pageSize=1000",
        WireProtocol::GenerateContent => "/models?pageSize=1000",
        // https://github.com/ollama/ollama/blob/main/docs/api.md#list-local-models
        WireProtocol::OllamaChat => "/api/tags",
    };
    let headers =
        dialect.protocol.headers().iter().filter(|(name, _)| !matches!(*name, "content-type" | "accept"));
    Ok(ListRequest {
        url: format!("{address}{path}"),
        headers: [("accept", "application/json")]
            .iter()
            .chain(headers)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        key_header: dialect.key_header,
    })
}

/// The models in the response to a [`ListRequest`].
///
/// # Errors
/// The service's refusal, or that of [`read_list`].
pub fn listed(
    endpoint: &Endpoint,
    status: u16,
    header: &dyn Fn(&str) -> Option<String>,
    body: &str,
) -> Result<Vec<ModelInfo>, ModelError> {
    match status {
        200..300 => read_list(body),
        _ => Err(errors::refusal::refusal(endpoint, status, header, body)),
    }
}

/// Reads a list in the format of any service, in the service's order. Models that are not for conversations
/// are left out, if the service says so.
///
/// # Errors
/// `Protocol`, or what the body says, if it is not a list.
pub fn read_list(body: &str) -> Result<Vec<ModelInfo>, ModelError> {
    let value: Value = serde_json::from_str(body).map_err(|_| errors::from_text(None, body))?;
    if let Some(error) = errors::find(&value) {
        return Err(error);
    }
    let list = [value.get("data"), value.get("models"), Some(&value)];
    let Some(list) = list.into_iter().flatten().find_map(Value::as_array) else {
        return Err(ModelError::new(ErrorClass::Protocol, "the reply is no list of models"));
    };
    let entries = list.iter().filter_map(|entry| ListedModel::deserialize(entry).ok());
    Ok(entries.filter_map(ListedModel::into_model).take(MODEL_LIMIT).collect())
}

/// One element of a list, with the fields of all services; each service sends some of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ListedModel {
    id: Value,
    /// Gemini's and Ollama's id; elsewhere a name for people.
    name: Value,
    /// Anthropic's.
    display_name: Value,
    /// Gemini's.
    #[serde(rename = "displayName")]
    gemini_name: Value,
    /// OpenRouter's, Kimi's.
    context_length: Value,
    /// vLLM's.
    max_model_len: Value,
    /// LM Studio's.
    max_context_length: Value,
    /// Anthropic's.
    max_input_tokens: Value,
    max_tokens: Value,
    #[serde(rename = "inputTokenLimit")]
    gemini_input: Value,
    #[serde(rename = "outputTokenLimit")]
    gemini_output: Value,
    #[serde(rename = "supportedGenerationMethods")]
    gemini_methods: Value,
    /// llama-server's.
    meta: Value,
    /// OpenRouter's.
    top_provider: Value,
    supported_parameters: Value,
    architecture: Value,
}

impl ListedModel {
    fn into_model(self) -> Option<ModelInfo> {
        let lists = |list: &Value, what: &str| {
            Some(list.as_array()?.iter().any(|element| element.as_str() == Some(what)))
        };
        if lists(&self.gemini_methods, "generateContent") == Some(false) {
            return None;
        }
        let id = self.id.as_str().or_else(|| self.name.as_str())?;
        let id = id.strip_prefix("models/").unwrap_or(id);
        if id.is_empty() || id.chars().count() > NAME_LIMIT || id.contains(char::is_control) {
            return None;
        }
        let names = [&self.display_name, &self.gemini_name, &self.name];
        let name = names.into_iter().find_map(Value::as_str).unwrap_or_default();
        let number = |values: &[Option<&Value>]| {
            let count = values.iter().flatten().find_map(|value| value.as_u64())?;
            u32::try_from(count).ok().filter(|count| *count > 0)
        };
        let window = number(&[
            Some(&self.context_length),
            Some(&self.max_model_len),
            Some(&self.max_context_length),
            Some(&self.max_input_tokens),
            Some(&self.gemini_input),
            // The window that the server runs with; then the one that the model was trained with.
            self.meta.get("n_ctx"),
            self.meta.get("n_ctx_train"),
        ]);
        let max_output = number(&[
            self.top_provider.get("max_completion_tokens"),
            Some(&self.gemini_output),
            Some(&self.max_tokens),
        ]);
        Some(ModelInfo {
            name: if name == id { String::new() } else { name.chars().take(NAME_LIMIT).collect() },
            id: id.to_owned(),
            window,
            max_output,
            tools: lists(&self.supported_parameters, "tools"),
            sees: lists(self.architecture.get("input_modalities").unwrap_or(&Value::Null), "image"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::endpoint;

    #[test]
    fn each_protocol_has_its_address() {
        let url = |provider: &str, base: &str| list_request(&endpoint(provider, base)).unwrap().url;
        assert_eq!(url("deepseek", "https://api.deepseek.com"), "https://api.deepseek.com/models");
        assert_eq!(url("openai", "https://api.openai.com/v1"), "https://api.openai.com/v1/models");
        assert_eq!(url("ollama", "http://localhost:11434"), "http://localhost:11434/api/tags");
        assert_eq!(
            url("gemini", "https://generativelanguage.googleapis.com/v1beta"),
            "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"
        );
        let anthropic = list_request(&endpoint("anthropic", "https://api.anthropic.com")).unwrap();
        assert_eq!(anthropic.url, "https://api.anthropic.com/v1/models?limit=1000");
        assert_eq!(anthropic.key_header, KeyHeader::XApiKey);
        let names: Vec<_> = anthropic.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["accept", "anthropic-version", "anthropic-dangerous-direct-browser-access"]);
        assert!(list_request(&endpoint("custom", "")).is_err());
    }

    #[test]
    fn response_is_a_list_or_what_the_service_refuses() {
        let endpoint = endpoint("deepseek", "https://api.deepseek.com");
        let listed = |status, body| super::listed(&endpoint, status, &|_| None, body);
        assert_eq!(listed(200, r#"{"data":[{"id":"a"}]}"#).unwrap()[0].id, "a");
        assert_eq!(listed(401, r#"{"error":{"message":"Bad key"}}"#).unwrap_err().class, ErrorClass::Auth);
    }

    #[test]
    fn lists_are_read_in_each_form() {
        let model = |id: &str, name: &str, window: Option<u32>| ModelInfo {
            id: id.to_owned(),
            name: name.to_owned(),
            window,
            ..ModelInfo::default()
        };
        for (body, expected) in [
            (
                json!({"object": "list", "data": [{"id": "a", "object": "model", "owned_by": "x"}, {"id": "b"}]}),
                vec![model("a", "", None), model("b", "", None)],
            ),
            (
                json!({"data": [{"id": "k", "context_length": 1_000, "supports_image_in": true}]}),
                vec![model("k", "", Some(1_000))],
            ),
            (
                json!({"data": [{"id": "v", "max_model_len": 9}, {"id": "l", "meta": {"n_ctx_train": 7}}]}),
                vec![model("v", "", Some(9)), model("l", "", Some(7))],
            ),
            (
                json!({"data": [{"type": "model", "id": "c", "display_name": "C"}], "has_more": false}),
                vec![model("c", "C", None)],
            ),
            (
                json!({"data": [{
                    "id": "v/m", "name": "V: M", "context_length": 5,
                    "top_provider": {"max_completion_tokens": 3}, "supported_parameters": ["tools"],
                    "architecture": {"input_modalities": ["text", "image"]},
                }, {"id": "v/b", "architecture": {"input_modalities": ["text"]}}]}),
                vec![
                    ModelInfo {
                        max_output: Some(3),
                        tools: Some(true),
                        sees: Some(true),
                        ..model("v/m", "V: M", Some(5))
                    },
                    ModelInfo { sees: Some(false), ..model("v/b", "", None) },
                ],
            ),
            (
                json!({"models": [
                    {"name": "models/g", "displayName": "G", "inputTokenLimit": 8, "outputTokenLimit": 2,
                        "supportedGenerationMethods": ["generateContent"]},
                    {"name": "models/e", "supportedGenerationMethods": ["embedContent"]},
                ]}),
                vec![ModelInfo { max_output: Some(2), ..model("g", "G", Some(8)) }],
            ),
            (
                json!({"models": [{"name": "qwen3:4b", "model": "qwen3:4b", "size": 1}]}),
                vec![model("qwen3:4b", "", None)],
            ),
            (
                json!([{"id": "t"}, 7, {"id": ""}, {"id": "x\ny"}, {"id": "x".repeat(201)}]),
                vec![model("t", "", None)],
            ),
        ] {
            assert_eq!(read_list(&body.to_string()), Ok(expected), "{body}");
        }
        let many: Vec<_> = (0..3_000).map(|n| json!({"id": n.to_string()})).collect();
        assert_eq!(read_list(&json!(many).to_string()).unwrap().len(), MODEL_LIMIT);
    }

    #[test]
    fn list_of_models_in_no_known_form_is_an_error() {
        assert_eq!(read_list("{}").unwrap_err().class, ErrorClass::Protocol);
        assert_eq!(read_list("<title>Sign in</title>").unwrap_err().message, "Sign in");
        let refused = read_list(r#"{"error":{"message":"m","code":"invalid_api_key"}}"#).unwrap_err();
        assert_eq!(refused.class, ErrorClass::Auth);
    }
}
