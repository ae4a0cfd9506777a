//! The running turns and their inboxes. Commands for a turn do not wait in the actor's queue behind other
//! work: the turn receives them at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use sidecar_agent::{UserCommand, UserDecision};
use sidecar_protocol::ThreadId;
use sidecar_protocol::link::{Command, Control, SettingsCommand, TurnControl};
use sidecar_protocol::settings::Mode;

/// The running turns. Clones are handles to the same turns.
#[derive(Debug, Clone, Default)]
pub struct Turns(Rc<RefCell<HashMap<ThreadId, UnboundedSender<UserCommand>>>>);

impl Turns {
    /// Registers the running turn of a thread. Returns its inbox.
    pub fn begin(&self, thread: &ThreadId) -> UnboundedReceiver<UserCommand> {
        let (sender, inbox) = unbounded();
        self.0.borrow_mut().insert(thread.clone(), sender);
        inbox
    }

    /// Removes the turn of a thread, which has ended.
    pub fn end(&self, thread: &ThreadId) {
        self.0.borrow_mut().remove(thread);
    }

    /// Whether a turn runs in this thread.
    pub fn is_running(&self, thread: &ThreadId) -> bool {
        self.0.borrow().contains_key(thread)
    }

    /// Sends a command to the turn of a thread. Returns whether a turn runs there.
    pub fn tell(&self, thread: &ThreadId, command: UserCommand) -> bool {
        self.0.borrow().get(thread).is_some_and(|turn| turn.unbounded_send(command).is_ok())
    }

    /// Sends a command to every turn. Turns ignore commands that do not concern them.
    pub fn tell_all(&self, command: &UserCommand) {
        for turn in self.0.borrow().values() {
            let _ = turn.unbounded_send(command.clone());
        }
    }

    /// Sends turns the part of a request that is for them. Returns whether it was for one turn and that turn
    /// runs.
    ///
    /// A change to confirm mode takes effect at once; a change to auto mode only when it has been saved.
    pub fn deliver(&self, body: &Command) -> bool {
        match body {
            Command::Turn(control) => self.control(control),
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
            | Command::Skills(_) => false,
        }
    }

    /// Sends a turn a control of a panel. Returns whether the turn runs.
    pub fn control(&self, TurnControl { thread_id, control }: &TurnControl) -> bool {
        self.tell(thread_id, command_of(control))
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
