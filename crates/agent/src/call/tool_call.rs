//! The call that a caller hands to the gate.

use sidecar_protocol::CallId;
use sidecar_protocol::tool::Caller;

use crate::log::{Call, Target};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id, which is never reused: one id never runs twice in one document.
    pub id: CallId,
    /// The caller.
    pub caller: Caller,
    /// A tool, or the user.
    pub callee: Callee,
    /// JSON text of the arguments.
    pub arguments: String,
    /// Whether the arguments were checked by the schema in the target's definition.
    pub is_checked: bool,
    /// Whether anything in it was repaired.
    pub is_repaired: bool,
    /// Whether the user, who makes it by hand, knows that its tool is switched off.
    pub knows_off: bool,
    /// Whether the user, who started the eval that makes it, agreed beforehand to what they would be asked about.
    pub is_agreed: bool,
}

/// Whom a call addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// A tool, with the definition that the caller knew.
    Tool(Target),
    /// The user, who is asked a question: the answer is the outcome.
    User,
}

impl ToolCall {
    /// A call of a tool that its caller made by itself, in no turn. Nobody has checked its arguments.
    #[must_use]
    pub fn direct(id: CallId, caller: Caller, target: Target, arguments: String) -> Self {
        let callee = Callee::Tool(target);
        Self {
            id,
            caller,
            callee,
            arguments,
            is_checked: false,
            is_repaired: false,
            knows_off: false,
            is_agreed: false,
        }
    }
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
            knows_off: false,
            is_agreed: false,
        }
    }
}
