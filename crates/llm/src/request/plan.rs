//! Applies a dialect to a request.

use std::collections::HashSet;

use serde_json::{Map, Value};
use sidecar_protocol::settings::Effort;

use crate::conversation::message::ToolDefinition;
use crate::conversation::steps::{self, ConversationStep};
use crate::dialects::{Dialect, ForcedChoice};
use crate::prompted::AnswerSchema;
use crate::providers::base_url::{BaseUrl, BaseUrlError};
use crate::request::chat_request::{ChatRequest, ToolChoice};

/// Why a request cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The endpoint's address is not usable.
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    /// No model is set.
    #[error("no model is chosen: name one in the settings")]
    NoModel,
    /// Not a number from 0 to 2.
    #[error("the temperature is {0}, but must be from 0 to 2: change it in the settings")]
    Temperature(f64),
    /// Two tools have this name, which services refuse.
    #[error("two tools are offered under the name `{0}`")]
    DuplicateTool(String),
    /// The request could not be written as JSON.
    #[error("the request could not be written: {0}")]
    Json(String),
}

/// A request to which its dialect was applied: the protocols only serialise it.
pub(crate) struct RequestPlan<'a> {
    pub(crate) dialect: &'a Dialect,
    pub(crate) request: &'a ChatRequest,
    pub(crate) model: &'a str,
    pub(crate) history: Vec<ConversationStep<'a>>,
    /// The tools on offer, after the tool choice was applied.
    pub(crate) tools: Vec<&'a ToolDefinition>,
    /// The tool choice to send; absent if there is none.
    pub(crate) choice: Option<&'a ToolChoice>,
    pub(crate) parallel_calls: Option<bool>,
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u32>,
    /// The schema of the answer, if the service enforces one.
    pub(crate) answers: Option<&'a AnswerSchema<'a>>,
    /// Fields that the dialect adds to the body.
    pub(crate) extra: Map<String, Value>,
}

impl<'a> RequestPlan<'a> {
    pub(crate) fn new(
        dialect: &'a Dialect,
        address: &BaseUrl,
        request: &'a ChatRequest,
    ) -> Result<Self, RequestError> {
        let model = request.model.trim();
        if model.is_empty() {
            return Err(RequestError::NoModel);
        }
        if let Some(temperature) = request.temperature.filter(|value| !(0.0..=2.0).contains(value)) {
            return Err(RequestError::Temperature(temperature));
        }
        let mut names = HashSet::new();
        if let Some(twice) = request.tools.iter().find(|tool| !names.insert(tool.name.as_str())) {
            return Err(RequestError::DuplicateTool(twice.name.clone()));
        }
        let is_sent = |field: &str| !request.leave_out.iter().any(|name| name == field);
        let (tools, choice) = choose(dialect, request, is_sent("tool_choice"));
        let mut extra = dialect.extra_fields(model, request.effort);
        for path in &request.leave_out {
            remove(&mut extra, path);
        }
        Ok(Self {
            dialect,
            request,
            model,
            history: steps::read(&request.messages, &dialect.source(address)),
            choice,
            parallel_calls: request
                .parallel_calls
                .filter(|_| dialect.parallel_calls && !tools.is_empty() && is_sent("parallel_tool_calls")),
            tools,
            temperature: request
                .temperature
                .filter(|_| is_sent("temperature") && !dialect.has_fixed_sampling(model))
                .map(|value| value.min(dialect.hottest)),
            max_tokens: request.max_tokens,
            answers: None,
            extra,
        })
    }

    /// Whether a field may be sent.
    pub(crate) fn sends(&self, field: &str) -> bool {
        !self.request.leave_out.iter().any(|name| name == field)
    }
}

/// The tools on offer and the tool choice to send.
fn choose<'a>(
    dialect: &Dialect,
    request: &'a ChatRequest,
    is_sent: bool,
) -> (Vec<&'a ToolDefinition>, Option<&'a ToolChoice>) {
    let mut tools: Vec<_> = request.tools.iter().collect();
    let can_force = match dialect.forced {
        ForcedChoice::Yes => true,
        ForcedChoice::WithoutThinking => request.effort == Some(Effort::Off),
        ForcedChoice::No => false,
    };
    let choice = request.tool_choice.as_ref().filter(|choice| {
        let is_known = is_sent
            && match choice {
                ToolChoice::None => dialect.none_choice,
                ToolChoice::Required | ToolChoice::Named(_) => can_force,
            };
        if !is_known {
            match choice {
                ToolChoice::None => tools.clear(),
                ToolChoice::Required => {}
                ToolChoice::Named(name) => tools.retain(|tool| tool.name == *name),
            }
        }
        is_known
    });
    let choice = choice.filter(|_| !tools.is_empty());
    (tools, choice)
}

/// Removes a field; a dot selects a nested one.
fn remove(fields: &mut Map<String, Value>, path: &str) {
    match path.split_once('.') {
        None => {
            fields.remove(path);
        }
        Some((head, rest)) => {
            if let Some(Value::Object(inner)) = fields.get_mut(head) {
                remove(inner, rest);
            }
        }
    }
}
