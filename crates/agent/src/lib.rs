//! The turn: one user request until the agent rests.
//!
//! A turn is a log ([`log`]). [`resume::resume`] reads the log and says what comes next; [`run::run`] does it, appends
//! what came of it, and asks again. There is no second engine: a turn that goes on after a pause, a failure or the
//! death of the worker goes the same way. Each call of a tool goes through the gate ([`call`]), of which a turn is one
//! caller. What the loop needs of the world are the four traits in [`ports`]; what the panel shows is a projection of the
//! log ([`view`]); what the model reads is another ([`prompt`]).

pub mod archive;
pub mod attached;
pub mod audit;
pub mod call;
pub mod compaction;
pub mod connection;
pub mod context;
pub mod flow;
pub mod frame;
pub mod grants;
pub mod guard;
pub mod hidden;
pub mod keys;
mod leaves;
pub mod log;
pub mod markdown;
pub mod mask;
pub mod meaning;
mod messages;
pub mod new_page;
pub mod ports;
pub mod prompt;
pub mod question;
mod repeats;
pub mod result;
pub mod resume;
pub mod rules;
pub mod run;
pub mod saved;
pub mod search;
pub mod settled;
pub mod signs;
pub mod story;
pub mod summary;
pub mod trial;
pub mod view;

#[cfg(test)]
mod testing;

pub use call::{Decided, Interaction, UserCommand};
pub use connection::Connection;
pub use context::ContextEstimate;
pub use grants::Grants;
pub use hidden::HiddenSites;
pub use keys::Keys;
pub use log::{Call, Entry, Event, PageRef, Target};
pub use ports::{Clock, CurrentTool, LlmTransport, Ports, Response, Store, StoreError, ToolHost};
pub use resume::{Next, resume};
pub use rules::Rules;
pub use run::{Told, run};
