//! State of the list of earlier threads: search results, deletions that can be undone, and running exports and imports.

use js_sys::Array;
use leptos::prelude::*;
use sidecar_protocol::history::{ImportOutcome, ThreadMatch};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_ui::dom::download::download;
use wasm_bindgen::JsValue;

/// Most characters of a title in a file name.
const NAME_LIMIT: usize = 40;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct LibraryState {
    /// The search query, as typed.
    pub query: RwSignal<String>,
    /// Threads found so far; `None` without a search.
    pub found: RwSignal<Option<Vec<ThreadMatch>>>,
    /// Whether the search is still running.
    pub searching: RwSignal<bool>,
    /// Deleted threads that can still be restored, each with the number of its deletion.
    pub deleted: RwSignal<Vec<(u32, ThreadSummary)>>,
    /// The outcome of the last import.
    pub imported: RwSignal<Option<Import>>,
    /// Whether an export or import is running.
    pub busy: RwSignal<bool>,
    /// Number of the last search.
    pub number: StoredValue<u32>,
    /// Number of the search that `found` belongs to.
    answered: StoredValue<u32>,
    outgoing: StoredValue<Option<OutgoingFile>, LocalStorage>,
    /// Whether an import is running.
    pub importing: StoredValue<bool>,
    /// Number of the last deletion.
    pub deletions: StoredValue<u32>,
}

/// The outcome of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// The import ended with this outcome.
    Over(ImportOutcome),
    /// The connection broke before the outcome arrived.
    BrokenOff,
}

/// A file that the worker sends in pieces.
#[derive(Clone)]
struct OutgoingFile {
    parts: Array,
    name: String,
    media_type: &'static str,
}

impl LibraryState {
    /// Creates an empty state.
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

    /// Takes threads found by search `number`; `more` says that it is still running. Results of an earlier search are
    /// ignored.
    pub fn take_found(self, number: u32, threads: Vec<ThreadMatch>, more: bool) {
        if number != self.number.get_value() {
            return;
        }
        // Earlier results stay visible until new ones replace them.
        if self.answered.get_value() == number {
            self.found.update(|found| found.get_or_insert_default().extend(threads));
        } else {
            self.answered.set_value(number);
            self.found.set(Some(threads));
        }
        self.searching.set(more);
    }

    /// Takes the next piece of the file.
    pub fn take_piece(self, text: &str) {
        if let Some(OutgoingFile { parts, .. }) = self.outgoing.get_value() {
            parts.push(&JsValue::from_str(text));
        }
    }

    /// Saves the file: all its pieces have arrived.
    pub fn finish_file(self) {
        if let Some(OutgoingFile { parts, name, media_type }) = self.outgoing.get_value() {
            self.stop();
            download(&parts, &name, media_type);
        }
    }

    /// The outcome of an import.
    pub fn take_imported(self, outcome: ImportOutcome) {
        self.stop();
        self.imported.set(Some(Import::Over(outcome)));
    }

    /// Ends a running export or import.
    pub fn stop(self) {
        self.outgoing.set_value(None);
        self.importing.set_value(false);
        self.busy.set(false);
    }

    /// Ends a running export or import because the connection broke.
    pub fn break_off(self) {
        if self.importing.get_value() {
            self.imported.set(Some(Import::BrokenOff));
        }
        self.stop();
    }

    /// Prepares to take a file from the worker under this name.
    pub fn expect_file(self, name: String, media_type: &'static str) {
        self.outgoing.set_value(Some(OutgoingFile { parts: Array::new(), name, media_type }));
        self.busy.set(true);
    }
}

/// Turns a title into a file name that every system accepts; may be empty.
pub fn file_name(title: &str) -> String {
    let plain: String = title.chars().map(|char| if char.is_alphanumeric() { char } else { ' ' }).collect();
    let name = plain.split_whitespace().collect::<Vec<_>>().join("-");
    name.chars().take(NAME_LIMIT).collect::<String>().trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_keeps_only_letters_digits_and_dashes_of_a_title() {
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
