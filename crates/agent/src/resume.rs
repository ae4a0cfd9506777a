//! What comes next, read off the log alone.

use sidecar_llm::CallRecord;
use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{Activity, Rest, Stuck, ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, ModelError, Timestamp};

use crate::call::{CallState, Stage};
use crate::log::{Call, Ending, Entry, Event, PageRef};
use crate::repeats::{Repeat, Repeats};
use crate::story;

/// How often in a row the same call is made before the model is told so; as often again, and the turn rests.
pub(crate) const SAME_CALLS: u32 = 3;

/// How many answers in a row may hold calls that nothing can be made of.
const MISTAKES: u32 = 2;

/// How often in a row a turn is revived without anything having come of it: what kills one worker after the other is
/// left to the user.
const REVIVALS: u32 = 3;

/// What a model is told with a mistake that may be the page's own.
const OFF_PATTERN: &str =
    " If the arguments are right all the same, make exactly this call again: it then goes to the page.";

/// The next thing to do in a thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'a> {
    /// Send a request to the model: the first one, or one after `failures` that failed in a row.
    AskModel {
        /// Failures in a row before this request.
        failures: u32,
    },
    /// Have the model sum up what was said before an entry.
    Sum {
        /// The position of that entry.
        until: usize,
    },
    /// Wait, then ask the model again.
    WaitToAsk {
        /// Until when.
        until: Timestamp,
    },
    /// Take a call through the gate ([`crate::call`]), from where it is.
    Call {
        /// The call.
        call: &'a Call,
        /// Where it is.
        stage: Stage<'a>,
        /// Whether the model makes it again although it was told that it was done.
        is_repeated: bool,
    },
    /// Give a call its outcome without running anything.
    Settle(&'a Call, ToolOutcome),
    /// Come to rest.
    Rest(Rest),
    /// The agent rests already, or nothing was ever asked.
    Nothing,
}

/// Reads off the log what comes next. Pure: the same log and settings give the same answer, in a turn that runs and in
/// one that is taken up again after the worker died.
#[must_use]
pub fn resume(log: &[Entry], limits: Limits) -> Next<'_> {
    let progress = Progress::of(log);
    if progress.revivals > REVIVALS && !matches!(progress.phase, Phase::Idle) {
        return match progress.lost_calls().next() {
            Some(call) => Next::Settle(call, ToolOutcome::Interrupted),
            None => Next::Rest(Rest::Interrupted),
        };
    }
    match &progress.phase {
        Phase::Idle => return Next::Nothing,
        Phase::Failed { error, retry_at: None } => {
            return Next::Rest(Rest::Failed { error: (*error).clone() });
        }
        Phase::Failed { retry_at: Some(until), .. } => return Next::WaitToAsk { until: *until },
        Phase::Summing { until } => return Next::Sum { until: *until },
        Phase::Open => return Next::AskModel { failures: progress.failures },
        Phase::Answered(_) => {}
    }
    if let Some(pending) = progress.pending.iter().find(|pending| !pending.state.is_finished()) {
        return next_of_call(pending, &progress, limits);
    }
    match progress.phase {
        Phase::Answered(Ending::Stopped) => Next::Rest(Rest::Stopped),
        // A call that the token limit cut is asked for once more.
        Phase::Answered(Ending::Length) if progress.lost == 1 => Next::AskModel { failures: 0 },
        Phase::Answered(Ending::Length) if progress.pending.is_empty() => Next::Rest(Rest::Length),
        // Models now and then say nothing at all, or write a call as text: they are asked once more.
        Phase::Answered(Ending::Natural) if progress.vain == 1 => Next::AskModel { failures: 0 },
        Phase::Answered(Ending::Natural) if progress.vain > 1 => {
            Next::Rest(Rest::Stuck { how: Stuck::Silent })
        }
        Phase::Answered(Ending::Natural) if progress.pending.is_empty() => Next::Rest(Rest::Done),
        _ => Next::AskModel { failures: 0 },
    }
}

fn next_of_call<'a>(pending: &Pending<'a>, progress: &Progress<'a>, limits: Limits) -> Next<'a> {
    let call = pending.call;
    match pending.state.stage() {
        Stage::Settle(outcome) => Next::Settle(call, outcome),
        stage @ (Stage::Approve { .. } | Stage::Run { .. } | Stage::Done(_)) => {
            Next::Call { call, stage, is_repeated: false }
        }
        stage @ Stage::Judge => {
            if progress.calls >= limits.tool_calls {
                return Next::Rest(Rest::CallLimit { limit: limits.tool_calls });
            }
            let limit_ms = u64::from(limits.turn_seconds) * 1000;
            // Beyond its own limit a tool runs because the user said so.
            let most_ms = u64::from(limits.tool_seconds) * 1000;
            if progress.tool_ms.iter().map(|ms| (*ms).min(most_ms)).sum::<u64>() >= limit_ms {
                return Next::Rest(Rest::TimeLimit { limit_ms });
            }
            if call.mistake.is_some() && progress.mistaken > MISTAKES {
                return Next::Rest(Rest::Stuck { how: Stuck::Mistaken });
            }
            if pending.same >= 2 * SAME_CALLS {
                return Next::Rest(Rest::Stuck { how: Stuck::Repeating });
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
                repeat => Next::Call { call, stage, is_repeated: repeat == Repeat::Again },
            }
        }
    }
}

/// Counts a call: how often in a row it was made, with this time.
pub(crate) fn same_calls<'a>(last: &mut Option<(&'a CallRecord, u32)>, call: &'a CallRecord) -> u32 {
    let count = match last {
        Some((last, count)) if last.name == call.name && last.arguments == call.arguments => *count + 1,
        _ => 1,
    };
    *last = Some((call, count));
    count
}

/// What the agent is doing, read off the log of a turn that runs.
#[must_use]
pub fn activity(log: &[Entry]) -> Activity {
    let progress = Progress::of(log);
    match progress.phase {
        Phase::Idle => return Activity::Resting,
        Phase::Failed { retry_at: Some(_), .. } => return Activity::Retrying,
        Phase::Failed { retry_at: None, .. } | Phase::Open | Phase::Summing { .. } | Phase::Answered(_) => {}
    }
    match progress.pending.iter().map(|pending| &pending.state).find(|state| !state.is_finished()) {
        Some(state) if state.is_waiting() => Activity::Waiting,
        Some(state) if state.has_started() => Activity::Tool,
        Some(state) if state.asked().is_some() => Activity::Asking,
        Some(_) | None => Activity::Model,
    }
}

/// Whether the log ends in the middle of a turn: there is something to do, or to wait for.
#[must_use]
pub fn is_unfinished(log: &[Entry]) -> bool {
    !matches!(Progress::of(log).phase, Phase::Idle)
}

/// The page that the last turn is bound to.
#[must_use]
pub fn page_of_turn(log: &[Entry]) -> PageRef {
    story::backwards(log)
        .find_map(|position| match &log[position].event {
            Event::TurnStarted { page, .. } | Event::TurnContinued { page, .. } => Some(page.clone()),
            _ => None,
        })
        .unwrap_or_default()
}

/// What to append to the log of an unfinished turn whose worker died, before another one carries it on. `draft` is what
/// the model had said (thoughts, words) of an answer that was still growing. `None` where nothing was under way: the
/// agent rests, or waits for the user.
#[must_use]
pub fn revived(log: &[Entry], draft: Option<(String, String)>) -> Option<Event> {
    if matches!(activity(log), Activity::Resting | Activity::Asking) {
        return None;
    }
    let (reasoning, text) = draft.filter(|_| is_streaming(log)).unwrap_or_default();
    Some(Event::TurnRevived { reasoning, text })
}

/// What to append to the log of an unfinished turn that nobody can carry on, so that it rests and can be continued:
/// the browser itself was closed meanwhile, and its tabs are others. `draft` as in [`revived`]. Empty when the thread
/// rests.
#[must_use]
pub fn after_death(log: &[Entry], draft: Option<(String, String)>) -> Vec<Event> {
    let progress = Progress::of(log);
    if matches!(progress.phase, Phase::Idle) {
        return Vec::new();
    }
    // A tool that acts and has no result stays without one; one that reads can be run again when the turn goes on.
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
    events.push(Event::TurnRested { rest: Rest::Interrupted });
    events
}

/// Whether the log ends with a question to the model.
fn is_streaming(log: &[Entry]) -> bool {
    matches!(log.last(), Some(Entry { event: Event::ModelAsked { .. }, .. }))
}

/// What to append before the user's next words: a turn that rested with calls left over will not make them any more.
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

/// The calls of the last answer that have no outcome yet.
pub(crate) fn unfinished_calls(log: &[Entry]) -> Vec<&Call> {
    Progress::of(log)
        .pending
        .into_iter()
        .filter(|pending| !pending.state.is_finished())
        .map(|pending| pending.call)
        .collect()
}

/// How far a call of the last answer is.
pub(crate) fn call_state<'a>(log: &'a [Entry], call: &CallId) -> Option<CallState<'a>> {
    Progress::of(log)
        .pending
        .into_iter()
        .find(|pending| pending.call.id == *call)
        .map(|pending| pending.state)
}

/// Where the last turn of a log is.
struct Progress<'a> {
    phase: Phase<'a>,
    /// The calls of the last answer.
    pending: Vec<Pending<'a>>,
    /// Calls that have an outcome, since the user last spoke or continued.
    calls: u32,
    /// How long each tool ran since then, in milliseconds.
    tool_ms: Vec<u64>,
    /// Failures of the model in a row.
    failures: u32,
    /// Answers in a row of which nothing came.
    vain: u32,
    /// Answers in a row whose calls came to nothing.
    lost: u32,
    /// Answers in a row with calls of which nothing can be made.
    mistaken: u32,
    /// The last call, and how often in a row it was made.
    same: Option<(&'a CallRecord, u32)>,
    /// The calls that need not be made again.
    repeats: Repeats<'a>,
    /// How often the turn was revived since something last came of it.
    revivals: u32,
}

enum Phase<'a> {
    /// No turn, or it rests.
    Idle,
    /// The model is to be asked (or was, and nothing is known of an answer).
    Open,
    /// The model is to sum up what was said before this position.
    Summing { until: usize },
    /// The last request failed.
    Failed { error: &'a ModelError, retry_at: Option<Timestamp> },
    /// The model answered.
    Answered(Ending),
}

struct Pending<'a> {
    call: &'a Call,
    state: CallState<'a>,
    /// How often in a row this same call was made, with this one.
    same: u32,
}

impl<'a> Progress<'a> {
    fn of(log: &'a [Entry]) -> Self {
        let mut progress = Self {
            phase: Phase::Idle,
            pending: Vec::new(),
            calls: 0,
            tool_ms: Vec::new(),
            failures: 0,
            vain: 0,
            lost: 0,
            mistaken: 0,
            same: None,
            repeats: Repeats::default(),
            revivals: 0,
        };
        for (_, entry) in story::last_turn(log) {
            progress.read(entry);
        }
        // Where entries are doubled or out of order, that a call ran may stand in front of the call.
        for pending in progress.pending.iter_mut().filter(|pending| !pending.state.is_finished()) {
            for entry in log {
                match &entry.event {
                    Event::ToolStarted { call, .. } if *call == pending.call.id => {
                        pending.state.mark_started()
                    }
                    Event::ToolFinished { call, outcome, .. } if *call == pending.call.id => {
                        pending.state.finish(outcome);
                    }
                    _ => {}
                }
            }
        }
        progress
    }

    fn read(&mut self, Entry { at, event }: &'a Entry) {
        match event {
            Event::TurnStarted { .. } => self.phase = Phase::Open,
            Event::TurnContinued { .. } => {
                (self.calls, self.failures) = (0, 0);
                self.tool_ms.clear();
                self.repeats.forget();
                (self.vain, self.lost, self.mistaken, self.same) = (0, 0, 0, None);
                self.revivals = 0;
                self.pending.iter_mut().for_each(|pending| pending.same = 1);
                // Unfinished calls of the last answer come first; without any, the model is asked.
                self.phase = if self.pending.iter().any(|pending| !pending.state.is_finished()) {
                    Phase::Answered(Ending::Natural)
                } else {
                    Phase::Open
                };
            }
            Event::TurnRevived { .. } => {
                self.revivals += 1;
                self.pending.iter_mut().for_each(|pending| pending.state.revive(*at));
            }
            // Where the story goes on is where it was, but for calls that had no outcome there.
            Event::Rewound { .. } => {
                self.pending.iter_mut().for_each(|pending| pending.state.abandon());
            }
            Event::CompactionUndone => {}
            Event::SummaryAsked { until, .. } => self.phase = Phase::Summing { until: *until },
            Event::Compacted { .. } => (self.phase, self.failures) = (Phase::Open, 0),
            Event::ModelAsked { offers, .. } => {
                self.repeats.offer(offers.as_ref());
                self.pending.clear();
                self.phase = Phase::Open;
            }
            Event::ModelAnswered { text, calls, ending, lost, .. } => {
                (self.failures, self.revivals) = (0, 0);
                let is_vain = calls.is_empty() && (text.is_empty() || lost.is_some());
                self.vain = if is_vain { self.vain + 1 } else { 0 };
                self.lost = if lost.is_some() { self.lost + 1 } else { 0 };
                let is_mistaken = calls.iter().any(|call| call.mistake.is_some());
                self.mistaken = if is_mistaken { self.mistaken + 1 } else { 0 };
                self.pending = calls
                    .iter()
                    .map(|call| Pending {
                        call,
                        state: CallState::from(call),
                        same: same_calls(&mut self.same, &call.record),
                    })
                    .collect();
                self.phase = Phase::Answered(*ending);
            }
            Event::ModelFailed { error, retry_at, .. } => {
                self.failures += 1;
                self.phase = Phase::Failed { error, retry_at: *retry_at };
            }
            Event::ApprovalAsked { call, why } => self.with(call, |state| state.ask(why)),
            Event::ApprovalMistaken { call, arguments, .. } => {
                self.with(call, |state| state.change(arguments));
            }
            Event::ApprovalGiven { call, decision, arguments, words, secrets: _, off_pattern: _ } => {
                if let Some(pending) = of_call(&self.pending, call)
                    && !words.is_empty()
                {
                    self.repeats.forget_others(pending.call);
                }
                self.with(call, |state| state.decide(*decision, arguments.as_deref(), words));
            }
            Event::ToolStarted { call, passed } => {
                if let Some(pending) = of_call(&self.pending, call) {
                    self.repeats.start(pending.call);
                    if pending.call.mistake.is_some() {
                        self.mistaken = 0;
                    }
                }
                self.with(call, |state| state.start(*at, *passed));
            }
            Event::WaitStarted { call, .. } => self.with(call, |state| state.begin_wait(*at)),
            Event::WaitEnded { call } => self.with(call, |state| state.end_wait(*at)),
            Event::ToolFinished { call, outcome, duration_ms } => {
                if *outcome != ToolOutcome::Interrupted {
                    self.revivals = 0;
                }
                if let Some(pending) = of_call(&self.pending, call) {
                    let state = &pending.state;
                    self.repeats.finish(pending.call, state.arguments(), state.has_started(), outcome);
                }
                self.with(call, |state| state.finish(outcome));
                self.calls += 1;
                self.tool_ms.push(*duration_ms);
            }
            Event::TurnRested { .. } => self.phase = Phase::Idle,
            Event::ResultCut { .. }
            | Event::Suspected { .. }
            | Event::GuardLifted
            | Event::FlowAllowed { .. } => {}
        }
    }

    /// The calls that began, have no result, and may have had their effect.
    fn lost_calls(&self) -> impl Iterator<Item = &'a Call> {
        self.pending.iter().filter(|pending| pending.state.may_have_acted()).map(|pending| pending.call)
    }

    fn with(&mut self, id: &CallId, change: impl Fn(&mut CallState<'a>)) {
        let same = self.pending.iter_mut().filter(|pending| pending.call.id == *id);
        same.for_each(|pending| change(&mut pending.state));
    }
}

fn of_call<'p, 'a>(pending: &'p [Pending<'a>], id: &CallId) -> Option<&'p Pending<'a>> {
    pending.iter().find(|pending| pending.call.id == *id)
}
