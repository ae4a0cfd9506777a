//! The call gate: one call of one tool, from its arguments to its outcome.
//!
//! Every call, whoever makes it ([`Caller`](sidecar_protocol::tool::Caller)), passes the same steps:
//! current tool, arguments, policy, approval, run, outcome. The gate knows nothing of turns and models. It
//! writes to its caller's [`CallRecorder`] before and after each effect. The record alone says how a call
//! goes on ([`CallState::stage`]), so a worker can take up a call from another that died.

mod approve;
mod edits;
mod event;
mod examine;
mod gate;
mod judge;
mod outcome;
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
pub use outcome::{no_provider, outcome_of};
pub use policy::Signals;
pub use record::{CallRecorder, MemoryRecorder};
pub use stage::{CallStage, CallState};
pub use tool_call::{Callee, ToolCall};
pub use user::{User, UserCommand, UserDecision};
pub use waits::{Interaction, WaitHistory};
