//! A call of no turn: its record, and what panels see of it while it asks.

use std::fmt;

use sidecar_protocol::Timestamp;
use sidecar_protocol::policy::AllowedBy;
use sidecar_protocol::thread::{ToolItem, ToolOutcome};

use crate::call::{CallEvent, CallRecorder, CallState, Callee, MemoryRecorder, Signals, ToolCall};
use crate::log::Target;
use crate::ports::{CurrentTool, StoreError};
use crate::threads::view::{new_item, note_asked, note_mistake};

/// What a call of no turn came to.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectEnd {
    /// How it ended.
    pub outcome: ToolOutcome,
    /// The arguments that the user put in place of the caller's, if any (JSON text).
    pub edited: Option<String>,
    /// What let it run; `None` if it did not.
    pub allowed_by: Option<AllowedBy>,
    /// How long its tool ran, in milliseconds; 0 if it did not.
    pub ran_ms: u64,
}

impl DirectEnd {
    /// It ended without its tool.
    #[must_use]
    pub fn without_a_run(outcome: ToolOutcome) -> Self {
        Self { outcome, edited: None, allowed_by: None, ran_ms: 0 }
    }
}

/// The record of a call of no turn. It is kept in memory: a call that loses its worker is over. `T` is told when the
/// call begins to ask, asks for something else, or asks no more.
pub struct DirectRecord<T> {
    record: MemoryRecorder,
    /// The call as panels show it.
    item: ToolItem,
    tell: T,
}

impl<T> fmt::Debug for DirectRecord<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectRecord").field("record", &self.record).finish_non_exhaustive()
    }
}

impl<T: FnMut(Option<&ToolItem>)> DirectRecord<T> {
    /// The record of a call that begins. `tell` gets the call while it asks the user.
    pub fn new(call: &ToolCall, tell: T) -> Self {
        let target = match &call.callee {
            Callee::Tool(target) => Some(target),
            Callee::User => None,
        };
        let mut item = new_item(&call.id, target, "", &call.arguments);
        // It is decided each time.
        item.approval.can_allow = false;
        Self { record: MemoryRecorder::default(), item, tell }
    }

    /// What the call came to. One that is not over counts as interrupted.
    #[must_use]
    pub fn end(&self) -> DirectEnd {
        let mut end = DirectEnd::without_a_run(ToolOutcome::Interrupted);
        for (_, event) in &self.record.events {
            match event {
                CallEvent::Decided { arguments, .. } => end.edited.clone_from(arguments),
                CallEvent::Started { allowed_by } => end.allowed_by = Some(*allowed_by),
                CallEvent::Finished { outcome, duration_ms } => {
                    (end.outcome, end.ran_ms) = (outcome.clone(), *duration_ms);
                }
                _ => {}
            }
        }
        end
    }
}

impl<T: FnMut(Option<&ToolItem>)> CallRecorder for DirectRecord<T> {
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError> {
        let asks = match &event {
            CallEvent::Asked { why } => {
                note_asked(&mut self.item, why);
                Some(true)
            }
            CallEvent::Mistaken { arguments, mistake } => {
                note_mistake(&mut self.item, arguments, mistake);
                Some(true)
            }
            CallEvent::Decided { .. } | CallEvent::Finished { .. } => Some(false),
            CallEvent::FlowAllowed { .. }
            | CallEvent::Started { .. }
            | CallEvent::WaitStarted { .. }
            | CallEvent::WaitEnded
            | CallEvent::Cut { .. }
            | CallEvent::Suspected { .. } => None,
        };
        self.record.append(at, event).await?;
        if let Some(asks) = asks {
            (self.tell)(asks.then_some(&self.item));
        }
        Ok(())
    }

    fn state<'a>(&'a self, call: &'a ToolCall) -> CallState<'a> {
        self.record.state(call)
    }

    fn signals(&self, call: &ToolCall, target: &Target, current: &CurrentTool) -> Signals {
        self.record.signals(call, target, current)
    }

    fn time_runs_out(&mut self, at: Option<Timestamp>) {
        self.record.time_runs_out(at);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use sidecar_protocol::policy::{AskReason, Decision};
    use sidecar_protocol::thread::ToolState;
    use sidecar_protocol::tool::Caller;

    use super::*;
    use crate::testing::tool_id;

    fn call() -> ToolCall {
        let origin = "https://shop.example".to_owned();
        let target = Target {
            skill: None,
            tool: tool_id("buy"),
            site: "shop.example".to_owned(),
            origin: origin.clone(),
            read_only: false,
            consequential: false,
            fingerprint: None,
        };
        ToolCall::direct("d1".into(), Caller::Page { origin }, target, r#"{"n":1}"#.to_owned())
    }

    /// What is told of these events, and what the call came to.
    fn told(events: Vec<CallEvent>) -> (Vec<Option<ToolItem>>, DirectEnd) {
        let mut told = Vec::new();
        let mut record = DirectRecord::new(&call(), |item| told.push(item.cloned()));
        for event in events {
            record.append(1, event).now_or_never().unwrap().unwrap();
        }
        let end = record.end();
        (told, end)
    }

    #[test]
    fn record_tells_of_a_call_while_it_asks_and_then_what_it_came_to() {
        let edited = Some(r#"{"n":2}"#.to_owned());
        let decided = CallEvent::Decided {
            decision: Decision::Run,
            arguments: edited.clone(),
            secrets: Vec::new(),
            off_pattern: false,
            words: String::new(),
        };
        let outcome = ToolOutcome::ok("bought");
        let (told, end) = told(vec![
            CallEvent::Asked { why: vec![AskReason::FromPage] },
            CallEvent::Mistaken { arguments: "{}".to_owned(), mistake: "n is missing".to_owned() },
            decided,
            CallEvent::Started { allowed_by: AllowedBy::User },
            CallEvent::Finished { outcome: outcome.clone(), duration_ms: 5 },
        ]);
        let [Some(asked), Some(again), None, None] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(
            (asked.state.clone(), asked.approval.why.as_slice()),
            (ToolState::Asking, &[AskReason::FromPage][..])
        );
        assert_eq!(
            (asked.name.as_str(), asked.arguments.as_str(), asked.approval.can_allow),
            ("buy", r#"{"n":1}"#, false)
        );
        assert_eq!(
            (again.arguments.as_str(), again.approval.mistake.as_str(), again.approval.mistakes),
            ("{}", "n is missing", 1)
        );
        assert_eq!(end, DirectEnd { outcome, edited, allowed_by: Some(AllowedBy::User), ran_ms: 5 });
    }

    #[test]
    fn record_of_a_call_that_did_not_run_says_so() {
        let outcome = ToolOutcome::Declined;
        let (told, end) = told(vec![CallEvent::Finished { outcome: outcome.clone(), duration_ms: 0 }]);
        assert_eq!((told, end), (vec![None], DirectEnd::without_a_run(outcome)));
    }
}
