//! Saved values of which something cannot be read: telling the user, and giving it up.

use sidecar_protocol::link::{Refusal, WorkerEvent};
use sidecar_protocol::saved::{SavedName, UnreadValue};

use super::Actor;
use crate::event::LinkId;

impl Actor {
    /// What cannot be read now.
    pub(super) fn unread(&self) -> Vec<UnreadValue> {
        self.settings.unread().chain(self.queue.unread()).chain(self.tabs.grants.unread()).collect()
    }

    /// Gives up what of a value cannot be read.
    pub(super) async fn give_up_unread(&mut self, link: LinkId, value: SavedName) {
        let given_up = match value {
            SavedName::Settings => self.settings.give_up_settings().await,
            SavedName::Keys => self.settings.give_up_keys().await,
            SavedName::Queue => self.queue.give_up_unread().await,
            SavedName::Grants => self.tabs.grants.give_up_grants().await,
            SavedName::HiddenSites => self.tabs.grants.give_up_hidden().await,
        };
        match (given_up, value) {
            (Err(error), _) => self.refuse_for_storage(link, error, String::new()),
            // More tools may run without asking now.
            (Ok(()), SavedName::Grants | SavedName::HiddenSites) => self.show_grants(link, Ok(())),
            (Ok(()), SavedName::Settings | SavedName::Keys | SavedName::Queue) => {}
        }
        self.show_unread();
    }

    /// Something of what could not be read may have been changed or given up.
    pub(super) fn show_unread(&self) {
        self.panels.send_to_all(&WorkerEvent::Unread { values: self.unread() });
    }

    /// A change of a value holds, but is not saved.
    pub(super) fn refuse_unsaved(&self, link: LinkId, value: SavedName, text: String) {
        self.refuse(link, Refusal::Unread { value, text });
    }
}
