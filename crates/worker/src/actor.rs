//! The one task that owns all state: it hands the actor one event after the other.

use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use sidecar_session::{Actor, SessionEvent, Turns};

use crate::browser::ThisBrowser;
use crate::clock::Awake;
use crate::mailbox::Mailbox;

/// Reads the queue until the worker dies.
pub async fn run(mailbox: Mailbox, turns: Turns, mut events: UnboundedReceiver<SessionEvent>) {
    let mut actor = Actor::load(ThisBrowser(mailbox), turns).await;
    // Before anybody is heard who could begin the same turn once more.
    actor.revive().await;
    let mut awake = Awake::default();
    while let Some(event) = events.next().await {
        actor.handle(event).await;
        // Of a temporary thread the worker is the only place.
        awake.keep(actor.has_temporary());
    }
}
