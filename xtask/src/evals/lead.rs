//! Takes the steps of a run: asks the model, and has its calls made in the page.

use std::time::{Duration, Instant};

use sidecar_evals::lead::{LeadInput, LeadStep, LedRun};
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::tools::SuiteTool;
use sidecar_llm::ChatRequest;
use sidecar_schema::Validators;

use super::model::EvalModel;
use super::page::PageProgram;
use super::service::EvalService;

/// A model that is asked in a run.
pub(super) struct AskedModel<'a> {
    pub model: &'a EvalModel,
    pub service: &'a EvalService,
    /// Tokens of an answer at most.
    pub max_tokens: Option<u32>,
    /// The fields that its service does not take, as far as they are known.
    pub leave_out: Vec<String>,
    /// How long it took until the first piece of its first answer came, in milliseconds.
    pub first_ms: Option<u64>,
}

/// How long something may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    /// When it has to be over.
    until: Instant,
    time: Duration,
}

impl TimeLimit {
    /// From now on.
    pub fn of(time: Duration) -> Self {
        Self { until: Instant::now() + time, time }
    }

    /// # Errors
    /// If it is over.
    fn check(self) -> Result<(), RunReason> {
        if Instant::now() < self.until {
            return Ok(());
        }
        Err(RunReason::TimeLimit { seconds: self.time.as_secs_f64().ceil() as u64 })
    }
}

/// Leads a run to its end: in a page, if it needs one.
pub(super) fn lead(
    run: &mut LedRun<'_>,
    mut page: Option<&mut PageProgram>,
    limit: Option<TimeLimit>,
    asking: &mut AskedModel<'_>,
    validators: &mut Validators,
) -> RunRecord {
    let mut check = |tool: &SuiteTool, arguments: &serde_json::Value| {
        let mistake = validators.mistake(&tool.input_schema.to_string(), &arguments.to_string())?;
        Some(mistake.text)
    };
    let mut step = run.begin();
    loop {
        if let LeadStep::Over(record) = step {
            return *record;
        }
        let input = limit
            .map_or(Ok(()), TimeLimit::check)
            .and_then(|()| take(step, page.as_deref_mut(), limit, asking))
            .unwrap_or_else(LeadInput::Failed);
        step = run.next(input, &mut check);
    }
}

/// Takes a step.
fn take(
    step: LeadStep,
    page: Option<&mut PageProgram>,
    limit: Option<TimeLimit>,
    asking: &mut AskedModel<'_>,
) -> Result<LeadInput, RunReason> {
    let page = page.ok_or_else(|| RunReason::PageGone { why: "it was not opened".to_owned() });
    match step {
        LeadStep::Ask(request) => {
            let model = asking.model.model.clone();
            let request = ChatRequest { model, max_tokens: asking.max_tokens, ..request };
            let until = limit.map(|limit| limit.until);
            let timed =
                asking.service.ask(asking.model, request, &mut asking.leave_out, until).map_err(|error| {
                    let failed = RunReason::Model { class: error.class, message: error.message };
                    limit.and_then(|limit| limit.check().err()).unwrap_or(failed)
                })?;
            asking.first_ms = asking.first_ms.or(timed.first_ms);
            Ok(LeadInput::Answered(Box::new(timed.answer)))
        }
        LeadStep::List => Ok(LeadInput::Listed(page?.list()?)),
        LeadStep::Call { name, arguments, .. } => {
            let called = page?.call(&name, &arguments)?;
            Ok(called.map_or(LeadInput::Changed, LeadInput::Returned))
        }
        LeadStep::Look(looks) => Ok(LeadInput::Seen(page?.look(&looks)?)),
        LeadStep::Over(_) => Err(RunReason::NotJudged { why: "it is over".to_owned() }),
    }
}
