//! The stage of a call, derived from its events. Pure: the same events give the same stage.

use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{Timestamp, UserInput};

use super::event::CallEvent;
use super::policy::handed_over;
use super::tool_call::{Callee, ToolCall};
use super::waits::WaitHistory;
use crate::browser_tools::done_by_user;
use crate::log::Call;

/// The next step of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallStage<'a> {
    /// Judge it by the user's policy ([`super::policy::judge`]): it is new.
    Judge,
    /// The user was asked: wait for the decision.
    Approve {
        /// The caller's arguments, or all of them after the user's edits (JSON text of an object).
        arguments: &'a str,
    },
    /// Run its tool.
    Run {
        /// JSON text of the arguments it runs with.
        arguments: &'a str,
        /// What allowed it.
        allowed_by: AllowedBy,
    },
    /// Its tool started in an earlier worker and may have acted: run it anew if it is known that it has not, else it is
    /// interrupted.
    RunAnewOrInterrupt {
        /// JSON text of the arguments it ran with.
        arguments: &'a str,
        /// What allowed it.
        allowed_by: AllowedBy,
    },
    /// Write this outcome; nothing runs.
    Settle(ToolOutcome),
    /// It has its outcome.
    Done(&'a ToolOutcome),
}

/// The state of a call, derived from its events.
#[derive(Debug, Clone, PartialEq)]
pub struct CallState<'a> {
    own_arguments: &'a str,
    is_read_only: bool,
    is_question: bool,
    /// After the user's edits.
    changed: Option<&'a str>,
    approval: ApprovalState<'a>,
    /// What the user was last asked to give in the page.
    handed_over: Option<UserInput>,
    allowed_by: Option<AllowedBy>,
    has_started: bool,
    is_waiting: bool,
    waits: WaitHistory,
    is_abandoned: bool,
    outcome: Option<&'a ToolOutcome>,
}

/// Whether the user was asked about a call, and decided.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ApprovalState<'a> {
    None,
    Asked(&'a [AskReason]),
    Given(Decision, &'a str),
}

impl<'a> From<&'a ToolCall> for CallState<'a> {
    fn from(call: &'a ToolCall) -> Self {
        match &call.callee {
            Callee::Tool(target) => Self::new(&call.arguments, target.read_only, false),
            Callee::User => Self::new(&call.arguments, false, true),
        }
    }
}

impl<'a> From<&'a Call> for CallState<'a> {
    fn from(call: &'a Call) -> Self {
        Self::new(call.arguments(), call.is_read_only(), call.question.is_some())
    }
}

impl<'a> CallState<'a> {
    fn new(own_arguments: &'a str, is_read_only: bool, is_question: bool) -> Self {
        Self {
            own_arguments,
            is_read_only,
            is_question,
            changed: None,
            approval: ApprovalState::None,
            handed_over: None,
            allowed_by: None,
            has_started: false,
            is_waiting: false,
            waits: WaitHistory::default(),
            is_abandoned: false,
            outcome: None,
        }
    }

    /// The stage: the next step.
    #[must_use]
    pub fn stage(&self) -> CallStage<'a> {
        if let Some(outcome) = self.outcome {
            return CallStage::Done(outcome);
        }
        let arguments = self.arguments();
        let allowed_by = self.allowed_by.unwrap_or(AllowedBy::ReadOnly);
        match self.approval {
            _ if self.may_have_acted() => CallStage::RunAnewOrInterrupt { arguments, allowed_by },
            _ if self.is_abandoned => CallStage::Settle(ToolOutcome::Cancelled),
            _ if self.has_started => CallStage::Run { arguments, allowed_by },
            ApprovalState::Given(Decision::Run, answer) if self.is_question => {
                CallStage::Settle(ToolOutcome::ok(answer))
            }
            // The page may be another one by now, and nothing is done in it.
            ApprovalState::Given(Decision::Run, _) => match self.handed_over {
                Some(input) => CallStage::Settle(done_by_user(input, arguments)),
                None => CallStage::Run { arguments, allowed_by: AllowedBy::User },
            },
            ApprovalState::Given(Decision::Decline, _) => CallStage::Settle(ToolOutcome::Declined),
            ApprovalState::Asked(_) => CallStage::Approve { arguments },
            ApprovalState::None => CallStage::Judge,
        }
    }

    /// The caller's arguments, or all of them after the user's edits.
    #[must_use]
    pub fn arguments(&self) -> &'a str {
        self.changed.unwrap_or(self.own_arguments)
    }

    /// Why the call asks, while it does.
    #[must_use]
    pub fn asked(&self) -> Option<&'a [AskReason]> {
        if let ApprovalState::Asked(why) = self.approval { Some(why) } else { None }
    }

    /// Whether its tool has started.
    #[must_use]
    pub fn has_started(&self) -> bool {
        self.has_started
    }

    /// Whether its tool started, has no outcome, and may have acted. A read-only tool has not, and can run
    /// again.
    #[must_use]
    pub fn may_have_acted(&self) -> bool {
        self.has_started && self.outcome.is_none() && !self.is_read_only
    }

    /// Whether its page waits for the user.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// The waits of its page so far.
    #[must_use]
    pub fn waits(&self) -> WaitHistory {
        self.waits
    }

    /// Whether it has its outcome.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.outcome.is_some()
    }

    /// Applies the next event.
    pub fn read(&mut self, at: Timestamp, event: &'a CallEvent) {
        match event {
            CallEvent::Asked { why } => self.ask(why),
            CallEvent::Mistaken { arguments, mistake: _ } => self.change(arguments),
            CallEvent::Decided { decision, arguments, words, secrets: _, off_pattern: _ } => {
                self.decide(*decision, arguments.as_deref(), words);
            }
            CallEvent::Started { allowed_by } => self.start(at, Some(*allowed_by)),
            CallEvent::WaitStarted { kind: _ } => self.begin_wait(at),
            CallEvent::WaitEnded => self.end_wait(at),
            CallEvent::Finished { outcome, duration_ms: _ } => self.finish(outcome),
            CallEvent::FlowAllowed { .. } | CallEvent::Cut { .. } | CallEvent::Suspected { .. } => {}
        }
    }

    /// The user is asked about the call.
    pub fn ask(&mut self, why: &'a [AskReason]) {
        self.approval = ApprovalState::Asked(why);
        self.handed_over = handed_over(why);
    }

    /// The user changed the arguments, and is asked again.
    pub fn change(&mut self, arguments: &'a str) {
        self.changed = Some(arguments);
    }

    /// The user decided.
    pub fn decide(&mut self, decision: Decision, arguments: Option<&'a str>, words: &'a str) {
        self.approval = ApprovalState::Given(decision, words);
        self.changed = arguments;
    }

    /// Its tool starts, perhaps again; its page does not wait yet.
    pub fn start(&mut self, at: Timestamp, allowed_by: Option<AllowedBy>) {
        (self.has_started, self.is_waiting, self.allowed_by) = (true, false, allowed_by);
        self.waits.end(at);
    }

    /// Its tool started, though the event is out of order.
    pub fn mark_started(&mut self) {
        self.has_started = true;
    }

    /// Its page starts to wait for the user.
    pub fn begin_wait(&mut self, at: Timestamp) {
        self.is_waiting = true;
        self.waits.begin(at);
    }

    /// Its page goes on.
    pub fn end_wait(&mut self, at: Timestamp) {
        self.is_waiting = false;
        self.waits.end(at);
    }

    /// The worker died before this moment: a wait of its page counts up to here.
    pub fn revive(&mut self, at: Timestamp) {
        self.waits.end(at);
    }

    /// Its caller went back to a point where it had no outcome. What allowed it then does not allow it now.
    pub fn abandon(&mut self) {
        if self.outcome.is_none() {
            (self.is_abandoned, self.approval, self.is_waiting) = (true, ApprovalState::None, false);
        }
    }

    /// Sets its outcome.
    pub fn finish(&mut self, outcome: &'a ToolOutcome) {
        self.outcome = Some(outcome);
    }
}
