//! The sending end of the actor's queue.

use crate::event::SessionEvent;
use futures::channel::mpsc::UnboundedSender;

/// The sending end of the actor's queue. Clones send to the same queue.
#[derive(Debug, Clone)]
pub struct Mailbox(pub UnboundedSender<SessionEvent>);

impl Mailbox {
    /// Posts an event. Does nothing after the actor has ended.
    pub fn post(&self, event: impl Into<SessionEvent>) {
        let _ = self.0.unbounded_send(event.into());
    }
}
