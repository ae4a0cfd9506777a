//! A scripted model server: real HTTP on loopback that behaves on the wire as the models' services do, each in its own
//! protocol and dialect, with answers from scenario files. For the demo without a key and for tests; no part of the extension.
//!
//! It is an independent reading of the wire: it shares no code with the product that talks to it, and it refuses, loudly,
//! what the real services refuse.
//!
//! ```no_run
//! use std::path::Path;
//! use sidecar_testkit::{ServerOptions, Scenarios, ScriptedModel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start(ServerOptions::new(Scenarios::load(Path::new("tests/scenarios"))?))?;
//! println!("{}", model.url());
//! # Ok(()) }
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
