//! A call of no turn: its record, and what panels see of it while it asks.

use std::fmt;

use sidecar_protocol::Timestamp;
use sidecar_protocol::policy::AllowedBy;
use sidecar_protocol::thread::{ToolItem, ToolOutcome, ToolState};
use sidecar_webmcp::{visible, visible_json};

use crate::call::{CallEvent, CallRecorder, CallState, Callee, MemoryRecorder, Signals, ToolCall};
use crate::log::Target;
use crate::ports::{CurrentTool, StoreError};
use crate::threads::view::new_item;

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

    /// How it ended; `None` while it is under way.
    #[must_use]
    pub fn outcome(&self) -> Option<&ToolOutcome> {
        self.record.events.iter().find_map(|(_, event)| match event {
            CallEvent::Finished { outcome, .. } => Some(outcome),
            _ => None,
        })
    }

    /// The arguments that the user put in place of the caller's, if any (JSON text).
    #[must_use]
    pub fn edited(&self) -> Option<&str> {
        self.record.events.iter().rev().find_map(|(_, event)| match event {
            CallEvent::Decided { arguments, .. } => arguments.as_deref(),
            _ => None,
        })
    }

    /// What let it run; `None` if it did not.
    #[must_use]
    pub fn allowed_by(&self) -> Option<AllowedBy> {
        self.record.events.iter().find_map(|(_, event)| match event {
            CallEvent::Started { allowed_by } => Some(*allowed_by),
            _ => None,
        })
    }

    /// How long its tool ran, in milliseconds; 0 if it did not.
    #[must_use]
    pub fn ran_ms(&self) -> u64 {
        let ran = self.record.events.iter().find_map(|(_, event)| match event {
            CallEvent::Finished { duration_ms, .. } => Some(*duration_ms),
            _ => None,
        });
        ran.unwrap_or_default()
    }
}

impl<T: FnMut(Option<&ToolItem>)> CallRecorder for DirectRecord<T> {
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError> {
        let asks = match &event {
            CallEvent::Asked { why } => {
                self.item.state = ToolState::Asking;
                self.item.approval.why.clone_from(why);
                Some(true)
            }
            CallEvent::Mistaken { arguments, mistake } => {
                self.item.arguments = visible_json(arguments).into_owned();
                self.item.approval.mistake = visible(mistake).into_owned();
                self.item.approval.mistakes += 1;
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

    /// What is told of these events.
    fn told(events: Vec<CallEvent>) -> (Vec<Option<ToolItem>>, Option<AllowedBy>, Option<ToolOutcome>) {
        let mut told = Vec::new();
        let mut record = DirectRecord::new(&call(), |item| told.push(item.cloned()));
        for event in events {
            record.append(1, event).now_or_never().unwrap().unwrap();
        }
        let (allowed_by, outcome) = (record.allowed_by(), record.outcome().cloned());
        (told, allowed_by, outcome)
    }

    #[test]
    fn record_tells_of_a_call_while_it_asks() {
        let decided = CallEvent::Decided {
            decision: Decision::Run,
            arguments: None,
            secrets: Vec::new(),
            off_pattern: false,
            words: String::new(),
        };
        let (told, allowed_by, outcome) = told(vec![
            CallEvent::Asked { why: vec![AskReason::FromPage] },
            CallEvent::Mistaken { arguments: "{}".to_owned(), mistake: "n is missing".to_owned() },
            decided,
            CallEvent::Started { allowed_by: AllowedBy::User },
            CallEvent::Finished { outcome: ToolOutcome::ok("bought"), duration_ms: 5 },
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
        assert_eq!((allowed_by, outcome), (Some(AllowedBy::User), Some(ToolOutcome::ok("bought"))));
    }

    #[test]
    fn record_of_a_call_that_did_not_run_says_so() {
        let outcome = ToolOutcome::Declined;
        let (told, allowed_by, ended) =
            told(vec![CallEvent::Finished { outcome: outcome.clone(), duration_ms: 0 }]);
        assert_eq!((told, allowed_by, ended), (vec![None], None, Some(outcome)));
    }
}
