//! Threads as shown, searched, exported and imported, and as cases of evals.

pub mod archive;
pub mod markdown;
pub mod recording;
pub mod search;
pub mod view;
