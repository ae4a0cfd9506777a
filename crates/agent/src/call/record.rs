//! Where a call is written down.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_protocol::Timestamp;

use super::event::CallEvent;
use super::policy::Signals;
use super::stage::CallState;
use super::tool_call::ToolCall;
use crate::log::Target;
use crate::ports::{CurrentTool, StoreError};

/// What a caller keeps of one call, and knows around it.
pub trait CallRecorder {
    /// Appends an event; durable when it returns.
    ///
    /// # Errors
    /// When it could not be written. The call then stops where it is, because an effect that is not written could be
    /// repeated.
    async fn append(&mut self, at: Timestamp, event: CallEvent) -> Result<(), StoreError>;

    /// How far the call is, by what is written.
    fn state<'a>(&'a self, call: &'a ToolCall) -> CallState<'a>;

    /// What is known that makes the call one to ask about.
    fn signals(&self, call: &ToolCall, target: &Target, current: &CurrentTool) -> Signals;

    /// When the tool that runs is given up, if the user does not say otherwise; absent when that is far off again.
    fn time_runs_out(&mut self, at: Option<Timestamp>);
}

/// The record of a caller that keeps its calls in memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryRecorder {
    /// What is written, in order.
    pub events: Vec<(Timestamp, CallEvent)>,
    /// What the caller knows.
    pub signals: Signals,
    /// When the tool that runs is given up, if that is soon.
    pub runs_out: Option<Timestamp>,
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

    fn signals(&self, _call: &ToolCall, _target: &Target, _current: &CurrentTool) -> Signals {
        self.signals.clone()
    }

    fn time_runs_out(&mut self, at: Option<Timestamp>) {
        self.runs_out = at;
    }
}
