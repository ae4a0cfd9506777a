//! A run of a tool by hand, as a page follows it.

use leptos::prelude::*;
use sidecar_protocol::link::runs::MOST_ARGUMENTS;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::lint::LintNote;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{CallId, ToolRef};

use crate::connection::LinkConnection;
use crate::port::LinkResponse;

/// The tool of a run, as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTarget {
    /// The tool.
    pub tool: ToolRef,
    /// [`sidecar_protocol::page_view::ToolSummary::origin`]
    pub origin: String,
    /// [`sidecar_protocol::page_view::ToolSummary::digest`]
    pub digest: String,
}

/// The runs of a tool, one at a time. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct HandRun {
    connection: LinkConnection,
    /// Whether a run is under way.
    pub is_running: RwSignal<bool>,
    /// Whether the user has pressed Stop.
    stops: StoredValue<bool>,
    /// Id of the run under way, as soon as it is known.
    pub call: RwSignal<Option<CallId>>,
    /// The run that ended last.
    pub ended: RwSignal<Option<ToolRun>>,
    /// What is wrong with what that came to, for the tool's developer; empty until it is known.
    pub notes: RwSignal<Vec<LintNote>>,
    /// Whether the last run was refused, or its end is unknown.
    pub is_lost: RwSignal<bool>,
    /// Whether the arguments of the last run were too long: it did not begin.
    pub is_too_long: RwSignal<bool>,
    /// Counts the runs that are over.
    pub count: RwSignal<u32>,
    /// Whether the page is looked at before and after a run.
    pub watches: RwSignal<bool>,
}

impl HandRun {
    /// No run yet.
    pub fn new(connection: LinkConnection) -> Self {
        Self {
            connection,
            is_running: RwSignal::new(false),
            stops: StoredValue::new(false),
            call: RwSignal::new(None),
            ended: RwSignal::new(None),
            notes: RwSignal::new(Vec::new()),
            is_lost: RwSignal::new(false),
            is_too_long: RwSignal::new(false),
            count: RwSignal::new(0),
            watches: RwSignal::new(false),
        }
    }

    /// Stops the run, as soon as it has begun.
    pub fn stop(self) {
        self.stops.set_value(true);
        if let Some(call_id) = self.call.get_untracked() {
            self.connection.send(RunsCommand::Stop { call_id });
        }
    }

    /// Has what a run came to looked at. The notes of a run that is no longer the last are not wanted.
    fn look_at(self, tool: ToolRef, call_id: CallId) {
        let is_last = {
            let call_id = call_id.clone();
            move |ended: &Option<ToolRun>| ended.as_ref().is_some_and(|ended| ended.call_id == call_id)
        };
        self.connection.ask(RunsCommand::LintResult { tool, call_id }, move |response| {
            if let LinkResponse::Answer(RunsAnswer::LintedResult { notes }) = response
                && self.ended.with_untracked(&is_last)
            {
                self.notes.set(notes);
            }
        });
    }

    /// Starts a run with these arguments (JSON text), unless one is under way.
    pub fn start(self, target: RunTarget, arguments: String, unchecked: bool) {
        if self.is_running.get_untracked() {
            return;
        }
        self.stops.set_value(false);
        self.ended.set(None);
        self.notes.set(Vec::new());
        self.is_lost.set(false);
        self.is_too_long.set(arguments.len() > MOST_ARGUMENTS);
        if self.is_too_long.get_untracked() {
            return;
        }
        let over = move |run: Option<ToolRun>| {
            self.is_lost.set(run.is_none());
            self.ended.set(run);
            self.call.set(None);
            self.is_running.set(false);
            self.count.update(|count| *count += 1);
        };
        let RunTarget { tool, origin, digest } = target;
        let ran = tool.clone();
        let command = RunsCommand::Run {
            tool,
            origin,
            digest,
            arguments,
            unchecked,
            watch: self.watches.get_untracked(),
        };
        let is_sent = self.connection.ask(command, move |response| match response {
            LinkResponse::Answer(RunsAnswer::Began { call_id }) => {
                self.call.set(Some(call_id));
                if self.stops.get_value() {
                    self.stop();
                }
            }
            LinkResponse::Answer(RunsAnswer::Ended { run }) => {
                self.look_at(ran.clone(), run.call_id.clone());
                over(Some(*run));
            }
            LinkResponse::Answer(_) => {}
            LinkResponse::Done | LinkResponse::Refused(_) | LinkResponse::Lost => over(None),
        });
        self.is_running.set(is_sent);
        self.is_lost.set(!is_sent);
    }
}
