//! The user's commands while calls are under way: they are read before anything further begins.

use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, select};
use futures::{FutureExt, StreamExt, pin_mut};
use sidecar_protocol::CallId;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::settings::Mode;
use sidecar_protocol::thread::ToolStep;

use super::waits::Interaction;

/// A command of the user, or a message of the page that waits for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserCommand {
    /// Stop at once.
    Stop,
    /// A decision about a call.
    Decide(CallId, UserDecision),
    /// Set the mode from now on.
    SetMode(Mode),
    /// A page starts or stops waiting for the user.
    Interaction(Interaction),
    /// A tool of a SKILL begins a step.
    Step(CallId, ToolStep),
    /// The user decided something about tools: what they switched off does not go on.
    ToolsDecided,
    /// Extend the time of the running call by the limit for one tool.
    WaitLonger(CallId),
    /// Lift the guard of the conversation. A waiting call returns to its caller, which does so.
    LiftGuard,
}

/// The user's decision about a call, with all that comes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    /// Run it or not.
    pub decision: Decision,
    /// The arguments that the user changed, by name (JSON text of an object).
    pub edits: Option<String>,
    /// What the caller is told when the call is declined; may be empty.
    pub words: String,
    /// Whether data may flow from the other site to the call's own from now on.
    pub allow_flow: bool,
}

impl From<Decision> for UserDecision {
    fn from(decision: Decision) -> Self {
        Self { decision, edits: None, words: String::new(), allow_flow: false }
    }
}

/// Reads the user's commands and remembers what they say.
#[derive(Debug)]
pub struct User<'u> {
    commands: &'u mut UnboundedReceiver<UserCommand>,
    decisions: Vec<(CallId, UserDecision)>,
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// The user lifted the guard.
    pub lifts_guard: bool,
    /// The user stopped, or the channel is closed.
    pub stopped: bool,
}

impl<'u> User<'u> {
    /// A user who has sent nothing yet. When the sender of `commands` is dropped, that counts as stop.
    pub fn new(commands: &'u mut UnboundedReceiver<UserCommand>, mode: Mode) -> Self {
        Self { commands, decisions: Vec::new(), mode, lifts_guard: false, stopped: false }
    }

    /// The next command.
    pub(crate) async fn next(&mut self) -> Option<UserCommand> {
        self.commands.next().await
    }

    /// The future's output, or `None` if the user stops first. Then the future is dropped, which cancels
    /// its effect. Commands are read before the future is first polled: what was stopped before it began
    /// does not begin.
    pub(crate) async fn unless_stopped<F: Future>(&mut self, future: F) -> Option<F::Output> {
        pin_mut!(future);
        while !self.stopped {
            match select(self.commands.next(), future.as_mut()).await {
                Either::Left((command, _)) => self.hear(command),
                Either::Right((output, _)) => return Some(output),
            }
        }
        None
    }

    /// The user's decision about a call, or `None` if the user stops or lifts the guard instead.
    pub(crate) async fn decision_about(&mut self, call: &CallId) -> Option<UserDecision> {
        while !self.stopped && !self.lifts_guard {
            if let Some(at) = self.decisions.iter().position(|(about, _)| about == call) {
                return Some(self.decisions.remove(at).1);
            }
            let command = self.commands.next().await;
            self.hear(command);
        }
        None
    }

    /// Forgets what was decided about a call: it was about another question.
    pub(crate) fn forget_decisions(&mut self, call: &CallId) {
        self.hear_what_waits();
        self.decisions.retain(|(about, _)| about != call);
    }

    /// Reads all commands that have arrived.
    pub(crate) fn hear_what_waits(&mut self) {
        while let Some(command) = self.commands.next().now_or_never() {
            self.hear(command);
            if self.stopped {
                return;
            }
        }
    }

    pub(crate) fn hear(&mut self, command: Option<UserCommand>) {
        match command {
            Some(UserCommand::Stop) | None => self.stopped = true,
            Some(UserCommand::Decide(call, decided)) => self.decisions.push((call, decided)),
            Some(UserCommand::SetMode(mode)) => self.mode = mode,
            Some(UserCommand::LiftGuard) => self.lifts_guard = true,
            // No tool is running.
            Some(
                UserCommand::Interaction(_)
                | UserCommand::Step(..)
                | UserCommand::WaitLonger(_)
                | UserCommand::ToolsDecided,
            ) => {}
        }
    }
}
