//! The agent: runs turns, from a message of the user to the turn end.
//!
//! A turn is driven by its thread's log ([`log`]). [`turn::resume::resume`] reads the log and returns the
//! next step; [`turn::run`] does it, appends the result to the log, and repeats. A turn that continues
//! after a pause, a failure or the death of its worker takes the same path. Every tool call passes the gate
//! ([`call`]), and a turn is one of its callers. The traits in [`ports`] are what a turn needs of the
//! world. What the panel shows ([`threads::view`]) and what the model reads ([`model_input`]) are
//! projections of the log.

pub mod answer;
pub mod browser_tools;
pub mod call;
pub mod call_log;
pub mod connection;
pub mod connection_test;
pub mod direct;
pub mod guard;
pub mod keys;
pub mod log;
pub mod model_input;
pub mod policies;
pub mod ports;
#[cfg(test)]
mod testing;
pub mod threads;
pub mod tools;
pub mod turn;

pub use call::{Interaction, UserCommand, UserDecision};
pub use connection::Connection;
pub use guard::{fence, flow, signals};
pub use keys::Keys;
pub use log::{Call, Entry, Event, PageRef, Target, branch, saved};
pub use model_input::attached;
pub use model_input::context::{self, ContextEstimate};
pub use model_input::instructions;
pub use policies::grants::{self, Grants};
pub use policies::hidden::{self, HiddenSites};
pub use policies::{challenge, sensitive};
pub use ports::{Clock, CurrentTool, Examined, LlmTransport, Ports, Response, Store, StoreError, ToolHost};
pub use threads::{archive, markdown, recording, search, view};
pub use tools::{new_page, settled};
pub use turn::resume::{self, Next};
pub use turn::rules::Rules;
pub use turn::{TurnUpdate, run};
