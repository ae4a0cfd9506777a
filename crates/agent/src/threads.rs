//! Threads as shown, searched, exported and imported.

pub mod archive;
pub mod markdown;
pub mod search;
pub mod view;
