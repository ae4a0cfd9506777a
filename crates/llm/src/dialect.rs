//! What endpoints understand.
