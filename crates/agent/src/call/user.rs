//! The user while calls are under way: what they say is heard before anything further begins.

use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, select};
use futures::{FutureExt, StreamExt, pin_mut};
use sidecar_protocol::CallId;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::settings::Mode;

use super::waits::Interaction;

/// What the user, or the page that waits for them, says while calls are under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserCommand {
    /// Stop at once.
    Stop,
    /// A decision about a call.
    Decide(CallId, UserDecision),
    /// From now on, tools that act ask first, or do not.
    SetMode(Mode),
    /// A page begins or ends waiting for the user.
    Interaction(Interaction),
    /// The call that runs gets as much time again as a tool has.
    WaitLonger(CallId),
    /// The conversation need not be on guard any more. A call that waits gives way to its caller, who sees to that.
    LiftGuard,
}

/// What the user decided about a call, with what was said with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    /// Whether it runs.
    pub decision: Decision,
    /// The arguments that the user changed, by name (JSON text of an object).
    pub edits: Option<String>,
    /// What the caller is told with a refusal; may be empty.
    pub words: String,
    /// Whether data may go from the other site to the call's own from now on.
    pub allow_flow: bool,
}

impl From<Decision> for UserDecision {
    fn from(decision: Decision) -> Self {
        Self { decision, edits: None, words: String::new(), allow_flow: false }
    }
}

/// Hears the user, and knows what they said.
#[derive(Debug)]
pub struct User<'u> {
    commands: &'u mut UnboundedReceiver<UserCommand>,
    decisions: Vec<(CallId, UserDecision)>,
    /// Whether tools that act ask first.
    pub mode: Mode,
    /// The guard is called off.
    pub lifts_guard: bool,
    /// Stop was said, or nobody is there to say anything any more.
    pub stopped: bool,
}

impl<'u> User<'u> {
    /// One who has said nothing yet. When the sender of `commands` is gone, that counts as stop.
    pub fn new(commands: &'u mut UnboundedReceiver<UserCommand>, mode: Mode) -> Self {
        Self { commands, decisions: Vec::new(), mode, lifts_guard: false, stopped: false }
    }

    /// What is said next.
    pub(crate) async fn next(&mut self) -> Option<UserCommand> {
        self.commands.next().await
    }

    /// The future's output, or `None` when the user stops first. The future is dropped with that, which calls its effect
    /// off. The user is heard before the future is touched: what was stopped before it began does not begin.
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

    /// What the user decides about a call, or `None` when the user stops or calls the guard off instead.
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

    /// Takes note of everything that was said meanwhile.
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
            // No tool runs that could wait, or be waited for.
            Some(UserCommand::Interaction(_) | UserCommand::WaitLonger(_)) => {}
        }
    }
}
