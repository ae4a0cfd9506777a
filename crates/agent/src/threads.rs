//! Threads as they are shown, searched, and written to files.

pub mod archive;
pub mod markdown;
pub mod search;
pub mod view;
