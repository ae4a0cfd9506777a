//! Text of a page that the user gives the model with a message.

use serde::{Deserialize, Serialize};

use crate::guard::InjectionSignal;

/// A text of a page, exactly as the user was shown it: invisible characters are written out, and it is cut
/// to what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// Which part of the page it is.
    pub what: Extract,
    /// Origin of the page; `null` where it has none of its own.
    pub origin: String,
    /// Host of the page.
    pub site: String,
    /// At most [`Attachment::MOST_CHARACTERS`] characters.
    pub text: String,
    /// Length of the full text in characters, if `text` is only its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<usize>,
    /// Injection signals, if there are enough of them to set the guard; empty for most.
    #[serde(default, rename = "signs", skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<InjectionSignal>,
}

impl Attachment {
    /// Maximum number of texts attached to one message, besides addresses.
    pub const MOST: usize = 5;

    /// Maximum number of addresses of one message.
    pub const MOST_ADDRESSES: usize = 6;

    /// Whether one message may have all of these.
    #[must_use]
    pub fn fit_together(attached: &[Self]) -> bool {
        let addresses = attached.iter().filter(|one| one.what == Extract::Address).count();
        addresses <= Self::MOST_ADDRESSES && attached.len() - addresses <= Self::MOST
    }

    /// Maximum length in characters, whatever limit the user sets.
    pub const MOST_CHARACTERS: usize = 100_000;

    /// Maximum length of an origin or a host in characters.
    pub const MOST_OF_SITE: usize = 300;
}

/// Whether number and sizes allow these to go with one message.
#[must_use]
pub fn is_sound(attached: &[Attachment]) -> bool {
    let fits = |text: &str, most: usize| text.chars().nth(most).is_none();
    Attachment::fit_together(attached)
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
    /// The readable text of the page.
    Page,
    /// What the user has selected on it.
    Selection,
    /// Not its text: its title, and its origin and path.
    Address,
}

/// Why there is no text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NotRead {
    /// Nothing is selected.
    NothingSelected,
    /// The page has no text.
    Empty,
    /// The page is still loading and has no text yet.
    Loading,
    /// The page does not answer: its own scripts keep it busy.
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
    fn attachments_are_unsound_when_too_many_or_too_large() {
        assert!(is_sound(&[]));
        assert!(is_sound(&vec![attachment(); Attachment::MOST]));
        assert!(!is_sound(&vec![attachment(); Attachment::MOST + 1]));
        let address = Attachment { what: Extract::Address, ..attachment() };
        let texts = vec![attachment(); Attachment::MOST];
        assert!(is_sound(&[texts.clone(), vec![address.clone()]].concat()));
        assert!(!is_sound(&[texts, vec![address; Attachment::MOST_ADDRESSES + 1]].concat()));
        assert!(!is_sound(&[Attachment { text: attachment().text + "字", ..attachment() }]));
        assert!(!is_sound(&[Attachment { origin: "x".repeat(301), ..attachment() }]));
    }
}
