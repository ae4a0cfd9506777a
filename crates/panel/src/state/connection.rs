//! The connection to the worker, with alerts about what was refused.

use std::ops::Deref;

use leptos::prelude::*;
use sidecar_link::LinkConnection;
use sidecar_protocol::link::Refusal;

use super::Alert;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct ConnectionStore {
    /// The connection.
    pub link: LinkConnection,
    /// The alert to show.
    pub alert: RwSignal<Option<Alert>>,
}

impl Deref for ConnectionStore {
    type Target = LinkConnection;

    fn deref(&self) -> &LinkConnection {
        &self.link
    }
}

impl ConnectionStore {
    /// Without a port.
    pub fn new() -> Self {
        Self { link: LinkConnection::new(), alert: RwSignal::new(None) }
    }

    /// Shows a refusal.
    pub fn refused(self, why: Refusal) {
        self.alert.set(Some(Alert::Refused(why)));
    }
}
