//! A run of a tool by hand, as the panel follows it.

use leptos::prelude::*;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{CallId, ToolRef};

use crate::link::LinkResponse;
use crate::state::connection::ConnectionStore;
use crate::views::tools::drafts::RunDraft;

/// The arguments of the next run, and the run.
#[derive(Clone, Copy)]
pub struct HandRun {
    connection: ConnectionStore,
    tool: StoredValue<ToolRef>,
    digest: StoredValue<String>,
    origin: StoredValue<String>,
    /// Whether the page has changed the tool since the arguments were typed, and the user has not seen that yet.
    pub is_another: RwSignal<bool>,
    /// JSON text, as it is typed.
    pub arguments: RwSignal<String>,
    /// Whether a run is under way.
    pub is_running: RwSignal<bool>,
    /// Whether the user has pressed Stop.
    stops: StoredValue<bool>,
    /// Id of the run under way, as soon as it is known.
    pub call: RwSignal<Option<CallId>>,
    /// The run that ended last.
    pub ended: RwSignal<Option<ToolRun>>,
    /// Whether the last run was refused, or its end is unknown.
    pub is_lost: RwSignal<bool>,
    /// Counts the runs that are over.
    pub count: RwSignal<u32>,
    /// Whether the arguments are shown.
    pub is_open: RwSignal<bool>,
}

impl HandRun {
    /// A tool that is not running. `arguments` are typed already, and shown or not.
    pub fn new(
        connection: ConnectionStore,
        tool: StoredValue<ToolRef>,
        digest: StoredValue<String>,
        origin: StoredValue<String>,
        draft: RunDraft,
    ) -> Self {
        let RunDraft { arguments, is_open, digest: typed_for } = draft;
        let is_another = is_open && !typed_for.is_empty() && digest.with_value(|now| *now != typed_for);
        Self {
            connection,
            tool,
            digest,
            origin,
            is_another: RwSignal::new(is_another),
            arguments: RwSignal::new(arguments),
            is_running: RwSignal::new(false),
            stops: StoredValue::new(false),
            call: RwSignal::new(None),
            ended: RwSignal::new(None),
            is_lost: RwSignal::new(false),
            count: RwSignal::new(0),
            is_open: RwSignal::new(is_open),
        }
    }

    /// Takes arguments as those of the next run.
    pub fn edit(self, arguments: &str) {
        self.arguments.set(arguments.to_owned());
        self.is_open.set(true);
    }

    /// Stops the run, as soon as it has begun.
    pub fn stop(self) {
        self.stops.set_value(true);
        if let Some(call_id) = self.call.get_untracked() {
            self.connection.send(RunsCommand::Stop { call_id });
        }
    }

    /// Starts a run with these arguments.
    pub fn start(self, arguments: String, unchecked: bool) {
        if self.is_running.get_untracked() {
            return;
        }
        self.stops.set_value(false);
        let (tool, digest) = (self.tool.get_value(), self.digest.get_value());
        self.ended.set(None);
        self.is_lost.set(false);
        let over = move |run: Option<ToolRun>| {
            self.is_lost.set(run.is_none());
            self.ended.set(run);
            self.call.set(None);
            self.is_running.set(false);
            self.count.update(|count| *count += 1);
        };
        let origin = self.origin.get_value();
        let command = RunsCommand::Run { tool, origin, digest, arguments, unchecked };
        let is_sent = self.connection.ask(command, move |response| match response {
            LinkResponse::Answer(RunsAnswer::Began { call_id }) => {
                self.call.set(Some(call_id));
                if self.stops.get_value() {
                    self.stop();
                }
            }
            LinkResponse::Answer(RunsAnswer::Ended { run }) => over(Some(*run)),
            LinkResponse::Answer(_) => {}
            LinkResponse::Done | LinkResponse::Refused(_) | LinkResponse::Lost => over(None),
        });
        self.is_running.set(is_sent);
        self.is_lost.set(!is_sent);
    }
}
