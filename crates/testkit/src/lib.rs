//! A scripted model server: real HTTP and server-sent events on loopback that behave as DeepSeek does on the wire, with
//! answers from scenario files. For the demo without a key and for tests; no part of the extension.
//!
//! It is an independent reading of the wire: it shares no code with the product that talks to it, and it refuses, loudly,
//! what the real service refuses.
//!
//! ```no_run
//! use std::path::Path;
//! use sidecar_testkit::{Options, Scenarios, ScriptedModel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start(Options::new(Scenarios::load(Path::new("tests/scenarios"))?))?;
//! println!("{}", model.url());
//! # Ok(()) }
//! ```

pub mod delivery;
pub mod fault;
pub mod journal;
pub mod scenario;
pub mod text;

mod answer;
mod calls;
mod chat;
mod control;
mod pieces;
mod playback;
mod refusal;
mod request;
mod server;
mod trip;
mod view;
mod wire;

pub use fault::Fault;
pub use journal::{Entry, KeyCheck, Phase, Until, WaitError};
pub use scenario::{ScenarioError, Scenarios};
pub use server::{DEFAULT_KEY, Options, ScriptedModel};
