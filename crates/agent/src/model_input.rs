//! What the model reads: a thread's log as the messages of a request, and how much of the context window
//! they take.

pub mod attached;
pub(crate) mod compaction;
pub mod context;
pub mod instructions;
pub(crate) mod messages;
pub(crate) mod pictures;
pub mod prompt;
pub mod result;
pub(crate) mod snapshots;
pub(crate) mod summary;
