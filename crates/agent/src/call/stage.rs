//! How a call goes on, by what is written of it. Pure: the same events give the same stage.

use sidecar_protocol::Timestamp;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::ToolOutcome;

use super::event::CallEvent;
use super::tool_call::{Callee, ToolCall};
use super::waits::WaitHistory;
use crate::log::Call;

/// What comes next in a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallStage<'a> {
    /// Hold it against the user's policy ([`super::policy::judge`]): nobody said anything of it yet.
    Judge,
    /// The user was asked; wait for the decision.
    Approve {
        /// The caller's arguments, or all of them as the user last changed them (JSON text of an object).
        arguments: &'a str,
    },
    /// Run its tool.
    Run {
        /// The same.
        arguments: &'a str,
        /// What let it pass.
        allowed_by: AllowedBy,
    },
    /// Give it this outcome; nothing runs.
    Settle(ToolOutcome),
    /// It has its outcome.
    Done(&'a ToolOutcome),
}

/// What is known of a call by what is written of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallState<'a> {
    own_arguments: &'a str,
    is_read_only: bool,
    is_question: bool,
    /// As the user last changed them.
    changed: Option<&'a str>,
    approval: ApprovalState<'a>,
    allowed_by: Option<AllowedBy>,
    has_started: bool,
    is_waiting: bool,
    waits: WaitHistory,
    is_abandoned: bool,
    outcome: Option<&'a ToolOutcome>,
}

/// What the user was asked about a call, and said.
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
            allowed_by: None,
            has_started: false,
            is_waiting: false,
            waits: WaitHistory::default(),
            is_abandoned: false,
            outcome: None,
        }
    }

    /// What comes next.
    #[must_use]
    pub fn stage(&self) -> CallStage<'a> {
        if let Some(outcome) = self.outcome {
            return CallStage::Done(outcome);
        }
        let arguments = self.arguments();
        match self.approval {
            _ if self.may_have_acted() => CallStage::Settle(ToolOutcome::Interrupted),
            _ if self.is_abandoned => CallStage::Settle(ToolOutcome::Cancelled),
            _ if self.has_started => {
                CallStage::Run { arguments, allowed_by: self.allowed_by.unwrap_or(AllowedBy::ReadOnly) }
            }
            ApprovalState::Given(Decision::Run, answer) if self.is_question => {
                CallStage::Settle(ToolOutcome::ok(answer))
            }
            ApprovalState::Given(Decision::Run, _) => {
                CallStage::Run { arguments, allowed_by: AllowedBy::User }
            }
            ApprovalState::Given(Decision::Decline, _) => CallStage::Settle(ToolOutcome::Declined),
            ApprovalState::Asked(_) => CallStage::Approve { arguments },
            ApprovalState::None => CallStage::Judge,
        }
    }

    /// The caller's arguments, or all of them as the user last changed them.
    #[must_use]
    pub fn arguments(&self) -> &'a str {
        self.changed.unwrap_or(self.own_arguments)
    }

    /// Why the user is asked, while they are.
    #[must_use]
    pub fn asked(&self) -> Option<&'a [AskReason]> {
        if let ApprovalState::Asked(why) = self.approval { Some(why) } else { None }
    }

    /// Whether its tool began to run.
    #[must_use]
    pub fn has_started(&self) -> bool {
        self.has_started
    }

    /// Whether it began, has no outcome, and may have had its effect: only what reads can be run again.
    #[must_use]
    pub fn may_have_acted(&self) -> bool {
        self.has_started && self.outcome.is_none() && !self.is_read_only
    }

    /// Whether its page waits for the user.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Its waits so far.
    #[must_use]
    pub fn waits(&self) -> WaitHistory {
        self.waits
    }

    /// Whether it has its outcome.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.outcome.is_some()
    }

    /// Reads the next event.
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

    /// The user is asked.
    pub fn ask(&mut self, why: &'a [AskReason]) {
        self.approval = ApprovalState::Asked(why);
    }

    /// The user changed its arguments, and is asked again.
    pub fn change(&mut self, arguments: &'a str) {
        self.changed = Some(arguments);
    }

    /// The user decided.
    pub fn decide(&mut self, decision: Decision, arguments: Option<&'a str>, words: &'a str) {
        self.approval = ApprovalState::Given(decision, words);
        self.changed = arguments;
    }

    /// Its tool begins, perhaps again; then it does not wait for anybody yet.
    pub fn start(&mut self, at: Timestamp, allowed_by: Option<AllowedBy>) {
        (self.has_started, self.is_waiting, self.allowed_by) = (true, false, allowed_by);
        self.waits.end(at);
    }

    /// Its tool began, though that stands where it should not.
    pub fn mark_started(&mut self) {
        self.has_started = true;
    }

    /// Its page begins to wait for the user.
    pub fn begin_wait(&mut self, at: Timestamp) {
        self.is_waiting = true;
        self.waits.begin(at);
    }

    /// Its page goes on.
    pub fn end_wait(&mut self, at: Timestamp) {
        self.is_waiting = false;
        self.waits.end(at);
    }

    /// The worker died by now: what the page waited counts to here.
    pub fn revive(&mut self, at: Timestamp) {
        self.waits.end(at);
    }

    /// Its caller went back to before it had an outcome: whatever let it pass then does not let it pass now.
    pub fn abandon(&mut self) {
        if self.outcome.is_none() {
            (self.is_abandoned, self.approval, self.is_waiting) = (true, ApprovalState::None, false);
        }
    }

    /// It has its outcome.
    pub fn finish(&mut self, outcome: &'a ToolOutcome) {
        self.outcome = Some(outcome);
    }
}
