//! Earlier threads: search, deletion, export and import.

use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_protocol::ThreadId;
use sidecar_protocol::history::{
    ExportForm, IMPORT_LIMIT, IMPORT_PIECE, ImportOutcome, ImportProblem, UNDO_MS,
};
use sidecar_protocol::link::{Refusal, ThreadsAnswer, ThreadsCommand};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_ui::clock::today;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::connection::ConnectionStore;
use crate::state::library_state::{LibraryState, file_name};
use sidecar_link::LinkResponse;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct LibraryStore {
    /// Earlier threads, newest first.
    pub threads: RwSignal<Vec<ThreadSummary>>,
    /// Whether the list has arrived. It is read when it is first shown.
    pub listed: RwSignal<bool>,
    /// Search results, deletions, and running exports and imports.
    pub state: LibraryState,
    connection: ConnectionStore,
}

impl LibraryStore {
    /// Creates an empty store.
    pub fn new(connection: ConnectionStore) -> Self {
        Self {
            threads: RwSignal::new(Vec::new()),
            listed: RwSignal::new(false),
            state: LibraryState::new(),
            connection,
        }
    }

    /// Searches the threads for the typed query, in place of an earlier search.
    pub fn search(self) {
        let LibraryState { query, found, searching, number, .. } = self.state;
        let text = query.get_untracked().trim().to_owned();
        let next = number.get_value() + 1;
        number.set_value(next);
        searching.set(!text.is_empty());
        if text.is_empty() {
            found.set(None);
        }
        let is_asked = !text.is_empty();
        self.connection.ask(ThreadsCommand::Search { text }, move |response| match response {
            LinkResponse::Answer(ThreadsAnswer::Found { threads }) => {
                self.state.take_found(next, threads, true)
            }
            LinkResponse::Done if is_asked => self.state.take_found(next, Vec::new(), false),
            LinkResponse::Refused(why) => {
                self.state.take_found(next, Vec::new(), false);
                self.connection.refused(why);
            }
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    /// Requests the list of threads.
    pub fn list_threads(self) {
        self.connection.ask(ThreadsCommand::List, move |response| match response {
            LinkResponse::Answer(ThreadsAnswer::Listed { threads }) => self.take_threads(threads),
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    /// Takes the current list of threads.
    pub fn take_threads(self, threads: Vec<ThreadSummary>) {
        self.threads.set(threads);
        self.listed.set(true);
        if self.state.found.with_untracked(Option::is_some) {
            // A found thread may have been deleted or restored.
            self.search();
        }
    }

    /// Deletes a thread. It can be restored for [`UNDO_MS`].
    pub fn delete_thread(self, thread: ThreadSummary) {
        if !self.connection.send(ThreadsCommand::Delete { thread_id: thread.id.clone() }) {
            return;
        }
        let LibraryState { deleted, deletions, .. } = self.state;
        let number = deletions.get_value() + 1;
        deletions.set_value(number);
        deleted.update(|deleted| deleted.push((number, thread)));
        let forget = move || deleted.update(|deleted| deleted.retain(|(other, _)| *other != number));
        set_timeout(forget, Duration::from_millis(UNDO_MS));
    }

    /// Restores the deleted threads that can still be restored.
    pub fn restore_threads(self) {
        for (_, thread) in self.state.deleted.try_update(std::mem::take).unwrap_or_default() {
            self.connection.send(ThreadsCommand::Restore { thread_id: thread.id });
        }
    }

    /// Exports a thread, or all threads, as a file.
    pub fn export_threads(self, thread: Option<(ThreadId, String)>, form: ExportForm) {
        let (thread_id, title) = thread.unzip();
        let (ending, media_type) = match form {
            ExportForm::Json => ("json", "application/json"),
            ExportForm::Markdown => ("md", "text/markdown"),
        };
        let name = title.as_deref().map(file_name).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "webmcp-sidecar".to_owned());
        self.state.expect_file(format!("{name}-{}.{ending}", today()), media_type);
        let is_sent =
            self.connection.ask(ThreadsCommand::Export { thread_id, form }, move |response| match response {
                LinkResponse::Answer(ThreadsAnswer::Piece { text }) => self.state.take_piece(&text),
                LinkResponse::Done => self.state.finish_file(),
                // The file holds what can be read.
                LinkResponse::Refused(why @ (Refusal::NewerThread | Refusal::DamagedThread)) => {
                    self.state.finish_file();
                    self.connection.refused(why);
                }
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

    /// Sends a file of threads to the worker.
    pub fn import_threads(self, file: File) {
        let refuse = move |problem| self.state.take_imported(ImportOutcome::Refused { problem });
        if file.size() > IMPORT_LIMIT as f64 {
            return refuse(ImportProblem::TooLarge);
        }
        self.state.imported.set(None);
        self.state.busy.set(true);
        self.state.importing.set_value(true);
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            let Some(text) = text else { return refuse(ImportProblem::NotOurs) };
            if !self.state.importing.get_value() {
                return;
            }
            self.send_piece(&Rc::from(text), 0);
        });
    }

    /// Sends a file from byte `from` on, in pieces: each is sent when the one before has arrived, so that other
    /// commands wait behind one piece at most.
    fn send_piece(self, file: &Rc<str>, from: usize) {
        let rest = &file[from..];
        let end = rest.char_indices().nth(IMPORT_PIECE).map_or(rest.len(), |(end, _)| end);
        let (text, more) = (rest[..end].to_owned(), end < rest.len());
        let file = Rc::clone(file);
        let is_sent =
            self.connection.ask(ThreadsCommand::Import { text, more }, move |response| match response {
                LinkResponse::Done if more && self.state.importing.get_value() => {
                    self.send_piece(&file, from + end)
                }
                LinkResponse::Answer(ThreadsAnswer::Imported { outcome }) => {
                    self.state.take_imported(outcome)
                }
                LinkResponse::Refused(why) => {
                    self.state.stop();
                    self.connection.refused(why);
                }
                // After a lost connection, `break_off` has ended the import.
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
            });
        if !is_sent {
            self.state.break_off();
        }
    }
}
