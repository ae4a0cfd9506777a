//! How the tools of a document came to be: what only its browser knows. A page wrote it, or could have.

use serde::{Deserialize, Serialize};

/// What a relay tells of the tools of its document. Whoever reads it cuts nothing: the relay did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentFacts {
    /// The registrations by scripts, one for each name; also of names that are no tools any more, or never were.
    pub tools: Vec<ToolRegistration>,
    /// The forms with a `toolname`.
    pub forms: Vec<FormFacts>,
}

/// How a script registered a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolRegistration {
    /// Its name.
    pub name: String,
    /// Milliseconds from the beginning of the navigation to the first registration of the name.
    pub at: u32,
    /// Milliseconds from the end of the document's load event to it, 0 if it came before. Absent if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_load: Option<u32>,
    /// How often it was registered again since.
    pub again: u32,
    /// Address of the script that registered it last, without query and fragment; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The line of the script, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The origins to which it is exposed, as the page wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exposed_to: Option<Vec<String>>,
}

/// A form that declares a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FormFacts {
    /// Its `toolname`.
    pub name: String,
    /// Whether it has a `tooldescription` that is not blank. A form without one is no tool for a browser.
    pub is_described: bool,
    /// Whether it is submitted without the user (`toolautosubmit`).
    pub autosubmit: bool,
    /// Its fields that are parameters.
    pub fields: Vec<DeclaredField>,
}

/// A field of a form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// Its kind, as `password` or `select-one`.
    pub kind: String,
    /// Whether it has a label or a `toolparamdescription`.
    pub is_described: bool,
}

impl DocumentFacts {
    /// Maximum bytes of its JSON text that anybody reads.
    pub const MOST_BYTES: usize = 4 << 20;

    /// What a relay told; `None` if it is no such text, or too long.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|_| text.len() <= Self::MOST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_absent_and_what_is_new_is_no_mistake() {
        let facts = DocumentFacts::read(r#"{"tools":[{"name":"buy","at":120,"again":0,"new":1}]}"#).unwrap();
        let bare = ToolRegistration { name: "buy".to_owned(), at: 120, ..ToolRegistration::default() };
        assert_eq!(facts, DocumentFacts { tools: vec![bare], forms: vec![] });
        let text = serde_json::to_string(&facts.tools[0]).unwrap();
        assert_eq!(text, r#"{"name":"buy","at":120,"again":0}"#);
        assert_eq!(DocumentFacts::read(""), None);
    }

    #[test]
    fn text_without_end_is_not_read() {
        let text = format!("{{}}{}", " ".repeat(DocumentFacts::MOST_BYTES));
        assert_eq!(DocumentFacts::read(&text), None);
        assert_eq!(DocumentFacts::read("{}"), Some(DocumentFacts::default()));
    }
}
