//! Why runs do not become a case, or a case does not get into a file.

use sidecar_locales::{fill, quoted};
use sidecar_protocol::settings::Language;

use crate::wording::word;

/// Maximum characters of a tool's name in a sentence.
const MOST_NAME: usize = 80;

/// Why runs do not become a case, or a case does not get into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseFault {
    /// There are no runs.
    NoRuns,
    /// A case begins with the user's words, and there are none.
    NoWords,
    /// The arguments of this tool are not a JSON object.
    Arguments(String),
    /// What should be added is not a JSON object.
    NoCase,
    /// The file is not JSON, or nested too deeply: where reading stops, in characters from 1.
    SuiteJson(usize),
    /// The file has no list of cases.
    NoCases,
}

impl CaseFault {
    /// What is wrong, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = match self {
            Self::NoRuns => word::FAULT_NO_RUNS,
            Self::NoWords => word::FAULT_NO_WORDS,
            Self::Arguments(tool) => {
                let tool = quoted(tool, MOST_NAME);
                return fill(word::FAULT_ARGUMENTS.text(language), &[("tool", &tool)]);
            }
            Self::NoCase => word::FAULT_NO_CASE,
            Self::SuiteJson(at) => {
                return fill(word::FAULT_SUITE_JSON.text(language), &[("at", &at.to_string())]);
            }
            Self::NoCases => word::FAULT_NO_CASES,
        };
        word.text(language).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_a_sentence_in_both_languages() {
        for fault in [
            CaseFault::NoRuns,
            CaseFault::NoWords,
            CaseFault::Arguments("book".to_owned()),
            CaseFault::NoCase,
            CaseFault::SuiteJson(3),
            CaseFault::NoCases,
        ] {
            assert!(fault.sentence(Language::English).ends_with('.'));
            assert!(fault.sentence(Language::Chinese).ends_with('。'));
        }
        let named = CaseFault::Arguments("book".to_owned()).sentence(Language::Chinese);
        assert!(named.starts_with("book "), "{named}");
    }
}
