//! Leads a model through a run: asks it, and has its calls answered.

use std::time::Duration;

use sidecar_evals::reason::RunReason;
use sidecar_evals::run::EvalRun;
use sidecar_evals::tools::SuiteTool;
use sidecar_llm::ChatRequest;
use sidecar_schema::Validators;

use super::model::EvalModel;
use super::service::EvalService;
use super::source::{TimeLimit, ToolSource};

/// A model that is asked in a run.
pub(super) struct AskedModel<'a> {
    pub model: &'a EvalModel,
    pub service: &'a EvalService,
    /// Tokens of an answer at most.
    pub max_tokens: Option<u32>,
    /// The fields that its service does not take, as far as they are known.
    pub leave_out: Vec<String>,
    /// When the first piece of its first answer came.
    pub first_token: Option<Duration>,
}

/// Leads a run to its end.
///
/// # Errors
/// Why nobody can judge it.
pub(super) fn lead(
    run: &mut EvalRun<'_>,
    source: &mut impl ToolSource,
    asking: &mut AskedModel<'_>,
    validators: &mut Validators,
) -> Result<(), RunReason> {
    let mut check = |tool: &SuiteTool, arguments: &serde_json::Value| {
        let mistake = validators.mistake(&tool.input_schema.to_string(), &arguments.to_string())?;
        Some(mistake.text)
    };
    let limit = source.limit();
    let in_time = || limit.map_or(Ok(()), TimeLimit::check);
    let until = limit.map(|limit| limit.until);
    while !run.is_over() {
        let offer = source.offer()?;
        in_time()?;
        let request =
            ChatRequest { max_tokens: asking.max_tokens, ..run.request(&asking.model.model, offer) };
        let timed =
            asking.service.ask(asking.model, request, &mut asking.leave_out, until).map_err(|error| {
                let failed = RunReason::Model { class: error.class, message: error.message };
                in_time().err().unwrap_or(failed)
            })?;
        asking.first_token = asking.first_token.or(timed.first_token);
        run.answered(timed.answer, offer, &mut check);
        while let Some(call) = run.wanted() {
            in_time()?;
            let result = source.answer(call)?;
            run.returned(result);
        }
    }
    Ok(())
}
