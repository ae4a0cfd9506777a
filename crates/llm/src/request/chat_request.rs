//! A request to a model, independent of the service.

use sidecar_protocol::settings::Effort;

use crate::conversation::message::{Message, ToolDefinition};

/// A request to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// As the provider spells it.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer; may be empty.
    pub tools: Vec<ToolDefinition>,
    /// 0 to 2; the provider's default when absent. Lowered to the maximum of the service, and left out for
    /// models that accept none.
    pub temperature: Option<f64>,
    /// Maximum tokens of the answer; the provider's default when absent.
    pub max_tokens: Option<u32>,
    /// Reasoning effort; the provider's default when absent.
    pub effort: Option<Effort>,
    /// Whether the model must call a tool; it decides itself when absent.
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls in one answer; the provider's default when absent. Sent
    /// only to services with such a field.
    pub parallel_calls: Option<bool>,
    /// Tokens of the model's context window. Only Ollama needs it, and gets
    /// [`crate::protocols::ollama::DEFAULT_WINDOW`] when absent.
    pub context_window: Option<u32>,
    /// Fields that the service refused ([`crate::ModelError::refused_field`]): they are left out if a
    /// request can do without them. A dot selects a nested field: `reasoning.summary`. With `tools` in it
    /// ([`crate::prompted::TOOLS`]), tools are described in the prompt, and the answer is constrained by a
    /// schema if the service supports that.
    pub leave_out: Vec<String>,
}

/// Whether a model must call a tool. If the service has no such field, the request does what it can: it
/// offers no tool, or only the named one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// It must not call a tool.
    None,
    /// It must call a tool.
    Required,
    /// It must call the tool of this name.
    Named(String),
}
