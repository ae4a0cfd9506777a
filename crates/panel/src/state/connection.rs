//! The connection to the worker: what is sent over it, and what was refused.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::Timestamp;
use sidecar_protocol::link::{Domain, Refusal};
use sidecar_ui::clock::now;

use super::Alert;
use crate::link::{Incoming, Link, LinkResponse};

/// How long a lost connection is not worth a word.
const PATIENCE: Duration = Duration::from_secs(1);

/// A handle: copies show the same.
#[derive(Clone, Copy)]
pub struct ConnectionStore {
    /// Whether the first snapshot has come.
    pub welcomed: RwSignal<bool>,
    /// Whether to say that there is no connection: it was lost more than a second ago.
    pub disconnected: RwSignal<bool>,
    /// How often the panel got a worker: what was on its way to the one before may be lost.
    pub count: RwSignal<u32>,
    /// What the user must know.
    pub alert: RwSignal<Option<Alert>>,
    /// The link, once it was opened.
    link: StoredValue<Option<Link>, LocalStorage>,
    /// When the connection was lost, while it is.
    lost: StoredValue<Option<Timestamp>>,
}

impl ConnectionStore {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self {
            welcomed: RwSignal::new(false),
            disconnected: RwSignal::new(false),
            count: RwSignal::new(0),
            alert: RwSignal::new(None),
            link: StoredValue::new_local(None),
            lost: StoredValue::new(None),
        }
    }

    /// Connects to the worker.
    pub fn open(self, hear: impl Fn(Incoming) + 'static) {
        self.lose();
        self.link.set_value(Some(Link::open(hear)));
    }

    /// Whether the connection is lost.
    pub fn is_lost(self) -> bool {
        self.lost.get_value().is_some()
    }

    /// There is a connection again, or none will come: no loss is told.
    pub fn end_loss(self) {
        self.lost.set_value(None);
    }

    /// Sends a command. Says whether it could be sent; when not, the panel is connecting again and gets a fresh
    /// snapshot, so nothing has to be kept. A refusal is shown.
    pub fn send(self, command: impl Domain) -> bool {
        self.link.get_value().is_some_and(|link| link.send(command))
    }

    /// Sends a command, and hands over what comes of it. Says whether it could be sent.
    pub fn ask<D: Domain>(self, command: D, mut then: impl FnMut(LinkResponse<D::Answer>) + 'static) -> bool {
        let then = move |response| untrack(|| then(response));
        self.link.get_value().is_some_and(|link| link.ask(command, then))
    }

    /// Shows that something was not done.
    pub fn refused(self, why: Refusal) {
        self.alert.set(Some(Alert::Refused(why)));
    }

    /// The connection is lost. It is told only if it stays so.
    pub fn lose(self) {
        if self.lost.get_value().is_some() {
            return;
        }
        let moment = now();
        self.lost.set_value(Some(moment));
        set_timeout(
            move || {
                // Another loss, after a connection in between, has a patience of its own.
                if self.lost.get_value() == Some(moment) {
                    self.disconnected.set(true);
                }
            },
            PATIENCE,
        );
    }
}
