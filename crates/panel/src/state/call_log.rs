//! The log of calls: requesting, filtering and exporting it.

use leptos::prelude::*;
use sidecar_protocol::call_log::CallFilter;
use sidecar_protocol::link::{CallsAnswer, CallsCommand};
use sidecar_ui::clock::today;

use super::PanelView;
use super::call_rows::CallRows;
use super::connection::ConnectionStore;
use super::library_state::LibraryState;
use super::navigation::NavigationStore;
use sidecar_link::LinkResponse;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct CallLogStore {
    /// The part of the log that the panel has.
    pub calls: CallRows,
    connection: ConnectionStore,
    navigation: NavigationStore,
    state: LibraryState,
}

impl CallLogStore {
    /// Creates an empty store.
    pub fn new(connection: ConnectionStore, navigation: NavigationStore, state: LibraryState) -> Self {
        Self { calls: CallRows::new(), connection, navigation, state }
    }

    /// Requests the newest calls if the Log view is open.
    pub fn list_calls(self) {
        if self.navigation.view.get_untracked() == PanelView::Log {
            let filter = self.calls.filter.get_untracked();
            self.ask_for_calls(filter, None);
        }
    }

    /// Requests the page of calls before the oldest one here.
    pub fn list_older_calls(self) {
        let before = self.calls.rows.with_untracked(|rows| rows.last().map(|row| row.place));
        let filter = self.calls.filter.get_untracked();
        self.ask_for_calls(filter, before);
    }

    fn ask_for_calls(self, filter: CallFilter, before: Option<u64>) {
        let command = CallsCommand::List { filter: filter.clone(), before };
        let is_sent = self.connection.ask(command, move |response| {
            if self.calls.filter.with_untracked(|now| *now != filter) {
                return;
            }
            match response {
                LinkResponse::Answer(CallsAnswer::Page { page }) => {
                    return self.calls.take(before.is_some(), page);
                }
                LinkResponse::Refused(why) => self.connection.refused(why),
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
            }
            self.may_have_more_calls(before);
        });
        if !is_sent {
            self.may_have_more_calls(before);
        }
    }

    /// Allows the older page that did not arrive to be requested again.
    fn may_have_more_calls(self, before: Option<u64>) {
        if before.is_some() {
            self.calls.more.set(true);
        }
    }

    /// Changes the filter and requests the calls that match it.
    pub fn filter_calls(self, change: impl FnOnce(&mut CallFilter)) {
        self.calls.filter.update(change);
        self.calls.rows.set(Vec::new());
        self.list_calls();
    }

    /// Saves all calls that match the filter as a file, also those not loaded here.
    pub fn export_calls(self) {
        let filter = self.calls.filter.get_untracked();
        self.state.expect_file(format!("webmcp-sidecar-calls-{}.jsonl", today()), "application/x-ndjson");
        let is_sent = self.connection.ask(CallsCommand::Export { filter }, move |response| match response {
            LinkResponse::Answer(CallsAnswer::Piece { text }) => self.state.take_piece(&text),
            LinkResponse::Done => self.state.finish_file(),
            LinkResponse::Refused(why) => {
                self.state.stop();
                self.connection.refused(why);
            }
            LinkResponse::Answer(_) | LinkResponse::Lost => {}
        });
        if !is_sent {
            self.state.stop();
        }
    }
}
