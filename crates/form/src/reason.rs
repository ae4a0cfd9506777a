//! Why a field is one of raw JSON.

use sidecar_protocol::settings::Language;

use crate::wording::{say, word};

/// Why a field takes JSON as text, and no more is offered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RawReason {
    /// The schema allows any value.
    Anything,
    /// It refers to another document, which is never fetched. With the reference.
    Remote(String),
    /// It refers to something that is not there. With the reference.
    Dangling(String),
    /// Its parts exclude each other.
    Conflict,
    /// It lies too deep.
    TooDeep,
    /// There are too many fields.
    TooMany,
    /// Too many parts apply to one value.
    TooComplex,
    /// The whole schema is too large.
    TooLarge,
    /// The arguments would be something else than an object, which is all that a tool can be given.
    NoObject,
}

impl RawReason {
    /// The reason as a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let plain = |word| say(language, word, &[]);
        match self {
            Self::Anything => plain(word::RAW_ANYTHING),
            Self::Remote(reference) => say(language, word::RAW_REMOTE, &[("reference", reference)]),
            Self::Dangling(reference) => say(language, word::RAW_DANGLING, &[("reference", reference)]),
            Self::Conflict => plain(word::RAW_CONFLICT),
            Self::TooDeep => plain(word::RAW_TOO_DEEP),
            Self::TooMany => plain(word::RAW_TOO_MANY),
            Self::TooComplex => plain(word::RAW_TOO_COMPLEX),
            Self::TooLarge => plain(word::RAW_TOO_LARGE),
            Self::NoObject => plain(word::RAW_NO_OBJECT),
        }
    }
}
