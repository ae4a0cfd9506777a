//! The one task that owns all state: it hands the actor one event after the other.

use futures::channel::mpsc::UnboundedReceiver;
use futures::{StreamExt, join};
use sidecar_chrome::{ChromeError, side_panel, storage};
use sidecar_session::{Actor, SessionEvent, Turns};

use crate::browser::{ThisBrowser, warn};
use crate::clock::Awake;
use crate::mailbox::Mailbox;

/// Reads the queue until the worker dies.
pub async fn run(mailbox: Mailbox, turns: Turns, mut events: UnboundedReceiver<SessionEvent>) {
    // All at once: a panel that opens waits for it. The first goes out before any page could ask for anything.
    let (trusted, on_click, mut actor) = join!(
        storage::keep_local_to_trusted_contexts(),
        side_panel::open_on_action_click(),
        Actor::load(ThisBrowser(mailbox), turns),
    );
    report(trusted);
    report(on_click);
    // Before anybody is heard who could begin the same turn once more.
    actor.revive().await;
    let mut awake = Awake::default();
    while let Some(event) = events.next().await {
        actor.handle(event).await;
        // Of a temporary thread the worker is the only place.
        awake.keep(actor.has_temporary());
    }
}

/// What Chrome refuses at start is not the user's business, but must not vanish either.
fn report(result: Result<(), ChromeError>) {
    if let Err(error) = result {
        warn(&error.0);
    }
}
