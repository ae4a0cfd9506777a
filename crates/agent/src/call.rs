//! The call gate: one call of one tool, from its arguments to its outcome.
//!
//! Current tool, arguments, policy, approval, run, outcome: whoever makes a call ([`Caller`](sidecar_protocol::tool::Caller)),
//! it goes this way and no other. The gate knows nothing of turns and models. What it needs of its caller is a
//! [`CallRecorder`], to which it writes before each effect and after it. What was written so far says how a call goes on
//! ([`CallState::stage`]), in a worker that runs as in one that takes the call up from another that died.

mod approve;
mod edits;
mod event;
mod examine;
mod gate;
mod judge;
pub mod policy;
mod record;
mod run;
mod stage;
mod tool_call;
mod user;
mod waits;

#[cfg(test)]
mod tests;

pub use event::CallEvent;
pub use gate::{Exit, Gate, Run};
pub use policy::Signals;
pub use record::{CallRecorder, MemoryRecorder};
pub use stage::{CallStage, CallState};
pub use tool_call::{Callee, ToolCall};
pub use user::{User, UserCommand, UserDecision};
pub use waits::{Interaction, WaitHistory};
