//! The running turns, and calls of no turn, with their inboxes. Commands for them do not wait in the actor's queue
//! behind other work: they are received at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use sidecar_agent::{UserCommand, UserDecision};
use sidecar_protocol::link::{Command, Control, RunsCommand, SettingsCommand, TurnControl};
use sidecar_protocol::settings::Mode;
use sidecar_protocol::{CallId, ThreadId};

/// The running turns and calls of no turn. Clones are handles to the same ones.
#[derive(Debug, Clone, Default)]
pub struct Turns(Rc<RefCell<Inboxes>>);

#[derive(Debug, Default)]
struct Inboxes {
    turns: HashMap<ThreadId, UnboundedSender<UserCommand>>,
    /// Of calls of no turn.
    calls: HashMap<CallId, UnboundedSender<UserCommand>>,
}

impl Turns {
    /// Registers the running turn of a thread. Returns its inbox.
    pub fn begin(&self, thread: &ThreadId) -> UnboundedReceiver<UserCommand> {
        let (sender, inbox) = unbounded();
        self.0.borrow_mut().turns.insert(thread.clone(), sender);
        inbox
    }

    /// Registers a call of no turn. Returns its inbox.
    pub fn begin_call(&self, call: &CallId) -> UnboundedReceiver<UserCommand> {
        let (sender, inbox) = unbounded();
        self.0.borrow_mut().calls.insert(call.clone(), sender);
        inbox
    }

    /// Removes the turn of a thread, which has ended.
    pub fn end(&self, thread: &ThreadId) {
        self.0.borrow_mut().turns.remove(thread);
    }

    /// Removes a call of no turn, which has ended.
    pub fn end_call(&self, call: &CallId) {
        self.0.borrow_mut().calls.remove(call);
    }

    /// Whether a turn runs in this thread.
    pub fn is_running(&self, thread: &ThreadId) -> bool {
        self.0.borrow().turns.contains_key(thread)
    }

    /// Whether a turn runs anywhere.
    pub fn is_any_running(&self) -> bool {
        !self.0.borrow().turns.is_empty()
    }

    /// Sends a command to the turn of a thread. Returns whether a turn runs there.
    pub fn tell(&self, thread: &ThreadId, command: UserCommand) -> bool {
        self.0.borrow().turns.get(thread).is_some_and(|turn| turn.unbounded_send(command).is_ok())
    }

    /// Sends a command to a call of no turn. Returns whether it is under way.
    pub fn tell_call(&self, call: &CallId, command: UserCommand) -> bool {
        self.0.borrow().calls.get(call).is_some_and(|inbox| inbox.unbounded_send(command).is_ok())
    }

    /// Sends a command to all. They ignore commands that do not concern them.
    pub fn tell_all(&self, command: &UserCommand) {
        let Inboxes { turns, calls } = &*self.0.borrow();
        for inbox in turns.values().chain(calls.values()) {
            let _ = inbox.unbounded_send(command.clone());
        }
    }

    /// Sends turns the part of a request that is for them. Returns whether it was for one turn and that turn
    /// runs.
    ///
    /// A change to confirm mode takes effect at once; a change to auto mode only when it has been saved.
    pub fn deliver(&self, body: &Command) -> bool {
        match body {
            Command::Turn(control) => self.control(control),
            Command::Runs(RunsCommand::Stop { call_id }) => {
                self.tell_call(call_id, UserCommand::Stop);
                false
            }
            Command::Settings(SettingsCommand::Save { settings }) => {
                if settings.mode == Mode::Confirm {
                    self.tell_all(&UserCommand::SetMode(Mode::Confirm));
                }
                false
            }
            Command::Hello(_)
            | Command::Chat(_)
            | Command::Threads(_)
            | Command::Page(_)
            | Command::Policies(_)
            | Command::Settings(_)
            | Command::Calls(_)
            | Command::Runs(_)
            | Command::Evals(_)
            | Command::Skills(_) => false,
        }
    }

    /// Sends a turn, or a call of no turn, a control of a panel. Returns whether it runs.
    pub fn control(&self, TurnControl { thread_id, control }: &TurnControl) -> bool {
        let command = command_of(control);
        match (thread_id, control) {
            (Some(thread), _) => self.tell(thread, command),
            (None, Control::Decide { call_id, .. } | Control::WaitLonger { call_id }) => {
                self.tell_call(call_id, command)
            }
            (None, Control::Stop | Control::LiftGuard) => false,
        }
    }
}

/// The command for a control.
fn command_of(control: &Control) -> UserCommand {
    match control.clone() {
        Control::Stop => UserCommand::Stop,
        Control::Decide { call_id, decision, edits, words, allow: _, allow_flow } => {
            UserCommand::Decide(call_id, UserDecision { decision, edits, words, allow_flow })
        }
        Control::WaitLonger { call_id } => UserCommand::WaitLonger(call_id),
        Control::LiftGuard => UserCommand::LiftGuard,
    }
}

#[cfg(test)]
mod tests;
