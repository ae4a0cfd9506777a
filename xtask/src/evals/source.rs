//! Where a run has its tools from, and who answers their calls.

use std::time::{Duration, Instant};

use sidecar_evals::EvalCase;
use sidecar_evals::mocks::Mocks;
use sidecar_evals::offer::EvalOffer;
use sidecar_evals::page::PageResult;
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::reason::RunReason;
use sidecar_evals::run::OpenCall;
use sidecar_evals::tools::SuiteTool;

use super::model::EvalModel;

/// The tools of a run. What fails ends the run, and nobody judges it.
pub(super) trait ToolSource {
    /// The tools as they are now, as the model is told of them.
    fn offer(&mut self) -> Result<&EvalOffer, RunReason>;

    /// Answers a call.
    fn answer(&mut self, call: &OpenCall) -> Result<PageResult, RunReason>;

    /// How long the run may take, if that is limited.
    fn limit(&self) -> Option<TimeLimit>;
}

/// How long something may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    /// When it has to be over.
    pub until: Instant,
    time: Duration,
}

impl TimeLimit {
    /// From now on.
    pub fn of(time: Duration) -> Self {
        Self { until: Instant::now() + time, time }
    }

    /// # Errors
    /// If it is over.
    pub fn check(self) -> Result<(), RunReason> {
        if Instant::now() < self.until {
            return Ok(());
        }
        Err(RunReason::TimeLimit { seconds: self.time.as_secs_f64().ceil() as u64 })
    }
}

/// The suite, which has an answer for the calls that it expects.
pub(super) struct SuiteSource<'s> {
    offer: &'s EvalOffer,
    mocks: Mocks<'s>,
}

impl<'s> SuiteSource<'s> {
    pub fn new(offer: &'s EvalOffer, case: &'s EvalCase) -> Self {
        Self { offer, mocks: Mocks::of(&case.expected) }
    }
}

impl ToolSource for SuiteSource<'_> {
    fn offer(&mut self) -> Result<&EvalOffer, RunReason> {
        Ok(self.offer)
    }

    fn answer(&mut self, call: &OpenCall) -> Result<PageResult, RunReason> {
        Ok(PageResult::Answered(self.mocks.answer(&call.name)))
    }

    fn limit(&self) -> Option<TimeLimit> {
        None
    }
}

/// Tools as a model is told of them.
pub(super) fn offer(tools: &[SuiteTool], model: &EvalModel, prompt: &EvalPrompt) -> EvalOffer {
    EvalOffer::new(tools, &model.endpoint.schema_profile(), |text| prompt.framed(text))
}
