//! Talks to models: builds requests, decodes streamed answers, classifies failures.
//!
//! Pure: no I/O, no clock, no async. The transport sends [`HttpRequest`]s, feeds the response bytes to a
//! [`Decoder`], and passes error responses to [`refusal()`]; everything else is the agent's.
//!
//! Several protocols are supported ([`WireProtocol`]), each in the [`dialects`] of its endpoints. They
//! share one form of a request ([`ChatRequest`]) and of an answer ([`ModelEvent`], [`ModelAnswer`]), so
//! that the agent has a single code path.

mod conversation;
mod decode;
mod dialects;
mod discovery;
mod errors;
mod inline_calls;
pub mod prompted;
mod protocols;
pub mod providers;
pub mod replay;
mod request;
#[cfg(test)]
mod testing;
mod tools;
mod wire;

pub use conversation::image::Image;
pub use conversation::message::{CallRecord, Message, ToolDefinition};
pub use conversation::provider_state::{AnswerSource, ProviderState};
pub use decode::answer::{ModelAnswer, Partial};
pub use decode::decoder::Decoder;
pub use decode::event::{FinishReason, ModelEvent, Notice};
pub use dialects::{Constraint, KeyHeader};
pub use discovery::facts::{FactsRequest, ModelAbilities, abilities, facts_request};
pub use discovery::models::{ListRequest, list_request, listed, read_list};
pub use discovery::sight::sees;
pub use errors::classify;
pub use errors::refusal::{PICTURES, refusal};
pub use errors::retry::{MAX_ATTEMPTS, retry_delay_ms};
pub use inline_calls::markup::{InlineCalls, Markup};
pub use providers::base_url::{BaseUrl, BaseUrlError, check_base_url};
pub use providers::{Provider, preset, presets, providers};
pub use request::chat_request::{ChatRequest, ToolChoice};
pub use request::endpoint::{Endpoint, efforts};
pub use request::plan::RequestError;
pub use request::tokens;
pub use request::{HttpRequest, build};
pub use tools::{arguments, names};
pub use wire::WireProtocol;

pub use sidecar_protocol::error::{Cause, ErrorClass, ModelError};
pub use sidecar_protocol::settings::{Effort, ProviderId, ProviderPreset, ToolForm};
pub use sidecar_protocol::thread::{Repair, Usage};
