//! Talking to models: what is said, how a request looks on the wire, how an answer is read from its stream, and what
//! a failure means.
//!
//! Pure: no I/O, no clock, no async. The transport sends [`HttpRequest`]s, feeds the bytes that come back to a
//! [`Decoder`], and hands refusals to [`refusal()`]; everything else is the agent's.
//!
//! Several protocols are spoken ([`WireProtocol`]), each in the [`dialect`] that the endpoint understands. They share
//! what is said ([`ChatRequest`]) and what is heard ([`ModelEvent`], [`Answer`]), so that the agent has one way to go.

mod answer;
mod anthropic;
pub mod arguments;
pub mod base_url;
mod calls;
mod chat;
mod chat_request;
pub mod decoder;
pub mod dialect;
pub mod echo;
mod endpoint;
pub mod errors;
pub mod event;
pub mod facts;
mod frames;
mod gemini;
mod heard;
mod history;
pub mod in_words;
pub mod leak;
pub mod message;
pub mod models;
pub mod names;
pub mod ollama;
mod parameters;
mod percent;
mod plan;
pub mod providers;
pub mod refusal;
pub mod replay;
pub mod request;
mod responses;
pub mod retry;
#[cfg(test)]
mod testing;
mod thoughts;
pub mod tokens;
mod usage;
pub mod wire;

pub use answer::{Answer, Partial};
pub use base_url::{BaseUrl, BaseUrlError, check_base_url};
pub use chat_request::{ChatRequest, ToolChoice};
pub use decoder::Decoder;
pub use dialect::{Constraint, KeyHeader};
pub use echo::{Echo, Source};
pub use endpoint::{Endpoint, efforts};
pub use errors::classify;
pub use event::{FinishReason, ModelEvent, Notice};
pub use facts::{FactsRequest, facts_request, takes_tools};
pub use leak::{Leak, Markup};
pub use message::{CallRecord, Message, ToolDefinition};
pub use models::{ListRequest, list_request, read_list};
pub use plan::RequestError;
pub use providers::{Provider, preset, presets, providers};
pub use refusal::refusal;
pub use request::{HttpRequest, build};
pub use retry::{MAX_ATTEMPTS, retry_delay_ms};
pub use wire::WireProtocol;

pub use sidecar_protocol::error::{Cause, ErrorClass, ModelError};
pub use sidecar_protocol::settings::{Effort, ProviderId, ProviderPreset, ToolForm};
pub use sidecar_protocol::thread::{Repair, Usage};
