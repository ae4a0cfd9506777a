//! Problems of a schema, in words for its developer.

use crate::limit::{SCHEMA_LIMIT, WORK_LIMIT};

/// Why arguments are not checked against a schema, or only in part. The tool can still be called: the page
/// decides then, as in browsers, which check nothing.
///
/// Places are JSON Pointers (RFC 6901) in the page's schema, empty for the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Longer than [`SCHEMA_LIMIT`].
    #[error("it is longer than {} KiB, so arguments are not checked", SCHEMA_LIMIT / 1024)]
    TooLarge,
    /// Not JSON, or nested too deeply to be parsed.
    #[error("it cannot be read as JSON: {0}")]
    NotJson(String),
    /// A JSON value other than an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// It describes something other than an object, which arguments always are.
    #[error("its type must be \"object\", as arguments always are one")]
    NotForObjects,
    /// An unknown draft, by its `$schema`.
    #[error("arguments are not checked against {0}; drafts 06 to 2020-12 are")]
    Draft(String),
    /// A keyword with an invalid value.
    #[error("{}: {said}", at(place))]
    Keyword {
        /// The value.
        place: String,
        /// What is wrong with it.
        said: String,
    },
    /// A reference to a part that does not exist.
    #[error("{}: there is no {to}", at(place))]
    LostReference {
        /// The part that has the reference.
        place: String,
        /// The reference.
        to: String,
    },
    /// A reference to another document. The rest of the schema is checked.
    #[error("the reference to {to} says nothing, as no other document is fetched")]
    ReferenceToElsewhere {
        /// The reference.
        to: String,
    },
    /// A part contains itself.
    #[error("{}: {to} contains itself, so arguments are not checked", at(place))]
    Recursive {
        /// The part that has the reference.
        place: String,
        /// The reference.
        to: String,
    },
    /// A keyword that changes the meaning of references.
    #[error("{}: arguments are not checked where a schema uses this keyword", at(place))]
    Unchecked {
        /// The keyword.
        place: String,
    },
    /// With every reference inlined, it is nested too deeply or has too many parts.
    #[error(
        "with its references written out it has more than {WORK_LIMIT} parts or is nested too deeply, so arguments are not checked"
    )]
    TooMuch,
}

fn at(place: &str) -> &str {
    if place.is_empty() { "the schema" } else { place }
}
