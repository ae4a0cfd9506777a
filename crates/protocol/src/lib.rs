//! The messages and shared types of WebMCP Sidecar.
//!
//! Types only: no I/O, no clock, no policy. Every message is one JSON text on every leg of its way, so its
//! size can be checked before anything is parsed. `docs/protocol.md` describes the same messages for
//! readers of the JavaScript side; `cargo xtask tidy` fails when the two differ.

pub mod action;
pub mod attachment;
pub mod call_log;
pub mod connection_test;
pub mod content;
pub mod error;
pub mod eval;
pub mod guard;
pub mod history;
pub mod ids;
pub mod link;
pub mod lint;
pub mod page;
pub mod page_view;
pub mod picture;
pub mod policy;
pub mod recording;
pub mod registration;
pub mod saved;
pub mod schema;
pub mod secret;
pub mod settings;
pub mod skill;
pub mod thread;
pub mod tool;
pub mod tool_run;

pub use action::{ActionCard, ActionOutcome, Consequence, PageAccess, SensitiveSite, UserInput};
pub use error::{Cause, ErrorClass, ModelError};
pub use ids::{CallId, DocumentId, FrameId, ItemId, TabId, ThreadId, TurnId, WindowId};
pub use tool::{PageTool, Risk, Source, ToolRef};

/// Version of the messages between panel and worker, and between relay and worker. Both ends ship in one
/// package, so a difference means that an old panel or an orphaned relay is still around.
pub const PROTOCOL_VERSION: u32 = 1;

/// A moment, in milliseconds since the Unix epoch.
pub type Timestamp = u64;
