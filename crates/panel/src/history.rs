//! Looking after earlier conversations: what was searched for and found, what was deleted and can be brought back, and
//! files on their way in and out.

use std::rc::Rc;
use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_protocol::ThreadId;
use sidecar_protocol::history::{
    ExportForm, Found, IMPORT_LIMIT, IMPORT_PIECE, ImportOutcome, ImportProblem, UNDO_MS,
};
use sidecar_protocol::link::{Refusal, ThreadsAnswer, ThreadsCommand};
use sidecar_protocol::thread::ThreadSummary;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use crate::download::download;
use crate::link::Response;
use crate::state::State;

/// Longest name of a file that is made of a title, in characters.
const NAME_LIMIT: usize = 40;

/// The panel's part of it. A handle: copies show the same.
#[derive(Clone, Copy)]
pub struct History {
    /// What is searched for, as it is typed.
    pub query: RwSignal<String>,
    /// What was found so far; none while nothing is searched for.
    pub found: RwSignal<Option<Vec<Found>>>,
    /// Whether there may be more.
    pub searching: RwSignal<bool>,
    /// The threads that were deleted, each as long as it can be brought back, with its number.
    pub deleted: RwSignal<Vec<(u32, ThreadSummary)>>,
    /// What came of the last import.
    pub imported: RwSignal<Option<Import>>,
    /// Whether a file is on its way.
    pub busy: RwSignal<bool>,
    /// Counts questions.
    number: StoredValue<u32>,
    /// The question that `found` answers.
    answered: StoredValue<u32>,
    outgoing: StoredValue<Option<Outgoing>, LocalStorage>,
    importing: StoredValue<bool>,
    /// Counts deletions.
    deletions: StoredValue<u32>,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// What the worker says of it.
    Over(ImportOutcome),
    /// The connection broke before the worker said anything.
    BrokenOff,
}

/// A file that comes from the worker, piece by piece.
#[derive(Clone)]
struct Outgoing {
    parts: Array,
    name: String,
    media_type: &'static str,
}

impl History {
    /// Nothing searched for yet.
    pub fn new() -> Self {
        Self {
            query: RwSignal::new(String::new()),
            found: RwSignal::new(None),
            searching: RwSignal::new(false),
            deleted: RwSignal::new(Vec::new()),
            imported: RwSignal::new(None),
            busy: RwSignal::new(false),
            number: StoredValue::new(0),
            answered: StoredValue::new(0),
            outgoing: StoredValue::new_local(None),
            importing: StoredValue::new(false),
            deletions: StoredValue::new(0),
        }
    }

    /// Threads in which something was found.
    pub fn take_found(self, number: u32, threads: Vec<Found>, more: bool) {
        if number != self.number.get_value() {
            return;
        }
        // What was found before stays on the screen until something takes its place.
        if self.answered.get_value() == number {
            self.found.update(|found| found.get_or_insert_default().extend(threads));
        } else {
            self.answered.set_value(number);
            self.found.set(Some(threads));
        }
        self.searching.set(more);
    }

    /// The next piece of a file.
    pub fn take_piece(self, text: &str) {
        if let Some(Outgoing { parts, .. }) = self.outgoing.get_value() {
            parts.push(&JsValue::from_str(text));
        }
    }

    /// The file is whole.
    pub fn finish_file(self) {
        if let Some(Outgoing { parts, name, media_type }) = self.outgoing.get_value() {
            self.stop();
            download(&parts, &name, media_type);
        }
    }

    /// What came of an import.
    pub fn take_imported(self, outcome: ImportOutcome) {
        self.stop();
        self.imported.set(Some(Import::Over(outcome)));
    }

    /// Nothing is on its way any more, as when the worker refused it.
    pub fn stop(self) {
        self.outgoing.set_value(None);
        self.importing.set_value(false);
        self.busy.set(false);
    }

    /// The connection broke, and with it whatever was on its way.
    pub fn break_off(self) {
        if self.importing.get_value() {
            self.imported.set(Some(Import::BrokenOff));
        }
        self.stop();
    }

    /// A file comes from the worker under this name.
    pub fn expect_file(self, name: String, media_type: &'static str) {
        self.outgoing.set_value(Some(Outgoing { parts: Array::new(), name, media_type }));
        self.busy.set(true);
    }
}

impl State {
    /// Looks for what is typed in the search of threads, in place of what was looked for before.
    pub fn search(self) {
        let History { query, found, searching, number, .. } = self.history;
        let text = query.get_untracked().trim().to_owned();
        let next = number.get_value() + 1;
        number.set_value(next);
        searching.set(!text.is_empty());
        if text.is_empty() {
            found.set(None);
        }
        let is_asked = !text.is_empty();
        self.ask(ThreadsCommand::Search { text }, move |response| match response {
            Response::Answer(ThreadsAnswer::Found { threads }) => {
                self.history.take_found(next, threads, true)
            }
            Response::Done if is_asked => self.history.take_found(next, Vec::new(), false),
            Response::Refused(why) => {
                self.history.take_found(next, Vec::new(), false);
                self.refused(why);
            }
            Response::Answer(_) | Response::Done | Response::Lost => {}
        });
    }

    /// Asks for the list of threads.
    pub fn list_threads(self) {
        self.ask(ThreadsCommand::List, move |response| match response {
            Response::Answer(ThreadsAnswer::Listed { threads }) => self.take_threads(threads),
            Response::Refused(why) => self.refused(why),
            Response::Answer(_) | Response::Done | Response::Lost => {}
        });
    }

    /// The threads there are now.
    pub fn take_threads(self, threads: Vec<ThreadSummary>) {
        self.threads.set(threads);
        if self.history.found.with_untracked(Option::is_some) {
            // One of those that were found may be gone or back.
            self.search();
        }
    }

    /// Deletes a thread, which can be brought back for a while.
    pub fn delete_thread(self, thread: ThreadSummary) {
        if !self.send(ThreadsCommand::Delete { thread_id: thread.id.clone() }) {
            return;
        }
        let History { deleted, deletions, .. } = self.history;
        let number = deletions.get_value() + 1;
        deletions.set_value(number);
        deleted.update(|deleted| deleted.push((number, thread)));
        let forget = move || deleted.update(|deleted| deleted.retain(|(other, _)| *other != number));
        set_timeout(forget, Duration::from_millis(UNDO_MS));
    }

    /// Brings back the threads that were deleted.
    pub fn restore_threads(self) {
        for (_, thread) in self.history.deleted.try_update(std::mem::take).unwrap_or_default() {
            self.send(ThreadsCommand::Restore { thread_id: thread.id });
        }
    }

    /// Has the browser save a thread, or all of them.
    pub fn export_threads(self, thread: Option<(ThreadId, String)>, form: ExportForm) {
        let (thread_id, title) = thread.unzip();
        let (ending, media_type) = match form {
            ExportForm::Json => ("json", "application/json"),
            ExportForm::Markdown => ("md", "text/markdown"),
        };
        let name = title.as_deref().map(file_name).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "webmcp-sidecar".to_owned());
        self.history.expect_file(format!("{name}-{}.{ending}", today()), media_type);
        let is_sent = self.ask(ThreadsCommand::Export { thread_id, form }, move |response| match response {
            Response::Answer(ThreadsAnswer::Piece { text }) => self.history.take_piece(&text),
            Response::Done => self.history.finish_file(),
            // What can be read is in the file.
            Response::Refused(why @ (Refusal::NewerThread | Refusal::DamagedThread)) => {
                self.history.finish_file();
                self.refused(why);
            }
            Response::Refused(why) => {
                self.history.stop();
                self.refused(why);
            }
            Response::Answer(_) | Response::Lost => {}
        });
        if !is_sent {
            self.history.stop();
        }
    }

    /// Sends a file of threads to the worker.
    pub fn import_threads(self, file: File) {
        let refuse = move |problem| self.history.take_imported(ImportOutcome::Refused { problem });
        if file.size() > IMPORT_LIMIT as f64 {
            return refuse(ImportProblem::TooLarge);
        }
        self.history.imported.set(None);
        self.history.busy.set(true);
        self.history.importing.set_value(true);
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            let Some(text) = text else { return refuse(ImportProblem::NotOurs) };
            if !self.history.importing.get_value() {
                return;
            }
            self.send_piece(&Rc::from(text), 0);
        });
    }

    /// Sends the next piece of a file, and those behind it, each when the one before has arrived: what else is said to the
    /// worker meanwhile stands behind one piece at most.
    fn send_piece(self, file: &Rc<str>, from: usize) {
        let rest = &file[from..];
        let end = rest.char_indices().nth(IMPORT_PIECE).map_or(rest.len(), |(end, _)| end);
        let (text, more) = (rest[..end].to_owned(), end < rest.len());
        let file = Rc::clone(file);
        let is_sent = self.ask(ThreadsCommand::Import { text, more }, move |response| match response {
            Response::Done if more && self.history.importing.get_value() => {
                self.send_piece(&file, from + end)
            }
            Response::Answer(ThreadsAnswer::Imported { outcome }) => self.history.take_imported(outcome),
            Response::Refused(why) => {
                self.history.stop();
                self.refused(why);
            }
            // All is broken off anyway.
            Response::Answer(_) | Response::Done | Response::Lost => {}
        });
        if !is_sent {
            self.history.break_off();
        }
    }
}

/// `2026-11-22`, as the user counts days.
pub fn today() -> String {
    let now = js_sys::Date::new_0();
    format!("{}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}

/// What of a title every system takes in the name of a file.
fn file_name(title: &str) -> String {
    let plain: String = title.chars().map(|char| if char.is_alphanumeric() { char } else { ' ' }).collect();
    let name = plain.split_whitespace().collect::<Vec<_>>().join("-");
    name.chars().take(NAME_LIMIT).collect::<String>().trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_name_that_every_system_takes() {
        for (title, name) in [
            ("Flights to Sofia?", "Flights-to-Sofia"),
            ("../../etc/passwd", "etc-passwd"),
            ("帮我搜直飞航班", "帮我搜直飞航班"),
            ("???", ""),
            ("a b c d e f g h i j k l m n o p q r s t u v", "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t"),
        ] {
            assert_eq!(file_name(title), name, "{title}");
        }
    }
}
