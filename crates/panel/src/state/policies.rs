//! What the user decided for good, and saved values that cannot be read.

use leptos::prelude::*;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_protocol::saved::{SavedName, UnreadValue};

use super::{Alert, State};

impl State {
    /// The user's decision under a key.
    pub fn policy(self, key: &PolicyKey) -> Option<Policy> {
        self.grants.with(|grants| grants.iter().find(|grant| grant.key == *key).map(|grant| grant.policy))
    }

    /// Whether every call on a site asks, whatever is decided about its tools.
    pub fn site_asks(self, origin: &str) -> bool {
        self.policy(&PolicyKey::Site { origin: origin.to_owned() }) == Some(Policy::Ask)
    }

    /// Whether the agent does not see documents of this origin.
    pub fn is_hidden(self, origin: &str) -> bool {
        self.hidden.with(|hidden| hidden.iter().any(|site| site.origin == origin))
    }

    /// Whether it does not see the page that is shown.
    pub fn is_page_hidden(self) -> bool {
        self.page.with(|page| self.is_hidden(&page.origin))
    }

    /// Tells the user once of each value.
    pub(super) fn take_unread(self, values: Vec<UnreadValue>) {
        let is_news = |value: &UnreadValue| {
            self.unread.with_untracked(|known| known.iter().all(|known| known.name != value.name))
        };
        if values.iter().any(is_news) {
            self.alert.set(Some(Alert::Unread));
        }
        if self.unread.with_untracked(|known| *known != values) {
            self.unread.set(values);
        }
    }

    /// Whether something of a saved value cannot be read.
    pub fn is_unread(self, name: SavedName) -> bool {
        self.unread.with(|values| values.iter().any(|value| value.name == name))
    }

    /// Hides a site from the agent, or shows it again.
    pub fn hide_site(self, origin: String, hidden: bool) {
        self.send(PoliciesCommand::HideSite { origin, hidden });
    }
}
