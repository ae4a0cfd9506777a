//! What the agent says to a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::provider_state::ProviderState;

/// One message of a conversation, in no provider's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// The agent's instructions.
    System {
        /// Plain text.
        text: String,
    },
    /// The user's words.
    User {
        /// Plain text.
        text: String,
    },
    /// An earlier answer of the model. Any part may be empty.
    Assistant {
        /// Its thoughts, as it gave them.
        reasoning: String,
        /// Its words.
        text: String,
        /// The tools it called, in its order.
        calls: Vec<CallRecord>,
        /// What [`crate::ModelAnswer::provider_state`] had; absent where that is not known.
        #[serde(default, rename = "echo", skip_serializing_if = "Option::is_none")]
        provider_state: Option<ProviderState>,
    },
    /// What came of one call.
    Tool {
        /// [`CallRecord::id`] of the call.
        call_id: String,
        /// [`CallRecord::name`] of the call.
        name: String,
        /// The result, or what went wrong, in words for the model.
        text: String,
    },
}

/// A call as the model made it. It is sent back in the next request, so it is kept as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// The model's own id, or one that the decoder minted; differs from the other ids of the same answer.
    pub id: String,
    /// The tool's name as the model wrote it; perhaps the name of no tool.
    pub name: String,
    /// JSON text of the arguments, as the model wrote it; perhaps no JSON. `{}` where the model wrote nothing.
    pub arguments: String,
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Portable: `^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`, and no other tool of the request has it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments; `null` when the tool states none.
    pub parameters: Value,
}
