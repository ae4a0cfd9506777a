//! A request to a model in any protocol, as scenarios see it.

use serde_json::Value;

/// A request that the real service would accept.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// The name of the scenario.
    pub model: String,
    /// The conversation, oldest first; never empty.
    pub messages: Vec<ReceivedMessage>,
    /// Names of the functions offered.
    pub tools: Vec<String>,
    /// The JSON Schema to which the answer is constrained.
    pub constraint: Option<Value>,
    /// Answer as server-sent events, or as one JSON object.
    pub stream: bool,
    /// Whether the answer includes token usage.
    pub include_usage: bool,
    /// Whether the model reasons before it answers; on by default.
    pub thinking: bool,
    /// Whether its reasoning is visible.
    pub shows_thoughts: bool,
    /// Cut the answer after this many tokens.
    pub max_tokens: Option<u64>,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ReceivedMessage {
    /// Instructions.
    System {
        /// Their text.
        content: String,
    },
    /// What the user said.
    User {
        /// Its text.
        content: String,
    },
    /// What the model answered.
    Assistant {
        /// Its text; empty if there is none.
        content: String,
        /// Its calls.
        calls: Vec<EarlierCall>,
    },
    /// The result of a call.
    Tool {
        /// The call it answers.
        call_id: String,
        /// The result as the model reads it.
        content: String,
    },
}

/// A call that the model made earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierCall {
    /// Its id.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// JSON text as sent; may be invalid.
    pub arguments: String,
}
