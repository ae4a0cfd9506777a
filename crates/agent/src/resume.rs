//! What comes next, read off the log alone.

use sidecar_llm::CallRecord;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::Passed;
use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{Activity, Rest, Stuck, ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, ModelError, Timestamp};

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
    /// Nobody said anything about a call yet: hold it against the user's policy ([`crate::policy::judge`]).
    Judge {
        /// The call.
        call: &'a Call,
        /// Whether the model makes it again although it was told that it was done.
        is_repeated: bool,
    },
    /// The user was asked; wait for the decision.
    AwaitApproval(Approved<'a>),
    /// Run a tool.
    RunTool(Approved<'a>, Passed),
    /// Give a call its outcome without running anything.
    Settle(&'a Call, ToolOutcome),
    /// Come to rest.
    Rest(Rest),
    /// The agent rests already, or nothing was ever asked.
    Nothing,
}

/// A call with the arguments it has by now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approved<'a> {
    /// The call.
    pub call: &'a Call,
    /// The model's arguments, or all of them as the user last changed them (JSON text of an object).
    pub arguments: &'a str,
}

/// Reads off the log what comes next. Pure: the same log and settings give the same answer, in a turn that runs and in
/// one that is taken up again after the worker died.
#[must_use]
pub fn resume(log: &[Entry], limits: Limits) -> Next<'_> {
    let progress = Progress::of(log);
    if progress.revivals > REVIVALS && !matches!(progress.stage, Stage::Idle) {
        return match progress.lost_calls().next() {
            Some(call) => Next::Settle(call, ToolOutcome::Interrupted),
            None => Next::Rest(Rest::Interrupted),
        };
    }
    match &progress.stage {
        Stage::Idle => return Next::Nothing,
        Stage::Failed { error, retry_at: None } => {
            return Next::Rest(Rest::Failed { error: (*error).clone() });
        }
        Stage::Failed { retry_at: Some(until), .. } => return Next::WaitToAsk { until: *until },
        Stage::Summing { until } => return Next::Sum { until: *until },
        Stage::Open => return Next::AskModel { failures: progress.failures },
        Stage::Answered(_) => {}
    }
    if let Some(pending) = progress.pending.iter().find(|pending| !pending.finished) {
        return next_of_call(pending, &progress, limits);
    }
    match progress.stage {
        Stage::Answered(Ending::Stopped) => Next::Rest(Rest::Stopped),
        // A call that the token limit cut is asked for once more.
        Stage::Answered(Ending::Length) if progress.lost == 1 => Next::AskModel { failures: 0 },
        Stage::Answered(Ending::Length) if progress.pending.is_empty() => Next::Rest(Rest::Length),
        // Models now and then say nothing at all, or write a call as text: they are asked once more.
        Stage::Answered(Ending::Natural) if progress.vain == 1 => Next::AskModel { failures: 0 },
        Stage::Answered(Ending::Natural) if progress.vain > 1 => {
            Next::Rest(Rest::Stuck { how: Stuck::Silent })
        }
        Stage::Answered(Ending::Natural) if progress.pending.is_empty() => Next::Rest(Rest::Done),
        _ => Next::AskModel { failures: 0 },
    }
}

fn next_of_call<'a>(pending: &Pending<'a>, progress: &Progress<'a>, limits: Limits) -> Next<'a> {
    let call = pending.call;
    let approved = Approved { call, arguments: pending.arguments };
    match pending.consent {
        // A run that began and has no result may have had its effect: only what reads can be run again.
        _ if pending.started && !call.is_read_only() => Next::Settle(call, ToolOutcome::Interrupted),
        _ if pending.left => Next::Settle(call, ToolOutcome::Cancelled),
        _ if pending.started => Next::RunTool(approved, pending.passed.unwrap_or(Passed::ReadOnly)),
        Consent::Given(Decision::Run) if call.question.is_some() => {
            Next::Settle(call, ToolOutcome::ok(pending.words))
        }
        Consent::Given(Decision::Run) => Next::RunTool(approved, Passed::User),
        Consent::Given(Decision::Decline) => Next::Settle(call, ToolOutcome::Declined),
        Consent::Asked => Next::AwaitApproval(approved),
        Consent::None => {
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
                repeat => Next::Judge { call, is_repeated: repeat == Repeat::Again },
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
    match progress.stage {
        Stage::Idle => return Activity::Resting,
        Stage::Failed { retry_at: Some(_), .. } => return Activity::Retrying,
        Stage::Failed { retry_at: None, .. } | Stage::Open | Stage::Summing { .. } | Stage::Answered(_) => {}
    }
    match progress.pending.iter().find(|pending| !pending.finished) {
        Some(pending) if pending.waits => Activity::Waiting,
        Some(pending) if pending.started => Activity::Tool,
        Some(Pending { consent: Consent::Asked, .. }) => Activity::Asking,
        Some(_) | None => Activity::Model,
    }
}

/// Whether the log ends in the middle of a turn: there is something to do, or to wait for.
#[must_use]
pub fn is_unfinished(log: &[Entry]) -> bool {
    !matches!(Progress::of(log).stage, Stage::Idle)
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
    if matches!(progress.stage, Stage::Idle) {
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
        .filter(|pending| !pending.finished)
        .map(|pending| pending.call)
        .collect()
}

/// Where the last turn of a log is.
struct Progress<'a> {
    stage: Stage<'a>,
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

enum Stage<'a> {
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
    /// As the user last changed them; else the model's.
    arguments: &'a str,
    consent: Consent,
    /// What the user said with it.
    words: &'a str,
    passed: Option<Passed>,
    started: bool,
    /// Its page waits for the user.
    waits: bool,
    finished: bool,
    /// The user went back to where it had no outcome: whatever let it pass then does not let it pass now.
    left: bool,
    /// How often in a row this same call was made, with this one.
    same: u32,
}

#[derive(Clone, Copy)]
enum Consent {
    None,
    Asked,
    Given(Decision),
}

impl<'a> Progress<'a> {
    fn of(log: &'a [Entry]) -> Self {
        let mut progress = Self {
            stage: Stage::Idle,
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
            progress.read(&entry.event);
        }
        // Where entries are doubled or out of order, that a call ran may stand in front of the call.
        for pending in progress.pending.iter_mut().filter(|pending| !pending.finished) {
            for entry in log {
                match &entry.event {
                    Event::ToolStarted { call, .. } => pending.started |= *call == pending.call.id,
                    Event::ToolFinished { call, .. } => pending.finished |= *call == pending.call.id,
                    _ => {}
                }
            }
        }
        progress
    }

    fn read(&mut self, event: &'a Event) {
        match event {
            Event::TurnStarted { .. } => self.stage = Stage::Open,
            Event::TurnContinued { .. } => {
                (self.calls, self.failures) = (0, 0);
                self.tool_ms.clear();
                self.repeats.forget();
                (self.vain, self.lost, self.mistaken, self.same) = (0, 0, 0, None);
                self.revivals = 0;
                self.pending.iter_mut().for_each(|pending| pending.same = 1);
                // Unfinished calls of the last answer come first; without any, the model is asked.
                self.stage = if self.pending.iter().any(|pending| !pending.finished) {
                    Stage::Answered(Ending::Natural)
                } else {
                    Stage::Open
                };
            }
            Event::TurnRevived { .. } => self.revivals += 1,
            // Where the story goes on is where it was, but for calls that had no outcome there.
            Event::Rewound { .. } => {
                for pending in self.pending.iter_mut().filter(|pending| !pending.finished) {
                    (pending.left, pending.consent, pending.waits) = (true, Consent::None, false);
                }
            }
            Event::CompactionUndone => {}
            Event::SummaryAsked { until, .. } => self.stage = Stage::Summing { until: *until },
            Event::Compacted { .. } => (self.stage, self.failures) = (Stage::Open, 0),
            Event::ModelAsked { offers, .. } => {
                self.repeats.offer(offers.as_ref());
                self.pending.clear();
                self.stage = Stage::Open;
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
                        arguments: call.arguments(),
                        consent: Consent::None,
                        words: "",
                        passed: None,
                        started: false,
                        waits: false,
                        finished: false,
                        left: false,
                        same: same_calls(&mut self.same, &call.record),
                    })
                    .collect();
                self.stage = Stage::Answered(*ending);
            }
            Event::ModelFailed { error, retry_at, .. } => {
                self.failures += 1;
                self.stage = Stage::Failed { error, retry_at: *retry_at };
            }
            Event::ApprovalAsked { call, .. } => {
                self.with(call, |pending| pending.consent = Consent::Asked);
            }
            Event::ApprovalMistaken { call, arguments, .. } => {
                self.with(call, |pending| pending.arguments = arguments);
            }
            Event::ApprovalGiven { call, decision, arguments, words, secrets: _, off_pattern: _ } => {
                if let Some(pending) = of_call(&self.pending, call)
                    && !words.is_empty()
                {
                    self.repeats.forget_others(pending.call);
                }
                self.with(call, |pending| {
                    pending.consent = Consent::Given(*decision);
                    pending.words = words;
                    pending.arguments = arguments.as_deref().unwrap_or(pending.call.arguments());
                })
            }
            // One that runs again does not wait for anybody yet.
            Event::ToolStarted { call, passed } => {
                if let Some(pending) = of_call(&self.pending, call) {
                    self.repeats.start(pending.call);
                    if pending.call.mistake.is_some() {
                        self.mistaken = 0;
                    }
                }
                self.with(call, |pending| {
                    (pending.started, pending.waits, pending.passed) = (true, false, *passed);
                });
            }
            Event::WaitStarted { call, .. } => self.with(call, |pending| pending.waits = true),
            Event::WaitEnded { call } => self.with(call, |pending| pending.waits = false),
            Event::ToolFinished { call, outcome, duration_ms } => {
                if *outcome != ToolOutcome::Interrupted {
                    self.revivals = 0;
                }
                if let Some(pending) = of_call(&self.pending, call) {
                    self.repeats.finish(pending.call, pending.arguments, pending.started, outcome);
                }
                self.with(call, |pending| pending.finished = true);
                self.calls += 1;
                self.tool_ms.push(*duration_ms);
            }
            Event::TurnRested { .. } => self.stage = Stage::Idle,
            Event::ResultCut { .. }
            | Event::Suspected { .. }
            | Event::GuardLifted
            | Event::FlowAllowed { .. } => {}
        }
    }

    /// The calls that began, have no result, and may have had their effect.
    fn lost_calls(&self) -> impl Iterator<Item = &'a Call> {
        self.pending
            .iter()
            .filter(|pending| pending.started && !pending.finished && !pending.call.is_read_only())
            .map(|pending| pending.call)
    }

    fn with(&mut self, id: &CallId, change: impl Fn(&mut Pending<'a>)) {
        self.pending.iter_mut().filter(|pending| pending.call.id == *id).for_each(change);
    }
}

fn of_call<'p, 'a>(pending: &'p [Pending<'a>], id: &CallId) -> Option<&'p Pending<'a>> {
    pending.iter().find(|pending| pending.call.id == *id)
}
