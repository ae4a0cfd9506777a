//! A call as the gate gets it.

use sidecar_protocol::CallId;
use sidecar_protocol::tool::Caller;

use crate::log::{Call, Target};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Names it for good: the same id never runs twice in one document.
    pub id: CallId,
    /// Who makes it.
    pub caller: Caller,
    /// What it is made to.
    pub callee: Callee,
    /// JSON text of the arguments.
    pub arguments: String,
    /// Whether the arguments were checked by the schema that the target's definition has.
    pub is_checked: bool,
    /// Whether something had to be put right in it to know what it means.
    pub is_repaired: bool,
}

/// What a call is made to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// A tool, as its caller knew it.
    Tool(Target),
    /// The user, who is asked a question: the answer is the outcome.
    User,
}

impl From<&Call> for ToolCall {
    fn from(call: &Call) -> Self {
        Self {
            id: call.id.clone(),
            caller: Caller::Agent,
            callee: call.target.clone().map_or(Callee::User, Callee::Tool),
            arguments: call.arguments().to_owned(),
            is_checked: true,
            is_repaired: !call.repaired.is_empty(),
        }
    }
}
