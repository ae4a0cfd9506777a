//! The next step of a turn, derived from the log alone.

use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{Activity, Stuck, ToolFailure, ToolOutcome, TurnEnd};
use sidecar_protocol::{CallId, ModelError, Timestamp};

use crate::call::{CallStage, CallState};
use crate::log::branch;
use crate::log::{Call, Ending, Entry, Event, PageRef};
use crate::turn::repeats::Repeat;

mod progress;

pub(crate) use self::progress::same_calls;
use self::progress::{Pending, Progress, TurnPhase};

/// How often the same call is made in a row before the model is told. After as many again, the turn ends.
pub(crate) const SAME_CALLS: u32 = 3;

/// How many answers in a row may contain an invalid call.
const MISTAKES: u32 = 2;

/// The page actions after which a turn pauses, if the user's limit of calls is not higher; and the readings of
/// pages.
const ACTIONS: u32 = 30;
const READINGS: u32 = 100;

/// How often in a row a turn is revived without any progress. What kills one worker after another is left
/// to the user.
const REVIVALS: u32 = 3;

/// What a model is told with a mistake that may be the page's own.
const OFF_PATTERN: &str =
    " If the arguments are right all the same, make exactly this call again: it then goes to the page.";

/// The next step of a thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'a> {
    /// Send a request to the model: the first one, or one after `failures` failures in a row.
    AskModel {
        /// Number of failures in a row before this request.
        failures: u32,
    },
    /// Have the model summarise everything before an entry.
    Sum {
        /// Position of that entry.
        until: usize,
    },
    /// Wait, then send the request again.
    WaitToAsk {
        /// The time to wait for.
        until: Timestamp,
    },
    /// Take a call through the gate ([`crate::call`]) from its current stage.
    Call {
        /// The call.
        call: &'a Call,
        /// Its stage.
        stage: CallStage<'a>,
        /// Whether the model repeats it although it was told that it had succeeded.
        is_repeated: bool,
    },
    /// Write an outcome for a call without running anything.
    Settle(&'a Call, ToolOutcome),
    /// End the turn.
    End(TurnEnd),
    /// The turn has ended, or there never was one.
    Nothing,
}

/// The next step, from the log. Pure: the same log and limits give the same step, in a running turn and in
/// one that is taken up after the worker died.
#[must_use]
pub fn resume(log: &[Entry], limits: Limits) -> Next<'_> {
    let progress = Progress::of(log);
    if progress.revivals > REVIVALS && !matches!(progress.phase, TurnPhase::Idle) {
        return match progress.lost_calls().next() {
            Some(call) => Next::Settle(call, ToolOutcome::Interrupted),
            None => Next::End(TurnEnd::Interrupted),
        };
    }
    match &progress.phase {
        TurnPhase::Idle => return Next::Nothing,
        TurnPhase::Failed { error, retry_at: None } => {
            return Next::End(TurnEnd::Failed { error: (*error).clone() });
        }
        TurnPhase::Failed { retry_at: Some(until), .. } => return Next::WaitToAsk { until: *until },
        TurnPhase::Summing { until } => return Next::Sum { until: *until },
        TurnPhase::Open => return Next::AskModel { failures: progress.failures },
        TurnPhase::Answered(_) => {}
    }
    if let Some(pending) = progress.pending.iter().find(|pending| !pending.state.is_finished()) {
        return next_of_call(pending, &progress, limits);
    }
    match progress.phase {
        TurnPhase::Answered(Ending::Stopped) => Next::End(TurnEnd::Stopped),
        // An answer of which the token limit cut the only call is requested once more.
        TurnPhase::Answered(Ending::Length) if progress.lost == 1 => Next::AskModel { failures: 0 },
        TurnPhase::Answered(Ending::Length) if progress.pending.is_empty() => Next::End(TurnEnd::Length),
        // Models sometimes say nothing at all, or write a call as text: they are asked once more.
        TurnPhase::Answered(Ending::Natural) if progress.unusable == 1 => Next::AskModel { failures: 0 },
        TurnPhase::Answered(Ending::Natural) if progress.unusable > 1 => {
            Next::End(TurnEnd::Stuck { how: Stuck::Silent })
        }
        TurnPhase::Answered(Ending::Natural) if progress.pending.is_empty() => Next::End(TurnEnd::Done),
        _ => Next::AskModel { failures: 0 },
    }
}

fn next_of_call<'a>(pending: &Pending<'a>, progress: &Progress<'a>, limits: Limits) -> Next<'a> {
    let call = pending.call;
    match pending.state.stage() {
        CallStage::Settle(outcome) => Next::Settle(call, outcome),
        CallStage::Judge => next_of_new_call(pending, progress, limits),
        stage @ (CallStage::Approve { .. }
        | CallStage::Run { .. }
        | CallStage::RunAnewOrInterrupt { .. }
        | CallStage::Done(_)) => Next::Call { call, stage, is_repeated: false },
    }
}

/// The next step for a new call.
fn next_of_new_call<'a>(pending: &Pending<'a>, progress: &Progress<'a>, limits: Limits) -> Next<'a> {
    let call = pending.call;
    let (made, most) = match (call.is_browser(), call.is_read_only()) {
        (false, _) => (progress.calls, limits.tool_calls),
        (true, false) => (progress.actions, limits.tool_calls.max(ACTIONS)),
        (true, true) => (progress.readings, READINGS),
    };
    if made >= most {
        return Next::End(TurnEnd::CallLimit { limit: most });
    }
    let limit_ms = u64::from(limits.turn_seconds) * 1000;
    // Time beyond a tool's own limit was granted by the user.
    let most_ms = u64::from(limits.tool_seconds) * 1000;
    if progress.tool_ms.iter().map(|ms| (*ms).min(most_ms)).sum::<u64>() >= limit_ms {
        return Next::End(TurnEnd::TimeLimit { limit_ms });
    }
    if call.mistake.is_some() && progress.mistaken > MISTAKES {
        return Next::End(TurnEnd::Stuck { how: Stuck::Mistaken });
    }
    // The same action may be done often: "next" is.
    if pending.same >= 2 * SAME_CALLS && !call.is_browser() {
        return Next::End(TurnEnd::Stuck { how: Stuck::Repeating });
    }
    if call.target.is_none() && call.question.is_none() {
        let plain = || format!("There is no tool named {:?}.", call.record.name);
        let message = call.mistake.clone().unwrap_or_else(plain);
        return Next::Settle(call, ToolOutcome::Failed { code: ToolFailure::UnknownTool, message });
    }
    if let Some(mut message) = call.mistake.clone()
        && !progress.repeats.was_told_off_pattern(call)
    {
        message.push_str(if call.off_pattern { OFF_PATTERN } else { "" });
        return Next::Settle(call, ToolOutcome::Failed { code: ToolFailure::BadArguments, message });
    }
    match progress.repeats.of(call) {
        Repeat::Done(of) => Next::Settle(call, ToolOutcome::Repeated { of: of.clone() }),
        repeat => Next::Call { call, stage: CallStage::Judge, is_repeated: repeat == Repeat::Again },
    }
}

/// The agent's activity, from the log of a running turn.
#[must_use]
pub fn activity(log: &[Entry]) -> Activity {
    let progress = Progress::of(log);
    match progress.phase {
        TurnPhase::Idle => return Activity::Resting,
        TurnPhase::Failed { retry_at: Some(_), .. } => return Activity::Retrying,
        TurnPhase::Failed { retry_at: None, .. }
        | TurnPhase::Open
        | TurnPhase::Summing { .. }
        | TurnPhase::Answered(_) => {}
    }
    match progress.pending.iter().map(|pending| &pending.state).find(|state| !state.is_finished()) {
        Some(state) if state.is_waiting() => Activity::Waiting,
        Some(state) if state.has_started() => Activity::Tool,
        Some(state) if state.asked().is_some() => Activity::Asking,
        Some(_) | None => Activity::Model,
    }
}

/// Whether the log ends within a turn: there is a next step, or something to wait for.
#[must_use]
pub fn is_unfinished(log: &[Entry]) -> bool {
    !matches!(Progress::of(log).phase, TurnPhase::Idle)
}

/// The page to which the last turn is bound.
#[must_use]
pub fn page_of_turn(log: &[Entry]) -> PageRef {
    branch::backwards(log)
        .find_map(|position| match &log[position].event {
            Event::TurnStarted { page, .. } | Event::TurnContinued { page, .. } => Some(page.clone()),
            _ => None,
        })
        .unwrap_or_default()
}

/// The event to append to the log of an unfinished turn whose worker died, before another one revives it.
/// `draft` holds reasoning and text of the answer that was arriving. `None` if nothing was under way: the
/// turn has ended, or waits for the user.
#[must_use]
pub fn revived(log: &[Entry], draft: Option<(String, String)>) -> Option<Event> {
    if matches!(activity(log), Activity::Resting | Activity::Asking) {
        return None;
    }
    let (reasoning, text) = draft.filter(|_| is_streaming(log)).unwrap_or_default();
    Some(Event::TurnRevived { reasoning, text })
}

/// The events to append to the log of an unfinished turn that cannot be revived, because the browser was
/// closed and its tabs are gone. Then the turn rests and can be continued. `draft` as in [`revived`]. Empty
/// if the turn has ended.
#[must_use]
pub fn after_death(log: &[Entry], draft: Option<(String, String)>) -> Vec<Event> {
    let progress = Progress::of(log);
    if matches!(progress.phase, TurnPhase::Idle) {
        return Vec::new();
    }
    // An acting tool without a result stays without one; a read-only one can run again when the turn is
    // continued.
    let mut events: Vec<Event> = progress
        .lost_calls()
        .map(|call| Event::ToolFinished {
            call: call.id.clone(),
            outcome: ToolOutcome::Interrupted,
            duration_ms: 0,
        })
        .collect();
    if is_streaming(log)
        && let Some((reasoning, text)) = draft
    {
        let error = ModelError::new(sidecar_protocol::ErrorClass::StreamCut, "");
        events.push(Event::ModelFailed { error, reasoning, text, retry_at: None });
    }
    events.push(Event::TurnEnded { end: TurnEnd::Interrupted });
    events
}

/// Whether the log ends with a request to the model.
fn is_streaming(log: &[Entry]) -> bool {
    matches!(log.last(), Some(Entry { event: Event::ModelAsked { .. }, .. }))
}

/// The events to append before the user's next message: a turn that rested with calls left over will not
/// make them any more.
#[must_use]
pub fn before_new_turn(log: &[Entry]) -> Vec<Event> {
    unfinished_calls(log)
        .into_iter()
        .map(|call| Event::ToolFinished {
            call: call.id.clone(),
            outcome: ToolOutcome::Cancelled,
            duration_ms: 0,
        })
        .collect()
}

/// The calls of the last answer without an outcome.
pub(crate) fn unfinished_calls(log: &[Entry]) -> Vec<&Call> {
    Progress::of(log)
        .pending
        .into_iter()
        .filter(|pending| !pending.state.is_finished())
        .map(|pending| pending.call)
        .collect()
}

/// The state of a call of the last answer.
pub(crate) fn call_state<'a>(log: &'a [Entry], call: &CallId) -> Option<CallState<'a>> {
    Progress::of(log)
        .pending
        .into_iter()
        .find(|pending| pending.call.id == *call)
        .map(|pending| pending.state)
}
