//! A scripted model server: real HTTP on loopback that behaves like the services of models, each with its
//! protocol and dialect, and takes its answers from scenario files. For the demo without a key and for
//! tests; not part of the extension.
//!
//! It is an independent implementation: it shares no code with the product that talks to it, and it refuses
//! what the real services refuse.
//!
//! ```no_run
//! use std::path::Path;
//! use sidecar_testkit::{ServerOptions, Scenarios, ScriptedModel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start(ServerOptions::new(Scenarios::load(Path::new("tests/scenarios"))?))?;
//! println!("{}", model.url());
//! # Ok(())
//! # }
//! ```

pub mod delivery;
pub mod fault;
pub mod journal;
pub mod scenario;
pub mod text;

mod answer;
mod app;
mod calls;
mod control;
mod dialect;
mod fields;
mod pieces;
mod playback;
mod protocol;
mod refusal;
mod request;
mod routes;
mod script;
mod server;
mod service;
mod stamp;
mod textual;
mod trip;
mod view;

pub use fault::Fault;
pub use journal::{AnswerPhase, JournalEntry, KeyCheck, Until, WaitError};
pub use scenario::{ScenarioError, Scenarios};
pub use server::{DEFAULT_KEY, ScriptedModel, ServerOptions};
