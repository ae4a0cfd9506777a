//! The connection to the worker, as a page shows it: whether there is one, and sending commands.

use std::time::Duration;

use futures::channel::oneshot;
use leptos::prelude::*;
use sidecar_protocol::Timestamp;
use sidecar_protocol::link::Domain;
use sidecar_ui::clock::now;

use crate::port::{Incoming, Link, LinkResponse, PageSight};

/// How long the connection may be lost before the user is told.
const PATIENCE: Duration = Duration::from_secs(1);

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct LinkConnection {
    /// Whether the first snapshot has arrived.
    pub welcomed: RwSignal<bool>,
    /// Whether to show that the connection is lost: for longer than `PATIENCE`.
    pub disconnected: RwSignal<bool>,
    /// Number of connections so far. A new one means that what was on its way may be lost.
    pub count: RwSignal<u32>,
    /// The link, once opened.
    link: StoredValue<Option<Link>, LocalStorage>,
    /// When the connection was lost; `None` while connected.
    lost: StoredValue<Option<Timestamp>>,
}

impl Default for LinkConnection {
    fn default() -> Self {
        Self::new()
    }
}

impl LinkConnection {
    /// Without a port.
    pub fn new() -> Self {
        Self {
            welcomed: RwSignal::new(false),
            disconnected: RwSignal::new(false),
            count: RwSignal::new(0),
            link: StoredValue::new_local(None),
            lost: StoredValue::new(None),
        }
    }

    /// Connects to the worker.
    pub fn open(self, sight: PageSight, hear: impl Fn(Incoming) + 'static) {
        self.lose();
        self.link.set_value(Some(Link::open(sight, hear)));
    }

    /// Whether the connection is lost.
    pub fn is_lost(self) -> bool {
        self.lost.get_value().is_some()
    }

    /// Ends the loss, because the page is connected again or never will be: the user is not told of it.
    pub fn end_loss(self) {
        self.lost.set_value(None);
    }

    /// Sends a command. Returns whether it could be sent. If not, the page is reconnecting and will get a fresh
    /// snapshot, so the command need not be kept. A refusal is shown.
    pub fn send(self, command: impl Domain) -> bool {
        self.link.get_value().is_some_and(|link| link.send(command))
    }

    /// Sends a command and passes each response to `then`. Returns whether it could be sent.
    pub fn ask<D: Domain>(self, command: D, mut then: impl FnMut(LinkResponse<D::Answer>) + 'static) -> bool {
        let then = move |response| untrack(|| then(response));
        self.link.get_value().is_some_and(|link| link.ask(command, then))
    }

    /// Sends a command and waits for its response, the first one if there are several: [`LinkResponse::Lost`] if it could
    /// not be sent.
    pub async fn response<D: Domain>(self, command: D) -> LinkResponse<D::Answer>
    where
        D::Answer: 'static,
    {
        let (done, response) = oneshot::channel();
        let mut done = Some(done);
        let is_sent = self.ask(command, move |response| {
            // Whoever waited may be gone.
            let _ = done.take().map(|done| done.send(response));
        });
        if is_sent { response.await.unwrap_or(LinkResponse::Lost) } else { LinkResponse::Lost }
    }

    /// Notes that the connection is lost. The user is told only if it stays lost.
    pub fn lose(self) {
        if self.lost.get_value().is_some() {
            return;
        }
        let moment = now();
        self.lost.set_value(Some(moment));
        set_timeout(
            move || {
                // A later loss has a timer of its own.
                if self.lost.get_value() == Some(moment) {
                    self.disconnected.set(true);
                }
            },
            PATIENCE,
        );
    }
}
