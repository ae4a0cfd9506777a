//! Percent-encoding of user input in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Every character that could have a meaning.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// A text encoded as part of a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, SPECIAL).to_string()
}
