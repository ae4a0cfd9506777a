//! Talking to models: what is said, how a request looks on the wire, how an answer is read from its stream, and what
//! a failure means.
//!
//! Pure: no I/O, no clock, no async. The transport sends [`HttpRequest`]s, feeds the bytes that come back to a
//! [`Decoder`], and hands refusals to [`classify`]; everything else is the agent's.
//!
//! One wire protocol is spoken, OpenAI Chat Completions, in the [`dialect`] that the endpoint understands.

pub mod base_url;
mod calls;
pub mod decoder;
pub mod dialect;
pub mod errors;
pub mod event;
mod frames;
pub mod message;
mod parameters;
pub mod providers;
pub mod request;
pub mod retry;
mod usage;

pub use base_url::{BaseUrl, BaseUrlError, check_base_url};
pub use decoder::{Answer, Decoder, Partial};
pub use errors::classify;
pub use event::{FinishReason, ModelEvent};
pub use message::{CallRecord, Message, ToolDefinition};
pub use providers::{preset, presets};
pub use request::{ChatRequest, Endpoint, HttpRequest, RequestError, build};
pub use retry::{MAX_ATTEMPTS, retry_delay_ms};

pub use sidecar_protocol::error::{ErrorClass, ModelError};
pub use sidecar_protocol::settings::{ProviderId, ProviderPreset};
pub use sidecar_protocol::thread::Usage;
