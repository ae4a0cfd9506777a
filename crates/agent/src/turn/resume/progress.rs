//! The progress of the last turn of a log.

use sidecar_llm::CallRecord;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, ModelError, Timestamp};

use crate::call::CallState;
use crate::log::branch;
use crate::log::{Call, Ending, Entry, Event};
use crate::turn::repeats::Repeats;

/// The progress of the last turn of a log.
pub(super) struct Progress<'a> {
    pub(super) phase: TurnPhase<'a>,
    /// The calls of the last answer.
    pub(super) pending: Vec<Pending<'a>>,
    /// Number of calls with an outcome since the user last sent a message or continued.
    pub(super) calls: u32,
    /// Number of page actions among them, and of readings of pages, which do not count as calls.
    pub(super) actions: u32,
    pub(super) readings: u32,
    /// Run time of each tool since then, in milliseconds.
    pub(super) tool_ms: Vec<u64>,
    /// Number of failed requests in a row.
    pub(super) failures: u32,
    /// Number of answers in a row without text or calls that can be used.
    pub(super) unusable: u32,
    /// Number of answers in a row whose calls were lost.
    pub(super) lost: u32,
    /// Number of answers in a row with an invalid call; 0 again once such a call has run all the same.
    pub(super) mistaken: u32,
    /// The last call, and how often in a row it was made.
    pub(super) same: Option<(&'a CallRecord, u32)>,
    /// The calls that need not run again.
    pub(super) repeats: Repeats<'a>,
    /// How often the turn was revived since it last made progress.
    pub(super) revivals: u32,
}

pub(super) enum TurnPhase<'a> {
    /// There is no turn, or it has ended.
    Idle,
    /// The model is to be asked, or was asked and no answer is known.
    Open,
    /// The model is to summarise everything before this position.
    Summing { until: usize },
    /// The last request failed.
    Failed { error: &'a ModelError, retry_at: Option<Timestamp> },
    /// The model answered.
    Answered(Ending),
}

pub(super) struct Pending<'a> {
    pub(super) call: &'a Call,
    pub(super) state: CallState<'a>,
    /// How often in a row this call was made, this time included.
    pub(super) same: u32,
}

impl<'a> Progress<'a> {
    pub(super) fn of(log: &'a [Entry]) -> Self {
        let mut progress = Self {
            phase: TurnPhase::Idle,
            pending: Vec::new(),
            calls: 0,
            actions: 0,
            readings: 0,
            tool_ms: Vec::new(),
            failures: 0,
            unusable: 0,
            lost: 0,
            mistaken: 0,
            same: None,
            repeats: Repeats::default(),
            revivals: 0,
        };
        for (_, entry) in branch::last_turn(log) {
            progress.read(entry);
        }
        // In a log with duplicate or disordered entries, a call's run may come before the call.
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
            Event::TurnStarted { .. } => self.phase = TurnPhase::Open,
            Event::TurnContinued { .. } => {
                (self.calls, self.actions, self.readings, self.failures) = (0, 0, 0, 0);
                self.tool_ms.clear();
                self.repeats.forget();
                (self.unusable, self.lost, self.mistaken, self.same) = (0, 0, 0, None);
                self.revivals = 0;
                self.pending.iter_mut().for_each(|pending| pending.same = 1);
                // Unfinished calls of the last answer come first. If there are none, the model is asked.
                self.phase = if self.pending.iter().any(|pending| !pending.state.is_finished()) {
                    TurnPhase::Answered(Ending::Natural)
                } else {
                    TurnPhase::Open
                };
            }
            Event::TurnRevived { .. } => {
                self.revivals += 1;
                self.pending.iter_mut().for_each(|pending| pending.state.revive(*at));
            }
            // The branch continues where it was, except for calls without an outcome there.
            Event::Rewound { .. } => {
                self.pending.iter_mut().for_each(|pending| pending.state.abandon());
            }
            Event::CompactionUndone => {}
            Event::SummaryAsked { until, .. } => self.phase = TurnPhase::Summing { until: *until },
            Event::Compacted { .. } => (self.phase, self.failures) = (TurnPhase::Open, 0),
            Event::ModelAsked { offers, .. } => {
                self.repeats.offer(offers.as_ref());
                self.pending.clear();
                self.phase = TurnPhase::Open;
            }
            Event::ModelAnswered { text, calls, ending, lost, .. } => {
                (self.failures, self.revivals) = (0, 0);
                let is_unusable = calls.is_empty() && (text.is_empty() || lost.is_some());
                self.unusable = if is_unusable { self.unusable + 1 } else { 0 };
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
                self.phase = TurnPhase::Answered(*ending);
            }
            Event::ModelFailed { error, retry_at, .. } => {
                self.failures += 1;
                self.phase = TurnPhase::Failed { error, retry_at: *retry_at };
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
            Event::ToolStarted { call, allowed_by } => {
                if let Some(pending) = of_call(&self.pending, call) {
                    self.repeats.start(pending.call);
                    if pending.call.mistake.is_some() {
                        self.mistaken = 0;
                    }
                }
                self.with(call, |state| state.start(*at, *allowed_by));
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
                match of_call(&self.pending, call).map(|pending| pending.call) {
                    Some(call) if call.is_browser() && call.is_read_only() => self.readings += 1,
                    Some(call) if call.is_browser() => self.actions += 1,
                    Some(_) | None => {
                        self.calls += 1;
                        self.tool_ms.push(*duration_ms);
                    }
                }
            }
            Event::TurnEnded { .. } => self.phase = TurnPhase::Idle,
            Event::ResultCut { .. }
            | Event::Suspected { .. }
            | Event::GuardLifted
            | Event::FlowAllowed { .. } => {}
        }
    }

    /// The calls that started, have no result, and may have acted.
    pub(super) fn lost_calls(&self) -> impl Iterator<Item = &'a Call> {
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

/// Counts a call: how often in a row it was made, this time included.
pub(crate) fn same_calls<'a>(last: &mut Option<(&'a CallRecord, u32)>, call: &'a CallRecord) -> u32 {
    let count = match last {
        Some((last, count)) if last.name == call.name && last.arguments == call.arguments => *count + 1,
        _ => 1,
    };
    *last = Some((call, count));
    count
}
