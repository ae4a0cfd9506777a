//! The turn: one user request until the agent rests.
//!
//! A turn is a log ([`log`]). [`turn::resume::resume`] reads the log and says what comes next; [`turn::run`] does it,
//! appends what came of it, and asks again. There is no second engine: a turn that goes on after a pause, a failure or
//! the death of the worker goes the same way. Each call of a tool goes through the gate ([`call`]), of which a turn is
//! one caller. What the loop needs of the world are the four traits in [`ports`]; what the panel shows is a projection
//! of the log ([`threads::view`]); what the model reads is another ([`model_input`]).

pub mod call;
pub mod call_log;
pub mod connection;
pub mod connection_test;
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
pub use policies::grants::{self, Grants};
pub use policies::hidden::{self, HiddenSites};
pub use ports::{Clock, CurrentTool, LlmTransport, Ports, Response, Store, StoreError, ToolHost};
pub use threads::{archive, markdown, search, view};
pub use tools::{new_page, settled};
pub use turn::resume::{self, Next};
pub use turn::rules::Rules;
pub use turn::{TurnUpdate, run};
