//! Runs a call: its time limit, the waits of its page, commands of the user meanwhile, and the page that
//! replaces its own.

use futures::future::{Either, select};
use futures::pin_mut;
use sidecar_protocol::policy::AllowedBy;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{Risk, ToolRef};

use super::event::CallEvent;
use super::examine::examine;
use super::gate::{Exit, Gate, Run};
use super::policy;
use super::record::CallRecorder;
use super::tool_call::{Callee, ToolCall};
use super::user::UserCommand;
use super::waits::Waits;
use crate::log::Target;
use crate::ports::{Clock, StoreError, ToolHost};
use crate::tools::settled;

/// How long before a timeout the user is asked whether to wait longer, in milliseconds: this, or a third of
/// the tool's limit if that is more, but never more than half of the limit.
const LEAST_NOTICE_MS: u64 = 3_000;

/// The least time limit of the browser's own tools, in milliseconds: they have shorter ones of their own, and
/// may wait for a page to load.
const BROWSER_LIMIT_MS: u64 = 45_000;

/// The least time for a tool of a SKILL, in milliseconds: each of its steps has a limit of its own.
const SKILL_LIMIT_MS: u64 = 120_000;

/// The outcome of a call whose tool the user switched off while it ran.
fn switched_off(target: &Target) -> ToolOutcome {
    match target.risk() {
        Risk::ReadOnly => ToolOutcome::Failed { code: ToolFailure::Off, message: String::new() },
        // It may have acted.
        Risk::Acting | Risk::Consequential => ToolOutcome::Interrupted,
    }
}

/// What happens while a tool runs.
enum Meanwhile {
    Said(Option<UserCommand>),
    Ended(ToolOutcome),
    TimePassed,
}

/// How the run of a tool ended.
struct RunEnd {
    outcome: ToolOutcome,
    ran_ms: u64,
    is_stopped: bool,
}

impl<H: ToolHost, C: Clock, R: CallRecorder> Gate<'_, '_, H, C, R> {
    /// Runs a call that was allowed earlier, by the user or in a worker that died, if that still holds.
    pub(super) async fn run_allowed(
        &mut self,
        call: &ToolCall,
        arguments: &str,
        allowed_by: AllowedBy,
    ) -> Result<Exit, StoreError> {
        let Callee::Tool(target) = &call.callee else {
            return self.refuse(ToolFailure::UnknownTool, String::new()).await;
        };
        let current = self.tools.current_tool(&target.tool).await;
        match current.and_then(|current| policy::still_holds(call, target, &current)) {
            Ok(()) => self.run_tool(call, target, arguments, allowed_by).await,
            Err(code) => {
                let _ = self.user.unless_stopped(self.tools.dismiss(&call.id)).await;
                self.refuse(code, String::new()).await
            }
        }
    }

    pub(super) async fn run_tool(
        &mut self,
        call: &ToolCall,
        target: &Target,
        arguments: &str,
        allowed_by: AllowedBy,
    ) -> Result<Exit, StoreError> {
        let tools = self.tools;
        let Some(before) = self.user.unless_stopped(tools.seen(&target.tool)).await else {
            return self.stop().await;
        };
        self.append(CallEvent::Started { allowed_by }).await?;
        let RunEnd { mut outcome, ran_ms, mut is_stopped } =
            self.await_outcome(call, target, arguments).await?;
        let ran = Run { before, ended: self.clock.now(), stayed: settled::stays(&outcome) };
        if outcome == ToolOutcome::left() {
            // The tool has ended: reading its new page does not count as its time.
            match self.user.unless_stopped(tools.new_page(&target.tool)).await {
                Some(read) => outcome = read,
                None => is_stopped = true,
            }
        }
        // No excerpt of it may contain a part of a key.
        let outcome = self.keys.conceal_outcome(outcome);
        for event in examine(&outcome, self.limits) {
            self.append(event).await?;
        }
        self.append(CallEvent::Finished { outcome, duration_ms: ran_ms }).await?;
        Ok(if is_stopped { Exit::Stopped } else { Exit::Done(Some(ran)) })
    }

    /// Waits until the tool ends, its time is up, or the user stops.
    async fn await_outcome(
        &mut self,
        call: &ToolCall,
        target: &Target,
        arguments: &str,
    ) -> Result<RunEnd, StoreError> {
        let (tools, clock) = (self.tools, self.clock);
        let least_ms = match target.tool {
            ToolRef::Browser { .. } => BROWSER_LIMIT_MS,
            ToolRef::Skill { .. } => SKILL_LIMIT_MS,
            ToolRef::Page(_) | ToolRef::Mcp { .. } => 0,
        };
        let limit_ms = (u64::from(self.limits.tool_seconds) * 1000).max(least_ms);
        let notice_ms = (limit_ms / 3).max(LEAST_NOTICE_MS).min(limit_ms / 2);
        // Its total time, and whether the user was told that it is nearly over.
        let (mut allowed_ms, mut is_announced) = (limit_ms, false);
        let history = self.record.state(call).waits();
        let mut waits = Waits::of(&call.id, target.tool.document(), clock.now(), history);
        let running = tools.call(&call.id, &target.tool, arguments);
        pin_mut!(running);
        let (outcome, is_stopped) = loop {
            let now = clock.now();
            if let Some(event) = waits.end_if_too_long(now) {
                self.append(event).await?;
                is_announced = false;
            }
            let left_ms = allowed_ms.saturating_sub(waits.ran_ms(now));
            let until_ms = match waits.left_ms(now) {
                Some(wait_ms) => wait_ms,
                None if is_announced => left_ms,
                None if left_ms > notice_ms => left_ms - notice_ms,
                None => {
                    is_announced = true;
                    self.record.time_runs_out(Some(now + left_ms));
                    left_ms
                }
            };
            if until_ms == 0 && !waits.is_on() {
                break (ToolOutcome::TimedOut { limit_ms: allowed_ms }, false);
            }
            let timer = clock.sleep(until_ms);
            pin_mut!(timer);
            let meanwhile = {
                let next = self.user.next();
                pin_mut!(next);
                // The user's commands come first: a call that was stopped before it began does not begin.
                match select(next, select(running.as_mut(), timer)).await {
                    Either::Left((command, _)) => Meanwhile::Said(command),
                    Either::Right((Either::Left((outcome, _)), _)) => Meanwhile::Ended(outcome),
                    Either::Right((Either::Right(((), _)), _)) => Meanwhile::TimePassed,
                }
            };
            match meanwhile {
                Meanwhile::Said(Some(UserCommand::Interaction(interaction))) => {
                    if let Some(event) = waits.hear(&interaction, clock.now()) {
                        self.append(event).await?;
                        is_announced = false;
                    }
                }
                Meanwhile::Said(Some(UserCommand::Step(of, step))) if of == call.id => {
                    self.record.begins_step(step);
                }
                Meanwhile::Said(Some(UserCommand::ToolsDecided)) => {
                    if tools.is_switched_off(target).await {
                        break (switched_off(target), false);
                    }
                }
                Meanwhile::Said(Some(UserCommand::WaitLonger(longer))) if longer == call.id => {
                    allowed_ms = waits.ran_ms(clock.now()) + limit_ms;
                    is_announced = false;
                    self.record.time_runs_out(None);
                }
                Meanwhile::Said(command) => {
                    self.user.hear(command);
                    if self.user.stopped {
                        break (ToolOutcome::Cancelled, true);
                    }
                }
                Meanwhile::Ended(outcome) => break (outcome, false),
                Meanwhile::TimePassed => {}
            }
        };
        Ok(RunEnd { outcome, ran_ms: waits.ran_ms(clock.now()), is_stopped })
    }
}
