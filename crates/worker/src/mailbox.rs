//! The way into the actor's queue.

use futures::channel::mpsc::UnboundedSender;
use sidecar_session::SessionEvent;

/// The way into the queue. A handle: copies lead into the same one.
#[derive(Debug, Clone)]
pub struct Mailbox(pub UnboundedSender<SessionEvent>);

impl Mailbox {
    /// Posts an event. After the actor's end nobody hears it, and nobody misses it.
    pub fn post(&self, event: SessionEvent) {
        let _ = self.0.unbounded_send(event);
    }
}
