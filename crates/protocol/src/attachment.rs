//! Text of a page that the user gives the model with a message.

use serde::{Deserialize, Serialize};

use crate::guard::InjectionSignal;

/// Such a text. It is what the user was shown: with what nobody would see written out, and cut to what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// Which part of the page.
    pub what: Extract,
    /// Origin of the page; `null` where it has none of its own.
    pub origin: String,
    /// Host of the page.
    pub site: String,
    /// At most [`Attachment::MOST_CHARACTERS`] of them.
    pub text: String,
    /// How many characters there were, where the text is only their beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<usize>,
    /// Signs that it wants to instruct the model, where they are enough to be on guard; empty for most.
    #[serde(default, rename = "signs", skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<InjectionSignal>,
}

impl Attachment {
    /// Most of them with one message.
    pub const MOST: usize = 5;

    /// Most characters of one, whatever the user's limit is.
    pub const MOST_CHARACTERS: usize = 100_000;

    /// Most characters of an origin or a host.
    pub const MOST_OF_SITE: usize = 300;
}

/// Whether these can go with a message, as far as number and sizes are concerned.
#[must_use]
pub fn is_sound(attached: &[Attachment]) -> bool {
    let fits = |text: &str, most: usize| text.chars().nth(most).is_none();
    attached.len() <= Attachment::MOST
        && attached.iter().all(|Attachment { what: _, origin, site, text, whole: _, signals }| {
            fits(text, Attachment::MOST_CHARACTERS)
                && [origin, site].into_iter().all(|name| fits(name, Attachment::MOST_OF_SITE))
                && signals.iter().all(|found| fits(&found.excerpt, 2 * InjectionSignal::MOST))
        })
}

/// A part of a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Extract {
    /// What can be read on it.
    Page,
    /// What the user has selected on it.
    Selection,
}

/// Why a page's text is not had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NotRead {
    /// Nothing is selected.
    NothingSelected,
    /// There is no text on it.
    Empty,
    /// It is still loading, and there is no text on it yet.
    Loading,
    /// It does not answer: its own scripts keep it busy.
    Silent,
    /// Extensions may not run there.
    Restricted,
    /// The user hides the site from the agent.
    Hidden,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment() -> Attachment {
        Attachment {
            what: Extract::Page,
            origin: "https://news.example".to_owned(),
            site: "news.example".to_owned(),
            text: "字".repeat(Attachment::MOST_CHARACTERS),
            whole: None,
            signals: Vec::new(),
        }
    }

    #[test]
    fn too_many_and_too_large_are_not_sound() {
        assert!(is_sound(&[]));
        assert!(is_sound(&vec![attachment(); Attachment::MOST]));
        assert!(!is_sound(&vec![attachment(); Attachment::MOST + 1]));
        assert!(!is_sound(&[Attachment { text: attachment().text + "字", ..attachment() }]));
        assert!(!is_sound(&[Attachment { origin: "x".repeat(301), ..attachment() }]));
    }
}
