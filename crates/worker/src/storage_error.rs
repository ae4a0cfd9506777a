//! What is the matter when the browser's storage refuses. Its words hold the name of the error, which is the same in every
//! language.

use sidecar_agent::StoreError;
use sidecar_protocol::error::StorageTrouble;

/// What the words hold, and what is the matter then.
const KNOWN: [(&str, StorageTrouble); 3] = [
    // The database is of a later version.
    ("VersionError", StorageTrouble::Newer),
    // There is no room, or none is given: to a database; to the storage of an extension, which has no name for it.
    ("QuotaExceededError", StorageTrouble::Full),
    ("quota exceeded", StorageTrouble::Full),
];

/// The refusal that the browser put into these words.
pub fn storage_error(words: &str) -> StoreError {
    let known = KNOWN.into_iter().find(|(name, _)| words.contains(name));
    StoreError::new(known.map_or(StorageTrouble::Other, |(_, trouble)| trouble), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browsers_words_tell_what_is_the_matter() {
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
