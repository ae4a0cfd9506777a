//! The turns that run, and the way to each. What the user says to one does not stand in the actor's queue behind other
//! work: it is handed over in the very moment in which it comes in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use sidecar_agent::{UserCommand, UserDecision};
use sidecar_protocol::ThreadId;
use sidecar_protocol::link::{Command, Control, SettingsCommand, TurnControl};
use sidecar_protocol::settings::Mode;

/// The turns that run. A handle: copies are of the same ones.
#[derive(Debug, Clone, Default)]
pub struct Turns(Rc<RefCell<HashMap<ThreadId, UnboundedSender<UserCommand>>>>);

impl Turns {
    /// A turn begins to run in this thread. What it is told comes out here.
    pub fn begin(&self, thread: &ThreadId) -> UnboundedReceiver<UserCommand> {
        let (sender, inbox) = unbounded();
        self.0.borrow_mut().insert(thread.clone(), sender);
        inbox
    }

    /// No turn runs in this thread any more.
    pub fn end(&self, thread: &ThreadId) {
        self.0.borrow_mut().remove(thread);
    }

    /// Whether one runs in this thread.
    pub fn is_running(&self, thread: &ThreadId) -> bool {
        self.0.borrow().contains_key(thread)
    }

    /// Tells the turn of a thread something. Says whether one runs there.
    pub fn tell(&self, thread: &ThreadId, command: UserCommand) -> bool {
        self.0.borrow().get(thread).is_some_and(|turn| turn.unbounded_send(command).is_ok())
    }

    /// Tells every turn something. Those that it does not concern take no notice.
    pub fn tell_all(&self, command: &UserCommand) {
        for turn in self.0.borrow().values() {
            let _ = turn.unbounded_send(command.clone());
        }
    }

    /// Hands turns what in a request is for them. Says whether it was meant for one turn, and that one runs.
    ///
    /// That tools ask first from now on holds at once, too; that they do not any more can wait.
    pub fn heed(&self, body: &Command) -> bool {
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
            | Command::Calls(_) => false,
        }
    }

    /// Tells a turn what a panel says to it. Says whether it runs.
    pub fn control(&self, TurnControl { thread_id, control }: &TurnControl) -> bool {
        self.tell(thread_id, command_of(control))
    }
}

/// What a turn is told.
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
