//! What a service says of its models: the list of them, and the capabilities of one.

pub(crate) mod facts;
pub(crate) mod models;
pub(crate) mod sight;
