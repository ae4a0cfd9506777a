//! What the model reads: the log of a thread as the messages of a request, and how much of its window they take.

pub mod attached;
pub(crate) mod compaction;
pub mod context;
pub(crate) mod messages;
pub mod prompt;
pub mod result;
pub(crate) mod summary;
