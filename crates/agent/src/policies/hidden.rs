//! Hidden sites: the agent is offered none of their tools, and reads none of their text.

use serde::{Deserialize, Serialize};
use sidecar_protocol::Timestamp;
use sidecar_protocol::policy::{HiddenSite, is_lasting};

use crate::policies::grants::NoRoomForGrant;

/// Maximum number of hidden sites.
const MOST: usize = 1_000;

/// Maximum characters of an origin.
const MOST_OF_ORIGIN: usize = 300;

/// All hidden sites, in the order in which they were hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HiddenSites {
    kept: Vec<HiddenSite>,
}

impl HiddenSites {
    /// Hides the documents of an origin.
    ///
    /// # Errors
    /// If the origin is opaque, or there are too many: no other site is unhidden to make room.
    pub fn hide(&mut self, origin: &str, now: Timestamp) -> Result<(), NoRoomForGrant> {
        if self.hides(origin) {
            return Ok(());
        }
        if !is_lasting(origin) || origin.chars().nth(MOST_OF_ORIGIN).is_some() || self.kept.len() >= MOST {
            return Err(NoRoomForGrant);
        }
        self.kept.push(HiddenSite { origin: origin.to_owned(), at: now });
        Ok(())
    }

    /// Shows an origin's documents to the agent again.
    pub fn show(&mut self, origin: &str) {
        self.kept.retain(|site| site.origin != origin);
    }

    /// Whether the documents of this origin are hidden.
    #[must_use]
    pub fn hides(&self, origin: &str) -> bool {
        self.kept.iter().any(|site| site.origin == origin)
    }

    /// Whether no site is hidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// All hidden sites, the newest first.
    #[must_use]
    pub fn list(&self) -> Vec<HiddenSite> {
        self.kept.iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANK: &str = "https://bank.example";

    #[test]
    fn hidden_site_is_hidden_until_shown_again() {
        let mut hidden = HiddenSites::default();
        hidden.hide(BANK, 1).unwrap();
        hidden.hide("https://mail.example", 2).unwrap();
        hidden.hide(BANK, 3).unwrap();
        let text = serde_json::to_string(&hidden).unwrap();
        hidden = serde_json::from_str(&text).unwrap();
        let listed: Vec<_> = hidden.list().into_iter().map(|site| (site.origin, site.at)).collect();
        assert_eq!(listed, [("https://mail.example".to_owned(), 2), (BANK.to_owned(), 1)]);
        assert!(!hidden.hides("https://bank.example:8443") && !hidden.hides("http://bank.example"));
        hidden.show(BANK);
        assert!(!hidden.hides(BANK) && hidden.hides("https://mail.example"));
    }

    #[test]
    fn hidden_site_is_refused_when_opaque_or_too_many() {
        let mut hidden = HiddenSites::default();
        for origin in ["", "null", &format!("https://{}", "a".repeat(MOST_OF_ORIGIN))] {
            assert_eq!(hidden.hide(origin, 1), Err(NoRoomForGrant));
        }
        for n in 0..MOST {
            hidden.hide(&format!("https://{n}.example"), 1).unwrap();
        }
        assert_eq!(hidden.hide(BANK, 1), Err(NoRoomForGrant));
        assert!(hidden.hides("https://0.example"));
    }
}
