//! All that is said to a model in one request, whichever service it goes to.

use sidecar_protocol::settings::Effort;

use crate::conversation::message::{Message, ToolDefinition};

/// All that one request says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// As the provider spells it.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call; may be empty.
    pub tools: Vec<ToolDefinition>,
    /// 0 to 2; the provider's own when absent. Lowered to the most that the service takes, and left out for models that
    /// take none.
    pub temperature: Option<f64>,
    /// Most tokens of the answer; the provider's own when absent.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; the provider's own when absent.
    pub effort: Option<Effort>,
    /// Whether the model must call a tool; as it likes when absent.
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls in one answer; the provider's own when absent. Sent only to services
    /// that know it.
    pub parallel_calls: Option<bool>,
    /// Tokens of the model's window; only Ollama asks for it, and has [`crate::protocols::ollama::DEFAULT_WINDOW`] when absent.
    pub context_window: Option<u32>,
    /// Fields that the service refused ([`crate::ModelError::refused_field`]): they are not sent, as far as a request can do
    /// without them. A dot leads into a field: `reasoning.summary`. Without `tools` ([`crate::prompted::TOOLS`]) the tools are
    /// described in words, and where the service can hold an answer to a schema, it is asked to.
    pub leave_out: Vec<String>,
}

/// Whether a model must call a tool. Where the service cannot be told so, the request does what it can: it offers no
/// tool, or only the one that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// It must call none.
    None,
    /// It must call one.
    Required,
    /// It must call the one of this name.
    Named(String),
}
