//! The gate: takes a call from its current stage to its outcome.

use sidecar_protocol::Timestamp;
use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

use super::event::CallEvent;
use super::record::CallRecorder;
use super::stage::CallStage;
use super::tool_call::ToolCall;
use super::user::User;
use crate::keys::Keys;
use crate::ports::{Clock, StoreError, ToolHost};
use crate::tools::settled::Seen;

/// Everything that one call needs.
#[derive(Debug)]
pub struct Gate<'g, 'u, H, C, R> {
    /// The tools.
    pub tools: &'g H,
    /// The clock.
    pub clock: &'g C,
    /// The user's keys, which are removed from what tools return.
    pub keys: &'g Keys,
    /// How long a tool may run, and how much of its result a model is given.
    pub limits: Limits,
    /// The user.
    pub user: &'g mut User<'u>,
    /// The record of the call.
    pub record: &'g mut R,
}

/// How a call leaves the gate.
#[derive(Debug, PartialEq, Eq)]
pub enum Exit {
    /// It has its outcome. With the run, if its tool ran just now.
    Done(Option<Run>),
    /// The user stopped; the outcome has been written.
    Stopped,
    /// The user lifted the guard, which the caller has to handle ([`User::lifts_guard`]). Then the call can
    /// be resumed.
    GuardLifted,
}

/// The page around a tool's run. From it a caller knows how long to wait for what the call brings
/// ([`crate::tools::settled`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The page before the call.
    pub before: Seen,
    /// When the tool ended.
    pub ended: Timestamp,
    /// Whether the page stayed.
    pub stayed: bool,
}

impl<H: ToolHost, C: Clock, R: CallRecorder> Gate<'_, '_, H, C, R> {
    /// Takes a call from the stage that its record says to its outcome.
    ///
    /// # Errors
    /// If an event could not be written. The record then ends before that event, and nothing
    /// further was done.
    pub async fn run(&mut self, call: &ToolCall) -> Result<Exit, StoreError> {
        let mut is_judged_here = false;
        loop {
            self.user.hear_what_waits();
            let exit = match self.record.state(call).stage() {
                CallStage::Done(_) => Some(Exit::Done(None)),
                CallStage::RunAnewOrInterrupt { arguments, allowed_by } => {
                    let arguments = arguments.to_owned();
                    let is_stopped = self.user.stopped || self.user.lifts_guard;
                    Some(match !is_stopped && self.tools.has_done_nothing(&call.id).await {
                        true => self.run_allowed(call, &arguments, allowed_by).await?,
                        // It may have acted, whatever the user says now.
                        false => self.settle(ToolOutcome::Interrupted).await?,
                    })
                }
                _ if self.user.lifts_guard => Some(Exit::GuardLifted),
                _ if self.user.stopped => Some(self.stop().await?),
                CallStage::Judge => {
                    is_judged_here = true;
                    self.judge(call).await?
                }
                CallStage::Approve { arguments } => {
                    let arguments = arguments.to_owned();
                    if !is_judged_here && !self.asks_about_what_is_there(call, &arguments).await? {
                        continue;
                    }
                    self.approve(call, &arguments).await?;
                    None
                }
                CallStage::Run { arguments, allowed_by } => {
                    let arguments = arguments.to_owned();
                    Some(self.run_allowed(call, &arguments, allowed_by).await?)
                }
                CallStage::Settle(outcome) => Some(self.settle(outcome).await?),
            };
            if let Some(exit) = exit {
                return Ok(exit);
            }
        }
    }

    pub(super) async fn append(&mut self, event: CallEvent) -> Result<(), StoreError> {
        self.record.append(self.clock.now(), event).await
    }

    /// Gives the call its outcome without running anything.
    pub(super) async fn settle(&mut self, outcome: ToolOutcome) -> Result<Exit, StoreError> {
        self.append(CallEvent::Finished { outcome, duration_ms: 0 }).await?;
        Ok(Exit::Done(None))
    }

    pub(super) async fn refuse(&mut self, code: ToolFailure, message: String) -> Result<Exit, StoreError> {
        self.settle(ToolOutcome::Failed { code, message }).await
    }

    /// Writes that the user stopped the call before anything ran.
    pub(super) async fn stop(&mut self) -> Result<Exit, StoreError> {
        self.settle(ToolOutcome::Cancelled).await?;
        Ok(Exit::Stopped)
    }
}
