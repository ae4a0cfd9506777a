//! What a service says of its models: which there are, and what one of them can do.

pub(crate) mod facts;
pub(crate) mod models;
