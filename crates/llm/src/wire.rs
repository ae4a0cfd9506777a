//! The wire protocols, and the one provider without a service.

use serde::{Deserialize, Serialize};

/// The provider that is not a service: the browser's own model. Its address is reserved (RFC 2606), and
/// nothing is sent there.
pub const ON_DEVICE: &str = "on-device";

/// A wire protocol: the format of requests and streams. How services differ in using it is a
/// [`crate::dialects::Dialect`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WireProtocol {
    /// OpenAI Chat Completions, which nearly every service speaks.
    /// <https://platform.openai.com/docs/api-reference/chat>
    #[default]
    ChatCompletions,
    /// OpenAI Responses, in which OpenAI's newer models support tools.
    /// <https://platform.openai.com/docs/api-reference/responses>
    Responses,
    /// Anthropic Messages. <https://docs.anthropic.com/en/api/messages>
    Messages,
    /// Gemini `streamGenerateContent`. <https://ai.google.dev/api/generate-content>
    GenerateContent,
    /// Ollama's own `/api/chat`: one JSON object per line (NDJSON) instead of server-sent events.
    /// <https://github.com/ollama/ollama/blob/main/docs/api.md>
    OllamaChat,
}

impl WireProtocol {
    /// Every protocol, for tables and tests.
    pub const ALL: [Self; 5] =
        [Self::ChatCompletions, Self::Responses, Self::Messages, Self::GenerateContent, Self::OllamaChat];
}
