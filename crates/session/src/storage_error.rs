//! Classifies errors of the browser's storage. Their messages contain the error's name, which is the same in
//! every language.

use sidecar_agent::StoreError;
use sidecar_protocol::error::StorageTrouble;

/// Parts of messages, and the trouble that each indicates.
const KNOWN: [(&str, StorageTrouble); 3] = [
    // The database on disk has a later version.
    ("VersionError", StorageTrouble::Newer),
    // The disk or the quota is full: for a database, and for `chrome.storage`, whose error has no name.
    ("QuotaExceededError", StorageTrouble::Full),
    ("quota exceeded", StorageTrouble::Full),
];

/// The error for a message of the browser.
pub fn storage_error(words: &str) -> StoreError {
    let known = KNOWN.into_iter().find(|(name, _)| words.contains(name));
    StoreError::new(known.map_or(StorageTrouble::Other, |(_, trouble)| trouble), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_error_classifies_the_browsers_messages() {
        for (words, trouble) in [
            ("QuotaExceededError: Encountered full disk while committing", StorageTrouble::Full),
            ("QUOTA_BYTES quota exceeded", StorageTrouble::Full),
            (
                "DOM exception: VersionError: The requested version (2) is less than the existing version (99).",
                StorageTrouble::Newer,
            ),
            ("UnknownError: Internal error opening backing store", StorageTrouble::Other),
        ] {
            assert_eq!(storage_error(words), StoreError::new(trouble, words));
        }
    }
}
