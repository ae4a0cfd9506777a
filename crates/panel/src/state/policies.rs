//! The user's policies, and saved values that cannot be read.

use leptos::prelude::*;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Grant, HiddenSite, Policy, PolicyKey};
use sidecar_protocol::saved::{SavedName, UnreadValue};

use super::Alert;
use super::connection::ConnectionStore;
use super::page::PageStore;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct PolicyStore {
    /// The user's policies for tools and sites, newest first.
    pub grants: RwSignal<Vec<Grant>>,
    /// The hidden sites, newest first.
    pub hidden: RwSignal<Vec<HiddenSite>>,
    /// Saved values that cannot be read in full.
    pub unread: RwSignal<Vec<UnreadValue>>,
    connection: ConnectionStore,
    page: PageStore,
}

impl PolicyStore {
    /// Creates an empty store.
    pub fn new(connection: ConnectionStore, page: PageStore) -> Self {
        Self {
            grants: RwSignal::new(Vec::new()),
            hidden: RwSignal::new(Vec::new()),
            unread: RwSignal::new(Vec::new()),
            connection,
            page,
        }
    }

    /// The user's policy under a key.
    pub fn policy(self, key: &PolicyKey) -> Option<Policy> {
        self.grants.with(|grants| grants.iter().find(|grant| grant.key == *key).map(|grant| grant.policy))
    }

    /// Whether every call on a site asks, whatever the policies of its tools.
    pub fn site_asks(self, origin: &str) -> bool {
        self.policy(&PolicyKey::Site { origin: origin.to_owned() }) == Some(Policy::Ask)
    }

    /// Whether the test bridge is offered to the scripts of an origin.
    pub fn offers_test_bridge(self, origin: &str) -> bool {
        self.policy(&PolicyKey::TestBridge { origin: origin.to_owned() }) == Some(Policy::Allow)
    }

    /// Whether the site with this origin is hidden from the agent.
    pub fn is_hidden(self, origin: &str) -> bool {
        self.hidden.with(|hidden| hidden.iter().any(|site| site.origin == origin))
    }

    /// Whether the site of the active tab is hidden from the agent.
    pub fn is_page_hidden(self) -> bool {
        self.page.view.with(|page| self.is_hidden(&page.origin))
    }

    /// Takes the unreadable values, and alerts the user once about each.
    pub fn take_unread(self, values: Vec<UnreadValue>) {
        let is_news = |value: &UnreadValue| {
            self.unread.with_untracked(|known| known.iter().all(|known| known.name != value.name))
        };
        if values.iter().any(is_news) {
            self.connection.alert.set(Some(Alert::Unread));
        }
        if self.unread.with_untracked(|known| *known != values) {
            self.unread.set(values);
        }
    }

    /// Whether part of a saved value cannot be read.
    pub fn is_unread(self, name: SavedName) -> bool {
        self.unread.with(|values| values.iter().any(|value| value.name == name))
    }

    /// Hides a site from the agent, or shows it again.
    pub fn hide_site(self, origin: String, hidden: bool) {
        self.connection.send(PoliciesCommand::HideSite { origin, hidden });
    }
}
