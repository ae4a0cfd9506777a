//! Looking after earlier conversations: what was searched for and found, what was deleted and can be brought back, and
//! files on their way in and out.

use js_sys::Array;
use leptos::prelude::*;
use sidecar_protocol::history::{ImportOutcome, ThreadMatch};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_ui::dom::download::download;
use wasm_bindgen::JsValue;

/// Longest name of a file that is made of a title, in characters.
const NAME_LIMIT: usize = 40;

/// The panel's part of it. A handle: copies show the same.
#[derive(Clone, Copy)]
pub struct LibraryState {
    /// What is searched for, as it is typed.
    pub query: RwSignal<String>,
    /// What was found so far; none while nothing is searched for.
    pub found: RwSignal<Option<Vec<ThreadMatch>>>,
    /// Whether there may be more.
    pub searching: RwSignal<bool>,
    /// The threads that were deleted, each as long as it can be brought back, with its number.
    pub deleted: RwSignal<Vec<(u32, ThreadSummary)>>,
    /// What came of the last import.
    pub imported: RwSignal<Option<Import>>,
    /// Whether a file is on its way.
    pub busy: RwSignal<bool>,
    /// Counts questions.
    pub number: StoredValue<u32>,
    /// The question that `found` answers.
    answered: StoredValue<u32>,
    outgoing: StoredValue<Option<OutgoingFile>, LocalStorage>,
    /// Whether it is on its way to the worker.
    pub importing: StoredValue<bool>,
    /// Counts deletions.
    pub deletions: StoredValue<u32>,
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
struct OutgoingFile {
    parts: Array,
    name: String,
    media_type: &'static str,
}

impl LibraryState {
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
    pub fn take_found(self, number: u32, threads: Vec<ThreadMatch>, more: bool) {
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
        if let Some(OutgoingFile { parts, .. }) = self.outgoing.get_value() {
            parts.push(&JsValue::from_str(text));
        }
    }

    /// The file is whole.
    pub fn finish_file(self) {
        if let Some(OutgoingFile { parts, name, media_type }) = self.outgoing.get_value() {
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
        self.outgoing.set_value(Some(OutgoingFile { parts: Array::new(), name, media_type }));
        self.busy.set(true);
    }
}

/// What of a title every system takes in the name of a file.
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
