//! Why a file is no suite, or has no tools.

use sidecar_locales::{Word, fill};
use sidecar_protocol::settings::Language;

use crate::wording::word;

/// Maximum size of a suite, in bytes.
pub const MOST_BYTES: usize = 4 << 20;
/// Maximum number of cases.
pub const MOST_CASES: usize = 1_000;
/// Maximum depth of objects and arrays in one another.
pub const MOST_DEPTH: usize = 64;

/// Why a file is no suite, or has no tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuiteFault {
    /// It is too large: its bytes.
    Size(usize),
    /// It is not JSON: the reader's message.
    Json(String),
    /// It has objects in objects, and so on, so deeply.
    Depth(usize),
    /// There are no cases in it.
    NoCases,
    /// There are too many: how many.
    Cases(usize),
    /// This case is not an object.
    Case(usize),
    /// A file with tools has no list of them.
    NoTools,
}

impl SuiteFault {
    /// What is wrong, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let filled = |word: Word, values: &[(&str, &str)]| fill(word.text(language), values);
        match self {
            Self::Size(found) => limit(word::FAULT_SIZE, *found, MOST_BYTES, language),
            Self::Json(error) => filled(word::FAULT_JSON, &[("error", error)]),
            Self::Depth(found) => limit(word::FAULT_DEPTH, *found, MOST_DEPTH, language),
            Self::NoCases => filled(word::FAULT_NO_CASES, &[]),
            Self::Cases(found) => limit(word::FAULT_CASES, *found, MOST_CASES, language),
            Self::NoTools => filled(word::FAULT_NO_TOOLS, &[]),
            Self::Case(number) => filled(word::FAULT_CASE, &[("case", &number.to_string())]),
        }
    }
}

fn limit(word: Word, found: usize, most: usize, language: Language) -> String {
    fill(word.text(language), &[("found", &found.to_string()), ("most", &most.to_string())])
}
