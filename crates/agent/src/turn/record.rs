//! The turn as a caller of the gate: its calls are recorded in the log of its thread.

use std::rc::Rc;

use sidecar_protocol::guard::Flow;
use sidecar_protocol::thread::ToolStep;
use sidecar_protocol::{CallId, Timestamp};

use super::TurnUpdate;
use crate::call::policy::Flows;
use crate::call::{CallEvent, CallRecorder, CallState, Signals, ToolCall};
use crate::guard::{self, flow};
use crate::log::{Entry, Event, Suspect, Target};
use crate::ports::{Clock, CurrentTool, LlmTransport, Ports, Store, StoreError, ToolHost};
use crate::turn::resume;

/// Records one call in the log of a thread.
pub(super) struct TurnRecord<'r, T, H, S, C> {
    pub(super) log: &'r mut Rc<Vec<Entry>>,
    pub(super) ports: &'r Ports<T, H, S, C>,
    pub(super) tell: &'r mut dyn FnMut(TurnUpdate<'_>),
    pub(super) call: &'r CallId,
    /// Whether the model repeats the call although it was told that it had succeeded.
    pub(super) is_repeated: bool,
}

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> CallRecorder for TurnRecord<'_, T, H, S, C> {
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError> {
        write(self.log, self.ports, self.tell, Entry { at, event: logged(self.call.clone(), event) }).await
    }

    fn state<'a>(&'a self, call: &'a ToolCall) -> CallState<'a> {
        resume::call_state(self.log, &call.id).unwrap_or_else(|| CallState::from(call))
    }

    fn signals(&self, call: &ToolCall, target: &Target, current: &CurrentTool) -> Signals {
        let nfkc = |text: &str| self.ports.tools.nfkc(text);
        let flows = flow::flows(self.log, target, &call.arguments, current.schema.as_deref(), &nfkc);
        let to = flow::destination(target, &call.arguments);
        let is_allowed = |flow: &Flow| flow::is_allowed(self.log, &flow.origin, &to.origin);
        let (allowed, asking): (Vec<_>, Vec<_>) = flows.into_iter().partition(is_allowed);
        Signals {
            guard: guard::guard(self.log, target),
            flows: Flows { asking, are_allowed: !allowed.is_empty() },
            is_repeated: self.is_repeated,
        }
    }

    fn time_runs_out(&mut self, at: Option<Timestamp>) {
        (self.tell)(TurnUpdate::TimeRunsOut(at));
    }

    fn begins_step(&mut self, step: ToolStep) {
        (self.tell)(TurnUpdate::Step(step));
    }
}

/// Appends an entry to the log, with the user's keys removed, and reports it.
pub(super) async fn write<T: LlmTransport, H, S: Store, C>(
    log: &mut Rc<Vec<Entry>>,
    ports: &Ports<T, H, S, C>,
    tell: &mut dyn FnMut(TurnUpdate<'_>),
    entry: Entry,
) -> Result<(), StoreError> {
    let entry = Entry { event: ports.transport.keys().conceal_event(entry.event), ..entry };
    // Release our reference, so that the log can grow in place.
    *log = Rc::default();
    let written = ports.store.append(entry).await;
    *log = ports.store.log();
    written?;
    if let Some(entry) = log.last() {
        tell(TurnUpdate::Appended(entry));
    }
    Ok(())
}

/// A call's event as it stands in the log of a thread.
pub(super) fn logged(call: CallId, event: CallEvent) -> Event {
    match event {
        CallEvent::Asked { why } => Event::ApprovalAsked { call, why },
        CallEvent::Mistaken { arguments, mistake } => Event::ApprovalMistaken { call, arguments, mistake },
        CallEvent::FlowAllowed { from, to } => Event::FlowAllowed { call, from, to },
        CallEvent::Decided { decision, arguments, secrets, off_pattern, words } => {
            Event::ApprovalGiven { call, decision, arguments, secrets, off_pattern, words }
        }
        CallEvent::Started { allowed_by } => Event::ToolStarted { call, allowed_by: Some(allowed_by) },
        CallEvent::WaitStarted { kind } => Event::WaitStarted { call, kind },
        CallEvent::WaitEnded => Event::WaitEnded { call },
        CallEvent::Cut { cut } => Event::ResultCut { call, cut },
        CallEvent::Suspected { signals } => Event::Suspected { what: Suspect::Result { call }, signals },
        CallEvent::Finished { outcome, duration_ms } => Event::ToolFinished { call, outcome, duration_ms },
    }
}
