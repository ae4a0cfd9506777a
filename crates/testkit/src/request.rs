//! A request to a model, in whatever protocol it came: what scenarios see of it.

use serde_json::Value;

/// A request that the real service would take.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// Names the scenario.
    pub model: String,
    /// The conversation, oldest first; never empty.
    pub messages: Vec<ReceivedMessage>,
    /// Names of the functions offered.
    pub tools: Vec<String>,
    /// The JSON Schema to which the answer is held.
    pub constraint: Option<Value>,
    /// Answer as server-sent events, or as one JSON object.
    pub stream: bool,
    /// Whether the answer tells its tokens.
    pub include_usage: bool,
    /// Whether the model reasons before it answers; on unless it was switched off.
    pub thinking: bool,
    /// Whether it lets its thoughts be seen.
    pub shows_thoughts: bool,
    /// Cut the answer after so many tokens.
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
        /// Its text; empty where there was none.
        content: String,
        /// The calls it made.
        calls: Vec<EarlierCall>,
    },
    /// What came of a call.
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
    /// JSON text, as sent; may be broken.
    pub arguments: String,
}
