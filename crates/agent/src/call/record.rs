//! The record of a call.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::cell::RefCell;

use sidecar_protocol::Timestamp;
use sidecar_protocol::thread::ToolStep;

use super::event::CallEvent;
use super::policy::Signals;
use super::stage::CallState;
use super::tool_call::ToolCall;
use crate::log::Target;
use crate::ports::{CurrentTool, StoreError};

/// A caller's record of one call, and what it knows about the call.
pub trait CallRecorder {
    /// Appends an event; durable when it returns.
    ///
    /// # Errors
    /// If it could not be written. The call then stops, because an effect that is not recorded
    /// could be repeated.
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError>;

    /// The state of the call by its events.
    fn state<'a>(&'a self, call: &'a ToolCall) -> CallState<'a>;

    /// The signals that make the call ask.
    fn signals(&self, call: &ToolCall, target: &Target, current: &CurrentTool) -> Signals;

    /// Reports when the running tool will time out; absent when that is not soon any more.
    fn time_runs_out(&mut self, at: Option<Timestamp>);

    /// Reports which step the running tool of a SKILL begins. Does nothing unless implemented.
    fn begins_step(&mut self, _step: ToolStep) {}
}

/// A record in memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryRecorder {
    /// The events, in order.
    pub events: Vec<(Timestamp, CallEvent)>,
    /// The signals that the caller knows.
    pub signals: Signals,
    /// When the running tool will time out, if that is soon.
    pub runs_out: Option<Timestamp>,
    /// The origins to which calls were judged to send their arguments.
    pub judged: RefCell<Vec<String>>,
}

impl CallRecorder for MemoryRecorder {
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError> {
        self.events.push((at, event));
        Ok(())
    }

    fn state<'a>(&'a self, call: &'a ToolCall) -> CallState<'a> {
        let mut state = CallState::from(call);
        for (at, event) in &self.events {
            state.read(*at, event);
        }
        state
    }

    fn signals(&self, _call: &ToolCall, target: &Target, _current: &CurrentTool) -> Signals {
        self.judged.borrow_mut().push(target.origin.clone());
        self.signals.clone()
    }

    fn time_runs_out(&mut self, at: Option<Timestamp>) {
        self.runs_out = at;
    }
}
