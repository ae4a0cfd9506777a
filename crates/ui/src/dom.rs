//! What the document does that no view says: focus, sizes, files.

pub mod download;
pub mod focus;
pub mod resize;
