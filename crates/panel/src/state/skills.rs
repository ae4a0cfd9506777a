//! SKILLs: the list, which is asked for only while it is shown, and those that were just removed.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::history::UNDO_MS;
use sidecar_protocol::link::{SkillsAnswer, SkillsCommand};
use sidecar_protocol::skill::SkillSummary;

use super::connection::ConnectionStore;
use super::page::PageStore;
use sidecar_link::LinkResponse;

pub mod address;
pub mod base64;
pub mod export;
pub mod install;
pub mod upload;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct SkillsStore {
    /// All SKILLs, those for the page that is shown first.
    pub list: RwSignal<Vec<SkillSummary>>,
    /// Whether the list has arrived.
    pub listed: RwSignal<bool>,
    /// Removed SKILLs that can still be restored, each with the number of its removal, its id and its title.
    pub removed: RwSignal<Vec<(u32, String, String)>>,
    /// Number of times that the worker said that the list is another now.
    changes: RwSignal<u32>,
    /// Whether a request for the list is on its way.
    asking: StoredValue<bool>,
    /// Whether the list has to be asked for again after that.
    again: StoredValue<bool>,
    /// Number of the last removal.
    removals: StoredValue<u32>,
    connection: ConnectionStore,
    page: PageStore,
}

impl SkillsStore {
    /// Creates an empty store.
    pub fn new(connection: ConnectionStore, page: PageStore) -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            listed: RwSignal::new(false),
            removed: RwSignal::new(Vec::new()),
            changes: RwSignal::new(0),
            asking: StoredValue::new(false),
            again: StoredValue::new(false),
            removals: StoredValue::new(0),
            connection,
            page,
        }
    }

    /// Keeps the list current until the current owner is cleaned up.
    pub fn watch(self) {
        Effect::new(move |_| {
            self.changes.with(|_| ());
            // How a SKILL fares depends on the page.
            self.page.view.with(|_| ());
            // A worker that died may not have received the request.
            self.connection.count.with(|_| ());
            self.ask();
        });
    }

    /// The worker says that the list is another now, or how a SKILL fares.
    pub fn note_change(self) {
        self.changes.update(|changes| *changes += 1);
    }

    /// The SKILL with this id.
    pub fn find(self, id: &str) -> Option<SkillSummary> {
        self.list.with(|list| list.iter().find(|skill| skill.id == id).cloned())
    }

    /// Removes a SKILL. It can be restored for [`UNDO_MS`].
    pub fn remove(self, id: String, title: String) {
        if !self.connection.send(SkillsCommand::Remove { id: id.clone() }) {
            return;
        }
        let number = self.removals.get_value() + 1;
        self.removals.set_value(number);
        self.removed.update(|removed| removed.push((number, id, title)));
        let forget = move || self.removed.update(|removed| removed.retain(|(other, ..)| *other != number));
        set_timeout(forget, Duration::from_millis(UNDO_MS));
    }

    /// Restores the removed SKILLs that can still be restored.
    pub fn restore(self) {
        for (_, id, _) in self.removed.try_update(std::mem::take).unwrap_or_default() {
            self.connection.send(SkillsCommand::Restore { id });
        }
    }

    /// Requests the list; one request at a time, because a page may change continually.
    fn ask(self) {
        if self.asking.get_value() {
            self.again.set_value(true);
            return;
        }
        let is_sent = self.connection.ask(SkillsCommand::List, move |response| {
            self.asking.set_value(false);
            match response {
                LinkResponse::Answer(SkillsAnswer::Listed { skills }) => self.take(skills),
                LinkResponse::Refused(why) => self.connection.refused(why),
                // After a lost connection, the next one asks again.
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
            }
            let again = self.again.get_value();
            self.again.set_value(false);
            if again {
                self.ask();
            }
        });
        self.asking.set_value(is_sent);
    }

    fn take(self, skills: Vec<SkillSummary>) {
        if self.list.with_untracked(|list| *list != skills) {
            self.list.set(skills);
        }
        self.listed.set(true);
    }
}
