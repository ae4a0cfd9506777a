//! Notes on what a reduced schema cannot express: for the model in descriptions, and as a list.

use serde_json::{Map, Value};

/// Maximum characters of a note.
const NOTE_LIMIT: usize = 300;

/// Maximum number of notes of a part, and in the list.
const PART_LIMIT: usize = 8;
const LIST_LIMIT: usize = 100;

/// Collects notes, each with the place of its part: `properties/seats: at least 1`.
#[derive(Debug, Default)]
pub(super) struct Notes {
    path: Vec<String>,
    pub(super) said: Vec<String>,
}

impl Notes {
    pub(super) fn enter(&mut self, name: &str) {
        self.path.push(name.to_owned());
    }

    pub(super) fn leave(&mut self) {
        self.path.pop();
    }

    /// Adds a note to the list only.
    pub(super) fn add(&mut self, note: &str) {
        if self.said.len() < LIST_LIMIT {
            let place = self.path.join("/");
            let note = if place.is_empty() { note.to_owned() } else { format!("{place}: {note}") };
            self.said.push(shortened(&note, NOTE_LIMIT));
        }
    }

    /// Appends notes to the description of a part.
    pub(super) fn describe(&mut self, part: &mut Map<String, Value>, notes: &[String]) {
        let notes = &notes[..notes.len().min(PART_LIMIT)];
        if notes.is_empty() {
            return;
        }
        notes.iter().for_each(|note| self.add(note));
        let notes: Vec<_> = notes.iter().map(|note| shortened(note, NOTE_LIMIT)).collect();
        let notes = notes.join("; ");
        let text = match part.get("description").and_then(Value::as_str).unwrap_or_default() {
            "" => notes,
            text => format!("{text} ({notes})"),
        };
        part.insert("description".to_owned(), Value::from(text));
    }
}

pub(super) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
