//! The messages of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::image::Image;
use crate::conversation::provider_state::ProviderState;

/// One message of a conversation, independent of any provider's format.
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
        /// Its reasoning.
        reasoning: String,
        /// Its text.
        text: String,
        /// Its tool calls, in order.
        calls: Vec<CallRecord>,
        /// The [`crate::ModelAnswer::provider_state`] of the answer; absent if unknown.
        #[serde(default, rename = "echo", skip_serializing_if = "Option::is_none")]
        provider_state: Option<ProviderState>,
    },
    /// The result of one call.
    Tool {
        /// [`CallRecord::id`] of the call.
        call_id: String,
        /// [`CallRecord::name`] of the call.
        name: String,
        /// The result, or the error, as text for the model.
        text: String,
    },
    /// A picture. It stands directly behind the user's words, or the result, that it belongs to.
    Image {
        /// [`CallRecord::id`] of the call in whose result it is; absent if the user gave it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
        /// The picture.
        image: Image,
    },
}

/// A call as the model made it, unchanged, because it is sent back in the next request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// The model's id, or one that the decoder minted; unique within its answer.
    pub id: String,
    /// The tool's name as the model wrote it; possibly of no tool.
    pub name: String,
    /// JSON text of the arguments as the model wrote it; possibly invalid. `{}` if the model wrote nothing.
    pub arguments: String,
}

/// The definition of a tool that is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Matches `^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`, which every service accepts; unique within a request.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of the arguments; `null` if the tool gives none.
    pub parameters: Value,
}
