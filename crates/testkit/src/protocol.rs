//! The protocols of the server. Each reads its requests into the one form that scenarios see, refuses what
//! the services refuse, and serialises the answers of scenarios.

use serde_json::{Value, json};

use self::framing::{data, line, named};
use crate::answer::ScriptedAnswer;
use crate::refusal::ServiceRefusal;
use crate::request::ReceivedRequest;
use crate::service::{Protocol, Service};
use crate::stamp::Stamp;

pub(crate) mod chat;
mod framing;
pub(crate) mod gemini;
pub(crate) mod messages;
pub(crate) mod ollama;
pub(crate) mod responses;

impl Protocol {
    /// Reads a body; `model` is from the path, in protocols that have it there.
    pub(crate) fn read(
        self,
        service: &Service,
        model: &str,
        body: &Value,
    ) -> Result<ReceivedRequest, ServiceRefusal> {
        match self {
            Self::Chat => chat::request::read(service, body),
            Self::Responses => responses::read(body),
            Self::Messages => messages::read(body),
            Self::GenerateContent => gemini::read(model, body),
            Self::Ollama => ollama::read(body),
        }
    }

    /// The events of a stream, each as it is sent.
    pub(crate) fn events(
        self,
        service: &Service,
        request: &ReceivedRequest,
        answer: &ScriptedAnswer,
        stamp: &Stamp,
        per_event: usize,
    ) -> Vec<String> {
        match self {
            Self::Chat => chat::stream::events(service, request, answer, stamp, per_event),
            Self::Responses => responses::events(request, answer, stamp, per_event),
            Self::Messages => messages::events(request, answer, stamp, per_event),
            Self::GenerateContent => gemini::events(request, answer, stamp, per_event),
            Self::Ollama => ollama::events(request, answer, stamp, per_event),
        }
    }

    /// An error that replaces an event.
    pub(crate) fn error_event(self, service: &Service, refusal: &ServiceRefusal) -> String {
        let body = refusal.body(service.errors);
        match self {
            Self::Chat | Self::GenerateContent => data(&body),
            Self::Responses => named(&json!({
                "type": "error", "code": refusal.code, "message": refusal.message, "param": null,
            })),
            Self::Messages => named(&body),
            Self::Ollama => line(&body),
        }
    }

    /// A keep-alive; empty if the protocol has none.
    pub(crate) fn keep_alive(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses | Self::GenerateContent => ": keep-alive\n\n",
            Self::Messages => "event: ping\ndata: {\"type\":\"ping\"}\n\n",
            Self::Ollama => "",
        }
    }

    /// The content type of a stream.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses | Self::Messages | Self::GenerateContent => {
                "text/event-stream; charset=utf-8"
            }
            Self::Ollama => "application/x-ndjson",
        }
    }

    /// The list of models.
    pub(crate) fn models<'a>(self, names: impl Iterator<Item = &'a str>) -> Value {
        match self {
            Self::Chat | Self::Responses => {
                let model = |name| json!({"id": name, "object": "model", "owned_by": "scripted"});
                json!({"object": "list", "data": names.map(model).collect::<Vec<_>>()})
            }
            Self::Messages => {
                let model = |name| json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"});
                json!({"data": names.map(model).collect::<Vec<_>>(), "has_more": false})
            }
            Self::GenerateContent => {
                let model = |name: &str| {
                    json!({"name": format!("models/{name}"), "displayName": name, "inputTokenLimit": 1_048_576,
                           "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"]})
                };
                json!({"models": names.map(model).collect::<Vec<_>>()})
            }
            Self::Ollama => {
                let model = |name: &str| json!({"name": name, "model": name, "size": 1, "details": {"family": "scripted"}});
                json!({"models": names.map(model).collect::<Vec<_>>()})
            }
        }
    }
}
